package tube

import "math"

// row is the form c + sum of a[i]*v[i] over variables v, and the condition that it is at most 0. Rounding may have changed the sum
// by e at most, anywhere in the box of the variables.
type row struct {
	c float64
	a []float64 // variables beyond its length have 0
	e float64
}

// box is the range of a variable.
type box struct{ lo, hi float64 }

// eps bounds the relative error of one operation in floats, twice over.
const eps = 1.0 / (1 << 52)

// tiny bounds what underflow may lose.
const tiny = 1e-290

// up returns a bound on a sum of n products, each rounded, that was computed as x, whose terms have the sum of magnitudes mag.
func up(x, mag float64, n int) float64 { return x + mag*float64(n+4)*eps + tiny }

// add adds f*b to r, whose row is no shorter; the true factor differs from f by the rounding of one operation at most. No
// variable is beyond size.
func (r *row) add(f float64, b *row, size float64) {
	r.c += f * b.c
	mag := math.Abs(f*b.c) + math.Abs(r.c)
	for i, x := range b.a {
		if x == 0 {
			continue
		}
		p := f * x
		r.a[i] += p
		mag += (math.Abs(p) + math.Abs(r.a[i])) * size
	}
	r.e += math.Abs(f)*b.e*(1+4*eps) + 4*eps*mag
	r.e += r.e * 4 * eps
}

// bounds returns the least and the greatest value over a box, rounded outward.
func (r *row) bounds(vars []box) (least, most float64) {
	least, most = r.c, r.c
	mag := math.Abs(r.c)
	for i, a := range r.a {
		if a > 0 {
			least, most = least+a*vars[i].lo, most+a*vars[i].hi
		} else if a < 0 {
			least, most = least+a*vars[i].hi, most+a*vars[i].lo
		}
		mag += math.Abs(a) * max(math.Abs(vars[i].lo), math.Abs(vars[i].hi))
	}
	e := up(r.e, mag+r.e, 2*len(r.a)+4)
	return least - e, most + e
}

func constant(x int64) row { return row{c: float64(x)} }

// sum returns k + f*a + g*b; no variable is beyond size.
func sum(k, f float64, a row, g float64, b row, size float64) row {
	out := row{c: k, a: make([]float64, max(len(a.a), len(b.a)))}
	out.add(f, &a, size)
	out.add(g, &b, size)
	return out
}

// plus adds a number.
func (r row) plus(x float64) row {
	r.c += x
	r.e = up(r.e, r.e+math.Abs(r.c)+math.Abs(x), 2)
	return r
}

// negated returns -r.
func (r row) negated() row {
	out := row{c: -r.c, a: make([]float64, len(r.a)), e: r.e}
	for i, a := range r.a {
		out.a[i] = -a
	}
	return out
}

// spread returns what r and a number of at most radius may sum to, with a variable in -1..1 in place of both its part of r and the error.
func (r row) spread(variable int, radius float64) row {
	a := make([]float64, max(variable+1, len(r.a)))
	copy(a, r.a)
	if radius += r.e + math.Abs(a[variable]); radius > 0 {
		a[variable] = up(radius, radius, 3)
	}
	return row{r.c, a, 0}
}

// over returns the values of a form where states and actions have those of rows; no variable is beyond size. Where the form reads
// no action, u may be nil.
func (l *Linear) over(x, u []row, size float64) row {
	if i := l.copied(); i >= 0 {
		return x[i] // exactly
	}
	d, n := float64(l.D), 0
	all := func(f func(by int64, of *row)) {
		for i, a := range l.X {
			if a != 0 {
				f(a, &x[i])
			}
		}
		for j := range u {
			if b := l.U[j]; b != 0 {
				f(b, &u[j])
			}
		}
	}
	all(func(_ int64, of *row) { n = max(n, len(of.a)) })
	out := row{c: float64(l.C) / d, a: make([]float64, n), e: math.Abs(float64(l.C)/d) * eps}
	all(func(by int64, of *row) { out.add(float64(by)/d, of, size) })
	return out
}

// exact reports whether all values of l are integers.
func (l *Linear) exact() bool {
	is := l.C%l.D == 0
	for _, list := range [][]int64{l.X, l.U} {
		for _, a := range list {
			is = is && a%l.D == 0
		}
	}
	return is
}

// set contains the states that are x where the variables have values in -1..1 at which every row is at most 0: a constrained
// zonotope.
type set struct{ x, rows []row }

// with returns s with one more row. Rows that are old are dropped, which only makes the set larger.
func (s *set) with(r row) *set {
	const mostRows = 8
	rows := append(s.rows[:len(s.rows):len(s.rows)], r)
	return &set{s.x, rows[max(0, len(rows)-mostRows):]}
}
