package rddl

import "strings"

// bind opens the scope of a quantifier; unbind with the length before closes it.
func (c *checker) bind(list []*Param) []*Param {
	var out []*Param
	for _, old := range list {
		p := *old
		for _, q := range c.scope {
			if q.Name == p.Name {
				fail(p.Pos, "?%s is bound already at %s, expected another name", p.Name, q.Pos)
			}
		}
		p.Type = c.finite(p.TypeName)
		out = append(out, &p)
		c.scope = append(c.scope[:len(c.scope):len(c.scope)], &p)
	}
	return out
}

func (c *checker) quant(e *Quant) Expr {
	x := *e
	outer := c.scope
	x.Params = c.bind(e.Params)
	x.Body = c.expr(e.Body, Type{})
	c.scope = outer
	what := "the body of " + e.Op.String()
	switch e.Op {
	case Forall, Exists:
		c.boolean(x.Body, what)
		x.Type = boolT
		return &x
	}
	c.number(x.Body, what)
	switch e.Op {
	case Avg:
		x.Type = realT
	case ArgMin, ArgMax:
		if len(x.Params) != 1 {
			fail(x.Params[1].Pos, "second variable of %s, expected one", e.Op)
		}
		x.Type = x.Params[0].Type
	default:
		x.Type = arith(x.Body)
	}
	return &x
}

func (c *checker) ifExpr(e *If, want Type) Expr {
	x := *e
	x.Cond = c.boolean(c.expr(e.Cond, Type{}), "the condition of if")
	x.Then = c.expr(e.Then, want)
	if want.Kind == NoType {
		want = x.Then.ResultType()
	}
	x.Else = c.expr(e.Else, want)
	t, ok := join(x.Then.ResultType(), x.Else.ResultType())
	if !ok {
		fail(start(x.Else), "else is of type %v, expected %v as after then", x.Else.ResultType(), t)
	}
	x.Type = t
	return &x
}

func (c *checker) switchExpr(e *Switch, want Type) Expr {
	x := *e
	x.X = c.expr(e.X, Type{})
	over := x.X.ResultType()
	if !over.IsFinite() {
		fail(start(x.X), "switch over a value of type %v, expected an enumeration or an object type", over)
	}
	x.Cases, x.Default = nil, nil
	t := Type{}
	branch := func(r Expr) Expr {
		r = c.expr(r, want)
		if t.Kind == NoType {
			t = r.ResultType()
			if want.Kind == NoType {
				want = t
			}
			return r
		}
		u, ok := join(t, r.ResultType())
		if !ok {
			fail(start(r), "this case is of type %v, expected %v as before", r.ResultType(), t)
		}
		t = u
		return r
	}
	seen := map[string]bool{}
	for _, k := range e.Cases {
		v := c.caseValue(k.Value, over)
		if seen[v.Name] {
			fail(v.Pos, "second case %s%s", signOf(v.At), v.Name)
		}
		seen[v.Name] = true
		x.Cases = append(x.Cases, SwitchCase{v, branch(k.Result)})
	}
	if e.Default != nil {
		x.Default = branch(e.Default)
	} else if !c.open || over.Kind == EnumType {
		var missing []string
		for _, v := range c.prog.Values[over.Name] {
			if !seen[v] {
				missing = append(missing, v)
			}
		}
		if len(missing) > 0 {
			fail(x.Pos, "switch has no case for %s and no default", clip(strings.Join(missing, ", ")))
		}
	}
	x.Type = t
	return &x
}

// caseValue resolves the value of a case or an outcome.
func (c *checker) caseValue(e Expr, t Type) *Literal {
	switch e := e.(type) {
	case *Literal:
		return c.literal(e.Info, e.Name, e.At, t, "the value")
	case *Name:
		return c.literal(e.Info, e.Name, false, t, "the value")
	}
	fail(start(e), "found an expression, expected a value of type %v", t)
	return nil
}
