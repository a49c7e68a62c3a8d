package milp

import (
	"cmp"
	"math"
	"slices"
)

// lp is the relaxation of a program: the least cost over columns and rows within their bounds, integers or not. A variable is a
// column, or the activity of row i, number n+i: the row is terms - activity = 0. All have bounds, so that any basis keeps the
// signs of the reduced costs when each variable outside is at the right bound. The method is the dual simplex method with
// steepest edges (Forrest and Goldfarb 1992) and long steps (Fourer 1994; Koberstein 2005).
type lp struct {
	m, n    int
	columns [][]entry // of the columns
	rows    [][]entry
	low     []float64 // of the variables
	high    []float64
	cost    []float64 // of the variables, slightly changed so that few reduced costs are equal
	x, d    []float64 // values and reduced costs
	head    []int32   // variables by positions of the basis
	place   []int32   // positions of variables, -1 outside the basis
	weight  []float64 // by position: square of the length of the row of the inverse
	f       factor
	work    int64     // entries looked at
	stale   bool      // the basis must be factored before the next step
	priced  bool      // activities cost as much as makes the multipliers of a first basis what they should be
	moved   bool      // values must be computed before the next step
	ray     []float64 // by row: multipliers that show that no point keeps all rows
	raySign float64

	byRow, byPlace, tau, alpha []float64
	touched                    []int32 // variables with an alpha
	seen                       []bool
	breaks                     []breakpoint
}

// breakpoint is a variable whose reduced cost gets to zero at some step length.
type breakpoint struct {
	v     int32
	ratio float64
	alpha float64 // its size
}

// status says how steps of the simplex method ended.
type status uint8

const (
	paused status = iota
	solved
	infeasible // ray shows it
	cutoff     // the cost is above the limit
	stuck      // numbers are too bad
)

// How far a value may be outside its bounds, how small a pivot is, how many exchanges there are before the basis is factored, and by how much costs are changed.
const (
	feasibility = 1e-7
	smallPivot  = 1e-7
	maxEtas     = 64
	nudge       = 1e-5
)

// newLP makes the relaxation, whose basis is the rows' activities.
func newLP(p *Program) *lp {
	l := &lp{n: len(p.Low), columns: make([][]entry, len(p.Low)), stale: true}
	for j := range p.Low {
		l.addVariable(p.Low[j], p.High[j], float64(p.Cost[j])+nudge*(noise(uint64(j))-.5))
	}
	for i := range p.Rows {
		l.addRow(&p.Rows[i])
	}
	for i := range p.Rows {
		if v := p.Rows[i].Basic; v >= 0 && l.place[v] < 0 {
			l.place[l.head[i]], l.head[i], l.place[v] = -1, v, int32(i)
		}
		if y := p.Rows[i].Price; y != 0 {
			l.cost[l.n+i], l.priced = -y, true
		}
	}
	return l
}

// noise is a number from 0 to 1 that follows from another (SplitMix64).
func noise(x uint64) float64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return float64((x^x>>31)>>11) / (1 << 53)
}

func (l *lp) addVariable(low, high int64, cost float64) {
	l.low, l.high, l.cost = append(l.low, float64(low)), append(l.high, float64(high)), append(l.cost, cost)
	v := float64(low)
	if cost < 0 {
		v = float64(high)
	}
	l.x, l.d, l.place = append(l.x, v), append(l.d, cost), append(l.place, -1)
	l.alpha, l.seen = append(l.alpha, 0), append(l.seen, false)
}

// addRow adds a row, whose activity is in the basis.
func (l *lp) addRow(r *Row) {
	var list []entry
	for _, t := range r.Terms {
		list = append(list, entry{t.Column, float64(t.Coef)})
		l.columns[t.Column] = append(l.columns[t.Column], entry{int32(l.m), float64(t.Coef)})
	}
	l.rows = append(l.rows, list)
	l.addVariable(r.Low, r.High, 0)
	v := len(l.low) - 1
	l.place[v] = int32(l.m)
	l.head, l.weight = append(l.head, int32(v)), append(l.weight, 1)
	l.byRow, l.byPlace, l.tau = append(l.byRow, 0), append(l.byPlace, 0), append(l.tau, 0)
	l.m++
	l.stale = true
}

