package translate

import (
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
	"github.com/fdplan/fdplan/problem/factored"
)

// number compiles a numeric or enumerated expression to a sum of wires.
func (c *compiler) number(n *ground.Node) number {
	if x, ok := c.numbers[n]; ok {
		return x
	}
	x := c.newNumber(n)
	c.numbers[n] = x
	return x
}

// total is the sum of args. Both halves are summed by themselves, since a sum copies its terms.
func (c *compiler) total(args []*ground.Node) number {
	if len(args) == 1 {
		return c.number(args[0])
	}
	out := c.total(args[:len(args)/2]).plus(c.total(args[len(args)/2:]), whole(1))
	out.vec = nil
	return out
}

// maximal number of wires in products of two sums
const productTerms = 4096

func (c *compiler) newNumber(n *ground.Node) number {
	if n.Type == ground.Bool {
		return literalNumber(c.literal(0, n))
	}
	switch n.Op {
	case ground.Const:
		return constant(simplest(n.Val))
	case ground.Ref:
		return c.numberRef(n)
	case ground.Add:
		return c.total(n.Args)
	case ground.Sub:
		return c.number(n.Args[0]).plus(c.number(n.Args[1]), whole(-1))
	case ground.Neg:
		return constant(whole(0)).plus(c.number(n.Args[0]), whole(-1))
	case ground.Random:
		return c.number(c.certain(n, nil))
	}
	if !c.cheap(n) {
		if x, ok := c.numberTable(nil, n); ok {
			return x
		}
	}
	switch n.Op {
	case ground.If:
		return c.ifNumber(n)
	case ground.Case:
		return c.caseNumber(n)
	case ground.Mul:
		return c.product(n)
	case ground.Div:
		return c.quotient(n)
	case ground.Min, ground.Max:
		return c.extreme(n, n.Op == ground.Max)
	case ground.Func:
		return c.functionNumber(n)
	}
	c.refuseAt(n.Pos, "this expression cannot be compiled")
	return number{}
}

// ifNumber compiles a choice between two numbers.
func (c *compiler) ifNumber(n *ground.Node) number {
	s := c.literal(0, n.Args[0])
	switch s {
	case yes:
		return c.number(n.Args[1])
	case no:
		return c.number(n.Args[2])
	}
	if c.irrational(n) { // its parts may have no values where other ones are chosen
		if x, ok := c.byValues(n); ok {
			return x
		}
	}
	return c.choose(s, c.factor(n.Args[1]), c.factor(n.Args[2]))
}

// quotient compiles a division by a constant.
func (c *compiler) quotient(n *ground.Node) number {
	d := c.number(n.Args[1])
	r, ok := d.isConst()
	if !ok {
		if x, ok := c.byValues(n); ok {
			return x
		}
		c.refuseAt(n.Pos, "the divisor is not constant, and the quotient reads more than %d bits; expected a constant divisor", c.tableBits)
	}
	c.divisor(n, r.float())
	return constant(whole(0)).plus(c.number(n.Args[0]), whole(1).div(r))
}

// cheap reports whether a nonlinear expression needs no table: a choice between constants, or
// a product of two literals.
func (c *compiler) cheap(n *ground.Node) bool {
	switch n.Op {
	case ground.If:
		return n.Args[1].Op == ground.Const && n.Args[2].Op == ground.Const
	case ground.Mul, ground.Div:
		return c.isLinear(n) || n.Op == ground.Mul && len(n.Args) == 2 && n.Args[0].Type == ground.Bool && n.Args[1].Type == ground.Bool
	}
	return false
}

// choose is if s then a else b.
func (c *compiler) choose(s lit, a, b number) number {
	d := a.plus(b, whole(-1))
	out := number{linear: b.linear.plus(c.times(s, d.linear), whole(1)), lo: a.lo.min(b.lo), hi: a.hi.max(b.hi)}
	out.tighten()
	return out
}

func (c *compiler) caseNumber(n *ground.Node) number {
	on := c.number(n.Args[0])
	last := pairs(n) - 2
	var out number
	if d := c.defaultOf(n); d != nil {
		out = c.number(d)
	} else {
		out = c.number(n.Args[last+1])
		last -= 2
	}
	for i := last; i >= 1; i -= 2 {
		switch s := c.equalsConst(0, on, c.constOf(n.Args[i])); s {
		case no:
		default:
			out = c.choose(s, c.factor(n.Args[i+1]), out)
		}
	}
	return out
}

// factor compiles a number for multiplication wire by wire: an integer gets bits of its own
// if its sum has many more wires.
func (c *compiler) factor(n *ground.Node) number {
	a := c.number(n)
	if n.Type != ground.Real && a.vec == nil && len(a.terms) > 2*widthOf(a.lo.ceil(), a.hi.floor()) {
		return vectorNumber(c.withBits(a, ""))
	}
	return a
}

