package rddl

import "strconv"

func (p *parser) nonFluents() {
	p.advance()
	nf := &NonFluents{Name: p.ident("the name of the non-fluents block")}
	p.body(p.expect("{", ""), func() {
		switch {
		case p.tok.word("domain"):
			p.reference(&nf.Domain, "the domain's name")
		case p.tok.word("objects"):
			p.section(func() { nf.Objects = append(nf.Objects, p.objects()) })
		case p.tok.word("non-fluents"):
			p.section(func() { nf.Init = append(nf.Init, p.assign()) })
		default:
			p.unexpected("domain, objects, non-fluents or '}'")
		}
	})
	p.file.NonFluents = append(p.file.NonFluents, nf)
}

// reference reads KEY = name;
func (p *parser) reference(to *Ident, what string) {
	key := p.advance()
	p.once(key, to.Name != "")
	p.expect("=", "")
	*to = p.ident(what)
	p.expect(";", "")
}

// once refuses a second setting of the same key.
func (p *parser) once(key token, set bool) {
	if set {
		fail(key.pos, "second %s, expected one", key.text)
	}
}

func (p *parser) instance() {
	p.advance()
	in := &Instance{Name: p.ident("the instance's name"), MaxActions: Unbounded, Horizon: Unbounded, Discount: 1}
	p.body(p.expect("{", ""), func() { p.instanceSection(in) })
	p.file.Instances = append(p.file.Instances, in)
}

func (p *parser) instanceSection(in *Instance) {
	key := p.tok
	if key.kind != tokIdent {
		p.unexpected("a section of the instance or '}'")
	}
	switch key.text {
	case "domain":
		p.reference(&in.Domain, "the domain's name")
	case "non-fluents":
		p.nonFluentsSection(key, in)
	case "objects":
		p.section(func() { in.Objects = append(in.Objects, p.objects()) })
	case "init-state":
		p.section(func() { in.Init = append(in.Init, p.assign()) })
	case "max-nondef-actions":
		p.advance()
		p.once(key, in.HasMaxActions)
		p.expect("=", "")
		in.MaxActions, in.HasMaxActions = p.countOrInf("a number of actions"), true
		p.expect(";", "")
	case "horizon":
		p.horizonSection(key, in)
	case "terminal":
		p.advance()
		p.once(key, in.TerminateWhen != nil)
		p.expect("=", "")
		in.TerminateWhen = p.expr(0)
		p.expect(";", " or an operator")
	case "discount":
		p.advance()
		p.once(key, in.HasDiscount)
		p.expect("=", "")
		if p.tok.kind != tokInt && p.tok.kind != tokReal {
			p.unexpected("a number from 0 to 1")
		}
		n := p.number()
		in.Discount, in.HasDiscount, in.DiscountPos = n.Value, true, n.Pos
		p.expect(";", "")
	default:
		p.unexpected("a section of the instance: domain, non-fluents, objects, init-state, max-nondef-actions, " +
			"horizon, terminal or discount")
	}
}

// nonFluentsSection parses values of non-fluents, or the name of a block with them.
func (p *parser) nonFluentsSection(key token, in *Instance) {
	p.advance()
	if p.tok.is("{") {
		p.body(p.advance(), func() { in.Statics = append(in.Statics, p.assign()) })
		p.expect(";", afterSection)
		return
	}
	p.once(key, in.NonFluents.Name != "")
	p.expect("=", " or '{'")
	in.NonFluents = p.ident("the name of a non-fluents block")
	p.expect(";", "")
}

// horizonSection parses a number of steps, or the condition that ends a run.
func (p *parser) horizonSection(key token, in *Instance) {
	p.advance()
	p.expect("=", "")
	if p.tok.word("terminate-when") {
		p.once(key, in.TerminateWhen != nil)
		p.advance()
		open := p.expect("(", "")
		in.TerminateWhen = p.expr(0)
		p.close(open)
		p.accept(";") // allowed by rddlsim's grammar, not by pyRDDLGym's
		return
	}
	p.once(key, in.HasHorizon)
	in.Horizon, in.HasHorizon = p.countOrInf("a horizon"), true
	p.expect(";", "")
}

// assign reads one value: f(a, b) = v; or f(a, b); or ~f(a, b);
func (p *parser) assign() *Assign {
	a := &Assign{}
	start := p.tok.pos
	neg := p.accept("~")
	a.Name = p.ident("a fluent's name")
	if p.tok.is("(") || p.tok.is("[") {
		p.list(p.advance(), func() { a.Args = append(a.Args, p.value("an object's name or @value")) })
	}
	switch {
	case p.tok.is("=") && neg:
		fail(p.tok.pos, "found '=' after ~%s, expected ';': ~f sets f to false", a.Name.Name)
	case p.accept("="):
		a.Value = p.constant()
	case p.tok.is(";"):
		a.Short = true
		a.Value = &Bool{Info: Info{Pos: start}, Value: !neg}
	case p.tok.is("=="):
		fail(p.tok.pos, "found '==', expected '=' or ';'")
	default:
		p.unexpected("'=' or ';'")
	}
	p.expect(";", "")
	return a
}

// number reads a number or pos-inf or neg-inf.
func (p *parser) number() *Number {
	t := p.advance()
	n := &Number{Info: Info{Pos: t.pos}, Text: t.text, Int: t.kind == tokInt}
	text := t.text
	switch text {
	case "pos-inf":
		text = "+Inf"
	case "neg-inf":
		text = "-Inf"
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		fail(t.pos, "%v is too large for a number", t)
	}
	if n.Int && v > 1<<53 {
		fail(t.pos, "%v is too large for an integer, at most 2^53 is exact", t)
	}
	n.Value = v
	return n
}
