package expr

import (
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// Eval reports whether e holds in a step: now has the state and action, next the next state
// (nil if e has no primes). It is false where a quotient in e has the divisor 0.
func (e *Expr) Eval(now, next factored.Valuation) bool {
	return (&statement{n: e.root}).Holds(now, next)
}

// truth returns 1 for true and 0 for false.
func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// maxSmall bounds the integers that eval computes with.
const maxSmall = 1 << 61

// mark finds out whether n and all of its parts are integers below maxSmall, or comparisons of a variable with a number.
func (n *node) mark() {
	n.small = n.op != "/"
	if n.op == "name" {
		step := n.v.Step()
		if n.small = step.IsInt() && step.Num().IsInt64(); n.small {
			n.at = step.Num().Int64()
		}
	}
	for _, a := range n.args {
		a.mark()
		n.small = n.small && a.small
	}
	if n.small {
		limit := big.NewRat(maxSmall, 1)
		lo, hi := n.bounds()
		n.small = lo.IsInt() && hi.IsInt() && hi.Cmp(limit) < 0 && lo.Cmp(limit.Neg(limit)) > 0
	}
	n.limit()
}

// limit makes a comparison of a variable with a number one of its steps with an integer, if it is one and n is not small.
func (n *node) limit() {
	if n.small || len(n.args) != 2 || n.args[0].op != "name" || n.args[1].op != "number" || !slices.Contains([]string{"<=", "<", ">=", ">"}, n.op) {
		return
	}
	at := new(big.Rat).Quo(n.args[1].num, n.args[0].v.Step())
	whole := new(big.Int).Div(at.Num(), at.Denom()) // rounded down
	if (n.op == "<" || n.op == ">=") && !at.IsInt() {
		whole.Add(whole, big.NewInt(1))
	}
	if whole.IsInt64() {
		n.small, n.level, n.at = true, true, whole.Int64()
	}
}

// exact is the value of n in fractions; nil if it divides by 0. Of connectives and choices only
// what decides is evaluated, from the left.
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
	}
	a := n.args[0].exact(now, next)
	if a == nil {
		return nil
	}
	switch n.op {
	case "~":
		return out.Sub(big.NewRat(1, 1), a)
	case "neg":
		return out.Neg(a)
	case "abs":
		return out.Abs(a)
	case "if":
		if a.Sign() != 0 {
			return n.args[1].exact(now, next)
		}
		return n.args[2].exact(now, next)
	case "^", "|", "=>":
		if (a.Sign() == 0) != (n.op == "|") { // the left decides
			return out.SetInt64(truth(n.op != "^"))
		}
	}
	for _, arg := range n.args[1:] {
		b := arg.exact(now, next)
		if b == nil || n.op == "/" && b.Sign() == 0 {
			return nil
		}
		a = n.combine(a, b)
	}
	return a
}

// combine applies the operator of n to two values.
func (n *node) combine(a, b *big.Rat) *big.Rat {
	out := new(big.Rat)
	switch n.op {
	case "+":
		return out.Add(a, b)
	case "-":
		return out.Sub(a, b)
	case "*":
		return out.Mul(a, b)
	case "/":
		return out.Quo(a, b)
	case "min", "max":
		if (a.Cmp(b) < 0) == (n.op == "min") {
			return a
		}
		return b
	}
	return out.SetInt64(relate(n.op, int64(a.Cmp(b)), 0, a.Sign() != 0, b.Sign() != 0))
}

// eval is the value of n, all of whose parts are small.
func (n *node) eval(now, next factored.Valuation) int64 {
	switch n.op {
	case "number":
		return n.num.Num().Int64()
	case "name":
		if n.next {
			return n.at * n.v.Value(next)
		}
		return n.at * n.v.Value(now)
	}
	if n.level {
		val := now
		if n.args[0].next {
			val = next
		}
		return relate(n.op, n.args[0].v.Value(val), n.at, false, false)
	}
	a := n.args[0].eval(now, next)
	switch n.op {
	case "~":
		return 1 - a
	case "neg":
		return -a
	case "abs":
		return max(a, -a)
	case "if":
		if a != 0 {
			return n.args[1].eval(now, next)
		}
		return n.args[2].eval(now, next)
	}
	for _, arg := range n.args[1:] {
		b := arg.eval(now, next)
		switch n.op {
		case "+":
			a += b
		case "-":
			a -= b
		case "*":
			a *= b
		case "min":
			a = min(a, b)
		case "max":
			a = max(a, b)
		default:
			return relate(n.op, a, b, a != 0, b != 0)
		}
	}
	return a
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
	for _, r := range e.root.reads() {
		action, next = action || r.v.Kind == factored.Action, next || r.next
	}
	return action, next
}

// Variables lists the variables that e mentions, in the order of their first mention; those
// of the next state are listed apart.
func (e *Expr) Variables() (now, next []*factored.Variable) {
	for _, r := range e.root.reads() {
		if r.next {
			next = append(next, r.v)
		} else {
			now = append(now, r.v)
		}
	}
	return now, next
}
