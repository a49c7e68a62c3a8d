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
	m        *model.Model // nil where the program is for itself: bits have variables of its own then
	bits     map[int32]model.Lit
	add      func() int32
	begin    []uint32     // the only first values, where the program is for itself
	members  [][]int      // by group: those that its moves are of, itself among them; none where they are another's
	tree     []model.Lit  // by row: a move that leaves where the row is about, the cheapest; 0 for none
	prices   []float64    // by row: what the tables' prices say that its multiplier is
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
	cost   int64
	priced int64 // with the tables' prices, if it is on a path
	lit    model.Lit
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
	x := s.newFlow(m, add)
	for id := range s.f.parts {
		x.members = append(x.members, []int{id})
	}
	dearest := int64(infinite)
	if reward != nil {
		dearest = (-*reward - x.Constant) * s.o.best.Scale
	}
	if !x.addGroups(s.o.best, dearest, maxFlowMoves) || !x.link(actions) {
		return nil
	}
	x.Costs = merged(x.Costs)
	return x
}

// newFlow begins a program.
func (s *Search) newFlow(m *model.Model, add func() int32) *Flow {
	x := &Flow{f: s.f, m: m, add: add, bits: map[int32]model.Lit{}, Constant: s.f.constant * int64(s.f.horizon), taken: map[int32]bool{}}
	for id := range s.f.parts {
		x.actions = append(x.actions, s.f.actionsOf(id))
	}
	for range s.f.horizon {
		x.ways = append(x.ways, make([][]flowed, len(s.f.parts)))
	}
	return x
}

// addGroups adds the groups, without moves that no plan makes whose priced cost is below dearest, and what couples them. It is false where there are more
// than most moves.
func (x *Flow) addGroups(t *Tables, dearest int64, most int) bool {
	for id := range x.f.parts {
		x.stocks, x.numbers = append(x.stocks, nil), append(x.numbers, nil)
		if len(x.members[id]) == 1 {
			x.stocks[id] = x.findStock(id)
		}
		switch {
		case len(x.members[id]) == 0:
		case x.stocks[id] == nil:
			x.addGroup(id, t, dearest-x.f.root(t))
		default:
			x.addNumbers(id)
		}
		if x.moves > most {
			return false
		}
	}
	for n := 1; n <= x.f.horizon; n++ {
		x.couple(n, t)
	}
	return true
}

// bit is the variable of a bit at step t.
func (x *Flow) bit(t int, v int32) model.Lit {
	if x.m != nil {
		return x.m.Var(t, factored.Bit(x.f.r.bit[v]))
	}
	k := v + x.f.r.stride*int32(t-1)
	if x.bits[k] == 0 {
		x.bits[k] = model.Lit(x.add())
	}
	return x.bits[k]
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

func (x *Flow) labelOf(id int, m *move) label { return label{m.to, m.sig, m.reads & x.actions[id]} }

func (x *Flow) row(terms []model.Term, op factored.Op, k int64) {
	x.Rows = append(x.Rows, model.Sum{Terms: terms, Op: op, K: k})
}

// rowFor adds an equation about a value that a move leaves.
func (x *Flow) rowFor(move model.Lit, terms []model.Term, k int64) {
	for len(x.tree) < len(x.Rows) {
		x.tree = append(x.tree, 0)
	}
	x.tree = append(x.tree, move)
	x.row(terms, factored.EQ, k)
}

// couple states the relations of step t that the moves could break.
func (x *Flow) couple(t int, tables *Tables) {
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
			high[e] += most[e] * int64(len(x.members[id]))
			most[e] = 0
		}
	}
	limits := make([]int64, len(f.rels))
	for id, steps := range x.stocks {
		if steps == nil {
			continue
		}
		s := x.stockAt(t, id, steps[t-1], terms)
		x.addStock(s)
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
			x.price(tables, t, e)
		case high[e] > r.limit:
			x.row(terms[e], factored.LE, r.limit+limits[e])
			x.price(tables, t, e)
		}
	}
}

// price notes the price of a relation at step t, which the last row states.
func (x *Flow) price(tables *Tables, t, rel int) {
	for len(x.prices) < len(x.Rows) {
		x.prices = append(x.prices, 0)
	}
	x.prices[len(x.Rows)-1] = -float64(tables.Price[t-1][rel]) / float64(tables.Scale)
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
