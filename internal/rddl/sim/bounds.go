package sim

import (
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
)

// workspace contains the buffers for drawing and enumerating, apart from the machine.
type workspace struct {
	lo, hi   []float64 // by fluent: bounds of its value while an assignment is partial
	diagrams map[*part]*diagram
}

// bounds returns bounds on n for any values of the open fluents. Rounding is monotone and
// sums are taken in the order of evaluation, so the bounds hold exactly for the value that
// the compiled expression computes.
func (r *Runner) bounds(n *ground.Node) (lo, hi float64) {
	switch n.Op {
	case ground.Const:
		return n.Val, n.Val
	case ground.Ref:
		return r.refBounds(n)
	case ground.Not:
		f, t := r.truth(n.Args[0])
		return 1 - t, 1 - f
	case ground.And:
		lo, hi = 1, 1
		for _, a := range n.Args {
			f, t := r.truth(a)
			if lo, hi = min(lo, f), min(hi, t); hi == 0 {
				break
			}
		}
		return lo, hi
	case ground.Or:
		for _, a := range n.Args {
			f, t := r.truth(a)
			if lo, hi = max(lo, f), max(hi, t); lo == 1 {
				break
			}
		}
		return lo, hi
	case ground.Implies:
		af, at := r.truth(n.Args[0])
		bf, bt := r.truth(n.Args[1])
		return max(1-at, bf), max(1-af, bt)
	case ground.Iff:
		af, at := r.truth(n.Args[0])
		bf, bt := r.truth(n.Args[1])
		return decided(operator.Eq.Over(af, at, bf, bt))
	case ground.Eq, ground.Ne, ground.Lt, ground.Le, ground.Gt, ground.Ge:
		a, b := r.bounds2(n.Args[0])
		c, d := r.bounds2(n.Args[1])
		if r.s.p.Unrounded != nil && realArgs(n) {
			a, b = nearly(a, b)
		}
		return decided(n.Op.Relation().Over(a, b, c, d))
	case ground.If:
		f, t := r.truth(n.Args[0])
		if f == 1 {
			return r.bounds(n.Args[1])
		}
		if t == 0 {
			return r.bounds(n.Args[2])
		}
		a, b := r.bounds(n.Args[1])
		c, d := r.bounds(n.Args[2])
		return min(a, c), max(b, d)
	}
	return r.arithmeticBounds(n)
}

func (r *Runner) bounds2(n *ground.Node) (lo, hi float64) {
	lo, hi = r.bounds(n)
	if lo != lo || hi != hi {
		return math.Inf(-1), math.Inf(1)
	}
	return lo, hi
}

// truth is bounds for a condition: 0 0 false, 1 1 true, 0 1 open.
func (r *Runner) truth(n *ground.Node) (lo, hi float64) {
	lo, hi = r.bounds2(n)
	switch {
	case lo == 0 && hi == 0:
		return 0, 0
	case lo > 0 || hi < 0:
		return 1, 1
	}
	return 0, 1
}

func (r *Runner) refBounds(n *ground.Node) (lo, hi float64) {
	f := &r.s.p.Fluents[n.Fluent]
	switch {
	case n.Primed && f.Kind == ground.State:
		return math.Inf(-1), math.Inf(1)
	case f.Kind == ground.Interm || f.Kind == ground.Observ:
		return r.bounds2(f.CPF)
	}
	return r.work.lo[n.Fluent], r.work.hi[n.Fluent]
}

func (r *Runner) arithmeticBounds(n *ground.Node) (lo, hi float64) {
	o := n.Operator()
	switch {
	case n.Type == ground.Bool:
		return 0, 1
	case o == nil || o.Interval == nil || o.Error == operator.Library:
		return math.Inf(-1), math.Inf(1)
	case len(n.Args) == 0:
		return o.Empty(), o.Empty()
	}
	var x operator.Interval
	near := r.s.p.Unrounded != nil && o.Result == operator.Int && realArgs(n)
	for i, a := range n.Args {
		var y operator.Interval
		y.Lo, y.Hi = r.bounds2(a)
		if near {
			y.Lo, y.Hi = nearly(y.Lo, y.Hi)
		}
		if i == 0 {
			x = y
		}
		if i > 0 || len(n.Args) == 1 && o.Unary != nil {
			x = o.Interval(x, y)
		}
	}
	return x.Lo, x.Hi
}

// nearly widens bounds by what is taken to be equal where reals have steps.
func nearly(lo, hi float64) (float64, float64) {
	const wide = 4 * operator.Tolerance
	return lo - wide*max(1, math.Abs(lo)), hi + wide*max(1, math.Abs(hi))
}

// decided are the bounds on a relation that always or never holds.
func decided(always, never bool) (lo, hi float64) {
	switch {
	case always:
		return 1, 1
	case never:
		return 0, 0
	}
	return 0, 1
}
