package translate

import (
	"math"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
)

// steps reports whether a variable is real with a step.
func (c *compiler) steps() bool {
	for i := range c.grids {
		if c.g.Fluents[i].Step.Valid() {
			return true
		}
	}
	return false
}

// bounded compiles a sum so that its terms have no values beyond their bounds: a choice of wide numbers is a sum of
// products of bits, which for itself has a far greater range than the choice. Such a term counts down from its greatest value.
func (c *compiler) bounded(n *ground.Node) number {
	terms := summands(n)
	domains := c.domainsOf(terms)
	out := constant(whole(0))
	for i, s := range terms {
		x := constant(whole(0)).plus(c.number(s.node), s.coef)
		x.rounded = c.number(s.node).rounded
		if d := domains[i]; d.finite() && !d.isEmpty() && s.coef.N != 0 && !x.rounded {
			x = c.narrowed(x, d, s.coef)
		}
		out = out.plus(x, whole(1))
	}
	return out
}

// domainsOf returns the domains of the nodes in legal steps, of those for which they can be found.
func (c *compiler) domainsOf(terms []weighted) (out []domain) {
	for range terms {
		out = append(out, anything)
	}
	defer func() {
		switch r := recover().(type) {
		case nil, noRange, refusalText:
		default:
			panic(r)
		}
	}()
	a := c.legalDomains()
	for i := range terms {
		if a != nil {
			out[i] = a.eval(terms[i].node)
		}
	}
	return out
}

// narrowed gives a number times coef bits of its own, if it is known to lie in a domain that is much smaller than the range of its sum.
func (c *compiler) narrowed(x number, d domain, coef rat) number {
	lo, hi := d.lo*coef.float(), d.hi*coef.float()
	if lo > hi {
		lo, hi = hi, lo
	}
	least, most := x.linear.bounds()
	if most.float()-least.float() <= 1.01*(hi-lo) {
		return x
	}
	terms, _, scale := x.scaled()
	var g int64
	for _, t := range terms {
		g = integer.GCD(g, t.coef)
	}
	if g == 0 {
		return x
	}
	step := fraction(g, scale)
	// The values are x.k + z*step; a bound may be a little off.
	first, last := (lo-x.k.float())/step.float(), (hi-x.k.float())/step.float()
	const widest = 1 << 39
	if !(last-first < widest && first > -widest && last < widest) {
		return x
	}
	low, high := int64(math.Ceil(operator.Near(first, math.Round(first)))), int64(math.Floor(operator.Near(last, math.Round(last))))
	down := constant(whole(high)).plus(constant(whole(0)).plus(x.plus(constant(x.k), whole(-1)), whole(1).div(step)), whole(-1))
	down.lo, down.hi, down.vec = whole(0), whole(high-low), nil
	v := c.withBits(down, "")
	return constant(x.k.add(step.mul(whole(high)))).plus(vectorNumber(v), step.neg())
}

// weighted is a term of a sum.
type weighted struct {
	node *ground.Node
	coef rat
}

// summands lists the terms of a sum.
func summands(n *ground.Node) (list []weighted) {
	times := func(coef rat, by float64) rat { return coef.mul(simplest(by)) }
	ground.Summands(n, whole(1), times, func(n *ground.Node, coef rat) { list = append(list, weighted{n, coef}) })
	return list
}
