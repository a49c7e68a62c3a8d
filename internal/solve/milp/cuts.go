package milp

import (
	"cmp"
	"math"
	"slices"
)

// Cuts are added at the root, in rounds, until some of these gain little. A round adds so many at most, each with so many columns at
// most and no coefficient beyond mostCoef. Rows of the inverse are taken whose multiples by mostDivisor or less are whole, times up to mostFactor.
const (
	maxRounds    = 60
	maxIdle      = 6
	leastDepth   = 1e-3
	leastGain    = .01 // of the gap, that is not little
	roundCuts    = 80
	fruitless    = 80 // rows without a cut end a round
	mostColumns  = 1000
	mostCoef     = 1 << 20
	fineness     = 1 << 12 // of the coefficients of distances from bounds
	mostDivisor  = 50_000
	mostFactor   = 6
	mostMultiple = 1 << 30
)

// rounded is a cut that the point at hand breaks.
type rounded struct {
	row   Row
	depth float64 // distance of the point
}

// cut adds a round of cuts. It is false where none are added.
func (s *Search) cut() bool {
	if s.rounds++; s.rounds > maxRounds || s.idle >= maxIdle {
		return false
	}
	s.count()
	if s.dropSlack(); s.lp.stale {
		s.lp.refresh()
	}
	var list []rounded
	for n, c := range s.candidates() {
		if len(list) >= 4*roundCuts || n >= fruitless && len(list) == 0 {
			break
		}
		if r := s.rounding(c.v); r.depth >= leastDepth {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b rounded) int { return cmp.Compare(b.depth, a.depth) })
	var taken []rounded
	for _, c := range list {
		if len(taken) == roundCuts {
			break
		}
		if !slices.ContainsFunc(taken, func(o rounded) bool { return s.parallel(o.row.Terms, c.row.Terms) > .9 }) {
			taken = append(taken, c)
		}
	}
	for _, c := range taken {
		slices.SortFunc(c.row.Terms, func(a, b Term) int { return int(a.Column - b.Column) })
		s.addCut(c.row)
	}
	return len(taken) > 0
}

// addCut adds a row to the program and the relaxation.
func (s *Search) addCut(r Row) {
	s.p.close(&r)
	s.p.Rows = append(s.p.Rows, r)
	s.low, s.high = append(s.low, r.Low), append(s.high, r.High)
	s.queued = append(s.queued, false)
	s.grow()
	s.lp.addRow(&r)
}

// parallel is the cosine of the angle between two rows.
func (s *Search) parallel(a, b []Term) float64 {
	var ab, aa, bb float64
	s.coefs.reset(s.lp.n)
	for _, t := range a {
		s.coefs.add(t.Column, t.Coef)
		aa += float64(t.Coef) * float64(t.Coef)
	}
	for _, t := range b {
		ab += float64(t.Coef) * float64(s.coefs.at[t.Column])
		bb += float64(t.Coef) * float64(t.Coef)
	}
	return ab / math.Sqrt(aa*bb)
}

// rounding is the deepest cut from the row of a variable in the basis, times small factors; depth 0 for none.
func (s *Search) rounding(v int32) (best rounded) {
	l := s.lp
	l.rowOf(l.place[v])
	by, divisor := whole(l.byRow)
	if divisor == 0 {
		return best
	}
	sum := &s.sum // the combination of rows, over columns and activities; it is 0
	sum.reset(len(s.low))
	for i, k := range by {
		if k == 0 {
			continue
		}
		for _, t := range s.p.Rows[i].Terms {
			sum.add(t.Column, k*t.Coef)
		}
		sum.add(int32(l.n+i), -k)
		l.work += int64(4 * len(s.p.Rows[i].Terms))
	}
	right, open := int64(0), sum.list[:0]
	for _, v := range sum.list {
		if k := sum.at[v]; k != 0 {
			if right -= k * s.from(v); s.low[v] < s.high[v] {
				open = append(open, v)
			} else {
				sum.at[v], sum.in[v] = 0, false
			}
		} else {
			sum.in[v] = false
		}
	}
	sum.list = open
	l.work += int64(20 * len(open))
	for factor := int64(1); factor <= mostFactor && factor < max(divisor, 2); factor++ {
		if r, ok := s.round(right, factor, divisor); ok && r.depth > best.depth {
			best = r
		}
	}
	return best
}

// sparse is a row of numbers of which few are not 0.
type sparse struct {
	at   []int64
	in   []bool
	list []int32
}

// reset makes it n zeros.
func (a *sparse) reset(n int) {
	for _, v := range a.list {
		a.at[v], a.in[v] = 0, false
	}
	a.list = a.list[:0]
	for len(a.at) < n {
		a.at, a.in = append(a.at, 0), append(a.in, false)
	}
}

func (a *sparse) add(v int32, by int64) {
	if !a.in[v] {
		a.in[v] = true
		a.list = append(a.list, v)
	}
	a.at[v] += by
}

