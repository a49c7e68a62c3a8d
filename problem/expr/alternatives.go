package expr

import "slices"

// Alternatives returns conjunctions of which one holds where e does not, each of comparisons or other conditions that are no
// connectives; nil where these are more than most, or where a quotient makes e false. Different numbers are one of two
// alternatives.
func (e *Expr) Alternatives(most int) []*Expr {
	if e.root.has("/") {
		return nil
	}
	var out []*Expr
	for _, all := range e.root.alternatives(true, most) {
		root := all[0]
		for _, n := range all[1:] {
			root = &node{op: "^", args: []*node{root, n}, col: n.col}
		}
		root.mark()
		out = append(out, &Expr{Text: e.Text, p: e.p, root: root})
	}
	return out
}

// has reports whether an operation is in n.
func (n *node) has(op string) bool {
	return n.op == op || slices.ContainsFunc(n.args, func(a *node) bool { return a.has(op) })
}

// alternatives lists conjunctions of which one holds where n does, or does not with negate.
func (n *node) alternatives(negate bool, most int) (out [][]*node) {
	if c, yes, no := n.choice(); c != nil {
		either := func(c, then *node) *node { return &node{op: "^", args: []*node{c, then}, col: n.col} }
		a, b := n.with(yes), n.with(no)
		if negate {
			a, b = a.not(), b.not()
		}
		return (&node{op: "|", args: []*node{either(c, a), either(c.not(), b)}, col: n.col}).alternatives(false, most)
	}
	switch op := n.op; {
	case op == "~":
		return n.args[0].alternatives(!negate, most)
	case op == "^" || op == "|" || op == "=>":
		a, b := n.args[0].alternatives(negate != (op == "=>"), most), n.args[1].alternatives(negate, most)
		switch {
		case a == nil || b == nil:
			return nil
		case (op == "^") == negate:
			out = append(a, b...)
		default:
			for _, x := range a {
				for _, y := range b {
					out = append(out, slices.Concat(x, y))
				}
			}
		}
		if len(out) > most {
			return nil
		}
		return out
	case (op == "==" && negate || op == "~=" && !negate) && !n.args[0].boolean():
		return [][]*node{{n.as("<")}, {n.as(">")}}
	case negate:
		n = n.not()
	}
	return [][]*node{{n}}
}

func (n *node) not() *node { return &node{op: "~", args: []*node{n}, col: n.col} }

// replacing is a part of a node and what it is replaced by.
type replacing struct{ part, by *node }

// with returns n with a part replaced.
func (n *node) with(r replacing) *node {
	if n == r.part {
		return r.by
	}
	out := *n
	out.bounded, out.args = false, nil
	for _, a := range n.args {
		out.args = append(out.args, a.with(r))
	}
	return &out
}

// choice finds a magnitude, least or greatest value, or chosen number in a comparison, and returns what its value depends on
// and what it is then; nil where there is none.
func (n *node) choice() (c *node, yes, no replacing) {
	switch op := n.op; {
	case len(n.args) == 0, n.boolean() && !slices.Contains([]string{"==", "~=", "<=", ">=", "<", ">"}, op):
		return nil, yes, no
	case op == "abs":
		return (&node{args: []*node{n.args[0], whole(0, n.col)}, col: n.col}).as(">="), replacing{n, n.args[0]}, replacing{n, &node{op: "neg", args: n.args, col: n.col}}
	case op == "if":
		return n.args[0], replacing{n, n.args[1]}, replacing{n, n.args[2]}
	case op == "min" || op == "max":
		first, rest := n.args[0], n.args[1]
		if len(n.args) > 2 {
			rest = &node{op: op, args: n.args[1:], col: n.col}
		}
		return (&node{args: []*node{first, rest}, col: n.col}).as(map[string]string{"min": "<=", "max": ">="}[op]), replacing{n, first}, replacing{n, rest}
	}
	for _, a := range n.args {
		if c, yes, no = a.choice(); c != nil {
			break
		}
	}
	return c, yes, no
}
