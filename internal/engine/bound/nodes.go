package bound

import (
	"context"
	"math"

	"github.com/fdplan/fdplan/internal/model"
)

// Node is a state that plans that cost less than a target may pass, as far as tables and
// prices know.
type Node struct {
	Values []uint32 // by group: the number of its value
	Cost   int64    // of the steps before, at least; constants left out
}

// Value is a value of a group at a step.
type Value struct {
	Number uint32
	// Cost is the least priced cost of this step and those after it,
	// math.MaxInt64 if the group alone has no way from the value to the goal.
	Cost int64
}

// Nodes lists, for each step from 1 to H+1, the states that plans below the target may pass: a
// beam that drops nothing but what tables and prices show to be too expensive. It gives
// nil if these are more than most nodes, those between the groups of a step counted
// too, or if the context ended.
func (x *Relaxation) Nodes(ctx context.Context, most int64) [][]Node {
	f := x.f
	starts, ok := f.listStarts(ctx)
	if !ok {
		return nil
	}
	o := f.newOrder()
	o.same, o.interchangeable = nil, make([][]int32, len(o.group)) // of states that differ by a swap each is one
	b := f.newBeam(o, x.t, (x.target-f.step)*x.t.Scale, int(min(most, lastWidth)), 0)
	b.lost.none = true // of which proofs know nothing
	b.start(starts)
	out := [][]Node{b.list()}
	for t := 1; t <= f.horizon; t++ {
		b.tighten(t)
		for k := range o.group {
			if !b.expand(ctx, t, k) || ctx.Err() != nil || b.nodes > most || b.dropped < infinite {
				return nil
			}
		}
		out = append(out, b.list())
	}
	return out
}

// tighten raises the bounds of the nodes before step t to what their costs and the tables show:
// what was left of rules at earlier steps does not count. It drops those whose bounds are too high then.
func (b *beam) tighten(t int) {
	old := b.turn()
	b.layer.lowest = true
	for i, cost := range old.cost {
		key := old.key(i)
		bound := cost*b.t.Scale - b.t.Tail[t-1]
		for id := range b.f.parts {
			bound += b.t.At[id][t-1][key[id]]
		}
		if bound <= b.limit {
			b.layer.add(key, hashKey(key), cost, bound, 0, old.from[i], old.by[i])
		}
	}
}

// list lists the nodes of a beam between two steps.
func (b *beam) list() (out []Node) {
	for i, cost := range b.layer.cost {
		values := make([]uint32, len(b.f.parts))
		copy(values, b.layer.key(i))
		out = append(out, Node{values, cost})
	}
	return out
}

// Order lists the groups in the order in which Nodes decides them.
func (x *Relaxation) Order() (groups []int) {
	for _, id := range x.f.newOrder().group {
		groups = append(groups, int(id))
	}
	return groups
}

// Bits are the literals of a value of a group, in the order of Chain.Now, in the
// variables of the one-step model.
func (x *Relaxation) Bits(id int, value uint32) []model.Lit {
	g := &x.f.parts[id]
	out := lits(g.own)
	for i := range out {
		if g.values[value][i/64]>>(i%64)&1 == 0 {
			out[i] = -out[i]
		}
	}
	return out
}

// Values lists, for each step from 1 to H+1, the values that a group may have there,
// everything outside free.
func (x *Relaxation) Values(id int) [][]Value {
	f, g, at := x.f, &x.f.parts[id], x.t.At[id]
	here := make([]bool, len(g.values))
	for _, v := range g.starts {
		here[v] = true
	}
	out := make([][]Value, f.horizon+1)
	for i := range out {
		then := make([]bool, len(g.values))
		for v, ok := range here {
			if !ok {
				continue
			}
			cost := at[i][v]
			if cost >= infinite {
				cost = math.MaxInt64
			}
			out[i] = append(out[i], Value{uint32(v), cost})
			for k := range g.moves[v] {
				if m := &g.moves[v][k]; g.allowed[i][v] && i < f.horizon && m.reads&g.known[i] == g.fixed[i] {
					then[m.to] = true
				}
			}
		}
		here = then
	}
	return out
}

// Paid lists what is paid for variables at each step: the groups' shares without prices,
// in ascending order of the variables.
func (x *Relaxation) Paid() (out []model.Term) {
	for v := int32(1); v <= x.f.r.numVars; v++ {
		var c int64
		for _, share := range x.shares {
			c += share[v]
		}
		if c != 0 {
			out = append(out, model.Term{Coef: c, Lit: model.Lit(v)})
		}
	}
	return out
}
