package bound

import (
	"maps"
	"math"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// stock describes the moves of a group by linear constraints over numbers, in place of a list: the number that its bits make, the one that
// follows, its actions, and what it uses of equations with others, such as how much is taken. What follows is next, or the nearest of
// least..most. The constraints are those of the listed moves exactly.
type stock struct {
	actions     []int      // places in reads
	shared      []int32    // equations
	inputs      int        // actions and equations
	ranges      []interval // by equation: what is used of it
	next        affine     // what follows, over the number and the inputs
	least, most int64      // of what follows
	under, over int64      // how far next may be below and above
	limits      []interval // over the number and the inputs
	cost        affine
	uses        map[int32]affine // of other relations
}

// affine is a sum of a constant, and multiples of a group's number, of its inputs and of the number that follows.
type affine struct {
	constant, now int64
	inputs        []int64
	after         int64
}

// interval is what an affine sum may be.
type interval struct {
	sum      affine
	low, top int64
}

// point is a move as numbers.
type point struct {
	now, after int64
	inputs     []int64
	cost       int64
	uses       map[int32]int64
}

// Stocks have so many moves at most, so many inputs, and constraints that are tried on so many points.
const (
	maxStockMoves  = 1 << 17
	maxStockInputs = 10
	maxStockPoints = 1 << 15
)

// of is the sum at a point.
func (a *affine) of(p *point) int64 {
	sum := a.constant + a.now*p.now + a.after*p.after
	for i, c := range a.inputs {
		sum += c * p.inputs[i]
	}
	return sum
}

// number is the number that the varying bits of a value make.
func (f *Factors) number(g *part, value []uint64) (n int64) {
	for i, v := range g.own {
		n += int64(value[i/64]>>(i%64)&1) * f.weight(v)
	}
	return n
}

// weight is what a state bit counts in the number of its variable.
func (f *Factors) weight(v int32) int64 {
	b := factored.Bit(f.r.bit[v])
	owner, _ := f.r.Task.Problem.Owner(b)
	return owner.Weight(int(b - owner.First))
}

// stockOf describes a group at step n+1 as a stock; nil where it is none, or one of the equations is taken by another.
func (f *Factors) stockOf(id, n int, taken map[int32]bool) *stock {
	g := &f.parts[id]
	if len(g.units) != 1 || len(g.own) < 2 || g.total > maxStockMoves {
		return nil
	}
	for _, uses := range [][][]use{g.nowUse, g.afterUse} {
		for _, u := range slices.Concat(uses...) {
			if f.rels[u.rel].equal {
				return nil // others read its bits
			}
		}
	}
	s := &stock{uses: map[int32]affine{}}
	for i, v := range g.reads {
		if f.r.role[v] == action && f.s.home[v] == int32(id) {
			s.actions = append(s.actions, i)
		}
	}
	for _, u := range slices.Concat(g.sigs...) {
		if f.rels[u.rel].equal && !slices.Contains(s.shared, u.rel) {
			s.shared = append(s.shared, u.rel)
		}
	}
	s.inputs = len(s.actions) + len(s.shared)
	if len(s.shared) == 0 || s.inputs > maxStockInputs || slices.ContainsFunc(s.shared, func(e int32) bool { return taken[e] }) {
		return nil
	}
	points, ok := f.points(g, n, s)
	if !ok || !s.fit(points) || !s.limit(points) {
		return nil
	}
	return s
}

// points lists the moves of a group at step n+1; false where two of them differ in what follows or is used of other relations alone.
func (f *Factors) points(g *part, n int, s *stock) (out []point, ok bool) {
	at := map[[maxStockInputs + 1]int64]int{}
	for v := range g.moves {
		for i := range g.moves[v] {
			m := &g.moves[v][i]
			if m.reads&g.known[n] != g.fixed[n] {
				continue
			}
			p := f.pointOf(g, int32(v), m, s)
			key := [maxStockInputs + 1]int64{p.now}
			copy(key[1:], p.inputs)
			if k, seen := at[key]; seen {
				if out[k].after != p.after || !maps.Equal(out[k].uses, p.uses) {
					return nil, false
				}
				out[k].cost = min(out[k].cost, p.cost)
				continue
			}
			at[key] = len(out)
			out = append(out, p)
		}
	}
	return out, len(out) > 0
}

// pointOf is a move as numbers.
func (f *Factors) pointOf(g *part, v int32, m *move, s *stock) point {
	p := point{now: f.number(g, g.values[v]), after: f.number(g, g.values[m.to]), inputs: make([]int64, s.inputs), cost: m.cost, uses: map[int32]int64{}}
	for k, a := range s.actions {
		p.inputs[k] = int64(m.reads >> a & 1)
	}
	f.eachUse(g, v, m, func(uses []use) {
		for _, u := range uses {
			if k := slices.Index(s.shared, u.rel); k >= 0 {
				p.inputs[len(s.actions)+k] += u.coef
			} else {
				p.uses[u.rel] += u.coef
			}
		}
	})
	return p
}

// fit finds what follows, what it costs and what it uses as sums.
func (s *stock) fit(points []point) bool {
	s.least, s.most = math.MaxInt64, math.MinInt64
	for i := range points {
		s.least, s.most = min(s.least, points[i].after), max(s.most, points[i].after)
	}
	var inner []point
	for _, p := range points {
		if p.after > s.least && p.after < s.most {
			inner = append(inner, p)
		}
	}
	var ok bool
	if s.next, ok = sumFor(inner, s.inputs, false, func(p *point) int64 { return p.after }); !ok {
		return false
	}
	for i := range points {
		p := &points[i]
		n := s.next.of(p)
		if p.after != min(max(n, s.least), s.most) {
			return false
		}
		s.under, s.over = max(s.under, s.least-n), max(s.over, n-s.most)
	}
	if s.cost, ok = sumFor(points, s.inputs, true, func(p *point) int64 { return p.cost }); !ok {
		return false
	}
	for _, p := range points {
		for e := range p.uses {
			if _, known := s.uses[e]; !known {
				if s.uses[e], ok = sumFor(points, s.inputs, true, func(p *point) int64 { return p.uses[e] }); !ok {
					return false
				}
			}
		}
	}
	return true
}

// sumFor is a sum with whole coefficients that has a value at each point; false where there is none, as far as
// elimination finds.
func sumFor(points []point, inputs int, after bool, value func(*point) int64) (affine, bool) {
	width := inputs + 3
	var rows [][]float64 // in echelon form, each with its pivot
	var pivots []int
	for i := range points {
		p := &points[i]
		row := make([]float64, width+1)
		row[0], row[1] = 1, float64(p.now)
		for k, x := range p.inputs {
			row[2+k] = float64(x)
		}
		if after {
			row[width-1] = float64(p.after)
		}
		row[width] = float64(value(p))
		for k, r := range rows {
			if c := row[pivots[k]]; c != 0 {
				for j := range row {
					row[j] -= c * r[j]
				}
			}
		}
		pivot := slices.IndexFunc(row[:width], func(x float64) bool { return math.Abs(x) > 1e-6 })
		if pivot < 0 {
			continue // what the value is there is looked at below
		}
		c := row[pivot]
		for j := range row {
			row[j] /= c
		}
		for _, r := range rows {
			if c := r[pivot]; c != 0 {
				for j := range r {
					r[j] -= c * row[j]
				}
			}
		}
		rows, pivots = append(rows, row), append(pivots, pivot)
	}
	x := make([]int64, width)
	for k, r := range rows {
		x[pivots[k]] = int64(math.Round(r[width])) // the columns without pivot are 0
	}
	a := affine{constant: x[0], now: x[1], inputs: x[2 : width-1], after: x[width-1]}
	for i := range points {
		if a.of(&points[i]) != value(&points[i]) {
			return affine{}, false
		}
	}
	return a, len(points) > 0
}

// limit finds intervals of sums that have the listed points alone; false where those that are tried have more.
func (s *stock) limit(points []point) bool {
	unit := func(now int64, inputs ...int64) affine {
		return affine{now: now, inputs: append(inputs, make([]int64, s.inputs-len(inputs))...)}
	}
	sums := []affine{unit(1)}
	for k := range s.inputs {
		one := make([]int64, k+1)
		one[k] = 1
		sums = append(sums, unit(0, one...), unit(1, one...), unit(-1, one...))
	}
	for k := range s.actions {
		for e := len(s.actions); e < s.inputs; e++ {
			both := make([]int64, s.inputs)
			both[k], both[e] = 1, 1
			other := slices.Clone(both)
			other[e] = -1
			sums = append(sums, unit(0, both...), unit(0, other...))
		}
	}
	acted := slices.Clone(s.next.inputs[:len(s.actions)])
	cases := make([]int64, s.inputs) // equations may be cases, of which one holds
	for e := len(s.actions); e < s.inputs; e++ {
		cases[e] = 1
	}
	sums = append(sums, unit(0, cases...), unit(0, s.next.inputs...))
	sums = append(sums, unit(0, acted...), unit(1, acted...), unit(-1, acted...), s.next)
	all := rangesOf(sums, points)
	var box []interval
	for k := range s.inputs {
		box = append(box, all[1+3*k])
	}
	box = append(box, all[0])
	size := int64(1)
	for _, x := range box {
		if size *= x.top - x.low + 1; size > maxStockPoints {
			return false
		}
	}
	if countPoints(box, all) != len(points) {
		return false
	}
	// Those that the others imply are left out, the last first.
	for k := len(all) - 1; k >= 0; k-- {
		if fewer := slices.Delete(slices.Clone(all), k, k+1); countPoints(box, fewer) == len(points) {
			all = fewer
		}
	}
	s.limits = append(all, box[s.inputs])
	for _, x := range box[:len(s.actions)] {
		if x.low == x.top { // an action that is free elsewhere
			s.limits = append(s.limits, x)
		}
	}
	s.ranges = box[len(s.actions):s.inputs]
	return true
}

// rangesOf are the least and the most of sums at points.
func rangesOf(sums []affine, points []point) (out []interval) {
	for _, a := range sums {
		x := interval{a, math.MaxInt64, math.MinInt64}
		for i := range points {
			v := a.of(&points[i])
			x.low, x.top = min(x.low, v), max(x.top, v)
		}
		out = append(out, x)
	}
	return out
}

// countPoints counts the points of a box, by input and at last the number, that are in all intervals.
func countPoints(box, all []interval) (n int) {
	p := point{inputs: make([]int64, len(box)-1)}
	var next func(k int)
	next = func(k int) {
		if k == len(box) {
			if !slices.ContainsFunc(all, func(x interval) bool { v := x.sum.of(&p); return v < x.low || v > x.top }) {
				n++
			}
			return
		}
		for v := box[k].low; v <= box[k].top; v++ {
			if k < len(p.inputs) {
				p.inputs[k] = v
			} else {
				p.now = v
			}
			next(k + 1)
		}
	}
	next(0)
	return n
}
