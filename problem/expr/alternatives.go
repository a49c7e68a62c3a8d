package expr

import "slices"

// Alternatives returns conjunctions of which one holds where e does not, each of comparisons or other conditions that are no
// connectives; nil where these are more than most, or where a quotient makes e false. Numbers that differ are two alternatives.
func (e *Expr) Alternatives(most int) []*Expr {
	if e.root.has("/") {
		return nil
	}
	var out []*Expr
	for _, root := range e.root.alternatives(true, most) {
		root.mark()
		out = append(out, &Expr{Text: e.Text, p: e.p, root: root})
	}
	return out
}

// Conjuncts returns the conditions that all hold where e does, which are no conjunctions themselves.
func (e *Expr) Conjuncts() (out []*Expr) {
	if e.root.op != "^" {
		return []*Expr{e}
	}
	for _, root := range e.root.args {
		root.mark()
		out = append(out, (&Expr{Text: root.String(), p: e.p, root: root}).Conjuncts()...)
	}
	return out
}

// has reports whether an operation is in n.
func (n *node) has(op string) bool {
	return n.op == op || slices.ContainsFunc(n.args, func(a *node) bool { return a.has(op) })
}

// alternatives lists conjunctions of which one holds where n does, or does not with negate.
func (n *node) alternatives(negate bool, most int) (out []*node) {
	if m := n.parts(); m != nil {
		return m.alternatives(negate, most)
	}
	switch op := n.op; {
	case op == "~":
		return n.args[0].alternatives(!negate, most)
	case op == "^" || op == "|" || op == "=>":
		a, b := n.args[0].alternatives(negate != (op == "=>"), most), n.args[1].alternatives(negate, most)
		if (op == "^") == negate {
			out = append(a, b...)
		} else {
			for _, x := range a {
				for _, y := range b {
					out = append(out, join("^", x, y))
				}
			}
		}
		if a == nil || b == nil || len(out) > most {
			return nil
		}
		return out
	case (op == "==" && negate || op == "~=" && !negate) && !n.args[0].boolean():
		return []*node{n.as("<"), n.as(">")}
	case negate:
		n = n.not()
	}
	return []*node{n}
}