// columnOf is the column of a variable in the rows.
func (l *lp) columnOf(v int32) []entry {
	if int(v) < l.n {
		return l.columns[v]
	}
	return []entry{{v - int32(l.n), -1}}
}

// refresh factors the basis, and computes reduced costs and values from it. A variable outside goes to the bound that its reduced cost asks for.
func (l *lp) refresh() {
	columns := make([][]entry, l.m)
	for k, v := range l.head {
		columns[k] = l.columnOf(v)
	}
	positions, rows := l.f.build(columns)
	for k, at := range positions {
		old, v := l.head[at], int32(l.n)+rows[k]
		l.place[old], l.head[at], l.place[v], l.weight[at] = -1, v, at, 1
	}
	l.work += int64(4*l.m + 2*len(l.f.lower.all) + 2*len(l.f.upper.all))
	l.price()
	l.settle()
	l.stale = false
}

// price computes the reduced costs.
func (l *lp) price() {
	y := l.byRow
	for k, v := range l.head {
		l.byPlace[k] = l.cost[v]
	}
	l.work += int64(l.f.solveTransposed(l.byPlace, y))
	copy(l.d, l.cost)
	for i, v := range y {
		if v != 0 {
			for _, e := range l.rows[i] {
				l.d[e.at] -= v * e.a
			}
			l.d[l.n+i] += v
			l.work += int64(len(l.rows[i]))
		}
	}
	for _, v := range l.head {
		l.d[v] = 0
	}
}

// unprice makes activities cost nothing but where they are given, once few of the others are in the basis.
func (l *lp) unprice() {
	for v := l.n; v < len(l.cost); v++ {
		if l.low[v] < l.high[v] {
			l.cost[v] = 0
		}
	}
	l.priced, l.stale = false, true
}

// settle puts the variables outside the basis at their bounds, and computes those in it.
func (l *lp) settle() {
	b := l.byRow
	clear(b)
	for v := range l.x {
		if l.place[v] >= 0 {
			continue
		}
		switch d := l.d[v]; {
		case l.low[v] == l.high[v] || d > 1e-9:
			l.x[v] = l.low[v]
		case d < -1e-9:
			l.x[v] = l.high[v]
		case l.x[v]-l.low[v] < l.high[v]-l.x[v]:
			l.x[v] = l.low[v]
		default:
			l.x[v] = l.high[v]
		}
		if x := l.x[v]; x != 0 {
			for _, e := range l.columnOf(int32(v)) {
				b[e.at] -= e.a * x
			}
		}
	}
	l.work += int64(len(l.x)) + int64(l.f.solve(b, l.byPlace))
	for k, v := range l.head {
		l.x[v] = l.byPlace[k]
	}
	l.moved = false
}

// value is the cost of the values, which no point is below that keeps all rows.
func (l *lp) value() (sum float64) {
	for v := range l.n {
		sum += l.cost[v] * l.x[v]
	}
	for v := l.n; v < len(l.cost); v++ {
		if c := l.cost[v]; c != 0 {
			sum += c * (l.x[v] - l.low[v])
		}
	}
	return sum
}

// run takes steps until the relaxation is solved, its cost is above limit, or work has been done.
func (l *lp) run(limit float64, work int64) status {
	end := l.work + work
	if l.priced {
		limit = math.Inf(1) // values are of other costs
	}
	for n := 0; ; n++ {
		if l.stale || len(l.f.etas) >= maxEtas || l.f.size > 20*l.m+1000 {
			l.refresh()
		} else if l.moved {
			l.settle()
		}
		if n%10 == 9 && l.value() > limit {
			return cutoff
		}
		if l.work > end {
			return paused
		}
		switch st := l.step(); st {
		case paused:
		case solved:
			if len(l.f.etas) > 0 { // make sure of it with a fresh basis
				l.refresh()
				if r, _ := l.leaving(); r >= 0 {
					continue
				}
			}
			if l.value() > limit {
				return cutoff
			}
			return solved
		default:
			return st
		}
	}
}

