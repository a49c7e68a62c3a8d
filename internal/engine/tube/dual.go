package tube

import "math"

// program is a linear program over variables within a box.
type program struct {
	rows []*row
	vars []box
	size float64   // that no variable exceeds
	work *int64    // entries of tableaus that were computed
	at   []int     // the places of the rows in the lists that they are from
	ray  []float64 // once no point of the box keeps the rows: multipliers of these that show it
}

// least returns a lower bound of a form over all points of the box that keep the rows, infinity where none does, and the
// point at which floats have the minimum, nil with infinity. The bound is that of the multipliers which the dual simplex
// method (Lemke, 1954) ends with, computed with bounds on rounding: it holds whatever the method did.
func (p *program) least(form *row) (bound float64, point []float64) {
	t := newTableau(p, form)
	for range 20 * (len(p.rows) + len(p.vars) + 1) {
		r, below := t.leaving()
		if r < 0 {
			break
		}
		q := t.entering(r, below)
		*p.work += int64(len(t.tab) * len(t.nonbasic))
		if q < 0 {
			if by := t.ray(r, below); p.combined(&row{}, by) > 0 {
				p.ray = by
				return math.Inf(1), nil
			}
			break
		}
		t.pivot(r, q, below)
	}
	return p.combined(form, t.duals()), t.point()
}

// newProgram is the program of rows within a box, but for those that hold all over it.
func newProgram(vars []box, size float64, work *int64, lists ...[]row) *program {
	p := &program{vars: vars, size: size, work: work}
	n := 0
	for _, rows := range lists {
		for i := range rows {
			if _, most := rows[i].bounds(vars); most > 0 {
				p.rows, p.at = append(p.rows, &rows[i]), append(p.at, n)
			}
			n++
		}
	}
	return p
}

// empty reports whether no point of the box keeps all rows. False says nothing.
func (p *program) empty() bool {
	bound, _ := p.least(&row{})
	return math.IsInf(bound, 1)
}

// deepest returns a point of the box whose rows are farthest below 0, relative to their greatest coefficients, as far as floats tell.
func (p *program) deepest() []float64 {
	const far = 1e6
	t := len(p.vars)
	deep := &program{vars: append(p.vars[:t:t], box{0, far}), size: max(p.size, far), work: p.work}
	for _, r := range p.rows {
		a := make([]float64, t+1)
		copy(a, r.a)
		for _, b := range r.a {
			a[t] = max(a[t], math.Abs(b))
		}
		deep.rows = append(deep.rows, &row{r.c, a, r.e})
	}
	least := &row{a: make([]float64, t+1)}
	least.a[t] = -1
	_, point := deep.least(least)
	return point
}

// combined is the least value in the box of a form and multiples of the rows, none of which is negative.
func (p *program) combined(form *row, by []float64) float64 {
	sum := row{c: form.c, a: make([]float64, len(p.vars)), e: form.e}
	copy(sum.a, form.a)
	for k, w := range by {
		if w > 0 {
			sum.add(w, p.rows[k], p.size)
		}
	}
	least, _ := sum.bounds(p.vars)
	return least
}

// tableau has the basic variables in terms of the others: x_B = value - tab * x_N. A variable below the number of the box's
// is one of these, the others are the slacks of the rows, which are scaled.
type tableau struct {
	vars            []box
	scale           []float64 // of the rows
	tab             [][]float64
	value           []float64 // of the basic variables
	cost            []float64 // reduced costs of the nonbasic ones
	basic, nonbasic []int
	upper           []bool // the nonbasic variable is at its upper end
}

func newTableau(p *program, form *row) *tableau {
	m := len(p.rows)
	t := &tableau{vars: p.vars, scale: make([]float64, m), tab: make([][]float64, m), value: make([]float64, m), basic: make([]int, m)}
	used, place := usedBy(append([]*row{form}, p.rows...), len(p.vars))
	n := len(used)
	t.nonbasic, t.cost, t.upper = used, make([]float64, n), make([]bool, n)
	for j, a := range form.a {
		if a != 0 {
			t.cost[place[j]], t.upper[place[j]] = a, a < 0
		}
	}
	flat := make([]float64, m*n)
	for k, r := range p.rows {
		most := 1e-9
		for _, a := range r.a {
			most = max(most, math.Abs(a))
		}
		t.scale[k], t.basic[k], t.tab[k] = 1/most, len(p.vars)+k, flat[k*n:(k+1)*n]
		t.value[k] = (r.e - r.c) / most
		for j, a := range r.a {
			if a != 0 {
				t.tab[k][place[j]] = a / most
				t.value[k] -= a / most * t.at(place[j])
			}
		}
	}
	return t
}

