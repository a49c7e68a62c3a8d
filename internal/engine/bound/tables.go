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
func sumUses(uses []use, price []int64) (c int64) {
	for _, u := range uses {
		c += u.coef * price[u.rel]
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
	for b, reads := 0, m.reads; reads != 0; b, reads = b+1, reads>>1 {
		if reads&1 != 0 {
			visit(g.readUse[b])
		}
	}
}

// priced holds what the bits of a group cost at one step.
type priced struct {
	read       []int64
	now, after []int64 // by value; nil where nothing is priced
}

func (g *part) price(price []int64, p *priced) {
	p.read = p.read[:0]
	for _, uses := range g.readUse {
		p.read = append(p.read, sumUses(uses, price))
	}
	fill := func(uses [][]use, to []int64) []int64 {
		if uses == nil {
			return nil
		}
		to = to[:0]
		for _, u := range uses {
			to = append(to, sumUses(u, price))
		}
		return to
	}
	p.now, p.after = fill(g.nowUse, p.now), fill(g.afterUse, p.after)
}

// readCost is what the true bits of reads cost.
func (p *priced) readCost(reads uint64) (c int64) {
	for i := 0; reads != 0; i, reads = i+1, reads>>1 {
		if reads&1 != 0 {
			c += p.read[i]
		}
	}
	return c
}

// build fills one group's table for given prices.
func (f *Factors) build(g *part, at [][]int64, price Prices, scale int64, p *priced) {
	h := f.horizon
	for v := range at[h] {
		at[h][v] = infinite
		if g.allowed[h][v] {
			at[h][v] = 0
		}
	}
	for t := h; t >= 1; t-- {
		g.price(price[t-1], p)
		here, then := at[t-1], at[t]
		known, fixed := g.known[t-1], g.fixed[t-1]
		for v := range here {
			here[v] = infinite
			if !g.allowed[t-1][v] {
				continue
			}
			best := int64(infinite)
			for i := range g.moves[v] {
				m := &g.moves[v][i]
				if m.reads&known != fixed || then[m.to] == infinite {
					continue
				}
				c := m.cost*scale + then[m.to] + p.readCost(m.reads)
				if p.after != nil {
					c += p.after[m.to]
				}
				best = min(best, c)
			}
			if best < infinite {
				if p.now != nil {
					best += p.now[v]
				}
				here[v] = best
			}
		}
	}
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
	var p priced
	for id := range f.parts {
		f.build(&f.parts[id], t.At[id], t.Price, t.Scale, &p)
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
