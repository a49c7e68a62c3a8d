package expr

import (
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// ratio is num/den; den is nil for 1, else it is above 0 wherever the value matters.
type ratio struct {
	num number
	den *number
}

// value compiles a numeric expression.
func (c *compiler) value(n *node) ratio {
	at := c.place(n)
	if r, ok := c.values[at]; ok {
		return r
	}
	before := c.col
	c.col = n.col
	r := c.newValue(n)
	c.col = before
	c.values[at] = r
	return r
}

func (c *compiler) newValue(n *node) ratio {
	switch n.op {
	case "number":
		return ratio{num: constant(n.num.Num().Int64(), n.num.Denom().Int64())}
	case "name":
		return ratio{num: ofVariable(n.v, n.next)}
	case "neg":
		r := c.value(n.args[0])
		return ratio{r.num.times(-1, 1), r.den}
	case "+", "-":
		f := int64(1)
		if n.op == "-" {
			f = -1
		}
		return c.sum(n.col, c.value(n.args[0]), c.value(n.args[1]), f)
	case "*":
		a, b := c.value(n.args[0]), c.value(n.args[1])
		return ratio{c.product(n.col, a.num, b.num), c.both(n.col, a.den, b.den)}
	case "/":
		return c.quotient(n)
	case "abs":
		a := c.value(n.args[0])
		out := c.larger(n.col, a, ratio{a.num.times(-1, 1), a.den}, true)
		out.num = out.num.atLeast(constant(0, 1))
		return out
	case "min", "max":
		out := c.value(n.args[0])
		for _, a := range n.args[1:] {
			out = c.larger(n.col, out, c.value(a), n.op == "max")
		}
		return out
	case "if":
		if n.boolean() {
			return ratio{num: c.literal(n)}
		}
		s := c.literal(n.args[0])
		var a, b ratio
		c.under(n.args[0], true, func() { a = c.value(n.args[1]) })
		c.under(n.args[0], false, func() { b = c.value(n.args[2]) })
		return c.pick(n.col, s, a, b)
	}
	return ratio{num: c.literal(n)}
}

// both is the product of two denominators.
func (c *compiler) both(col int, a, b *number) *number {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := c.product(col, *a, *b)
	return &out
}

// by is a times a denominator.
func (c *compiler) by(col int, a number, den *number) number {
	if den == nil {
		return a
	}
	return c.product(col, a, *den)
}

// sum is a + f*b.
func (c *compiler) sum(col int, a, b ratio, f int64) ratio {
	return ratio{c.by(col, a.num, b.den).plus(c.by(col, b.num, a.den), f), c.both(col, a.den, b.den)}
}

// larger is the larger of a and b, or the smaller.
func (c *compiler) larger(col int, a, b ratio, most bool) ratio {
	d := c.sum(col, a, b, -1).num
	if !most {
		d = d.times(-1, 1)
	}
	out := c.pick(col, c.define(d, nil), a, b)
	switch {
	case out.den != nil:
	case most:
		out.num = out.num.atLeast(a.num).atLeast(b.num)
	default:
		out.num = out.num.atMost(a.num).atMost(b.num)
	}
	return out
}

// pick is a where s holds, else b.
func (c *compiler) pick(col int, s number, a, b ratio) ratio {
	out := ratio{num: c.choose(col, s, a.num, b.num)}
	if a.den != nil || b.den != nil {
		one := constant(1, 1)
		if a.den == nil {
			a.den = &one
		}
		if b.den == nil {
			b.den = &one
		}
		den := c.choose(col, s, *a.den, *b.den)
		out.den = &den
	}
	return out
}

// difference is a number with the sign of left - right of a comparison: a quotient is multiplied
// out. Its denominator is 1.
func (c *compiler) difference(n *node) number {
	d := c.sum(n.col, c.value(n.args[0]), c.value(n.args[1]), -1).num
	d.den = 1
	return d.normal()
}

// quotient divides. The divisor is not 0.
func (c *compiler) quotient(n *node) ratio {
	a, d := c.value(n.args[0]), c.value(n.args[1])
	sign := c.divisor(n.args[1], d.num)
	if d.den == nil && d.num.isConstant() {
		if sign < 0 {
			d.num = d.num.times(-1, 1)
			a.num = a.num.times(-1, 1)
		}
		return ratio{a.num.times(d.num.den, d.num.lo), a.den}
	}
	num, den := c.by(n.col, a.num, d.den), d.num
	switch sign {
	case -1:
		num, den = num.times(-1, 1), den.times(-1, 1)
	case 0: // either: multiply both by the divisor
		num, den = c.product(n.col, num, den), c.product(n.col, den, den)
	}
	return ratio{num, c.both(n.col, &den, a.den)}
}

// assumption is a condition that holds, or does not, where a part of an expression matters.
type assumption struct {
	n     *node
	holds bool
}

// guard is a list of assumptions: one after those with a number.
type guard struct {
	after int
	assumption
}

// place is a part of an expression, and the number of what is assumed where it has a divisor: the
// sign of that depends on it.
type place struct {
	n       *node
	guarded int
}

func (c *compiler) place(n *node) place {
	if n.divides() {
		return place{n, c.guarded}
	}
	return place{n, 0}
}

// divides reports whether n has a divisor that is not constant.
func (n *node) divides() bool {
	return n.op == "/" && !n.args[1].constant() || slices.ContainsFunc(n.args, (*node).divides)
}

// under compiles a part that matters only where n holds, or does not.
func (c *compiler) under(n *node, holds bool, part func()) {
	before, key := c.guarded, guard{c.guarded, assumption{n, holds}}
	if c.guards[key] == 0 {
		c.guards[key] = len(c.guards) + 1
	}
	c.guarded = c.guards[key]
	c.assumed = append(c.assumed, key.assumption)
	part()
	c.assumed, c.guarded = c.assumed[:len(c.assumed)-1], before
}

// maxDivisor bounds the values of variables for which a divisor is computed.
const maxDivisor = 1 << 14

// divisor returns the sign that a divisor always has, 0 if it has either. It refuses one that
// can be 0 for values that the ranges, the constraints of the problem on its variables alone, and the
// conditions that guard it allow.
func (c *compiler) divisor(n *node, d number) int {
	switch {
	case d.lo > 0:
		return 1
	case d.hi < 0:
		return -1
	}
	signs, ok := c.signs(n)
	if !ok {
		refuse(n.col, "the divisor %s can be 0; expected one that cannot, by its range, by a rule on it, or by if (%s ~= 0) then … else …", n, n)
	}
	return signs
}

// signs computes a divisor for all values of its variables; ok is false if it can be 0, or if they are too many.
func (c *compiler) signs(n *node) (sign int, ok bool) {
	vars := n.reads()
	size := int64(1)
	for _, r := range vars {
		if size *= r.v.Hi - r.v.Lo + 1; size > maxDivisor || r.next {
			return 0, false
		}
	}
	var rules []*factored.Constraint
	for i := range c.p.Global {
		g := &c.p.Global[i]
		if !slices.ContainsFunc(g.Terms, func(t factored.Term) bool { v, _ := c.p.Owner(t.Lit.Bit); return !mentions(vars, v, false) }) {
			rules = append(rules, g)
		}
	}
	var guards []assumption
	for _, a := range c.assumed {
		if !slices.ContainsFunc(a.n.reads(), func(r reference) bool { return !mentions(vars, r.v, r.next) }) {
			guards = append(guards, a)
		}
	}
	val := make(factored.Valuation, c.p.NumBits())
	var plus, minus bool
	for i := range size {
		for _, r := range vars {
			values := r.v.Hi - r.v.Lo + 1
			_ = r.v.Set(val, r.v.Lo+i%values)
			i /= values
		}
		if slices.ContainsFunc(rules, func(g *factored.Constraint) bool { return !g.Holds(val, nil) }) ||
			slices.ContainsFunc(guards, func(a assumption) bool { return !(&statement{a.n, !a.holds}).Holds(val, nil) }) {
			continue
		}
		x := n.exact(val, nil)
		if x == nil || x.Sign() == 0 {
			return 0, false
		}
		plus, minus = plus || x.Sign() > 0, minus || x.Sign() < 0
	}
	switch {
	case !minus:
		return 1, true
	case !plus:
		return -1, true
	}
	return 0, true
}

// spreads returns a comparison with a minimum, a maximum, an absolute value or a choice on one side as
// a condition on the parts, which stay linear; nil for any other.
func (c *compiler) spreads(n *node) *node {
	if m, ok := c.spread[n]; ok {
		return m
	}
	m := n.parts()
	c.spread[n] = m
	return m
}

// parts is what spreads returns.
func (n *node) parts() *node {
	if n.op == "if" && n.boolean() {
		s := n.args[0]
		return join("^", join("=>", s, n.args[1]), join("=>", s.not(), n.args[2]))
	}
	if !slices.Contains([]string{"<=", "<", ">=", ">"}, n.op) {
		return nil
	}
	up := n.op[0] == '>'
	for i, side := range n.args {
		of := func(part *node) *node { // the comparison of a part
			args := slices.Clone(n.args)
			args[i] = part
			return &node{op: n.op, args: args, col: n.col}
		}
		greater := up == (i == 0) // the side is the greater one
		parts := side.args
		switch side.op {
		case "abs":
			parts = []*node{parts[0], {op: "neg", args: parts, col: side.col}}
		case "min":
			greater = !greater
		case "max":
		case "if":
			s := parts[0]
			return join("^", join("=>", s, of(parts[1])), join("=>", s.not(), of(parts[2])))
		default:
			continue
		}
		op := map[bool]string{true: "|", false: "^"}[greater]
		out := of(parts[0])
		for _, p := range parts[1:] {
			out = join(op, out, of(p))
		}
		return out
	}
	return nil
}

// join is a connective of two conditions.
func join(op string, a, b *node) *node { return &node{op: op, args: []*node{a, b}, col: a.col} }

func (n *node) not() *node { return &node{op: "~", args: []*node{n}, col: n.col} }
