package tube

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/sorting"
)

// form is c + sum of g[k]*s[k] + e*s', over symbols s in -1..1; s' is a symbol of its own wherever the form is used.
type form struct {
	c float64
	g []float64 // symbols beyond its length have 0
	e float64
}

// set contains the states that are x for symbols at which every row is at most 0: a constrained zonotope.
type set struct {
	x    []form
	rows []form
}

// eps bounds the relative error of one operation in floats, twice over.
const eps = 1.0 / (1 << 52)

// tiny bounds what underflow may lose.
const tiny = 1e-290

// up returns a bound on a sum of n products, each rounded, that was computed as x, whose terms have the sum of magnitudes mag.
func up(x, mag float64, n int) float64 { return x + mag*float64(n+4)*eps + tiny }

// combine returns the sum of a[i] x[i], plus k; the true coefficients differ from a by the rounding of one operation at
// most, and so does k.
func combine(a []float64, x []form, k float64) form {
	at, only, cols := 0, 0, 0
	for i, c := range a {
		if c != 0 {
			at, only = i, only+1
			cols = max(cols, len(x[i].g))
		}
	}
	if k == 0 && only == 1 && a[at] == 1 {
		return x[at] // as it is
	}
	out := form{c: k, g: make([]float64, cols)}
	mag, n := math.Abs(k), len(a)
	for i, c := range a {
		if c == 0 {
			continue
		}
		f := &x[i]
		out.c += c * f.c
		size := math.Abs(f.c) + f.e
		for s, g := range f.g {
			out.g[s] += c * g
			size += math.Abs(g)
		}
		out.e += math.Abs(c) * f.e
		mag += math.Abs(c) * size
	}
	out.e = up(out.e, mag, 2*n+cols)
	return out
}

// of returns the values of a linear form over a set, for an action.
func (l *Linear) of(x []form, u []int64) form {
	a := make([]float64, len(x))
	for i := range a {
		a[i] = float64(l.X[i]) / float64(l.D)
	}
	k := l.C
	for j, b := range l.U {
		k += b * u[j] // exact: Model.CheckForm
	}
	return combine(a, x, float64(k)/float64(l.D))
}

// exact reports whether all values of l are integers.
func (l *Linear) exact() bool {
	divides := func(a int64) bool { return a%l.D == 0 }
	not := func(a int64) bool { return !divides(a) }
	return divides(l.C) && !slices.ContainsFunc(l.X, not) && !slices.ContainsFunc(l.U, not)
}

// negated returns -f.
func negated(f form) form {
	out := form{c: -f.c, g: make([]float64, len(f.g)), e: f.e}
	for i, g := range f.g {
		out.g[i] = -g
	}
	return out
}

// minus returns f - l*r, where l >= 0.
func minus(f, r form, l float64) form {
	return combine([]float64{1, -l}, []form{f, r}, 0)
}

// most is an upper bound on f without regard to rows.
func (f *form) most() float64 {
	sum, mag := f.c+f.e, math.Abs(f.c)+f.e
	for _, g := range f.g {
		sum += math.Abs(g)
		mag += math.Abs(g)
	}
	return up(sum, mag, len(f.g)+2)
}

// rounds bounds the passes over the rows of a set for one bound.
const rounds = 2

// below is an upper bound on f over s, or any bound that is at most enough: of f minus nonnegative multiples of the rows,
// which are at most 0 there (Lagrangian duality). The multiples are found by coordinate descent, of which each step is
// exact, so that the bound holds wherever it ends.
func (s *set) below(f form, enough float64) float64 {
	best := f.most()
	if best <= enough {
		return best
	}
	weights := make([]float64, len(s.rows))
	for range rounds {
		before := best
		for i := range s.rows {
			if best <= enough {
				return best
			}
			r := &s.rows[i]
			base := f
			if weights[i] > 0 {
				base = minus(f, *r, -weights[i])
			}
			l := slope(&base, r)
			if l == weights[i] {
				continue
			}
			g := base
			if l > 0 {
				g = minus(base, *r, l)
			}
			if m := g.most(); m < best {
				best, f, weights[i] = m, g, l
			}
		}
		if best > before-1e-9*math.Abs(before) {
			break
		}
	}
	return best
}

// slope returns the l >= 0 at which f - l*r is least without regard to other rows: a weighted median.
func slope(f, r *form) float64 {
	type kink struct{ at, by float64 }
	var kinks []kink
	d := -r.c // derivative at l = 0+, less what the kinks add
	for k, b := range r.g {
		a := 0.0
		if k < len(f.g) {
			a = f.g[k]
		}
		if b == 0 {
			continue
		}
		if at := a / b; at > 0 {
			kinks = append(kinks, kink{at, 2 * math.Abs(b)})
			d -= math.Abs(b)
		} else {
			d += math.Abs(b)
		}
	}
	d += r.e
	if d >= 0 {
		return 0
	}
	sorting.Stable(kinks, func(p, q kink) int {
		if p.at < q.at {
			return -1
		}
		return 1
	})
	for _, k := range kinks {
		if d += k.by; d >= 0 {
			return k.at
		}
	}
	return 0 // the rows cannot hold together; any multiple is right
}

// with returns s with one more row. Rows that are old are dropped, which only makes the set larger.
func (s *set) with(r form) *set {
	const mostRows = 8
	r.c, r.e = r.c-r.e, 0
	r.c = -up(-r.c, math.Abs(r.c), 2)
	rows := append(slices.Clone(s.rows), r)
	return &set{s.x, rows[max(0, len(rows)-mostRows):]}
}

// join returns a set that contains a and b, by symbols in common; columns from cols on are new.
func join(a, b *set, cols int) *set {
	out := &set{x: make([]form, len(a.x))}
	for i := range out.x {
		out.x[i] = combine([]float64{.5, .5}, []form{a.x[i], b.x[i]}, 0)
		half := combine([]float64{.5, -.5}, []form{a.x[i], b.x[i]}, 0)
		radius := max(half.most(), negatedMost(&half)) + out.x[i].e
		out.x[i] = out.x[i].plus(cols+i, up(radius, radius, 1))
	}
	return out
}

func negatedMost(f *form) float64 {
	n := negated(*f)
	return n.most()
}

// plus returns f with a symbol of its own in the column, in place of its error.
func (f form) plus(column int, radius float64) form {
	if radius == 0 {
		return f
	}
	g := make([]float64, column+1)
	copy(g, f.g)
	g[column] = radius
	return form{f.c, g, 0}
}
