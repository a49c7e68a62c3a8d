package translate

import (
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
	"github.com/fdplan/fdplan/problem/factored"
)

// ratio is a quotient of sums whose divisor is positive. Where a quotient is rounded or compared, both
// sides are multiplied by the divisor, so that it is exact over wide numbers too.
type ratio struct{ over, by number }

// divides reports whether n contains a division by what is not constant.
func (c *compiler) divides(n *ground.Node) bool {
	if d, ok := c.dividing[n]; ok {
		return d
	}
	d := n.Op == ground.Div && n.Args[1].Op != ground.Const
	if n.Op == ground.Ref && c.g.Fluents[n.Fluent].Kind == ground.Interm && c.g.Fluents[n.Fluent].Type == ground.Real {
		d = c.divides(c.cpf(n.Fluent))
	}
	for _, a := range n.Args {
		d = d || a != nil && c.divides(a)
	}
	c.dividing[n] = d
	return d
}

// irrational reports whether n contains a function that hardly ever has rational values.
func (c *compiler) irrational(n *ground.Node) bool {
	if n.Op == ground.Func && n.Operator().Exact == nil {
		return true
	}
	if n.Op == ground.Ref && c.g.Fluents[n.Fluent].Kind == ground.Interm && c.hard(n) {
		return c.irrational(c.cpf(n.Fluent))
	}
	return slices.ContainsFunc(n.Args, func(a *ground.Node) bool { return a != nil && c.hard(a) && c.irrational(a) })
}

// ratioOf compiles a number to a quotient.
func (c *compiler) ratioOf(n *ground.Node) ratio {
	one := constant(whole(1))
	if !c.divides(n) {
		return ratio{c.number(n), one}
	}
	if (n.Op == ground.If || n.Op == ground.Div) && c.irrational(n) { // its divisor may be no fraction, or 0 where another branch is taken
		if x, ok := c.byValues(n); ok {
			return ratio{x, one}
		}
	}
	switch n.Op {
	case ground.Ref:
		defer c.enter(c.g.Fluents[n.Fluent].Name, c.cpf(n.Fluent).Pos)()
		return c.ratioOf(c.cpf(n.Fluent))
	case ground.Add, ground.Sub, ground.Mul, ground.Div, ground.Min, ground.Max:
		out := c.ratioOf(n.Args[0])
		for _, a := range n.Args[1:] {
			out = c.combined(n, out, c.ratioOf(a))
		}
		return out
	case ground.Neg:
		a := c.ratioOf(n.Args[0])
		return ratio{constant(whole(0)).plus(a.over, whole(-1)), a.by}
	case ground.If:
		s := c.literal(0, n.Args[0])
		switch s {
		case yes:
			return c.ratioOf(n.Args[1])
		case no:
			return c.ratioOf(n.Args[2])
		}
		a, b := c.ratioOf(n.Args[1]), c.ratioOf(n.Args[2])
		return ratio{c.choose(s, a.over, b.over), c.choose(s, a.by, b.by)}
	case ground.Func:
		switch a := c.ratioOf(n.Args[0]); n.Name {
		case "abs":
			minus := constant(whole(0)).plus(a.over, whole(-1))
			a.over = c.larger(a.over, minus, true)
			a.over.lo = a.over.lo.max(whole(0))
			return a
		case "round":
			return ratio{c.roundOf(n, defining, a, nil), one}
		case operator.RoundTo.Name:
			by := c.constOf(n.Args[1])
			return ratio{constant(whole(0)).plus(c.roundOf(n, defining, a.dividedBy(by), nil), by), one}
		}
	}
	return ratio{c.number(n), one}
}

func (a ratio) dividedBy(r rat) ratio {
	a.over = constant(whole(0)).plus(a.over, whole(1).div(r))
	a.over.rounded = false // values that are no fractions are so near that rounding them is as good as right
	return a
}

// combined is a op b.
func (c *compiler) combined(n *ground.Node, a, b ratio) ratio {
	cross := func(x, y number) number { return c.times2(n, x, y) }
	switch n.Op {
	case ground.Mul:
		return ratio{cross(a.over, b.over), cross(a.by, b.by)}
	case ground.Div:
		if c.legallyPositive(n.Args[1]) { // elsewhere the step is illegal anyway
			b.over.lo = b.over.lo.max(fraction(1, precision))
		}
		if b.over.hi.sign() < 0 {
			b.over, a.over = constant(whole(0)).plus(b.over, whole(-1)), constant(whole(0)).plus(a.over, whole(-1))
		}
		if b.over.lo.sign() <= 0 {
			c.divisor(n, 0)
		}
		return ratio{cross(a.over, b.by), cross(a.by, b.over)}
	}
	by := a.by
	if !same(a.by, b.by) {
		by = cross(a.by, b.by)
		a.over, b.over = cross(a.over, b.by), cross(b.over, a.by)
	}
	switch n.Op {
	case ground.Add:
		return ratio{a.over.plus(b.over, whole(1)), by}
	case ground.Sub:
		return ratio{a.over.plus(b.over, whole(-1)), by}
	}
	return ratio{c.larger(a.over, b.over, n.Op == ground.Max), by}
}

