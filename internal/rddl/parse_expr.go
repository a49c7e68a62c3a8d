package rddl

import "github.com/fdplan/fdplan/internal/rddl/operator"

const (
	// maxNesting bounds the nesting depth of brackets and similar constructs, and so the
	// parser's stack.
	maxNesting = 10_000
	// maxHeight bounds the height of an expression's tree, and so the stack of every walk
	// over it: the height of a chain of operators is its length.
	maxHeight = 50_000
)

// expr parses an expression whose operators outside brackets all bind with more than this
// power. As in both grammars, quantifiers, aggregations, if and Discrete_{} extend to the
// right as far as possible, whatever is to their left.
func (p *parser) expr(power int) Expr {
	if p.depth++; p.depth > maxNesting {
		fail(p.tok.pos, "expression nested more than %d deep", maxNesting)
	}
	x := p.operand()
	for {
		if p.tok.is("=") {
			fail(p.tok.pos, "found '=' in an expression, expected '==' for equality, another operator or the end")
		}
		if p.tok.kind != tokSymbol {
			break
		}
		op, ok := binaryOps[p.tok.text]
		if !ok || binaryPower[op] <= power {
			break
		}
		pos := p.advance().pos
		y := p.expr(binaryPower[op])
		x = p.node(&Binary{Info: Info{Pos: pos}, Op: op, X: x, Y: y}, x, y)
	}
	p.depth--
	return x
}

// node records the height of a new node.
func (p *parser) node(e Expr, parts ...Expr) Expr {
	h := int32(0)
	for _, x := range parts {
		if x != nil {
			h = max(h, x.info().height)
		}
	}
	if h++; h > maxHeight {
		fail(e.Position(), "expression of more than %d operators in a row", maxHeight)
	}
	e.info().height = h
	return e
}

func (p *parser) operand() Expr {
	t := p.tok
	at := Info{Pos: t.pos}
	switch t.kind {
	case tokInt, tokReal:
		return p.number()
	case tokVar:
		p.advance()
		return &Var{Info: at, Name: t.text}
	case tokLiteral:
		p.advance()
		return &Literal{Info: at, Name: t.text, At: true}
	case tokPrimed:
		p.advance()
		args := p.args()
		return p.node(&Fluent{Info: at, Name: t.text, Primed: true, Args: args}, args...)
	case tokIdent:
		return p.word(t)
	case tokSymbol:
		switch t.text {
		case "~", "-", "+":
			p.advance()
			op := map[string]UnaryOp{"~": Not, "-": Neg, "+": Plus}[t.text]
			x := p.expr(unaryPower)
			return p.node(&Unary{Info: at, Op: op, X: x}, x)
		case "(", "[":
			p.advance()
			x := p.expr(0)
			p.close(t)
			x.info().Parens = true
			return x
		case "<":
			fail(t.pos, "found '<', expected an expression; vectors in < > are not supported")
		case "_":
			fail(t.pos, "found '_', expected an expression")
		}
	}
	p.unexpected("an expression")
	return nil
}

// args reads the arguments in ( ) or [ ], if there are any.
func (p *parser) args() []Expr {
	if !p.tok.is("(") && !p.tok.is("[") {
		return nil
	}
	open := p.advance()
	var args []Expr
	for !p.tok.is(")") && !p.tok.is("]") {
		args = append(args, p.expr(0))
		if !p.accept(",") {
			break
		}
	}
	p.close(open)
	return args
}

// word reads an operand that starts with a name.
func (p *parser) word(t token) Expr {
	at := Info{Pos: t.pos}
	switch t.text {
	case "true", "false":
		p.advance()
		return &Bool{Info: at, Value: t.text == "true"}
	case "pos-inf", "neg-inf":
		return p.number()
	case "if":
		return p.ifExpr(at)
	case "switch":
		return p.switchExpr(at)
	case "Discrete", "UnnormDiscrete":
		return p.discrete(at)
	}
	if vectors[t.text] {
		fail(t.pos, "the random vector %s is not supported, expected a distribution of one value", t.text)
	}
	if d, ok := Distributions[t.text]; ok {
		p.advance()
		if !p.tok.is("(") && !p.tok.is("[") {
			p.unexpected("'(' and the arguments of " + d.Name)
		}
		args := p.args()
		return p.node(&Dist{Info: at, Name: t.text, Args: args}, args...)
	}
	op, isQuant := quantOps[t.text]
	if isReserved(t.text) && !isQuant {
		p.unexpected("an expression")
	}
	p.advance()
	if p.tok.is("_") {
		if matrices[t.text] {
			fail(t.pos, "the matrix operation %s is not supported", t.text)
		}
		if !isQuant {
			fail(t.pos, "unknown aggregation %s, expected forall, exists, sum, prod, min, max, avg, argmin or argmax", clip(t.text))
		}
		p.advance()
		params := p.params()
		bracket := p.tok.is("(") || p.tok.is("[")
		body := p.expr(0)
		if bracket {
			p.warnGreedy(t, body)
		}
		return p.node(&Quant{Info: at, Op: op, Params: params, Body: body}, body)
	}
	if isQuant && isReserved(t.text) {
		p.unexpected("'_{' and the variables of " + t.text)
	}
	if !p.tok.is("(") && !p.tok.is("[") {
		return &Name{Info: at, Name: t.text}
	}
	args := p.args()
	if operator.Functions[t.text] != nil {
		return p.node(&Call{Info: at, Name: t.text, Args: args}, args...)
	}
	return p.node(&Fluent{Info: at, Name: t.text, Args: args}, args...)
}