// at is the value of nonbasic variable j.
func (t *tableau) at(j int) float64 {
	switch x := t.nonbasic[j]; {
	case x >= len(t.vars):
		return 0
	case t.upper[j]:
		return t.vars[x].hi
	default:
		return t.vars[x].lo
	}
}

// ends is the range of a variable.
func (t *tableau) ends(x int) (lo, hi float64) {
	if x >= len(t.vars) {
		return 0, math.Inf(1)
	}
	return t.vars[x].lo, t.vars[x].hi
}

// leaving returns the basic variable that is farthest outside its range, -1 for none, and whether it is below it.
func (t *tableau) leaving() (r int, below bool) {
	r, most := -1, 1e-7
	for i, x := range t.basic {
		lo, hi := t.ends(x)
		if d := lo - t.value[i]; d > most {
			r, most, below = i, d, true
		}
		if d := t.value[i] - hi; d > most {
			r, most, below = i, d, false
		}
	}
	return r, below
}

// entering returns the nonbasic variable that moves basic variable r towards its range at the least reduced cost, -1 for
// none.
func (t *tableau) entering(r int, below bool) int {
	q, least, size := -1, math.Inf(1), 0.0
	for j, a := range t.tab[r] {
		if x := t.nonbasic[j]; x < len(t.vars) && t.vars[x].lo == t.vars[x].hi {
			continue
		}
		if rises := a < 0 != t.upper[j]; math.Abs(a) < 1e-9 || rises != below {
			continue
		}
		ratio := math.Abs(t.cost[j]) / math.Abs(a)
		if ratio < least-1e-12 || ratio <= least && math.Abs(a) > size {
			q, least, size = j, ratio, math.Abs(a)
		}
	}
	return q
}

// pivot exchanges basic variable r, which goes to the end of its range that it is beyond, and nonbasic variable q.
func (t *tableau) pivot(r, q int, below bool) {
	row, x := t.tab[r], t.basic[r]
	lo, hi := t.ends(x)
	end := lo
	if !below {
		end = hi
	}
	inv := 1 / row[q]
	moved := (t.value[r] - end) * inv
	enters := t.at(q) + moved
	for j := range row {
		row[j] *= inv
	}
	row[q] = inv
	for i, other := range t.tab {
		f := other[q]
		if i == r || f == 0 {
			continue
		}
		t.value[i] -= f * moved
		for j, a := range row {
			other[j] -= f * a
		}
		other[q] = -f * inv
	}
	f := t.cost[q]
	for j, a := range row {
		t.cost[j] -= f * a
	}
	t.cost[q] = -f * inv
	t.basic[r], t.value[r] = t.nonbasic[q], enters
	t.nonbasic[q], t.upper[q] = x, !below
}

// duals are the multipliers of the rows.
func (t *tableau) duals() []float64 {
	out := make([]float64, len(t.tab))
	for j, x := range t.nonbasic {
		if k := x - len(t.vars); k >= 0 {
			out[k] = t.cost[j] * t.scale[k]
		}
	}
	return out
}

// ray are multipliers of the rows whose sum no point within the box keeps, where nothing moves basic variable r into its
// range.
func (t *tableau) ray(r int, below bool) []float64 {
	out, sign := make([]float64, len(t.tab)), 1.0
	if !below {
		sign = -1
	}
	if k := t.basic[r] - len(t.vars); k >= 0 {
		out[k] = sign * t.scale[k]
	}
	for j, x := range t.nonbasic {
		if k := x - len(t.vars); k >= 0 {
			out[k] = sign * t.tab[r][j] * t.scale[k]
		}
	}
	return out
}

// point has the values of the variables.
func (t *tableau) point() []float64 {
	out := make([]float64, len(t.vars))
	for x := range out {
		out[x] = t.vars[x].lo
	}
	for j, x := range t.nonbasic {
		if x < len(out) {
			out[x] = t.at(j)
		}
	}
	for i, x := range t.basic {
		if x < len(out) {
			out[x] = t.value[i]
		}
	}
	return out
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