// whole gives whole numbers and a divisor that multipliers are the quotients of, as far as floats tell; 0 for none.
func whole(y []float64) (by []int64, divisor int64) {
	divisor = 1
	for _, v := range y {
		if v == 0 {
			continue
		}
		d := lowest(v * float64(divisor))
		if d == 0 || divisor*d > mostDivisor {
			return nil, 0
		}
		divisor *= d
	}
	by = make([]int64, len(y))
	for i, v := range y {
		k := math.Round(v * float64(divisor))
		if math.Abs(k) > mostMultiple {
			return nil, 0
		}
		by[i] = int64(k)
	}
	return by, divisor
}

// lowest is the least number that makes a multiple of x whole, by its continued fraction; 0 for none.
func lowest(x float64) int64 {
	const near = 1e-8
	before, last := int64(1), int64(0) // denominators of the convergents
	for y := x; ; {
		a := math.Floor(y + near)
		before, last = last, int64(a)*last+before
		if last > mostDivisor || last < 0 {
			return 0
		}
		if d := float64(last); math.Abs(x*d-math.Round(x*d)) < near*d {
			return last
		}
		if y -= a; y < near {
			return 0
		}
		y = 1 / y
	}
}

// round makes the mixed-integer rounding cut of the combination, whose distances from bounds add up to right, times a factor and divided by a divisor.
// Variables count from the bound that they are nearest to.
func (s *Search) round(right, factor, divisor int64) (rounded, bool) {
	right = mod(right*factor, divisor)
	if right == 0 {
		return rounded{}, false
	}
	coefs := &s.coefs
	coefs.reset(s.lp.n)
	whole := right * (divisor - right) // what the distances times their coefficients are at least
	need := min(whole, fineness)
	row := Row{Low: need, High: None, Basic: -1}
	for _, v := range s.sum.list {
		k := s.sum.at[v] * factor
		up := s.from(v) == s.low[v]
		if !up {
			k = -k
		}
		part := mod(k, divisor)
		c := part * (divisor - right)
		if part > right {
			c = right * (divisor - part)
		}
		if c == 0 {
			continue
		}
		if need != whole {
			c = (c*fineness + whole - 1) / whole // more of a distance is not less
		}
		if up {
			row.Low += c * s.low[v]
		} else {
			row.Low -= c * s.high[v]
			c = -c
		}
		if int(v) < s.lp.n {
			coefs.add(v, c)
			continue
		}
		terms := s.p.Rows[int(v)-s.lp.n].Terms
		for _, t := range terms {
			coefs.add(t.Column, c*t.Coef)
		}
		s.lp.work += int64(2 * len(terms))
	}
	return s.measure(row)
}

// from is the bound of a variable that its value is nearest to.
func (s *Search) from(v int32) int64 {
	if s.lp.x[v]-s.lp.low[v] <= s.lp.high[v]-s.lp.x[v] {
		return s.low[v]
	}
	return s.high[v]
}

// measure makes a row of the coefficients, divided by what they have in common; false where it is of no use.
func (s *Search) measure(row Row) (rounded, bool) {
	common := int64(0)
	for _, v := range s.coefs.list {
		common = gcd(common, s.coefs.at[v])
	}
	if common == 0 || len(s.coefs.list) > mostColumns {
		return rounded{}, false
	}
	var length, value float64
	for _, v := range s.coefs.list {
		c := s.coefs.at[v] / common
		if c == 0 {
			continue
		}
		if c > mostCoef || c < -mostCoef {
			return rounded{}, false
		}
		row.Terms = append(row.Terms, Term{v, c})
		length += float64(c) * float64(c)
		value += float64(c) * s.lp.x[v]
	}
	row.Low = ceilDiv(row.Low, common)
	return rounded{row, (float64(row.Low) - value) / math.Sqrt(length)}, true
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// mod is a modulo b, not negative.
func mod(a, b int64) int64 { return ((a % b) + b) % b }

// ceilDiv is a/b rounded up; b is positive.
func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// count counts the rounds that gained little, one after the other.
func (s *Search) count() {
	gap := float64(s.limit()) - float64(s.before)/float64(s.unit)
	if gained := float64(s.lower-s.before) / float64(s.unit); s.rounds > 1 && gained < leastGain*gap {
		s.idle++
		return
	}
	s.idle, s.before = 0, s.lower
}

// dropSlack drops the cuts whose activities are in the basis, which the point at hand does not need.
func (s *Search) dropSlack() {
	keep := make([]bool, len(s.p.Rows))
	all := true
	for i := range keep {
		keep[i] = i < s.first || s.lp.place[s.lp.n+i] < 0
		all = all && keep[i]
	}
	if all {
		return
	}
	n := s.lp.n
	rows := 0
	for i, k := range keep {
		if k {
			s.p.Rows[rows] = s.p.Rows[i]
			s.low[n+rows], s.high[n+rows] = s.low[n+i], s.high[n+i]
			rows++
		}
	}
	s.p.Rows, s.low, s.high = s.p.Rows[:rows], s.low[:n+rows], s.high[:n+rows]
	s.up, s.down = s.up[:n+s.first], s.down[:n+s.first]
	s.queued = s.queued[:rows]
	s.trail = s.trail[:0] // at the root nothing is taken back
	s.grow()
	s.lp.keepRows(keep)
}
