package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/factored"
)

// itinerary is a plan as moves of groups.
type itinerary struct {
	values [][]int32 // [t-1][group], t = 1..H+1
	moves  [][]int32 // [t-1][group]: number of the move
	bits   [][]int8  // [t-1][variable]: 1 or -1 where the variable stands in a row
	cost   int64     // without the constant
}

// itinerary finds the moves of a plan; nil if it is not one of the groups' plans.
func (f *Factors) itinerary(trace *factored.Trace) *itinerary {
	p := f.r.Task.Problem
	var all []int
	for i := range f.r.rows {
		all = append(all, i)
	}
	st := f.r.system(all).NewState()
	if len(trace.Steps) != f.horizon+1 || !st.Consistent() {
		return nil
	}
	x := &itinerary{}
	for t := 1; t <= f.horizon; t++ {
		st.Reset()
		for b := range p.NumBits() {
			v := f.r.nowVar(factored.Bit(b))
			kind := p.Kind(factored.Bit(b))
			if kind == factored.Auxiliary {
				continue
			}
			if f.r.fixed[v] == 0 && !assign(st, v, trace.Steps[t-1][b]) {
				return nil
			}
			if kind == factored.State && f.r.fixed[v] == 0 && !assign(st, v+f.r.stride, trace.Steps[t][b]) {
				return nil
			}
		}
		if !x.add(f, st) {
			return nil
		}
	}
	last := make([]int32, len(f.parts))
	for id := range f.parts {
		last[id] = f.parts[id].moves[x.values[f.horizon-1][id]][x.moves[f.horizon-1][id]].to
	}
	x.values = append(x.values, last)
	return x
}

func assign(st *propagate.State, v int32, value bool) bool {
	l := model.Lit(v)
	if !value {
		l = -l
	}
	return st.Value(l) > 0 || st.Assign(l)
}

// add adds a step, of which states and actions are assigned.
func (x *itinerary) add(f *Factors, st *propagate.State) (ok bool) {
	var rest []model.Lit
	for v := int32(1); v <= f.r.numVars; v++ {
		if f.r.fixed[v] == 0 && (f.r.role[v] == internal || f.r.role[v] == quantity) {
			rest = append(rest, model.Lit(v))
		}
	}
	bits := make([]int8, f.r.numVars+1)
	st.Each(rest, func() bool {
		ok = true
		for v := range bits {
			if v > 0 {
				bits[v] = st.Value(model.Lit(v))
			}
		}
		return false
	})
	if !ok {
		return false
	}
	values, moves := make([]int32, len(f.parts)), make([]int32, len(f.parts))
	for id := range f.parts {
		g := &f.parts[id]
		values[id], moves[id] = -1, -1
		for v, value := range g.values {
			if matches(bits, g.own, value) {
				values[id] = int32(v)
			}
		}
		if values[id] < 0 {
			return false
		}
		for i := range g.moves[values[id]] {
			m := &g.moves[values[id]][i]
			if matches(bits, g.next, g.values[m.to]) && matches(bits, g.reads, []uint64{m.reads}) {
				moves[id] = int32(i)
				x.cost += m.cost
				break
			}
		}
		if moves[id] < 0 {
			return false
		}
	}
	x.values, x.moves, x.bits = append(x.values, values), append(x.moves, moves), append(x.bits, bits)
	return true
}

// traceOf is the plan of an itinerary, without auxiliary bits.
func (f *Factors) traceOf(x *itinerary) *factored.Trace {
	p := f.r.Task.Problem
	tr := &factored.Trace{}
	for t := 1; t <= f.horizon+1; t++ {
		val := make(factored.Valuation, p.NumBits())
		for b := range val {
			if kind := p.Kind(factored.Bit(b)); kind == factored.State || kind == factored.Action && t <= f.horizon {
				val[b] = f.r.valueAt(t, f.r.nowVar(factored.Bit(b))) > 0
			}
		}
		for id := range f.parts {
			g, now := &f.parts[id], x.values[t-1][id]
			for i, v := range g.own {
				val[f.r.bit[v]] = g.values[now][i/64]>>(i%64)&1 == 1
			}
			for i, v := range g.reads {
				if t <= f.horizon && f.r.role[v] == action {
					val[f.r.bit[v]] = g.moves[now][x.moves[t-1][id]].reads>>i&1 == 1
				}
			}
		}
		tr.Steps = append(tr.Steps, val)
	}
	return tr
}

// matches reports whether the variables have the packed values.
func matches(bits []int8, vars []int32, packed []uint64) bool {
	for i, v := range vars {
		if (bits[v] > 0) != (packed[i/64]>>(i%64)&1 == 1) {
			return false
		}
	}
	return true
}

