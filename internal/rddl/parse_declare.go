package rddl

import "strconv"

func (p *parser) typeDecl() *TypeDecl {
	t := &TypeDecl{Name: p.ident("a type's name")}
	p.expect(":", "")
	switch {
	case p.tok.word("object"):
		p.advance()
	case p.tok.is("{"):
		open := p.advance()
		t.Enum = true
		for !p.tok.is("}") {
			v := p.value("a value such as @low")
			t.Values = append(t.Values, Ident{v.Name, v.Pos})
			if !p.accept(",") {
				break
			}
		}
		if p.tok.is(".") {
			fail(p.tok.pos, "ranges of values are not supported, expected ',' or '}'")
		}
		p.close(open)
	case p.tok.is("<") || p.tok.is("["):
		fail(p.tok.pos, "structured types are not supported, expected object or '{'")
	default:
		p.unexpected("object or '{' and the values of an enumeration")
	}
	p.expect(";", "")
	return t
}

func (p *parser) objects() *Objects {
	o := &Objects{Type: p.ident("an object type's name")}
	p.expect(":", "")
	p.list(p.expect("{", ""), func() {
		v := p.value("an object's name")
		o.Names = append(o.Names, Ident{v.Name, v.Pos})
	})
	p.expect(";", "")
	return o
}

// typeName reads bool, int, real or a declared type.
func (p *parser) typeName() Ident {
	if p.tok.word("bool") || p.tok.word("int") || p.tok.word("real") {
		t := p.advance()
		return Ident{t.text, t.pos}
	}
	return p.ident("bool, int, real or a type's name")
}

func (p *parser) pvariable() *PVariable {
	v := &PVariable{Name: p.ident("a pvariable's name")}
	if p.tok.is("(") {
		open := p.advance()
		for {
			v.Params = append(v.Params, p.typeName())
			if !p.accept(",") {
				break
			}
		}
		p.close(open)
	}
	p.expect(":", "")
	open := p.expect("{", "")
	kind, ok := kinds[p.tok.text]
	if p.tok.kind != tokIdent || !ok {
		p.unexpected("non-fluent, state-fluent, action-fluent, interm-fluent, derived-fluent or observ-fluent")
	}
	v.Kind = kind
	p.advance()
	p.expect(",", "")
	v.Range = p.typeName()
	for p.accept(",") {
		switch {
		case p.tok.word("default"):
			if kind == IntermFluent || kind == DerivedFluent || kind == ObservFluent {
				fail(p.tok.pos, "%s %s is computed and has no default", kindArticle(kind), v.Name.Name)
			}
			if v.Default != nil {
				fail(p.tok.pos, "second default of %s", v.Name.Name)
			}
			p.advance()
			p.expect("=", "")
			v.Default = p.constant()
		case p.tok.word("level"):
			if kind != IntermFluent && kind != DerivedFluent {
				fail(p.tok.pos, "only interm-fluent and derived-fluent have a level, %s is %s", v.Name.Name, kindArticle(kind))
			}
			if v.HasLevel {
				fail(p.tok.pos, "second level of %s", v.Name.Name)
			}
			p.advance()
			p.expect("=", "")
			v.Level, v.HasLevel = p.count("a level"), true
		default:
			if kind == IntermFluent || kind == DerivedFluent {
				p.unexpected("level")
			}
			p.unexpected("default")
		}
	}
	p.close(open)
	p.expect(";", "")
	return v
}

// kindArticle returns the kind with its article.
func kindArticle(k Kind) string {
	switch k {
	case ActionFluent, IntermFluent, ObservFluent:
		return "an " + k.String()
	}
	return "a " + k.String()
}

// count reads a nonnegative integer.
func (p *parser) count(what string) int {
	if p.tok.kind != tokInt {
		p.unexpected(what + ", an integer from 0")
	}
	n, err := strconv.Atoi(p.tok.text)
	if err != nil || n > 1<<31-1 {
		fail(p.tok.pos, "%v is too large for %s", p.tok, what)
	}
	p.advance()
	return n
}

// countOrInf reads an integer or pos-inf.
func (p *parser) countOrInf(what string) int {
	if p.tok.word("pos-inf") {
		p.advance()
		return Unbounded
	}
	return p.count(what + " (or pos-inf)")
}

// constant reads a value of any type: a default or an initial value.
func (p *parser) constant() Expr {
	t := p.tok
	switch {
	case t.word("true") || t.word("false"):
		p.advance()
		return &Bool{Info: Info{Pos: t.pos}, Value: t.text == "true"}
	case t.kind == tokInt || t.kind == tokReal || t.word("pos-inf") || t.word("neg-inf"):
		return p.number()
	case t.is("-"):
		p.advance()
		if p.tok.kind != tokInt && p.tok.kind != tokReal {
			p.unexpected("a number")
		}
		return &Unary{Info: Info{Pos: t.pos, height: 2}, Op: Neg, X: p.number()}
	}
	return p.value("a value: true, false, a number or @value")
}

func (p *parser) cpf() *CPF {
	c := &CPF{Name: Ident{p.tok.text, p.tok.pos}, Primed: p.tok.kind == tokPrimed}
	if !c.Primed {
		c.Name = p.ident("the fluent that the cpf defines")
	} else {
		p.advance()
	}
	if p.tok.is("(") || p.tok.is("[") {
		open := p.advance()
		for {
			if p.tok.kind == tokEOF || p.tok.is(")") || p.tok.is("]") {
				break
			}
			if p.tok.kind != tokVar {
				p.unexpected("a variable such as ?x: a cpf is for all arguments")
			}
			t := p.advance()
			c.Params = append(c.Params, &Param{Name: t.text, Pos: t.pos})
			if !p.accept(",") {
				break
			}
		}
		p.close(open)
	}
	p.expect("=", "")
	c.Expr = p.expr(0)
	p.expect(";", " or an operator")
	return c
}
