package bound

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

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

// of is the value of the sum, where at gives that of a variable.
func (a expression) of(at func(model.Lit) int64) int64 {
	sum := a.constant
	for _, c := range a.terms {
		sum += c.Coef * at(c.Lit)
	}
	return sum
}

// stocked is a stock at a step: what its number, its inputs and the number that follows are in the program, and its variables.
type stocked struct {
	*stock
	t, id        int
	now, after   expression
	inputs       []expression
	cases        []model.Lit // by equation: whether the greater of two amounts is used; 0 where there are not two
	above, below model.Lit   // what follows is the most, or the least; 0 where it is never cut off
}

// stockAt makes the expressions of a stock at step t. What it uses of an equation is what the others leave of it.
func (x *Flow) stockAt(t, id int, s *stock, others [][]model.Term) *stocked {
	out := &stocked{stock: s, t: t, id: id, now: x.numbers[id][t-1], after: x.numbers[id][t], cases: make([]model.Lit, len(s.shared))}
	g := &x.f.parts[id]
	for _, i := range s.actions {
		out.inputs = append(out.inputs, expression{terms: []model.Term{{Coef: 1, Lit: x.bit(t, g.reads[i])}}})
	}
	for k, e := range s.shared {
		used := expression{constant: x.f.rels[e].limit}
		used.add(-1, expression{terms: others[e]})
		if r := s.ranges[k]; r.top == r.low+1 {
			out.cases[k] = model.Lit(x.add())
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
		out.terms = append(out.terms, model.Term{Coef: x.f.weight(v), Lit: x.bit(t, v)})
	}
	return out
}

// addNumbers adds the numbers of a stock: of bits at first, then integers, the last of which rows on the last state are about.
func (x *Flow) addNumbers(id int) {
	g := &x.f.parts[id]
	k := model.Integer{Low: math.MaxInt64, High: math.MinInt64}
	for _, value := range g.values {
		n := x.f.number(g, value)
		k.Low, k.High = min(k.Low, n), max(k.High, n)
	}
	first := x.digits(1, id)
	if x.m == nil {
		first = expression{constant: x.f.number(g, g.values[x.begin[id]])}
	}
	x.numbers[id] = append(x.numbers[id], first)
	for range x.f.horizon {
		k.Var = x.add()
		x.Integers = append(x.Integers, k)
		x.numbers[id] = append(x.numbers[id], expression{terms: []model.Term{{Coef: 1, Lit: model.Lit(k.Var)}}})
	}
	if x.m == nil {
		return
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
func (x *Flow) addStock(s *stocked) {
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
		s.above = model.Lit(x.add())
		cut := s.sum(&affine{after: 1})
		cut.add(s.least-s.most, expression{terms: []model.Term{{Coef: 1, Lit: s.above}}})
		x.row(cut.terms, factored.GE, s.least-cut.constant)
	}
	if s.under > 0 {
		s.below = model.Lit(x.add())
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
	at := func(l model.Lit) int64 {
		if isTrue[l.Var()] {
			return 1
		}
		return 0
	}
	p := point{now: x.digits(s.t, s.id).of(at)}
	for _, e := range s.inputs {
		p.inputs = append(p.inputs, e.of(at))
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
