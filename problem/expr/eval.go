package expr

import (
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// Eval reports whether e holds in a step: now has the state and action, next the next state
// (nil if e has no primes).
func (e *Expr) Eval(now, next factored.Valuation) bool {
	return e.root.eval(now, next) != 0
}

// truth returns 1 for true and 0 for false.
func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (n *node) eval(now, next factored.Valuation) int64 {
	switch n.op {
	case "number":
		return n.num
	case "name":
		if n.next {
			return n.v.Value(next)
		}
		return n.v.Value(now)
	case "~":
		return 1 - n.args[0].eval(now, next)
	case "neg":
		return -n.args[0].eval(now, next)
	}
	a, b := n.args[0].eval(now, next), n.args[1].eval(now, next)
	switch n.op {
	case "<=>", "==":
		return truth(a == b)
	case "=>":
		return truth(a == 0 || b != 0)
	case "|":
		return a | b
	case "^":
		return a & b
	case "~=":
		return truth(a != b)
	case "<=":
		return truth(a <= b)
	case ">=":
		return truth(a >= b)
	case "<":
		return truth(a < b)
	case ">":
		return truth(a > b)
	case "+":
		return a + b
	case "-":
		return a - b
	default: // "*"
		return a * b
	}
}

// Mentions reports whether e mentions an action and whether it mentions a primed variable.
func (e *Expr) Mentions() (action, next bool) {
	var walk func(n *node)
	walk = func(n *node) {
		if n.op == "name" {
			action = action || n.v.Kind == factored.Action
			next = next || n.next
		}
		for _, a := range n.args {
			walk(a)
		}
	}
	walk(e.root)
	return action, next
}

// Variables lists the variables that e mentions, in the order of their first mention; those
// of the next state are listed apart.
func (e *Expr) Variables() (now, next []*factored.Variable) {
	var walk func(n *node)
	walk = func(n *node) {
		if n.op == "name" {
			list := &now
			if n.next {
				list = &next
			}
			if !slices.ContainsFunc(*list, func(v *factored.Variable) bool { return v.Name == n.v.Name }) {
				*list = append(*list, n.v)
			}
		}
		for _, a := range n.args {
			walk(a)
		}
	}
	walk(e.root)
	return now, next
}
