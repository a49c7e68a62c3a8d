package translate

import (
	"fmt"
	"math"
	"strconv"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/problem/factored"
)

// A real fluent whose values lie on a grid is an integer in the factored problem, the number of
// its value: value base + z*step has number z.

// decimalStep reports whether a fraction is a decimal number of at most 9 digits after the point.
func decimalStep(x rat) bool { return 1_000_000_000%x.D == 0 }

// decimal writes a fraction as a decimal number.
func decimal(x rat) string { return strconv.FormatFloat(x.float(), 'g', -1, 64) }

// view shows the values as decimal numbers; where they are none, or no multiples of the step, it names them.
func (g *grid) view() *factored.View {
	if g.base.N == 0 && decimalStep(g.step) {
		return &factored.View{Num: g.step.N, Den: g.step.D}
	}
	v := &factored.View{}
	for _, x := range g.values() {
		v.Names = append(v.Names, decimal(x))
	}
	return v
}

// number is z as a number.
func (g *grid) number(z *vector) number {
	n := constant(g.base).plus(vectorNumber(z), g.step)
	n.vec = nil
	return n
}

// index returns the number of a value of a state or action fluent.
func (c *compiler) index(fluent int, r rat) (int64, bool) {
	if g, ok := c.grids[fluent]; ok {
		r = r.sub(g.base).div(g.step)
	}
	return r.N, r.isWhole()
}

// fluentNumber is a state or action fluent as a number.
func (c *compiler) fluentNumber(k fluentKey) number {
	v := c.stateBits(k)
	if g, ok := c.grids[int(k>>1)]; ok {
		return g.number(v)
	}
	return vectorNumber(v)
}

// gridTransition makes next the number of the value of n. Steps to a value off the grid are
// forbidden; none is reachable.
func (c *compiler) gridTransition(f *ground.Fluent, next *vector, g *grid) {
	n := f.CPF
	if t := c.tableOf(n); t != nil && len(next.lits) > 0 {
		for r, care := range t.care {
			if care && t.values[r].inexact {
				c.refuseAt(n.Pos, "its value is not a fraction; expected one that can be computed exactly, or a rounding")
			}
			if care {
				t.values[r] = exact(t.values[r].rat.sub(g.base).div(g.step))
			}
		}
		if _, ok := c.numberOf(t, next, n); ok {
			return
		}
	}
	if by := f.Step; by.Valid() {
		c.roundOf(n, inSteps, c.ratioOf(n.Args[0]).dividedBy(rat(by)), next)
		return
	}
	x := c.number(n)
	z := constant(whole(0)).plus(x.plus(constant(g.base), whole(-1)), whole(1).div(g.step))
	c.within(z, next.lo, next.hi)
	c.emitLinear(inSteps, z.linear.plus(vectorNumber(next).linear, whole(-1)), factored.EQ)
}

// Decode returns the value of a fluent whose variable has the value z.
func (c *Compiled) Decode(fluent int, z int64) float64 {
	if g, ok := c.grids[fluent]; ok {
		return g.at(z).float()
	}
	return float64(z)
}

// Encode returns the value of the variable of a fluent that has the value x. A simulator's reals
// are rounded; the nearest value of the grid is meant if it is very close.
func (c *Compiled) Encode(fluent int, x float64) (int64, bool) {
	const most = 1 << 53
	g, ok := c.grids[fluent]
	if !ok {
		return int64(x), x == math.Trunc(x) && math.Abs(x) <= most
	}
	z := math.Round((x - g.base.float()) / g.step.float())
	if math.IsNaN(z) || z < float64(g.first) || z > float64(g.last) {
		return 0, false
	}
	return int64(z), math.Abs(g.at(int64(z)).float()-x) <= 1e-9*max(1, math.Abs(x))
}

// expected describes the values of a fluent.
func (c *Compiled) expected(fluent int) string {
	if g, ok := c.grids[fluent]; ok {
		return fmt.Sprintf("its values are %s", g)
	}
	v := c.Variable(fluent)
	return fmt.Sprintf("its range is %d..%d", v.Lo, v.Hi)
}

// Inferred returns what was inferred of the fluents' values, by their indices.
func (c *Compiled) Inferred() *Values { return (*Values)(&c.found) }