// reoptimizer improves a plan: it frees the moves of some groups, fixes the values of all others, and
// finds the best by dynamic programming over the joint values (a large neighbourhood search), as far as tables and prices allow a plan as good.
// Groups that lose most against their tables are drawn most often, with the groups that share rules or bits with them.
type reoptimizer struct {
	f     *Factors
	t     *Tables
	rng   *rand.Rand
	plan  *itinerary
	links [][]int32 // by group: those it shares an equation or a bit with
	mates [][]int32 // by group: those it shares a rule with
	final *propagate.State
	work  int64

	// Of the groups that are free:
	free     []int32
	isFree   []bool
	chosen   []int32 // groups that have a choice
	room     []int64 // by rule: what is left of it at the step at hand
	ofRule   []int32 // by rule: its relation
	uses     [][][]rulesOf
	watchers [][]int32 // by variable: groups that read it
	used     [][]int64 // [t-1][rule]: by all moves of the plan
	size     int       // joint values at most
	many     float64   // groups that are freed, about
	spent    []bool    // by rule: an inequality of which no move gives back
	rulesOf  [][]int32 // by group: those that it uses
	pairsOf  map[[2]int32][]pair
	lists    map[listed]*choices
}

// Sizes of the dynamic programs: joint values at each step, and work in all for each of them. They grow
// where a size has found nothing for every group. How many groups are free grows while their joint values have room.
const (
	minJointValues = 8_000
	maxJointValues = 512_000
	workPerValue   = 50
)

func (f *Factors) newReoptimizer(t *Tables, plan *itinerary, o *order, seed uint64) *reoptimizer {
	r := &reoptimizer{
		f: f, t: t, plan: plan, rng: rand.New(rand.NewPCG(seed, 0x72656f7074)), isFree: make([]bool, len(f.parts)), room: make([]int64, len(f.s.rules)),
		ofRule: make([]int32, len(f.s.rules)), uses: o.uses, final: f.r.final.NewState(), watchers: make([][]int32, f.r.numVars+1),
		links: make([][]int32, len(f.parts)), mates: make([][]int32, len(f.parts)), rulesOf: make([][]int32, len(f.parts)),
		spent: make([]bool, len(f.s.rules)), pairsOf: map[[2]int32][]pair{}, lists: map[listed]*choices{},
	}
	for id := range f.parts {
		for _, v := range f.parts[id].reads {
			if h := f.s.home[v]; h >= 0 && !f.r.clocked(v) {
				r.watchers[v] = append(r.watchers[v], int32(id))
				if h != int32(id) {
					r.links[id], r.links[h] = insert(r.links[id], h), insert(r.links[h], int32(id))
				}
			}
		}
	}
	sides := make([][]int32, len(f.s.rules))
	for e := range f.rels {
		k := f.rels[e].rule
		if k < 0 {
			continue
		}
		r.ofRule[k] = int32(e)
		r.spent[k] = !f.rels[e].equal
		for i := range o.group {
			r.spent[k] = r.spent[k] && o.restMin[i][k] >= o.restMin[i+1][k]
		}
		sides[k] = f.sides(e)
		for _, a := range sides[k] {
			r.rulesOf[a] = append(r.rulesOf[a], int32(k))
		}
	}
	r.meet(sides)
	r.count()
	return r
}

// meet lists the mates of each group, and links stocks with the groups of their rules. sides are the groups of each rule.
func (r *reoptimizer) meet(sides [][]int32) {
	stocks := make([]int32, len(sides))
	for k := range stocks {
		stocks[k] = -1
		if sides[k] == nil {
			continue
		}
		if id := r.f.amountOf(int(r.ofRule[k])); id >= 0 {
			stocks[k] = r.f.s.home[r.f.r.amounts[id].bits[0]]
		}
	}
	met := make([]int, len(r.f.parts)) // by group: the last one that it was listed for, counted from 1
	for a := range r.rulesOf {
		for _, k := range r.rulesOf[a] {
			for _, b := range sides[k] {
				switch {
				case int(b) == a:
				case int32(a) == stocks[k] || b == stocks[k]:
					r.links[a] = insert(r.links[a], b)
				case met[b] != a+1:
					met[b] = a + 1
					r.mates[a] = append(r.mates[a], b)
				}
			}
		}
	}
}

// sides lists the groups that a relation is about.
func (f *Factors) sides(e int) []int32 {
	x := &f.rels[e]
	if x.rule < 0 {
		return []int32{x.copier, f.s.home[x.variable]}
	}
	var ids []int32
	for _, t := range f.s.rules[x.rule].Terms {
		if h := f.s.home[t.Lit.Var()]; !slices.Contains(ids, h) {
			ids = append(ids, h)
		}
	}
	return ids
}

// count counts what the plan uses of rules.
func (r *reoptimizer) count() {
	r.used = r.used[:0]
	for t := range r.f.horizon {
		used := make([]int64, len(r.f.s.rules))
		for id := range r.f.parts {
			for _, u := range r.uses[id][r.plan.values[t][id]][r.plan.moves[t][id]] {
				used[u.rel] += u.coef
			}
		}
		r.used = append(r.used, used)
	}
}