// leaving is the position of the variable that is farthest outside its bounds for its weight, -1 for none, and by how much it is above, or below as a negative number.
func (l *lp) leaving() (at int32, by float64) {
	at = -1
	most := 0.0
	for k, v := range l.head {
		x := l.x[v]
		var out float64
		if out = l.low[v] - x; out > feasibility {
			out = -out
		} else if out = x - l.high[v]; out <= feasibility {
			continue
		}
		if q := out * out / l.weight[k]; q > most {
			most, at, by = q, int32(k), out
		}
	}
	l.work += int64(l.m) / 4
	return at, by
}

// step exchanges one variable of the basis; paused means that there may be more.
func (l *lp) step() status {
	at, by := l.leaving()
	if at < 0 {
		return solved
	}
	sign := 1.0
	if by < 0 {
		sign = -1
	}
	l.rowOf(at)
	enters, flips, slope := l.entering(sign, math.Abs(by))
	if enters < 0 {
		if len(l.f.etas) > 0 {
			l.stale = true
			return paused
		}
		if slope < 1e-6 {
			return stuck
		}
		l.ray, l.raySign = append(l.ray[:0], l.byRow...), sign
		return infeasible
	}
	l.flip(flips)
	column := l.byPlace
	rho := slices.Clone(l.byRow)
	clear(l.byRow)
	for _, e := range l.columnOf(enters) {
		l.byRow[e.at] += e.a
	}
	l.work += int64(l.f.solve(l.byRow, column))
	if a := column[at]; math.Abs(a-l.alpha[enters]) > 1e-6*(1+math.Abs(a)) || math.Abs(a) < smallPivot {
		if len(l.f.etas) == 0 {
			return stuck
		}
		l.stale = true
		return paused
	}
	l.exchange(at, enters, sign, rho)
	return paused
}

// rowOf computes the row of a position in terms of all variables outside the basis.
func (l *lp) rowOf(at int32) {
	clear(l.byPlace)
	l.byPlace[at] = 1
	l.work += int64(l.f.solveTransposed(l.byPlace, l.byRow))
	for _, v := range l.touched {
		l.alpha[v], l.seen[v] = 0, false
	}
	l.touched = l.touched[:0]
	for i, y := range l.byRow {
		if y == 0 {
			continue
		}
		for _, e := range l.rows[i] {
			if l.place[e.at] < 0 {
				if !l.seen[e.at] {
					l.seen[e.at] = true
					l.touched = append(l.touched, e.at)
				}
				l.alpha[e.at] += y * e.a
			}
		}
		l.work += int64(len(l.rows[i]))
		if v := int32(l.n + i); l.place[v] < 0 {
			l.alpha[v], l.seen[v] = -y, true
			l.touched = append(l.touched, v)
		}
	}
}

// entering chooses the variable that enters, -1 for none, and those that go from one bound to the other. slope is what is left
// of the violation where all that could enter go to their other bounds.
func (l *lp) entering(sign, violation float64) (v int32, flips []breakpoint, slope float64) {
	l.breaks = l.breaks[:0]
	for _, v := range l.touched {
		a := sign * l.alpha[v]
		if math.Abs(a) < 1e-9 || l.low[v] == l.high[v] || (a > 0) != (l.x[v] == l.low[v]) {
			continue
		}
		l.breaks = append(l.breaks, breakpoint{v, max(0, l.d[v]/a), math.Abs(a)})
	}
	slices.SortFunc(l.breaks, func(a, b breakpoint) int {
		return cmp.Or(cmp.Compare(a.ratio, b.ratio), cmp.Compare(a.v, b.v))
	})
	l.work += int64(4*len(l.breaks) + len(l.touched))
	slope = violation
	last := -1
	for k := range l.breaks {
		b := &l.breaks[k]
		last = k
		if slope -= b.alpha * (l.high[b.v] - l.low[b.v]); slope < 0 {
			break
		}
	}
	if slope > 1e-7 || last < 0 {
		return -1, nil, slope
	}
	best := last
	for k := last - 1; k >= 0 && l.breaks[k].ratio >= l.breaks[last].ratio-1e-9; k-- {
		if l.breaks[k].alpha > l.breaks[best].alpha {
			best = k
		}
	}
	for best > 0 && l.breaks[best].alpha < smallPivot {
		best--
	}
	return l.breaks[best].v, l.breaks[:best], 0
}

