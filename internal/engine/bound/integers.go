package bound

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
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
	maxStockPoints = 1 << 18
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

// points lists the moves of a group at step n+1; false where two of them differ in what follows alone.
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
				if out[k].after != p.after {
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
	var sums []affine
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
	sums = append(sums, unit(1), unit(0, acted...), unit(1, acted...), unit(-1, acted...), s.next)
	var all []interval
	for _, a := range sums {
		x := interval{a, math.MaxInt64, math.MinInt64}
		for i := range points {
			v := a.of(&points[i])
			x.low, x.top = min(x.low, v), max(x.top, v)
		}
		all = append(all, x)
	}
	box := all[:0:0]
	for k := range s.inputs {
		box = append(box, all[3*k])
	}
	box = append(box, all[slices.IndexFunc(sums, func(a affine) bool {
		return a.now == 1 && !slices.ContainsFunc(a.inputs, func(c int64) bool { return c != 0 })
	})])
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
	s.ranges = box[len(s.actions):s.inputs]
	return true
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

// expression is a sum over variables.
type expression struct {
	terms    []model.Term
	constant int64
}

// add adds a multiple of another.
func (a *expression) add(times int64, b expression) {
	if times == 0 {
		return
	}
	a.constant += times * b.constant
	for _, c := range b.terms {
		a.terms = append(a.terms, model.Term{Coef: times * c.Coef, Lit: c.Lit})
	}
}

// stocked is a stock at a step: what its number, its inputs and the number that follows are in the program, and its variables.
type stocked struct {
	*stock
	t, id        int
	now, after   expression
	inputs       []expression
	cases        []model.Lit // by equation: whether more than the least of two amounts is used; 0 where there are more
	above, below model.Lit   // what follows is the most, or the least; 0 where it is never cut off
}

// stockAt makes the expressions of a stock at step t. What it uses of an equation is what the others leave of it.
func (x *Flow) stockAt(t, id int, s *stock, others [][]model.Term, add func() int32) *stocked {
	out := &stocked{stock: s, t: t, id: id, now: x.numbers[id][t-1], after: x.numbers[id][t], cases: make([]model.Lit, len(s.shared))}
	g := &x.f.parts[id]
	for _, i := range s.actions {
		lit := x.m.Var(t, factored.Bit(x.f.r.bit[g.reads[i]]))
		out.inputs = append(out.inputs, expression{terms: []model.Term{{Coef: 1, Lit: lit}}})
	}
	for k, e := range s.shared {
		used := expression{constant: x.f.rels[e].limit}
		used.add(-1, expression{terms: others[e]})
		if r := s.ranges[k]; r.top <= r.low+1 {
			out.cases[k] = model.Lit(add())
			as := expression{[]model.Term{{Coef: 1, Lit: out.cases[k]}}, r.low}
			used.add(-1, as)
			x.limit(used, 0, 0)
			used = as
		} else {
			x.limit(used, r.low, r.top)
		}
		out.inputs = append(out.inputs, used)
	}
	return out
}

// digits are the bits of the number of a stock at step t.
func (x *Flow) digits(t int, id int) (out expression) {
	for _, v := range x.f.parts[id].own {
		out.terms = append(out.terms, model.Term{Coef: x.f.weight(v), Lit: x.m.Var(t, factored.Bit(x.f.r.bit[v]))})
	}
	return out
}

// addNumbers adds the numbers of a stock: of bits at first, then integers, the last of which rows on the last state are about.
func (x *Flow) addNumbers(id int, add func() int32) {
	g := &x.f.parts[id]
	k := model.Integer{Low: math.MaxInt64, High: math.MinInt64}
	for _, value := range g.values {
		n := x.f.number(g, value)
		k.Low, k.High = min(k.Low, n), max(k.High, n)
	}
	x.numbers[id] = append(x.numbers[id], x.digits(1, id))
	for range x.f.horizon {
		k.Var = add()
		x.Integers = append(x.Integers, k)
		x.numbers[id] = append(x.numbers[id], expression{terms: []model.Term{{Coef: 1, Lit: model.Lit(k.Var)}}})
	}
	last := x.digits(x.f.horizon+1, id)
	last.add(-1, x.numbers[id][x.f.horizon])
	x.limit(last, 0, 0)
}

// sum is a sum at a step.
func (s *stocked) sum(a *affine) expression {
	out := expression{constant: a.constant}
	out.add(a.now, s.now)
	out.add(a.after, s.after)
	for k, c := range a.inputs {
		out.add(c, s.inputs[k])
	}
	return out
}

// limit states that an expression is within bounds.
func (x *Flow) limit(a expression, low, top int64) {
	if low == top {
		x.row(a.terms, factored.EQ, low-a.constant)
		return
	}
	x.row(a.terms, factored.GE, low-a.constant)
	x.row(a.terms, factored.LE, top-a.constant)
}

// addStock states what holds of a stock at a step, and adds its costs.
func (x *Flow) addStock(s *stocked, add func() int32) {
	for i := range s.limits {
		l := &s.limits[i]
		x.limit(s.sum(&l.sum), l.low, l.top)
	}
	gap := s.sum(&affine{after: 1}) // what follows minus next
	gap.add(-1, s.sum(&s.next))
	if s.under == 0 && s.over == 0 {
		x.limit(gap, 0, 0)
	}
	if s.over > 0 {
		s.above = model.Lit(add())
		cut := s.sum(&affine{after: 1})
		cut.add(s.least-s.most, expression{terms: []model.Term{{Coef: 1, Lit: s.above}}})
		x.row(cut.terms, factored.GE, s.least-cut.constant)
	}
	if s.under > 0 {
		s.below = model.Lit(add())
		cut := s.sum(&affine{after: 1})
		cut.add(s.most-s.least, expression{terms: []model.Term{{Coef: 1, Lit: s.below}}})
		x.row(cut.terms, factored.LE, s.most-cut.constant)
	}
	if s.above != 0 || s.below != 0 {
		lower, upper := slices.Clone(gap.terms), slices.Clone(gap.terms)
		if s.above != 0 {
			lower = append(lower, model.Term{Coef: s.over, Lit: s.above})
		}
		if s.below != 0 {
			upper = append(upper, model.Term{Coef: -s.under, Lit: s.below})
		}
		x.row(lower, factored.GE, -gap.constant)
		x.row(upper, factored.LE, -gap.constant)
	}
	cost := s.sum(&s.cost)
	x.Constant += cost.constant
	x.Costs = append(x.Costs, cost.terms...)
}

// mark sets the variables of a stock at a step as in a plan.
func (s *stocked) mark(f *Factors, it *itinerary, values map[int32]int64) {
	g := &f.parts[s.id]
	v := it.values[s.t-1][s.id]
	p := f.pointOf(g, v, &g.moves[v][it.moves[s.t-1][s.id]], s.stock)
	for k, l := range s.cases {
		if l != 0 && p.inputs[len(s.actions)+k] > s.ranges[k].low {
			values[l.Var()] = 1
		}
	}
	n := s.next.of(&p)
	if s.above != 0 && n > s.most {
		values[s.above.Var()] = 1
	}
	if s.below != 0 && n < s.least {
		values[s.below.Var()] = 1
	}
	values[s.after.terms[0].Lit.Var()] = p.after
}

// read sets the bits of the number that follows from those of the number and what is used.
func (s *stocked) read(x *Flow, isTrue map[int32]bool) {
	g := &x.f.parts[s.id]
	of := func(e expression) int64 {
		sum := e.constant
		for _, c := range e.terms {
			if isTrue[c.Lit.Var()] {
				sum += c.Coef
			}
		}
		return sum
	}
	p := point{now: of(x.digits(s.t, s.id))}
	for _, e := range s.inputs {
		p.inputs = append(p.inputs, of(e))
	}
	n := min(max(s.next.of(&p), s.least), s.most)
	for _, value := range g.values {
		if x.f.number(g, value) != n {
			continue
		}
		for i, v := range g.own {
			isTrue[x.m.Var(s.t+1, factored.Bit(x.f.r.bit[v])).Var()] = value[i/64]>>(i%64)&1 == 1
		}
	}
}
