package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// statement is a condition as it was written, or its negation: what checkers evaluate beside the
// constraint that was made of it.
type statement struct {
	n      *node
	negate bool
}

// Holds evaluates the statement in fractions. It is false where a quotient in it has the divisor 0.
func (s *statement) Holds(now, next factored.Valuation) bool {
	if s.n.small {
		return (s.n.eval(now, next) != 0) != s.negate
	}
	x := s.n.exact(now, next)
	return x != nil && (x.Sign() != 0) != s.negate
}

// Reads calls visit for each variable that the statement mentions, and whether it is that of
// the next state.
func (s *statement) Reads(visit func(v *factored.Variable, next bool)) {
	for _, r := range s.n.reads() {
		visit(r.v, r.next)
	}
}

func (s *statement) String() string {
	if s.negate {
		return "~(" + s.n.String() + ")"
	}
	return s.n.String()
}

// reference is a variable of the present step or the next.
type reference struct {
	v    *factored.Variable
	next bool
}

// reads lists the variables that n mentions, in the order of their first mention.
func (n *node) reads() (out []reference) {
	var walk func(n *node)
	walk = func(n *node) {
		if n.op == "name" && !mentions(out, n.v, n.next) {
			out = append(out, reference{n.v, n.next})
		}
		for _, a := range n.args {
			walk(a)
		}
	}
	walk(n)
	return out
}

// mentions reports whether a variable is in a list.
func mentions(list []reference, v *factored.Variable, next bool) bool {
	return slices.ContainsFunc(list, func(r reference) bool { return r.v.Name == v.Name && r.next == next })
}

// binding is how strongly an operator binds.
func (n *node) binding() int {
	for i := range levels {
		if levels[i].is(n.op) {
			return i
		}
	}
	switch n.op {
	case "if":
		return -1
	case "~":
		return notLevel
	}
	return len(levels)
}

// String writes n as it can be parsed.
func (n *node) String() string {
	in := func(a *node, at int) string {
		if a.binding() >= at {
			return a.String()
		}
		return "(" + a.String() + ")"
	}
	switch n.op {
	case "number":
		return decimal(n.num)
	case "name":
		if n.next {
			return n.v.Name + "'"
		}
		return n.v.Name
	case "neg":
		return "-" + in(n.args[0], len(levels))
	case "~":
		return "~" + in(n.args[0], len(levels))
	case "if":
		return fmt.Sprintf("if (%s) then %s else %s", n.args[0], n.args[1], n.args[2])
	case "min", "max", "abs":
		var args []string
		for _, a := range n.args {
			args = append(args, a.String())
		}
		return n.op + "[" + strings.Join(args, ", ") + "]"
	}
	at, a, b := n.binding(), n.args[0], n.args[1]
	if v := a.special(); v != nil && b.op == "number" {
		x, _ := b.integer()
		if v.Enumeration() {
			return fmt.Sprintf("%s %s %v", a, n.op, v.Show(x))
		}
		return fmt.Sprintf("%s %s %s", a, n.op, number64(v.View.Edges[min(max(x-v.Lo, 0), int64(len(v.View.Edges))-1)]))
	}
	if n.op == "*" || n.op == "/" {
		return in(a, at) + n.op + in(b, at+1)
	}
	return in(a, at) + " " + n.op + " " + in(b, at+1)
}