// flip moves variables to their other bounds.
func (l *lp) flip(list []breakpoint) {
	if len(list) == 0 {
		return
	}
	b := make([]float64, l.m)
	for _, f := range list {
		by := l.high[f.v] - l.low[f.v]
		if l.x[f.v] != l.low[f.v] {
			by = -by
		}
		if l.x[f.v] += by; by > 0 {
			l.x[f.v] = l.high[f.v]
		} else {
			l.x[f.v] = l.low[f.v]
		}
		for _, e := range l.columnOf(f.v) {
			b[e.at] -= e.a * by
		}
	}
	l.work += int64(l.f.solve(b, l.tau))
	for k, by := range l.tau {
		if by != 0 {
			l.x[l.head[k]] += by
		}
	}
}

// exchange puts a variable in the place of one of the basis. byPlace has its column, rho the row of the inverse.
func (l *lp) exchange(at, enters int32, sign float64, rho []float64) {
	leaves, column := l.head[at], l.byPlace
	a := column[at]
	end := l.low[leaves]
	if sign > 0 {
		end = l.high[leaves]
	}
	by := (l.x[leaves] - end) / a
	dual := l.d[enters] / a
	for _, v := range l.touched {
		l.d[v] -= dual * l.alpha[v]
	}
	length := 0.0
	for _, y := range rho {
		length += y * y
	}
	l.work += int64(l.f.solve(rho, l.tau))
	for k, c := range column {
		if c == 0 || int32(k) == at {
			continue
		}
		l.x[l.head[k]] -= by * c
		q := c / a
		l.weight[k] = max(l.weight[k]-2*q*l.tau[k]+q*q*length, 1e-4)
	}
	l.weight[at] = max(length/(a*a), 1e-4)
	l.x[enters] += by
	l.x[leaves], l.d[leaves], l.d[enters] = end, -dual, 0
	l.head[at], l.place[enters], l.place[leaves] = enters, at, -1
	l.f.exchange(at, column)
}

// setBounds changes the bounds of a variable. Values are computed before the next step.
func (l *lp) setBounds(v int32, low, high int64) {
	l.low[v], l.high[v] = float64(low), float64(high)
	l.moved = true
}

// keepRows drops the other rows, whose activities are in the basis.
func (l *lp) keepRows(keep []bool) {
	number := make([]int32, len(l.x)) // of the variables that stay
	at, row := 0, 0
	for v := range l.x {
		number[v] = -1
		if v >= l.n && !keep[v-l.n] {
			continue
		}
		number[v] = int32(at)
		l.low[at], l.high[at], l.cost[at], l.x[at], l.d[at] = l.low[v], l.high[v], l.cost[v], l.x[v], l.d[v]
		l.alpha[at], l.seen[at] = 0, false
		if at++; v >= l.n {
			l.rows[row] = l.rows[v-l.n]
			row++
		}
	}
	l.low, l.high, l.cost, l.x, l.d = l.low[:at], l.high[:at], l.cost[:at], l.x[:at], l.d[:at]
	l.alpha, l.seen, l.place, l.touched = l.alpha[:at], l.seen[:at], l.place[:at], l.touched[:0]
	for v := range l.place {
		l.place[v] = -1
	}
	k := 0
	for i, v := range l.head {
		if n := number[v]; n >= 0 {
			l.head[k], l.weight[k], l.place[n] = n, l.weight[i], int32(k)
			k++
		}
	}
	l.m, l.rows, l.head, l.weight = row, l.rows[:row], l.head[:row], l.weight[:row]
	l.byRow, l.byPlace, l.tau = l.byRow[:row], l.byPlace[:row], l.tau[:row]
	for j := range l.columns {
		l.columns[j] = l.columns[j][:0]
	}
	for i, list := range l.rows {
		for _, e := range list {
			l.columns[e.at] = append(l.columns[e.at], entry{int32(i), e.a})
		}
	}
	l.stale = true
}
