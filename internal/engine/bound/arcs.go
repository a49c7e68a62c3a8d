package bound

import (
	"fmt"
	"slices"
)

// arcs are the moves that are possible at a step, those from value v at from[v]..from[v+1]. Of moves between
// the same values that use the same the cheapest is kept.
type arcs struct {
	from []int32
	to   []int32
	sig  []int32
	cost []float64 // whole numbers
	of   [][]int32 // by value and move: the number of its arc; -1 where it is not possible
	best [][]int32 // by value: the cheapest move of each of its arcs, the first of equals
}

// layOut numbers what moves use, and lists the moves of each step.
func (g *part) layOut() {
	g.number()
	seasons := map[[2]uint64]*arcs{}
	for t := range g.known {
		season := [2]uint64{g.known[t], g.fixed[t]}
		if seasons[season] == nil {
			seasons[season] = g.season(season[0], season[1])
		}
		g.arcs = append(g.arcs, seasons[season])
	}
}

// number numbers what moves use.
func (g *part) number() {
	known, ofReads := map[string]int32{}, map[uint64]int32{}
	for v := range g.moves {
		for i := range g.moves[v] {
			m := &g.moves[v][i]
			n, ok := ofReads[m.reads]
			if !ok {
				n = g.sigOf(g.usesOf(m.reads), known)
				ofReads[m.reads] = n
			}
			m.sig = n
		}
	}
}

// sigOf numbers what is used, as known has it.
func (g *part) sigOf(uses []use, known map[string]int32) int32 {
	key := fmt.Sprint(uses)
	n, ok := known[key]
	if !ok {
		n = int32(len(g.sigs))
		known[key], g.sigs = n, append(g.sigs, uses)
	}
	return n
}

// usesOf is what is used by reading.
func (g *part) usesOf(reads uint64) (uses []use) {
	for b, r := 0, reads; r != 0; b, r = b+1, r>>1 {
		if r&1 == 0 {
			continue
		}
		uses = addUses(uses, g.readUse[b])
	}
	return slices.DeleteFunc(uses, func(u use) bool { return u.coef == 0 })
}

// addUses adds what is used besides, in ascending order of the relations.
func addUses(uses, more []use) []use {
	for _, u := range more {
		i := 0
		for i < len(uses) && uses[i].rel < u.rel {
			i++
		}
		if i == len(uses) || uses[i].rel != u.rel {
			uses = slices.Insert(uses, i, use{rel: u.rel})
		}
		uses[i].coef += u.coef
	}
	return uses
}

// season are the moves that read fixed in the places known.
func (g *part) season(known, fixed uint64) *arcs {
	return g.list(func(v, i int) bool { return g.moves[v][i].reads&known == fixed })
}

// list are the moves that are possible.
func (g *part) list(possible func(v, i int) bool) *arcs {
	a := &arcs{}
	for v := range g.moves {
		a.from = append(a.from, int32(len(a.to)))
		at := map[[2]int32]int{}
		of := make([]int32, len(g.moves[v]))
		a.of = append(a.of, of)
		var best []int32
		for i := range g.moves[v] {
			m := &g.moves[v][i]
			if of[i] = -1; !possible(v, i) {
				continue
			}
			key := [2]int32{m.to, m.sig}
			if k, ok := at[key]; ok {
				if of[i] = int32(k); float64(m.cost) < a.cost[k] {
					a.cost[k], best[int32(k)-a.from[v]] = float64(m.cost), int32(i)
				}
				continue
			}
			of[i] = int32(len(a.to))
			at[key] = len(a.to)
			a.to, a.sig, a.cost = append(a.to, m.to), append(a.sig, m.sig), append(a.cost, float64(m.cost))
			best = append(best, int32(i))
		}
		a.best = append(a.best, best)
	}
	a.from = append(a.from, int32(len(a.to)))
	return a
}

// number is what costs are counted in: floating point while prices are looked for, integers for the bound.
type number interface{ int64 | float64 }

// priced is what moves and values of a group cost at a step's prices.
type priced[T number] struct {
	sig        []T
	now, after []T // by value; empty where nothing is priced
}

// at sets the costs.
func (p *priced[T]) at(g *part, price []T) {
	fill := func(uses [][]use, to []T) []T {
		to = to[:0]
		for _, u := range uses {
			to = append(to, sumUses(u, price))
		}
		return to
	}
	p.sig, p.now, p.after = fill(g.sigs, p.sig), fill(g.nowUse, p.now), fill(g.afterUse, p.after)
}

// build fills a group's table backwards, at the prices of each step, counted from 0. Costs are scaled, and top is that of a value without a
// way, to which sums never come near.
func build[T number](g *part, table [][]T, price func(t int) []T, scale, top T, p *priced[T]) {
	h := len(g.arcs)
	for v := range table[h] {
		table[h][v] = top
		if g.allowed[h][v] {
			table[h][v] = 0
		}
	}
	for t := h - 1; t >= 0; t-- {
		p.at(g, price(t))
		a, here, then := g.arcs[t], table[t], table[t+1]
		for v, x := range p.after { // what is paid for the value that follows
			then[v] += x
		}
		for v := range here {
			here[v] = top
			if !g.allowed[t][v] {
				continue
			}
			best := top
			from, to := a.from[v], a.from[v+1]
			tos, sigs, costs := a.to[from:to], a.sig[from:to], a.cost[from:to]
			for i, w := range tos {
				if x := T(costs[i])*scale + p.sig[sigs[i]] + then[w]; x < best {
					best = x
				}
			}
			if len(p.now) > 0 {
				best += p.now[v]
			}
			if best < top/2 {
				here[v] = best
			}
		}
		for v, x := range p.after {
			then[v] -= x
		}
	}
}
