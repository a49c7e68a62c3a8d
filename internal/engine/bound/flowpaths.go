package bound

import (
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// addGroup adds the moves of a group on paths that cost no more than slack above its cheapest, with prices.
func (x *Flow) addGroup(id int, t *Tables, slack int64) {
	g := &x.f.parts[id]
	reached := x.beginnings(id, t) // what the cheapest way to a value costs above the cheapest of all, but for what is still to come
	var p priced[int64]
	for n := range x.f.horizon {
		p.at(g, t.Price[n])
		then := make([]int64, len(g.values))
		for v := range then {
			then[v] = infinite
		}
		for v := range g.values {
			for _, m := range x.leaving(id, n, v, reached[v]) {
				cost := reached[v] + m.cost*t.Scale + p.sig[m.sig]
				if len(p.now) > 0 {
					cost += p.now[v]
				}
				if len(p.after) > 0 {
					cost += p.after[m.to]
				}
				if t.At[id][n+1][m.to] >= infinite || cost+t.At[id][n+1][m.to] > slack {
					continue
				}
				then[m.to] = min(then[m.to], cost)
				m.priced = cost - reached[v]
				m.lit = model.Lit(x.add())
				x.moves++
				x.ways[n][id] = append(x.ways[n][id], m)
				if m.cost != 0 {
					x.Costs = append(x.Costs, model.Term{Coef: m.cost, Lit: m.lit})
				}
			}
		}
		reached = then
	}
	x.conserve(id)
}

// conserve states that a group leaves the values that it gets to.
func (x *Flow) conserve(id int) {
	best := x.cheapest(id)
	into := make([][]model.Term, len(x.f.parts[id].values))
	for n := range x.f.horizon {
		rows, next := into, make([][]model.Term, len(into))
		var all []model.Term
		for _, m := range x.ways[n][id] {
			rows[m.from] = append(rows[m.from], model.Term{Coef: -1, Lit: m.lit})
			next[m.to] = append(next[m.to], model.Term{Coef: 1, Lit: m.lit})
			all = append(all, model.Term{Coef: 1, Lit: m.lit})
		}
		switch {
		case n == 0 && x.m != nil: // of several first values there is one
			x.row(all, factored.EQ, 1)
		case n == 0:
			for v := range rows {
				if k := x.supply(id, v); k > 0 {
					x.rowFor(best[n][v], rows[v], -k)
				}
			}
		default:
			for v := range rows {
				if len(rows[v]) > 0 {
					x.rowFor(best[n][v], rows[v], 0)
				}
			}
		}
		into = next
	}
}

// cheapest are the moves that ways of least cost, with prices, take from each value at each step; 0 for none.
func (x *Flow) cheapest(id int) [][]model.Lit {
	out := make([][]model.Lit, x.f.horizon)
	then := make([]int64, len(x.f.parts[id].values)) // what is still to come
	for n := x.f.horizon - 1; n >= 0; n-- {
		out[n] = make([]model.Lit, len(then))
		now := make([]int64, len(then))
		for _, m := range x.ways[n][id] {
			if c := m.priced + then[m.to]; out[n][m.from] == 0 || c < now[m.from] {
				now[m.from], out[n][m.from] = c, m.lit
			}
		}
		then = now
	}
	return out
}

// supply is how many of the groups that a group stands for begin with a value.
func (x *Flow) supply(id, v int) (n int64) {
	for _, other := range x.members[id] {
		if int(x.begin[other]) == v {
			n++
		}
	}
	return n
}

// beginnings are what ways to first values cost more than the cheapest of all, but for what is still to come.
func (x *Flow) beginnings(id int, t *Tables) []int64 {
	g := &x.f.parts[id]
	out := make([]int64, len(g.values))
	for v := range out {
		out[v] = infinite
	}
	if x.m == nil {
		for v := range out {
			if x.supply(id, v) > 0 && t.At[id][0][v] < infinite {
				out[v] = -t.At[id][0][v]
			}
		}
		return out
	}
	least := int64(infinite)
	for _, v := range g.starts {
		least = min(least, t.At[id][0][v])
	}
	for _, v := range g.starts {
		out[v] = -least
	}
	return out
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