// times2 is a*b.
func (c *compiler) times2(n *ground.Node, a, b number) number {
	rounded := a.rounded || b.rounded
	if r, ok := a.isConst(); ok {
		out := constant(whole(0)).plus(b, r)
		out.rounded = rounded
		return out
	}
	if r, ok := b.isConst(); ok {
		out := constant(whole(0)).plus(a, r)
		out.rounded = rounded
		return out
	}
	if len(a.terms)*len(b.terms) > productTerms {
		c.refuseAt(n.Pos, "the product of two sums of %d and %d bits is too large; expected at most %d pairs", len(a.terms), len(b.terms), productTerms)
	}
	sum := linear{k: whole(0)}.plus(b.linear, a.k)
	for _, t := range a.terms {
		sum = sum.plus(c.times(lit(t.wire), b.linear), t.coef)
	}
	p := []rat{a.lo.mul(b.lo), a.lo.mul(b.hi), a.hi.mul(b.lo), a.hi.mul(b.hi)}
	out := number{linear: sum, lo: p[0], hi: p[0]}
	for _, x := range p[1:] {
		out.lo, out.hi = out.lo.min(x), out.hi.max(x)
	}
	out.rounded = rounded
	out.tighten()
	return out
}

// extreme compiles the maximum or minimum of the arguments.
func (c *compiler) extreme(n *ground.Node, most bool) number {
	out := c.number(n.Args[0])
	for _, a := range n.Args[1:] {
		out = c.larger(out, c.number(a), most)
	}
	return out
}

// larger returns the larger of a and b, or the smaller.
func (c *compiler) larger(a, b number, most bool) number {
	if !most {
		a, b = b, a // the smaller of a and b is b exactly where a >= b
	}
	d := a.plus(b, whole(-1))
	d.rounded = false // a wrong choice between nearly equal numbers is nearly right
	s := c.nonNegative(0, d)
	if !most {
		a, b = b, a
	}
	switch s {
	case yes:
		return a
	case no:
		return b
	}
	out := c.choose(s, a, b)
	if most {
		out.lo, out.hi = a.lo.max(b.lo), a.hi.max(b.hi)
	} else {
		out.lo, out.hi = a.lo.min(b.lo), a.hi.min(b.hi)
	}
	out.tighten()
	return out
}

// functionNumber compiles a function whose argument reads more bits than a table can have.
func (c *compiler) functionNumber(n *ground.Node) number {
	switch n.Name {
	case "min", "max":
		return c.extreme(n, n.Name == "max")
	case "abs":
		a := c.number(n.Args[0])
		out := c.larger(a, constant(whole(0)).plus(a, whole(-1)), true)
		out.lo = out.lo.max(whole(0))
		return out
	case "sgn":
		a := c.number(n.Args[0])
		pos, neg := literalNumber(c.isPositive(0, a)), literalNumber(-c.nonNegative(0, a))
		return pos.plus(neg, whole(-1))
	case "floor":
		return c.floorOf(c.number(n.Args[0]))
	case "ceil":
		zero := constant(whole(0))
		return zero.plus(c.floorOf(zero.plus(c.number(n.Args[0]), whole(-1))), whole(-1))
	case "round":
		return c.roundOf(n, defining, c.ratioOf(n.Args[0]), nil)
	case operator.RoundTo.Name:
		by := c.constOf(n.Args[1])
		return constant(whole(0)).plus(c.roundOf(n, defining, c.ratioOf(n.Args[0]).dividedBy(by), nil), by)
	case "div", "mod", "fmod":
		return c.division(n)
	case "pow":
		if c.irrational(n) { // rounded once, and not each factor
			if x, ok := c.byValues(n); ok {
				return x
			}
		}
		a, b := c.factor(n.Args[0]), c.number(n.Args[1])
		if e, ok := b.isConst(); ok && e.isWhole() && e.N >= 0 && e.N <= 16 {
			out := constant(whole(1))
			for range e.N {
				out = c.times2(n, out, a)
			}
			if e.N%2 == 0 {
				out.lo = out.lo.max(whole(0))
			}
			return out
		}
	}
	if x, ok := c.byValues(n); ok {
		return x
	}
	c.refuseAt(n.Pos, "%s of an expression that reads more than %d bits cannot be compiled", n.Name, c.tableBits)
	return number{}
}

// floorOf returns a rounded down: the integer z with z <= a < z+1.
func (c *compiler) floorOf(a number) number {
	terms, k, scale := a.scaled()
	if scale == 1 {
		return a
	}
	lo, hi := a.lo.floor(), a.hi.floor()
	if lo == hi {
		return constant(whole(lo))
	}
	in := make([]lit, len(terms))
	for i, t := range terms {
		in[i] = t.lit
	}
	v := c.newVector("", lo, hi, c.reachOf(in))
	z := vectorNumber(v)
	// scale*z <= sum + k <= scale*z + scale-1.
	rest := linear{k: whole(k)}
	for _, t := range terms {
		rest = rest.plus(literalLinear(t.lit), whole(t.coef))
	}
	rest = rest.plus(z.linear, whole(-scale))
	c.emitLinear(defining, rest, factored.GE)
	c.emitLinear(defining, rest.plus(linear{k: whole(1)}, whole(1-scale)), factored.LE)
	return z
}

// division is div, mod or fmod by a constant.
func (c *compiler) division(n *ground.Node) number {
	a := c.number(n.Args[0])
	by := c.number(n.Args[1])
	d, ok := by.isConst()
	if !ok {
		c.refuseAt(n.Pos, "the divisor of %s is not constant, and it reads more than %d bits; expected a constant divisor", n.Name, c.tableBits)
	}
	c.divisor(n, d.float())
	zero := constant(whole(0))
	q := c.floorOf(zero.plus(a, whole(1).div(d)))
	if n.Name == "div" {
		return q
	}
	out := a.plus(q, d.neg())
	out.lo, out.hi = out.lo.max(d.min(whole(0))), out.hi.min(d.max(whole(0)))
	return out
}
