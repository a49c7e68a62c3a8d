package bound

import (
	"maps"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// Flow is a problem as an integer program: each group takes a path through its values, a move a step, and rows couple the paths. A variable
// of value 0 or 1 stands for a move at a step. Stocks stay numbers. The relaxation without integers bounds plans as well as the best prices
// do, but for stocks.
type Flow struct {
	Rows     []model.Sum  // over moves, and bits of the model
	Costs    []model.Term // of the moves: minus the scaled reward, but for Constant
	Constant int64
	Integers []model.Integer
	f        *Factors
	m        *model.Model
	actions  []uint64     // by group: places in reads of the actions that it is the home of
	ways     [][][]flowed // [t-1][group]; none of stocks
	stocks   [][]*stock   // [group][t-1]; nil for a group that takes a path
	stocked  []*stocked
	numbers  [][]expression // [group][t-1]: of a stock
	taken    map[int32]bool // equations that say what a stock uses
	moves    int
}

// maxFlowMoves bounds the moves of all steps.
const maxFlowMoves = 1 << 19

// flowed are moves between two values that use the same and have the same actions. The cheapest is meant.
type flowed struct {
	from int32
	label
	cost int64
	lit  model.Lit
}

// label is what a flowed has in common with the moves that it stands for.
type label struct {
	to, sig int32
	actions uint64
}

// Flow makes the program of a model, in which add numbers new variables. Moves are left out that no plan makes whose scaled reward is at
// least reward, as tables show; nil is any plan. Rows say what the bits are of the first and the last state, and of actions if that is
// asked for. It gives nil where an action is in no group, or there are too many moves.
func (s *Search) Flow(m *model.Model, reward *int64, actions bool, add func() int32) *Flow {
	if s.f == nil {
		return nil
	}
	x := &Flow{f: s.f, m: m, Constant: s.f.constant * int64(s.f.horizon), taken: map[int32]bool{}}
	dearest := int64(infinite)
	if reward != nil {
		dearest = (-*reward - x.Constant) * s.o.best.Scale
	}
	for id := range s.f.parts {
		x.actions = append(x.actions, s.f.actionsOf(id))
	}
	for range s.f.horizon {
		x.ways = append(x.ways, make([][]flowed, len(s.f.parts)))
	}
	for id := range s.f.parts {
		x.stocks, x.numbers = append(x.stocks, x.findStock(id)), append(x.numbers, nil)
		if x.stocks[id] == nil {
			x.addGroup(id, s.o.best, dearest-s.f.root(s.o.best), add)
		} else {
			x.addNumbers(id, add)
		}
		if x.moves > maxFlowMoves {
			return nil
		}
	}
	for t := 1; t <= s.f.horizon; t++ {
		x.couple(t, add)
	}
	if !x.link(actions) {
		return nil
	}
	x.Costs = merged(x.Costs)
	return x
}

// findStock describes a group at all steps as a stock; nil where it is none.
func (x *Flow) findStock(id int) []*stock {
	g := &x.f.parts[id]
	seasons := map[[2]uint64]*stock{}
	var out []*stock
	for n := range x.f.horizon {
		season := [2]uint64{g.known[n], g.fixed[n]}
		s, ok := seasons[season]
		if !ok {
			s = x.f.stockOf(id, n, x.taken)
			seasons[season] = s
		}
		if s == nil {
			return nil
		}
		out = append(out, s)
	}
	for _, s := range out {
		for _, e := range s.shared {
			x.taken[e] = true
		}
	}
	return out
}

// merged are terms with each literal once.
func merged(terms []model.Term) (out []model.Term) {
	at := map[model.Lit]int{}
	for _, c := range terms {
		if k, ok := at[c.Lit]; ok {
			out[k].Coef += c.Coef
		} else {
			at[c.Lit] = len(out)
			out = append(out, c)
		}
	}
	return out
}

// actionsOf are the places in a group's reads of actions that it is the home of.
func (f *Factors) actionsOf(id int) (places uint64) {
	for i, v := range f.parts[id].reads {
		if f.r.role[v] == action && f.s.home[v] == int32(id) {
			places |= 1 << i
		}
	}
	return places
}

// addGroup adds the moves of a group on paths that cost no more than slack above its cheapest, with prices.
func (x *Flow) addGroup(id int, t *Tables, slack int64, add func() int32) {
	g := &x.f.parts[id]
	reached := make([]int64, len(g.values)) // what the cheapest way to a value costs, with prices
	least := int64(infinite)
	for v := range reached {
		reached[v] = infinite
	}
	for _, v := range g.starts {
		reached[v] = 0
		least = min(least, t.At[id][0][v])
	}
	var p priced[int64]
	into := make([][]model.Term, len(g.values))
	for n := range x.f.horizon {
		p.at(g, t.Price[n])
		then, next := make([]int64, len(g.values)), make([][]model.Term, len(g.values))
		for v := range then {
			then[v] = infinite
		}
		var all []model.Term
		for v := range g.values {
			row := into[v]
			for _, m := range x.leaving(id, n, v, reached[v]) {
				cost := reached[v] + m.cost*t.Scale + p.sig[m.sig]
				if len(p.now) > 0 {
					cost += p.now[v]
				}
				if len(p.after) > 0 {
					cost += p.after[m.to]
				}
				if t.At[id][n+1][m.to] >= infinite || cost+t.At[id][n+1][m.to]-least > slack {
					continue
				}
				then[m.to] = min(then[m.to], cost)
				m.lit = model.Lit(add())
				x.moves++
				x.ways[n][id] = append(x.ways[n][id], m)
				if m.cost != 0 {
					x.Costs = append(x.Costs, model.Term{Coef: m.cost, Lit: m.lit})
				}
				row = append(row, model.Term{Coef: -1, Lit: m.lit})
				next[m.to] = append(next[m.to], model.Term{Coef: 1, Lit: m.lit})
				all = append(all, model.Term{Coef: 1, Lit: m.lit})
			}
			if n > 0 && len(row) > 0 {
				x.row(row, factored.EQ, 0)
			}
		}
		if n == 0 {
			x.row(all, factored.EQ, 1)
		}
		reached, into = then, next
	}
}

// leaving lists the ways from a value at step n+1, which is reached at some cost.
func (x *Flow) leaving(id, n, v int, reached int64) (out []flowed) {
	g := &x.f.parts[id]
	if reached >= infinite || !g.allowed[n][v] {
		return nil
	}
	at := map[label]int{}
	for i := range g.moves[v] {
		m := &g.moves[v][i]
		if m.reads&g.known[n] != g.fixed[n] {
			continue
		}
		w := x.labelOf(id, m)
		if k, ok := at[w]; ok {
			out[k].cost = min(out[k].cost, m.cost)
			continue
		}
		at[w] = len(out)
		out = append(out, flowed{from: int32(v), label: w, cost: m.cost})
	}
	return out
}

func (x *Flow) labelOf(id int, m *move) label { return label{m.to, m.sig, m.reads & x.actions[id]} }

func (x *Flow) row(terms []model.Term, op factored.Op, k int64) {
	x.Rows = append(x.Rows, model.Sum{Terms: terms, Op: op, K: k})
}

// couple states the relations of step t that the moves could break.
func (x *Flow) couple(t int, add func() int32) {
	f := x.f
	terms := make([][]model.Term, len(f.rels))
	high := make([]int64, len(f.rels)) // what the moves use at most
	used, most := make([]int64, len(f.rels)), make([]int64, len(f.rels))
	for id := range f.parts {
		g := &f.parts[id]
		var touched []int32
		for _, m := range x.ways[t-1][id] {
			var here []int32
			count := func(uses []use) {
				for _, u := range uses {
					used[u.rel] += u.coef
					here = append(here, u.rel)
				}
			}
			f.eachUse(g, m.from, &move{to: m.to, sig: m.sig}, count)
			for _, e := range here {
				if c := used[e]; c != 0 {
					terms[e] = append(terms[e], model.Term{Coef: c, Lit: m.lit})
					most[e] = max(most[e], c)
					touched = append(touched, e)
				}
				used[e] = 0
			}
		}
		for _, e := range touched {
			high[e] += most[e]
			most[e] = 0
		}
	}
	limits := make([]int64, len(f.rels))
	for id, steps := range x.stocks {
		if steps == nil {
			continue
		}
		s := x.stockAt(t, id, steps[t-1], terms, add)
		x.addStock(s, add)
		x.stocked = append(x.stocked, s)
		for _, e := range slices.Sorted(maps.Keys(s.uses)) {
			a := s.uses[e]
			used := s.sum(&a)
			terms[e] = append(terms[e], used.terms...)
			limits[e] -= used.constant
			high[e] = math.MaxInt32 // it is stated whatever the stock may use
		}
	}
	for e := range f.rels {
		switch r := &f.rels[e]; {
		case x.taken[int32(e)]:
		case r.equal:
			x.row(terms[e], factored.EQ, r.limit)
		case high[e] > r.limit:
			x.row(terms[e], factored.LE, r.limit+limits[e])
		}
	}
}

// link states which moves make bits of the model. It is false where an action is in no group.
func (x *Flow) link(actions bool) (ok bool) {
	ok = true
	x.eachBit(func(t, id int, v int32, lit model.Lit) {
		stated := x.f.r.role[v] == now && (t == 1 || t > x.f.horizon) || x.f.r.role[v] == action && actions
		switch {
		case id < 0 && x.f.r.valueAt(t, v) == 0:
			ok = false
		case !stated || x.m.Value(lit) != 0 || id >= 0 && x.stocks[id] != nil:
			// Rows of a stock are over the bits themselves.
		case id < 0:
			x.row([]model.Term{{Coef: 1, Lit: lit}}, factored.EQ, int64(x.f.r.valueAt(t, v)+1)/2)
		default:
			terms := []model.Term{{Coef: -1, Lit: lit}}
			for _, m := range x.ways[min(t, x.f.horizon)-1][id] {
				if x.makes(t, id, v, m) {
					terms = append(terms, model.Term{Coef: 1, Lit: m.lit})
				}
			}
			x.row(terms, factored.EQ, 0)
		}
	})
	return ok
}

// eachBit visits the bits of states and actions at each step, with the group that is their home, -1 for none.
func (x *Flow) eachBit(visit func(t, id int, v int32, lit model.Lit)) {
	p := x.m.Problem
	for t := 1; t <= x.f.horizon+1; t++ {
		for b := range p.NumBits() {
			bit := factored.Bit(b)
			if kind := p.Kind(bit); kind == factored.State || kind == factored.Action && t <= x.f.horizon {
				v := x.f.r.nowVar(bit)
				visit(t, int(x.f.s.home[v]), v, x.m.Var(t, bit))
			}
		}
	}
}

// makes reports whether a move makes a bit of its group true at step t.
func (x *Flow) makes(t, id int, v int32, m flowed) bool {
	g := &x.f.parts[id]
	if x.f.r.role[v] == action {
		return m.actions>>slices.Index(g.reads, v)&1 == 1
	}
	value, at := m.from, g.index(v)
	if t > x.f.horizon {
		value = m.to
	}
	return g.values[value][at/64]>>(at%64)&1 == 1
}

// Read sets the bits of states and actions from the moves of a solution.
func (x *Flow) Read(isTrue map[int32]bool) {
	made := make([][]flowed, x.f.horizon)
	for n := range made {
		made[n] = make([]flowed, len(x.f.parts))
		for id, ways := range x.ways[n] {
			for _, m := range ways {
				if isTrue[m.lit.Var()] {
					made[n][id] = m
				}
			}
		}
	}
	x.eachBit(func(t, id int, v int32, lit model.Lit) {
		switch {
		case x.m.Value(lit) != 0:
			isTrue[lit.Var()] = x.m.Value(lit) > 0
		case id < 0:
			isTrue[lit.Var()] = x.f.r.valueAt(t, v) > 0
		case x.stocks[id] == nil:
			isTrue[lit.Var()] = x.makes(t, id, v, made[min(t, x.f.horizon)-1][id])
		}
	})
	for _, s := range x.stocked {
		s.read(x, isTrue)
	}
}

// Mark sets the variables of the program that are not the model's as in a plan. It is false where one of its moves was left out.
func (x *Flow) Mark(plan *factored.Trace, values map[int32]int64) bool {
	it := x.f.itinerary(plan)
	if it == nil {
		return false
	}
	for _, s := range x.stocked {
		s.mark(x.f, it, values)
	}
	for t := range x.f.horizon {
		for id := range x.f.parts {
			if x.stocks[id] != nil {
				continue
			}
			v := it.values[t][id]
			w := x.labelOf(id, &x.f.parts[id].moves[v][it.moves[t][id]])
			n := slices.IndexFunc(x.ways[t][id], func(m flowed) bool { return m.from == v && m.label == w })
			if n < 0 {
				return false
			}
			values[x.ways[t][id][n].lit.Var()] = 1
		}
	}
	return true
}
