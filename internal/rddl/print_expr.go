package rddl

import "strconv"

// greedy reports the forms that extend to the right as far as possible.
func greedy(e Expr) bool {
	switch e := e.(type) {
	case *Quant, *If:
		return true
	case *Discrete:
		return e.Params != nil
	}
	return false
}

// expr writes an expression where only operators that bind with more than this power need no
// brackets.
func (p *printer) expr(e Expr, power int) {
	own := unaryPower + 1
	switch e := e.(type) {
	case *Binary:
		own = binaryPower[e.Op]
	case *Unary:
		own = unaryPower
	}
	// A unary operand of a binary operator needs no brackets: nothing binds more strongly, so
	// it cannot extend further.
	if power > 0 && (greedy(e) || own <= power && own < unaryPower) {
		p.put("(")
		p.expr(e, 0)
		p.put(")")
		return
	}
	if !p.atom(e) {
		p.compound(e, own)
	}
}

// atom writes an expression of one word, and reports whether e is one.
func (p *printer) atom(e Expr) bool {
	switch e := e.(type) {
	case *Number:
		p.put(e.Text)
	case *Bool:
		p.put(strconv.FormatBool(e.Value))
	case *Literal:
		if e.At {
			p.put("@")
		}
		p.put(e.Name)
	case *Name:
		p.put(e.Name)
	case *Var:
		if o, ok := p.bind[e.Name]; ok {
			p.put(o)
		} else {
			p.put("?" + e.Name)
		}
	default:
		return false
	}
	return true
}

// compound writes an expression with parts, which binds with the power own.
func (p *printer) compound(e Expr, own int) {
	switch e := e.(type) {
	case *Fluent:
		p.put(e.Name)
		if e.Primed {
			p.put("'")
		}
		if len(e.Args) > 0 {
			p.list("(", e.Args, ")")
		} else if e.Decl == nil && !e.Primed {
			p.put("()") // distinguishes it from a Name, which exists only before the check
		}
	case *Unary:
		p.put(e.Op.String())
		p.expr(e.X, unaryPower)
	case *Binary:
		p.expr(e.X, own-1)
		p.put(" " + e.Op.String() + " ")
		p.expr(e.Y, own)
	case *Quant:
		p.put(e.Op.String())
		p.quantified(e.Params, e.Body)
	case *If:
		p.put("if (")
		p.expr(e.Cond, 0)
		p.put(") then ")
		p.expr(e.Then, 0)
		p.put(" else ")
		p.expr(e.Else, 0)
	case *Switch:
		p.switchExpr(e)
	case *Call:
		p.put(e.Name)
		p.list("[", e.Args, "]")
	case *Dist:
		p.put(e.Name)
		p.list("(", e.Args, ")")
	case *Discrete:
		p.put(map[bool]string{false: "Discrete", true: "UnnormDiscrete"}[e.Unnorm])
		if e.Params != nil {
			p.quantified(e.Params, e.Body)
			return
		}
		p.put("(" + e.TypeName.Name)
		p.outcomes(e.Outcomes)
		p.put(")")
	}
}

func (p *printer) list(open string, args []Expr, end string) {
	p.put(open)
	for i, a := range args {
		if i > 0 {
			p.put(", ")
		}
		p.expr(a, 0)
	}
	p.put(end)
}

func (p *printer) quantified(params []*Param, body Expr) {
	p.put("_{")
	for i, x := range params {
		if i > 0 {
			p.put(", ")
		}
		p.put("?" + x.Name + " : " + x.TypeName.Name)
	}
	p.put("} [")
	p.expr(body, 0)
	p.put("]")
}

func (p *printer) switchExpr(s *Switch) {
	p.put("switch (")
	p.expr(s.X, 0)
	p.put(") {")
	sep := func(i int) {
		if i > 0 {
			p.put(",")
		}
		p.put(" ")
	}
	for i, c := range s.Cases {
		sep(i)
		p.put("case ")
		p.expr(c.Value, 0)
		p.put(" : ")
		p.expr(c.Result, 0)
	}
	if s.Default != nil {
		sep(len(s.Cases))
		p.put("default : ")
		p.expr(s.Default, 0)
	}
	p.put(" }")
}

func (p *printer) outcomes(list []Outcome) {
	for _, o := range list {
		p.put(", ")
		p.expr(o.Value, 0)
		p.put(" : ")
		if o.Prob == nil {
			p.put("otherwise")
		} else {
			p.expr(o.Prob, 0)
		}
	}
}
