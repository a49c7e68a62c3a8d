package expr

import (
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// Eval reports whether e holds in a step: now has the state and action, next the next state
// (nil if e has no primes).
func (e *Expr) Eval(now, next factored.Valuation) bool {
	if e.root.small {
		return e.root.eval(now, next) != 0
	}
	return e.root.exact(now, next).Sign() != 0
}

// maxSmall bounds the integers that eval computes with.
const maxSmall = 1 << 61

// mark finds out whether n and all of its parts are integers below maxSmall.
func (n *node) mark() {
	n.small = n.op != "name" || !n.v.Fixed()
	for _, a := range n.args {
		a.mark()
		n.small = n.small && a.small
	}
	if n.small {
		limit := big.NewRat(maxSmall, 1)
		lo, hi := n.bounds()
		n.small = lo.IsInt() && hi.IsInt() && hi.Cmp(limit) < 0 && lo.Cmp(limit.Neg(limit)) > 0
	}
}

// exact is the value of n in fractions.
func (n *node) exact(now, next factored.Valuation) *big.Rat {
	if n.small {
		return new(big.Rat).SetInt64(n.eval(now, next))
	}
	out := new(big.Rat)
	switch n.op {
	case "number":
		return n.num
	case "name":
		val := now
		if n.next {
			val = next
		}
		return out.Mul(out.SetInt64(n.v.Value(val)), n.v.Step())
	case "~":
		return out.Sub(big.NewRat(1, 1), n.args[0].exact(now, next))
	case "neg":
		return out.Neg(n.args[0].exact(now, next))
	}
	a, b := n.args[0].exact(now, next), n.args[1].exact(now, next)
	switch n.op {
	case "+":
		return out.Add(a, b)
	case "-":
		return out.Sub(a, b)
	case "*":
		return out.Mul(a, b)
	}
	return out.SetInt64(relate(n.op, int64(a.Cmp(b)), 0, a.Sign() != 0, b.Sign() != 0))
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
		return n.num.Num().Int64()
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
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	}
	return relate(n.op, a, b, a != 0, b != 0)
}

// relate is the truth of a relation of a and b, or of a connective of p and q.
func relate(op string, a, b int64, p, q bool) int64 {
	switch op {
	case "<=>", "==":
		return truth(a == b)
	case "=>":
		return truth(!p || q)
	case "|":
		return truth(p || q)
	case "^":
		return truth(p && q)
	case "~=":
		return truth(a != b)
	case "<=":
		return truth(a <= b)
	case ">=":
		return truth(a >= b)
	case "<":
		return truth(a < b)
	default: // ">"
		return truth(a > b)
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
