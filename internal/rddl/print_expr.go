package rddl

// fits reports whether the expression fits in the rest of the line. It looks no further than
// that.
func (p *printer) fits(e Expr) bool {
	if e.info().height > lineWidth {
		return false // a tree this high has more tokens than that; avoids the descent
	}
	q := &printer{flat: true, room: max(lineWidth-p.col, 20), bind: p.bind}
	q.expr(e, 0, 0)
	return !q.full
}

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
// brackets; indent is that of its continuation lines.
func (p *printer) expr(e Expr, power, indent int) {
	if p.full {
		return
	}
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
		p.expr(e, 0, indent+1)
		p.put(")")
		return
	}
	if !p.atom(e) {
		p.compound(e, own, indent)
	}
}

// atom writes an expression of one word, and reports whether e is one.
func (p *printer) atom(e Expr) bool {
	switch e := e.(type) {
	case *Number:
		p.put(e.Text)
	case *Bool:
		if e.Value {
			p.put("true")
		} else {
			p.put("false")
		}
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
	case *Blank:
		p.put("_")
	default:
		return false
	}
	return true
}

// compound writes an expression with parts, which binds with the power own.
func (p *printer) compound(e Expr, own, indent int) {
	wide := !p.flat && !p.fits(e)
	switch e := e.(type) {
	case *Fluent:
		p.put(e.Name)
		if e.Primed {
			p.put("'")
		}
		if len(e.Args) > 0 {
			p.list("(", e.Args, ")", indent)
		} else if e.Decl == nil && !e.Primed {
			p.put("()") // distinguishes it from a Name, which exists only before the check
		}
	case *Unary:
		p.put(e.Op.String())
		p.expr(e.X, unaryPower, indent)
	case *Binary:
		p.expr(e.X, own-1, indent)
		if wide {
			p.newline(indent)
		} else {
			p.put(" ")
		}
		p.put(e.Op.String() + " ")
		p.expr(e.Y, own, indent+1)
	case *Quant:
		p.put(e.Op.String())
		p.quantified(e.Params, e.Body, wide, indent)
	case *If:
		p.put("if (")
		p.expr(e.Cond, 0, indent+1)
		p.put(")")
		p.branch(" then ", e.Then, wide, indent)
		p.branch(" else ", e.Else, wide, indent)
	case *Switch:
		p.switchExpr(e, wide, indent)
	case *Call:
		p.put(e.Name)
		p.list("[", e.Args, "]", indent)
	case *Dist:
		p.put(e.Name)
		p.list("(", e.Args, ")", indent)
	case *Discrete:
		p.put(map[bool]string{false: "Discrete", true: "UnnormDiscrete"}[e.Unnorm])
		if e.Params != nil {
			p.quantified(e.Params, e.Body, wide, indent)
			return
		}
		p.put("(" + e.TypeName.Name)
		p.outcomes(e.Outcomes, wide, indent)
		p.put(")")
	case *Vector:
		p.vector(e, wide, indent)
	}
}

// vector writes a draw of several values at once.
func (p *printer) vector(e *Vector, wide bool, indent int) {
	p.put(e.Name)
	if e.Index != nil {
		p.list("[", e.Index, "]", indent)
		p.list("(", e.Args, ")", indent)
		return
	}
	p.put("(" + e.TypeName.Name)
	for _, a := range e.Args {
		p.put(", ")
		p.expr(a, 0, indent)
	}
	p.outcomes(e.Outcomes, wide, indent)
	p.put(")")
}

func (p *printer) list(open string, args []Expr, end string, indent int) {
	p.put(open)
	for i, a := range args {
		if i > 0 {
			p.put(", ")
		}
		p.expr(a, 0, indent+1)
	}
	p.put(end)
}

// branch writes a part of an if, on its own line if the whole is wide.
func (p *printer) branch(word string, e Expr, wide bool, indent int) {
	if wide {
		p.newline(indent + 1)
		word = word[1:]
	}
	p.put(word)
	p.expr(e, 0, indent+1)
}

func (p *printer) quantified(params []*Param, body Expr, wide bool, indent int) {
	p.put("_{")
	for i, x := range params {
		if i > 0 {
			p.put(", ")
		}
		p.put("?" + x.Name + " : " + x.TypeName.Name)
	}
	p.put("} [")
	if wide {
		p.newline(indent + 1)
	}
	p.expr(body, 0, indent+1)
	p.put("]")
}

func (p *printer) switchExpr(s *Switch, wide bool, indent int) {
	p.put("switch (")
	p.expr(s.X, 0, indent+1)
	p.put(") {")
	sep := func(i int) {
		if i > 0 {
			p.put(",")
		}
		if wide {
			p.newline(indent + 1)
		} else {
			p.put(" ")
		}
	}
	for i, c := range s.Cases {
		sep(i)
		p.put("case ")
		p.expr(c.Value, 0, indent+1)
		p.put(" : ")
		p.expr(c.Result, 0, indent+2)
	}
	if s.Default != nil {
		sep(len(s.Cases))
		p.put("default : ")
		p.expr(s.Default, 0, indent+2)
	}
	p.put(" }")
}

func (p *printer) outcomes(list []Outcome, wide bool, indent int) {
	for _, o := range list {
		p.put(",")
		if wide {
			p.newline(indent + 1)
		} else {
			p.put(" ")
		}
		p.expr(o.Value, 0, indent)
		p.put(" : ")
		if o.Prob == nil {
			p.put("otherwise")
		} else {
			p.expr(o.Prob, 0, indent+1)
		}
	}
}
