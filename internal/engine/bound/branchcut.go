package bound

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/milp"
	"github.com/fdplan/fdplan/problem/factored"
)

// flows is what a search keeps of the program of its groups.
type flows struct {
	program *branchCut // nil before it is made
	spent   int64      // nodes of beams that its work is worth
	refused int64      // it cannot be had for plans that cost as much; always for none
	eager   bool       // it has all turns, for tests
}

// branchCut is the flow program of the groups, which is solved by branch and cut in turns with beams. Groups that can be swapped take one flow of as
// many units.
type branchCut struct {
	flow   *Flow
	search *milp.Search
	base   int64 // cost of a plan minus that of the program
	cost   int64 // of the best plan when the program was made
}

// maxBranchMoves bounds the moves of the program. It is made once beams have taken flowNodes, waveNodes if they go by waves, or blindNodes where no plan is known yet. It takes one of rootShare
// parts of the work until its space is divided, and one of treeShare from then on, unless little is left. It is made anew once what the best plan may cost too much is
// muchLess than it was. A node of a beam takes as long as so many entries of rows, or a move of the program.
const (
	maxBranchMoves = 1 << 16
	flowNodes      = 300_000
	waveNodes      = 5_000_000
	blindNodes     = 2_000_000
	rootShare      = 2
	treeShare      = 4
	muchLess       = .7
	manyMoves      = 8_000
	nodesPerMove   = 50
	entriesPerNode = 100
)

// FlowFirst gives the program of the groups all turns, before any beam. The answer is the same.
func (s *Search) FlowFirst() { s.flows.eager = true }

// always is the cost of plans for which a program is refused that cannot be had.
const always = math.MinInt64

// newBranchCut makes the program for plans that cost less than the best; nil where groups are not all that matters, or moves are too many.
func (s *Search) newBranchCut() *branchCut {
	if len(s.starts) != 1 {
		return nil
	}
	next := int32(0)
	add := func() int32 { next++; return next }
	x := s.newFlow(nil, add)
	x.members, x.begin = s.f.members(), s.starts[0]
	if !x.addGroups(s.o.best, s.dearest(), maxBranchMoves) || !x.end() {
		return nil
	}
	w := &branchCut{flow: x, base: x.Constant - s.f.constant*int64(s.f.horizon), cost: s.cost}
	w.search = milp.New(x.program(next, s.f.step), s.cost-w.base)
	return w
}

// members are the groups that each group stands for: those that it can be swapped with, if it is the first of them.
func (f *Factors) members() [][]int {
	out := make([][]int, len(f.parts))
	first := map[int32]int{}
	for id, class := range f.classes() {
		at := id
		if class >= 0 {
			if k, ok := first[class]; ok {
				at = k
			} else {
				first[class] = id
			}
		}
		out[at] = append(out[at], id)
	}
	return out
}

// end states what must hold of the last state and concerns several groups, as far as it can be said of the moves, and keeps stocks to the last numbers that are
// allowed. It is false where that is no range.
func (x *Flow) end() bool {
	f := x.f
	for id, steps := range x.stocks {
		if steps != nil && len(x.members[id]) > 0 && !x.endStock(id) {
			return false
		}
	}
	for _, s := range slices.Concat(f.r.There.Sums[model.Goal], f.r.Invariants()) {
		if terms, k := x.endRow(s); len(terms) > 0 {
			x.row(terms, s.Op, k)
		}
	}
	return true
}

// endRow is a condition on the last state, over moves. It is without terms where one group has the condition in its list of last values, and where it cannot be said
// so: then a solution may break it.
func (x *Flow) endRow(s model.Sum) (terms []model.Term, k int64) {
	f := x.f
	homes := map[int32]bool{}
	k = s.K
	for _, t := range s.Terms {
		v, c := t.Lit.Var(), t.Coef
		if t.Lit < 0 { // c*(1-v)
			k -= c
			c = -c
		}
		if value := f.r.valueAt(f.horizon+1, v); value != 0 {
			if value > 0 {
				k -= c
			}
			continue
		}
		h := f.s.home[v]
		if h < 0 || f.r.role[v] != now {
			return nil, 0
		}
		homes[h] = true
		if x.stocks[h] != nil || len(x.members[h]) != 1 {
			return nil, 0
		}
		for _, m := range x.ways[f.horizon-1][h] {
			if x.makes(f.horizon+1, int(h), v, m) {
				terms = append(terms, model.Term{Coef: c, Lit: m.lit})
			}
		}
	}
	if len(homes) == 1 {
		return nil, 0
	}
	return terms, k
}

