package rddl

// Walk calls f for an expression and then, if f returns true, for its parts in the order of
// the text.
func Walk(e Expr, f func(Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	for _, x := range Parts(e) {
		Walk(x, f)
	}
}

// Parts returns the expressions directly within one, in the order of the text
// (the default of a switch last).
func Parts(e Expr) []Expr {
	switch e := e.(type) {
	case *Fluent:
		return e.Args
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.X, e.Y}
	case *Quant:
		return []Expr{e.Body}
	case *If:
		return []Expr{e.Cond, e.Then, e.Else}
	case *Switch:
		list := []Expr{e.X}
		for _, c := range e.Cases {
			list = append(list, c.Value, c.Result)
		}
		if e.Default != nil {
			list = append(list, e.Default)
		}
		return list
	case *Call:
		return e.Args
	case *Dist:
		return e.Args
	case *Discrete:
		if e.Body != nil {
			return []Expr{e.Body}
		}
		return outcomeParts(e.Outcomes)
	}
	return nil
}

func outcomeParts(outcomes []Outcome) (list []Expr) {
	for _, o := range outcomes {
		list = append(list, o.Value)
		if o.Prob != nil {
			list = append(list, o.Prob)
		}
	}
	return list
}
