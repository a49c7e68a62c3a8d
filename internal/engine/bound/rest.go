package bound

// Where the system may rest in every state, a state that was reached before at no higher cost need not be visited
// again: what a plan does from there on it may do as well from the earlier visit on, and rest at its end.

// rests lists for each group and value a move that stays there at no cost while nothing is done; nil where the groups cannot all
// rest in every state.
func (f *Factors) rests() [][]int32 {
	out := make([][]int32, len(f.parts))
	least, most := make([]int64, len(f.rels)), make([]int64, len(f.rels))
	for id := range f.parts {
		g := &f.parts[id]
		for _, v := range g.reads {
			if f.r.role[v] == now {
				return nil // what others are decides whether it rests
			}
		}
		low, high := make([]int64, len(f.rels)), make([]int64, len(f.rels))
		for v := range g.moves {
			by := g.rest(int32(v))
			if by < 0 {
				return nil
			}
			out[id] = append(out[id], by)
			sum := make([]int64, len(f.rels))
			f.eachUse(g, int32(v), &g.moves[v][by], func(uses []use) {
				for _, u := range uses {
					sum[u.rel] += u.coef
				}
			})
			for e, x := range sum {
				if v == 0 {
					low[e], high[e] = x, x
				}
				low[e], high[e] = min(low[e], x), max(high[e], x)
			}
		}
		for e := range f.rels {
			least[e], most[e] = least[e]+low[e], most[e]+high[e]
		}
	}
	for e := range f.rels {
		r := &f.rels[e]
		if r.rule >= 0 && f.s.invariant[r.rule] {
			continue // it holds where the system is
		}
		if most[e] > r.limit || r.equal && least[e] < r.limit {
			return nil
		}
	}
	return out
}

// rest is the move of a group that stays at a value while nothing is done, -1 for none.
func (g *part) rest(v int32) int32 {
	for i := range g.moves[v] {
		if m := &g.moves[v][i]; m.reads == 0 && m.to == v && m.cost == 0 {
			return int32(i)
		}
	}
	return -1
}

// ending is where a plan may end.
type ending struct {
	step int
	node int32
	cost int64
}

// dear reports whether a state is of no use, the groups up to position k decided in step t: pairs show it to cost too much, or to come too late, or it was reached before after
// the last group. Else it returns what pairs add to its bound.
func (b *beam) dear(t, k int, cost, bound int64) (more int64, is bool) {
	key := b.key[:len(b.f.parts)]
	if b.pairs != nil {
		priced := b.priced(cost, b.pairs.of(key, b.o.later[k]))
		if !b.allows(priced) || b.pairs.late(key, b.o.later[k], b.f.horizon-t) {
			return 0, true
		}
		more = max(0, priced-bound)
	}
	if k < len(b.o.group)-1 {
		return more, false
	}
	at := b.seen.find(key, hashKey(key))
	return more, at >= 0 && b.seen.cost[at] <= cost
}

// priced is the bound of a state with what was paid before it and is to be paid from there on.
func (b *beam) priced(cost, left int64) int64 {
	if left >= infinite {
		return infinite
	}
	return (cost + left) * b.t.Scale
}

// note takes down the states after step t, and the cheapest in which a plan may end.
func (b *beam) note(t int) {
	if b.rest == nil && t < b.f.horizon {
		return
	}
	for i, cost := range b.layer.cost {
		key := b.layer.key(i)[:len(b.f.parts)]
		if b.rest != nil {
			b.seen.add(key, hashKey(key), cost, 0, 0, 0, 0)
		}
		if cost < b.goal.cost && b.mayEnd(key) && b.f.ends(b.final, func(id int) uint32 { return key[id] }) {
			b.goal = ending{t, int32(i), cost}
		}
	}
	if b.goal.cost < infinite {
		b.limit = min(b.limit, (b.goal.cost-b.f.step)*b.t.Scale)
	}
}

// mayEnd reports whether each group alone may end where it is.
func (b *beam) mayEnd(key []uint32) bool {
	for id, v := range key {
		if b.t.At[id][b.f.horizon][v] >= infinite {
			return false
		}
	}
	return true
}