// legallyPositive reports whether n is above 0 in all legal steps.
func (c *compiler) legallyPositive(n *ground.Node) bool {
	return c.domainsOf([]weighted{{node: n}})[0].lo >= 2.0/precision
}

// same reports whether two sums are equal by their form.
func same(a, b number) bool {
	d := a.linear.plus(b.linear, whole(-1))
	return len(d.terms) == 0 && d.k.N == 0
}

// difference is a number with the sign of a - b.
func (c *compiler) difference(a, b *ground.Node) number {
	if x, y, ok := c.squares(a, b); ok {
		return x.plus(y, whole(-1))
	}
	if !c.divides(a) && !c.divides(b) {
		return c.number(a).plus(c.number(b), whole(-1))
	}
	minus := &ground.Node{Op: ground.Sub, Args: []*ground.Node{a, b}, Pos: a.Pos}
	return c.combined(minus, c.ratioOf(a), c.ratioOf(b)).over
}

// squares returns numbers that compare like a and b, of which one is a square root and the other one too or a constant: what is under the root, and
// the square of the constant. ok is false for other numbers.
func (c *compiler) squares(a, b *ground.Node) (x, y number, ok bool) {
	under := func(n *ground.Node) (number, bool) {
		if n.Op == ground.Const {
			v := simplest(n.Val)
			if v.sign() < 0 {
				return constant(whole(-1)), true // below every root
			}
			return constant(v.mul(v)), true
		}
		if n.Op != ground.Func || n.Name != "sqrt" || c.divides(n) {
			return number{}, false
		}
		x := c.number(n.Args[0])
		return x, x.lo.sign() >= 0
	}
	if a.Op == ground.Const && b.Op == ground.Const {
		return x, y, false
	}
	if x, ok = under(a); !ok {
		return x, y, false
	}
	y, ok = under(b)
	return x, y, ok
}

// roundOf returns the integer z that is nearest to a, the even one of two: -by <= 2(over - z*by) <= by, where a
// bound is met only by an even z. With dest, z is stored there.
func (c *compiler) roundOf(n *ground.Node, to group, a ratio, dest *vector) number {
	_, _, scale := a.over.scaled()
	_, _, other := a.by.scaled()
	scale = product64(scale/integer.GCD(scale, other), other)
	by, divided := a.by.isConst()
	if dest == nil {
		lo, hi := a.bounds()
		if lo == hi {
			return constant(whole(lo))
		}
		if scale == 1 && by == whole(1) {
			return a.over
		}
		dest = c.newVector("", lo, hi, c.reachOf(c.readBy(a)))
	}
	z := vectorNumber(dest)
	zero := linear{k: whole(0)}
	twice := zero.plus(a.over.linear, whole(2*scale)).plus(c.times2(n, z, a.by).linear, whole(-2*scale))
	bound := zero.plus(a.by.linear, whole(scale))
	if scale == 1 && by == whole(1) {
		c.emitLinear(to, twice, factored.EQ)
		return z
	}
	switch last := len(dest.lits) - 1; {
	case divided && bound.k.N%2 == 1: // no halves
	case last >= 0:
		bound = bound.plus(literalLinear(dest.lits[last]), whole(-1))
	case dest.lo&1 == 1:
		bound.k = bound.k.sub(whole(1))
	}
	c.emitLinear(to, bound.plus(twice, whole(1)), factored.GE)
	c.emitLinear(to, bound.plus(twice, whole(-1)), factored.GE)
	return z
}

// readBy lists the literals of a quotient.
func (c *compiler) readBy(a ratio) []lit {
	var in []lit
	for _, terms := range [][]linearTerm{a.over.terms, a.by.terms} {
		for _, t := range terms {
			in = append(in, lit(t.wire))
		}
	}
	return in
}

// bounds returns bounds of the rounded quotient.
func (a ratio) bounds() (lo, hi int64) {
	least, most := a.over.lo.div(a.by.lo), a.over.hi.div(a.by.lo)
	least, most = least.min(a.over.lo.div(a.by.hi)), most.max(a.over.hi.div(a.by.hi))
	return operator.Rat(least).RoundToEven(), operator.Rat(most).RoundToEven()
}