// endStock narrows the last number of a stock to those that are allowed; false where these are not all from the least to the most.
func (x *Flow) endStock(id int) bool {
	g := &x.f.parts[id]
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for v, value := range g.values {
		if x.f.lastAllowed(g, v) {
			n := x.f.number(g, value)
			low, high = min(low, n), max(high, n)
		}
	}
	for v, value := range g.values {
		if n := x.f.number(g, value); !x.f.lastAllowed(g, v) && n > low && n < high {
			return false
		}
	}
	x.limit(x.numbers[id][x.f.horizon], low, high)
	return true
}

// lastAllowed reports whether a plan may end in a value, as far as its group knows.
func (f *Factors) lastAllowed(g *part, v int) bool {
	return g.last[v] && g.allowed[f.horizon][v]
}

// program is the flow program for the search, with so many variables.
func (x *Flow) program(vars int32, step int64) *milp.Program {
	p := &milp.Program{Step: step}
	for range vars {
		p.AddColumn(0, 1, 0)
	}
	for _, k := range x.Integers {
		p.Low[k.Var-1], p.High[k.Var-1] = k.Low, k.High
	}
	for _, ways := range x.ways {
		for id, list := range ways {
			for _, m := range list {
				p.High[m.lit.Var()-1] = int64(len(x.members[id]))
			}
		}
	}
	for _, c := range x.Costs {
		p.Cost[c.Lit.Var()-1] += c.Coef
	}
	for i := range x.Rows {
		s := &x.Rows[i]
		r := milp.Row{Low: -milp.None, High: milp.None}
		for _, t := range merged(s.Terms) {
			r.Terms = append(r.Terms, milp.Term{Column: t.Lit.Var() - 1, Coef: t.Coef})
		}
		if s.Op != factored.LE {
			r.Low = s.K
		}
		if s.Op != factored.GE {
			r.High = s.K
		}
		r.Basic = -1
		if i < len(x.tree) && x.tree[i] != 0 {
			r.Basic = x.tree[i].Var() - 1
		}
		if i < len(x.prices) {
			r.Price = x.prices[i]
		}
		p.Rows = append(p.Rows, r)
	}
	return p
}

// plan is the plan of a solution.
func (x *Flow) plan(sol []int64) *itinerary {
	f := x.f
	it := &itinerary{}
	for range f.horizon + 1 {
		it.values = append(it.values, make([]int32, len(f.parts)))
		it.moves = append(it.moves, make([]int32, len(f.parts)))
	}
	it.moves = it.moves[:f.horizon]
	at := func(lit model.Lit) int64 { return sol[lit.Var()-1] }
	for id := range f.parts {
		for _, other := range x.members[id] {
			it.values[0][other] = int32(x.begin[other])
		}
		for t := range f.horizon {
			if x.stocks[id] == nil {
				x.follow(it, id, t, at)
			}
		}
	}
	for _, s := range x.stocked {
		if !s.follow(f, it, at) {
			return nil
		}
	}
	return it
}

// follow gives the groups that a group stands for the moves of step t+1.
func (x *Flow) follow(it *itinerary, id, t int, at func(model.Lit) int64) {
	left := map[model.Lit]int64{}
	for _, m := range x.ways[t][id] {
		left[m.lit] = at(m.lit)
	}
	for _, other := range x.members[id] {
		for _, m := range x.ways[t][id] {
			if left[m.lit] == 0 || m.from != it.values[t][other] {
				continue
			}
			left[m.lit]--
			it.take(x.f, other, t, func(n int) bool {
				v := &x.f.parts[other].moves[m.from][n]
				return v.cost == m.cost && x.labelOf(id, v) == m.label
			})
			break
		}
	}
}

