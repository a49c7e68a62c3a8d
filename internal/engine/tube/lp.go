package tube

import "math"

// row is the condition that c + sum of a[i]*v[i] <= 0 over variables v. Rounding may have changed the sum by e at most,
// anywhere in the box of the variables.
type row struct {
	c float64
	a []float64 // variables beyond its length have 0
	e float64
}

// box is the range of a variable.
type box struct{ lo, hi float64 }

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

// range returns bounds of the row over a box, rounded outward.
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

// refuted reports whether no variables within their box keep all rows. A linear program finds nonnegative multiples of the
// rows whose sum is positive all over the box (Farkas); that it is, is checked with bounds on what rounding does. False
// says nothing; the point keeps all rows then, as far as floats tell, and may be nil.
func refuted(rows []row, vars []box, size float64) (no bool, point []float64) {
	active := make([]*row, 0, len(rows))
	for i := range rows {
		least, most := rows[i].bounds(vars)
		if least > 0 {
			return true, nil
		}
		if most > 0 {
			active = append(active, &rows[i])
		}
	}
	y, point := multipliers(active, vars)
	if y == nil {
		return false, point
	}
	sum := row{a: make([]float64, len(vars))}
	for i, w := range y {
		if w > 0 {
			sum.add(w, active[i], size)
		}
	}
	least, _ := sum.bounds(vars)
	return least > 0, nil
}

// multipliers maximises t such that every row is at most -t within the box, and returns the dual values of the rows where
// t comes out negative; else nil, and the values of the variables. It is the simplex method on a dense tableau, from the
// basis of slacks.
func multipliers(rows []*row, vars []box) (duals, point []float64) {
	used, place := usedBy(rows, len(vars))
	// Variables are z = v - lo >= 0, and t + large >= 0; rows beyond m bound z.
	const large = 1e6
	n, m := len(used), len(rows)
	w := n + 1 + m + n + 1 // columns: z, t, slacks, right-hand side
	flat := make([]float64, (m+n+1)*w)
	tab := make([][]float64, m+n+1)
	for i := range tab {
		tab[i] = flat[i*w : (i+1)*w]
	}
	for i, r := range rows {
		scale, rhs := 1e-9, r.e-r.c
		for j, a := range r.a {
			if a != 0 {
				tab[i][place[j]] = a
				rhs -= a * vars[j].lo
				scale = max(scale, math.Abs(a))
			}
		}
		tab[i][n], tab[i][n+1+i], tab[i][w-1] = scale, 1, rhs+large*scale
		if tab[i][w-1] < 0 {
			return nil, nil
		}
	}
	for k, j := range used {
		tab[m+k][k], tab[m+k][n+1+m+k], tab[m+k][w-1] = 1, 1, vars[j].hi-vars[j].lo
	}
	cost := tab[m+n]
	cost[n] = -1
	basis := make([]int, m+n)
	for i := range basis {
		basis[i] = n + 1 + i
	}
	switch {
	case !simplex(tab, basis, large):
		return nil, nil
	case cost[w-1] < large-1e-9:
		return cost[n+1 : n+1+m], nil
	}
	point = make([]float64, len(vars))
	for j := range point {
		point[j] = (vars[j].lo + vars[j].hi) / 2
	}
	for _, j := range used {
		point[j] = vars[j].lo
	}
	for i, k := range basis {
		if k < n {
			point[used[k]] += tab[i][w-1]
		}
	}
	return nil, point
}

// usedBy lists the variables that rows read, and the place of each of n variables there, -1 for none.
func usedBy(rows []*row, n int) (used, place []int) {
	place = make([]int, n)
	for j := range place {
		place[j] = -1
	}
	for _, r := range rows {
		for j, a := range r.a {
			if a != 0 && place[j] < 0 {
				place[j] = len(used)
				used = append(used, j)
			}
		}
	}
	return used, place
}

// simplex maximises by a tableau whose last row has the negated reduced costs, until the maximum or enough is reached; false
// if it does not end.
func simplex(tab [][]float64, basis []int, enough float64) bool {
	last, w := len(tab)-1, len(tab[0])
	cost := tab[last]
	for pivots := range 2000 {
		col := -1
		for j := range w - 1 {
			if cost[j] < -1e-9 && (col < 0 || pivots < 500 && cost[j] < cost[col]) {
				if col = j; pivots >= 500 {
					break // the first, against cycles (Bland)
				}
			}
		}
		if col < 0 || cost[w-1] > enough+1 {
			return true
		}
		at, ratio := -1, math.Inf(1)
		for i := range last {
			if a := tab[i][col]; a > 1e-9 {
				if q := tab[i][w-1] / a; q < ratio {
					at, ratio = i, q
				}
			}
		}
		if at < 0 {
			return false
		}
		pivot(tab, at, col)
		basis[at] = col
	}
	return false
}

func pivot(tab [][]float64, at, col int) {
	p := tab[at]
	inv := 1 / p[col]
	for j := range p {
		p[j] *= inv
	}
	for i, r := range tab {
		if f := r[col]; i != at && f != 0 {
			for j, x := range p {
				r[j] -= f * x
			}
			r[col] = 0
		}
	}
}