func insert(ids []int32, id int32) []int32 {
	if !slices.Contains(ids, id) {
		ids = append(ids, id)
	}
	return ids
}

// losses are how much more each group pays, at the prices, than its table says.
func (r *reoptimizer) losses() []float64 {
	out := make([]float64, len(r.f.parts))
	for id := range out {
		v := r.plan.values[0][id]
		if at := r.t.At[id][0][v]; at < infinite {
			out[id] = float64(r.rest(int32(id))[0]-at) / float64(r.t.Scale)
		}
	}
	return out
}

// rest is what a group's moves in the plan cost from each step on, with prices.
func (r *reoptimizer) rest(id int32) []int64 {
	g := &r.f.parts[id]
	out := make([]int64, r.f.horizon+1)
	for t := r.f.horizon - 1; t >= 0; t-- {
		v := r.plan.values[t][id]
		out[t] = out[t+1] + r.priced(t, g, v, &g.moves[v][r.plan.moves[t][id]])
	}
	return out
}

// priced is what a move from a value costs at a step, counted from 0, with prices.
func (r *reoptimizer) priced(t int, g *part, v int32, m *move) int64 {
	cost := m.cost * r.t.Scale
	r.f.eachUse(g, v, m, func(uses []use) { cost += sumUses(uses, r.t.Price[t]) })
	return cost
}

// run frees groups again and again until so much work has found nothing better.
func (r *reoptimizer) run(ctx context.Context, idle, lower int64) {
	n := len(r.f.parts)
	failed := 0
	r.chosen = nil
	for id := range r.f.parts {
		g := &r.f.parts[id]
		if len(g.own) == 0 || !r.f.r.clocked(g.own[0]) { // what is known at every step has no choice
			r.chosen = append(r.chosen, int32(id))
		}
	}
	loss := r.losses()
	r.size, r.many = minJointValues, 2
	most := idle
	for turn := 0; len(r.chosen) > 0 && r.work < most && r.plan.cost > lower && ctx.Err() == nil; turn++ {
		if failed > 30+3*n {
			if r.size >= maxJointValues {
				break
			}
			r.size, failed = 4*r.size, 0
		}
		r.choose(turn, loss)
		if len(r.free) == 0 {
			failed++
			r.work += 100
			continue
		}
		before := r.plan.cost
		changed, whole := r.solve()
		if changed {
			loss = r.losses()
		}
		failed++
		switch {
		case r.plan.cost < before:
			failed, most = 0, r.work+idle
		case whole:
			r.many = min(r.many+.1, maxFree)
		default:
			r.many = max(r.many-.5, 1)
		}
	}
}

// choose draws the groups that are free.
func (r *reoptimizer) choose(turn int, loss []float64) {
	f := r.f
	for _, id := range r.free {
		r.isFree[id] = false
	}
	r.free = r.free[:0]
	values := int64(1)
	add := func(id int32) bool {
		g := &f.parts[id]
		if r.isFree[id] || len(g.moves) == 0 || len(r.free) >= int(r.many) || values > math.MaxInt64/int64(1+len(g.values)) {
			return false
		}
		values *= int64(1 + len(g.values))
		r.isFree[id] = true
		r.free = append(r.free, id)
		return true
	}
	seed := r.chosen[turn%len(r.chosen)]
	if turn >= len(r.chosen) {
		seed = r.draw(loss)
	}
	if !add(seed) {
		return
	}
	for _, id := range r.links[seed] { // what must move with it
		if r.f.counts(id) {
			add(id)
		}
	}
	for tries := 0; tries < 4*int(r.many) && (turn >= len(r.chosen) || tries < 1); tries++ {
		of := r.free[r.rng.IntN(len(r.free))]
		near := r.links[of]
		if turn >= len(r.chosen) && (len(near) == 0 || r.rng.IntN(2) == 0) {
			near = r.mates[of]
		}
		if len(near) > 0 {
			add(near[r.rng.IntN(len(near))])
		}
	}
	slices.SortStableFunc(r.free, func(a, b int32) int { // what counts sums comes last
		return b2i(r.f.counts(a)) - b2i(r.f.counts(b))
	})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// counts reports whether a group counts a sum of others.
func (f *Factors) counts(id int32) bool {
	for i := range f.r.amounts {
		if a := &f.r.amounts[i]; a.used && a.base < 0 && f.s.home[a.bits[0]] == id {
			return true
		}
	}
	return false
}

func (r *reoptimizer) draw(loss []float64) int32 {
	var sum float64
	for _, id := range r.chosen {
		sum += loss[id] + .2
	}
	at := r.rng.Float64() * sum
	for _, id := range r.chosen {
		if at -= loss[id] + .2; at < 0 {
			return id
		}
	}
	return r.chosen[len(r.chosen)-1]
}