// follow gives a stock its move of a step, false where there is none.
func (s *stocked) follow(f *Factors, it *itinerary, at func(model.Lit) int64) bool {
	p := point{now: s.now.of(at)}
	for _, e := range s.inputs {
		p.inputs = append(p.inputs, e.of(at))
	}
	g := &f.parts[s.id]
	v := it.values[s.t-1][s.id]
	return it.take(f, s.id, s.t-1, func(n int) bool {
		q := f.pointOf(g, v, &g.moves[v][n], s.stock)
		return q.now == p.now && slices.Equal(q.inputs, p.inputs)
	})
}

// take gives a group the cheapest move of step t+1 that fits; false where none does.
func (it *itinerary) take(f *Factors, id, t int, fits func(n int) bool) bool {
	g := &f.parts[id]
	best := -1
	list := g.moves[it.values[t][id]]
	for n := range list {
		m := &list[n]
		if m.reads&g.known[t] == g.fixed[t] && (best < 0 || m.cost < list[best].cost) && fits(n) {
			best = n
		}
	}
	if best < 0 {
		return false
	}
	it.moves[t][id], it.values[t+1][id] = int32(best), list[best].to
	it.cost += list[best].cost
	return true
}

// reconsiderFlow drops the program where a better plan is known and much fewer moves lead to a better one still.
func (s *Search) reconsiderFlow() {
	if w := s.flows.program; w != nil && float64(s.cost-s.lower) < muchLess*float64(w.cost-s.lower) {
		s.flows.program = nil
	}
}

// flowTurn reports whether the program is to have a turn, and makes it before the first.
func (s *Search) flowTurn() bool {
	switch {
	case s.flows.refused == always || s.cost >= s.flows.refused:
		return false
	case s.flows.eager:
	case s.nodes < flowNodes, s.waves != nil && s.nodes < waveNodes, s.flows.program != nil && s.nodes < nodesPerMove*int64(s.flows.program.flow.moves), s.cost == infinite && s.nodes < blindNodes:
		return false
	}
	w := s.flows.program
	if w == nil {
		if w = s.newBranchCut(); w == nil {
			s.flows.refused = s.cost
			return false
		}
		s.flows.program = w
		s.nodes += int64(w.flow.moves)
		s.flows.spent += int64(w.flow.moves)
	}
	share, done := int64(rootShare), s.nodes
	if w.search.Divided() {
		share, done = treeShare, s.nodes+s.beamNodes()/2
	}
	if w.flow.moves > manyMoves {
		share *= 2
	}
	return s.flows.eager || s.flows.spent <= done/share || w.search.Left()/entriesPerNode <= s.nodes
}

// advanceFlow gives the program a turn: a solution is a plan, and what no solution costs less than bounds all plans.
func (s *Search) advanceFlow() error {
	w := s.flows.program
	w.search.SetCutoff(s.cost - w.base)
	before := w.search.Work()
	better := w.search.Advance(stageNodes * entriesPerNode)
	done := (w.search.Work() - before) / entriesPerNode
	s.nodes += done
	s.flows.spent += done
	if better {
		it := w.flow.plan(w.search.Best())
		var trace *factored.Trace
		if it != nil {
			trace = s.f.traceOf(it)
		}
		if trace == nil || !s.holds(trace) {
			s.flows.refused, s.flows.program = always, nil // conditions matter that were left out
			return nil
		}
		if err := s.take(trace, it.cost); err != nil {
			return err
		}
	}
	switch lower := w.search.Lower(); {
	case w.search.Broken():
		s.flows.refused, s.flows.program = always, nil
	case w.search.Done() && s.cost == infinite:
		s.raise(infinite)
	case lower > math.MinInt64:
		s.raise(s.f.cost(min(lower+w.base, s.cost), 1))
	}
	s.reportProgress("branch and cut")
	return nil
}
