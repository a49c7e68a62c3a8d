package sim

import (
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// workspace contains the buffers for drawing and enumerating, apart from the machine.
type workspace struct {
	lo, hi []float64 // by fluent: bounds of its value while an assignment is partial
	kept   []float64
}

func newWorkspace(fluents int) workspace {
	return workspace{lo: make([]float64, fluents), hi: make([]float64, fluents)}
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
		return compareBounds(ground.Eq, af, at, bf, bt)
	case ground.Eq, ground.Ne, ground.Lt, ground.Le, ground.Gt, ground.Ge:
		a, b := r.bounds2(n.Args[0])
		c, d := r.bounds2(n.Args[1])
		return compareBounds(n.Op, a, b, c, d)
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
	switch n.Op {
	case ground.Add:
		for _, a := range n.Args {
			l, h := r.bounds2(a)
			lo, hi = lo+l, hi+h
		}
		return lo, hi
	case ground.Sub:
		a, b := r.bounds2(n.Args[0])
		c, d := r.bounds2(n.Args[1])
		return a - d, b - c
	case ground.Neg:
		a, b := r.bounds2(n.Args[0])
		return 0 - b, 0 - a
	case ground.Mul:
		lo, hi = 1, 1
		for _, a := range n.Args {
			l, h := r.bounds2(a)
			w, x, y, z := product(lo, l), product(lo, h), product(hi, l), product(hi, h)
			lo, hi = min(w, x, y, z), max(w, x, y, z)
		}
		return lo, hi
	case ground.Min, ground.Max:
		lo, hi = r.bounds2(n.Args[0])
		for _, a := range n.Args[1:] {
			l, h := r.bounds2(a)
			if n.Op == ground.Min {
				lo, hi = min(lo, l), min(hi, h)
			} else {
				lo, hi = max(lo, l), max(hi, h)
			}
		}
		return lo, hi
	case ground.Random:
		if n.Name == "KronDelta" || n.Name == "DiracDelta" {
			return r.bounds2(n.Args[0])
		}
	}
	if n.Type == ground.Bool {
		return 0, 1
	}
	return math.Inf(-1), math.Inf(1)
}

// product treats 0 times infinity as 0: infinity stands for an unknown bound.
func product(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// compareBounds compares a number in a..b with one in c..d.
func compareBounds(op ground.Op, a, b, c, d float64) (lo, hi float64) {
	var always, never bool
	switch op {
	case ground.Eq:
		always, never = a == b && c == d && a == c, b < c || d < a
	case ground.Ne:
		always, never = b < c || d < a, a == b && c == d && a == c
	case ground.Lt:
		always, never = b < c, a >= d
	case ground.Le:
		always, never = b <= c, a > d
	case ground.Gt:
		always, never = a > d, b <= c
	case ground.Ge:
		always, never = a >= d, b < c
	}
	switch {
	case always:
		return 1, 1
	case never:
		return 0, 0
	}
	return 0, 1
}
