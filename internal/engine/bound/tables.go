package bound

// Prices of the relations at each step, in units of one Scale-th of a cost.
// Those of inequalities are not negative.
type Prices [][]int64 // [t-1][relation]

// Tables bound what each group still pays: At[g][t-1][v] is the least priced
// cost of steps t..H of group g alone from its value v on, everything outside
// free. The cost of a plan is at least the sum of the tables at its first
// state, minus the prices times the limits of the relations (Lagrangean
// relaxation), divided by Scale. All of it is in integers.
type Tables struct {
	At    [][][]int64
	Tail  []int64 // [t-1]: prices times limits of steps t..H
	Scale int64
	Price Prices
}

// sumUses is what uses cost at a step's prices.
func sumUses[T number](uses []use, price []T) (c T) {
	for _, u := range uses {
		c += T(u.coef) * price[u.rel]
	}
	return c
}

// eachUse visits all that a move uses of relations.
func (f *Factors) eachUse(g *part, v int32, m *move, visit func([]use)) {
	if g.nowUse != nil {
		visit(g.nowUse[v])
	}
	if g.afterUse != nil {
		visit(g.afterUse[m.to])
	}
	visit(g.sigs[m.sig])
}

// newTables makes room for tables.
func (f *Factors) newTables(scale int64) *Tables {
	t := &Tables{Scale: scale, Tail: make([]int64, f.horizon+1), Price: make(Prices, f.horizon)}
	for i := range t.Price {
		t.Price[i] = make([]int64, len(f.rels))
	}
	for id := range f.parts {
		at := make([][]int64, f.horizon+1)
		for i := range at {
			at[i] = make([]int64, len(f.parts[id].values))
		}
		t.At = append(t.At, at)
	}
	return t
}

// fill computes tables and tails from t.Price.
func (f *Factors) fill(t *Tables) {
	var p priced[int64]
	for id := range f.parts {
		build(&f.parts[id], t.At[id], func(i int) []int64 { return t.Price[i] }, t.Scale, infinite, &p)
	}
	t.Tail[f.horizon] = 0
	for i := f.horizon - 1; i >= 0; i-- {
		t.Tail[i] = t.Tail[i+1]
		for e, price := range t.Price[i] {
			t.Tail[i] += price * f.rels[e].limit
		}
	}
}

// root is the bound on the priced cost of all plans, infinite if there is none; the constant
// is not in it.
func (f *Factors) root(t *Tables) int64 {
	sum := -t.Tail[0]
	for id := range f.parts {
		best := int64(infinite)
		for _, v := range f.parts[id].starts {
			best = min(best, t.At[id][0][v])
		}
		if best == infinite {
			return infinite
		}
		sum += best
	}
	return sum
}

// cost turns a priced cost into the least cost that a plan can have, without
// the constant: the next multiple of what costs are multiples of.
func (f *Factors) cost(priced, scale int64) int64 {
	if priced >= infinite {
		return infinite
	}
	unit := scale * f.step
	q := priced / unit
	if q*unit < priced {
		q++
	}
	return q * f.step
}

// reward is the scaled reward of a plan of a cost that cost gave.
func (f *Factors) reward(cost int64) int64 { return -(cost + f.constant*int64(f.horizon)) }