// warnGreedy warns if the text suggests that an aggregation ends with its bracket, although
// both grammars extend it further.
func (p *parser) warnGreedy(head token, body Expr) {
	b, ok := body.(*Binary)
	if !ok || b.Parens {
		return
	}
	p.file.Warnings = append(p.file.Warnings, errAt(b.Pos,
		"this %v belongs to the body of %s at %d:%d, which takes all that follows its brackets; if it should not, write [%s_{…} …]",
		b.Op, head.text, head.pos.Line, head.pos.Col, head.text))
}

// params reads {?x : t, ?y : u}.
func (p *parser) params() []*Param {
	open := p.expect("{", "")
	var list []*Param
	for {
		if p.tok.kind != tokVar {
			p.unexpected("a variable such as ?x")
		}
		v := p.advance()
		p.expect(":", " and the variable's type")
		list = append(list, &Param{Name: v.text, Pos: v.pos, TypeName: p.typeName()})
		if !p.accept(",") {
			break
		}
	}
	p.close(open)
	return list
}

func (p *parser) ifExpr(at Info) Expr {
	p.advance()
	if !p.tok.is("(") && !p.tok.is("[") {
		p.unexpected("'(' and the condition of the if")
	}
	open := p.advance()
	cond := p.expr(0)
	p.close(open)
	p.expectWord("then")
	then := p.expr(0)
	if !p.tok.word("else") {
		fail(p.tok.pos, "found %v, expected else: every if has one", p.tok)
	}
	p.advance()
	els := p.expr(0)
	return p.node(&If{Info: at, Cond: cond, Then: then, Else: els}, cond, then, els)
}

func (p *parser) switchExpr(at Info) Expr {
	p.advance()
	open := p.expect("(", "")
	s := &Switch{Info: at, X: p.expr(0)}
	p.close(open)
	parts := []Expr{s.X}
	open = p.expect("{", " and the cases of the switch")
	for {
		switch {
		case p.tok.word("case"):
			p.advance()
			v := p.expr(0)
			p.expect(":", " after the case's value")
			r := p.expr(0)
			s.Cases = append(s.Cases, SwitchCase{v, r})
			parts = append(parts, v, r)
		case p.tok.word("default"):
			if s.Default != nil {
				fail(p.tok.pos, "second default of the switch")
			}
			p.advance()
			p.expect(":", "")
			s.Default = p.expr(0)
			parts = append(parts, s.Default)
		default:
			p.unexpected("case or default")
		}
		if !p.accept(",") {
			break
		}
	}
	p.close(open)
	return p.node(s, parts...)
}

// outcomes reads @a : p, @b : q; the last one may be @c : otherwise.
func (p *parser) outcomes() (list []Outcome, parts []Expr) {
	for {
		o := Outcome{Value: p.value("a value such as @low")}
		p.expect(":", " and the probability")
		if p.tok.word("otherwise") {
			p.advance()
			return append(list, o), parts
		}
		o.Prob = p.expr(0)
		list = append(list, o)
		parts = append(parts, o.Prob)
		if !p.accept(",") {
			return list, parts
		}
	}
}

func (p *parser) discrete(at Info) Expr {
	d := &Discrete{Info: at, Unnorm: p.advance().text == "UnnormDiscrete"}
	if p.accept("_") {
		d.Params = p.params()
		d.Body = p.expr(0)
		return p.node(d, d.Body)
	}
	if !p.tok.is("(") && !p.tok.is("[") {
		p.unexpected("'(' and a type, or '_{'")
	}
	open := p.advance()
	d.TypeName = p.ident("the type of the values")
	p.expect(",", "")
	var parts []Expr
	d.Outcomes, parts = p.outcomes()
	p.close(open)
	return p.node(d, parts...)
}
