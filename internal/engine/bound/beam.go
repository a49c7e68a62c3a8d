package bound

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/factored"
)

// beam is one run through all layers.
type beam struct {
	f      *Factors
	o      *order
	t      *Tables
	limit  int64 // nodes with a higher bound are left out
	width  int
	whole  bool  // it ends when it drops a node
	spared int   // nodes that layers until now had less than the width
	most   int64 // bytes

	layer   *layer
	spare   *layer // the one before, to be used again
	history []origins
	held    int64 // bytes of history
	carry   carries
	dropped int64     // the least bound that was dropped for lack of room
	pruned  int64     // the least that was above the limit
	off     []bool    // by rule: it says nothing at the step at hand; nil where all hold
	rest    [][]int32 // moves that rest; nil where the system cannot rest everywhere
	pairs   *pairs    // nil for none
	seen    *layer    // states of all steps until now, where it can
	waves   *waves    // what it goes through, in place of steps; nil for these
	goal    ending
	nodes   int64
	guide   *guide    // nil for none
	better  dominance // nil for none
	looked  int64     // nodes that were compared with others
	removed int64     // and those of them that others dominate
	pause   func()    // called after each step

	bits    []int8  // by variable: the pending bits of the node at hand
	sums    []int64 // by rule
	more    []int64 // by rule: what the group that counts it must count beyond its least, at the node at hand
	less    []int64 // by rule: what it cannot count of its most
	touched []int32 // rules whose sums are not 0
	key     []uint32
	next    []int32
	price   priced[int64]
	lost    lost
	final   *propagate.State
}

// lent is the part of what layers had less than the width that the next one may have more.
const lent = 3

func (f *Factors) newBeam(o *order, t *Tables, limit int64, width int, most int64) *beam {
	return &beam{
		f: f, o: o, t: t, limit: limit, width: width, most: most, dropped: infinite, pruned: infinite, pause: func() {},
		goal: ending{cost: infinite}, seen: newLayer(len(f.parts)),
		carry: newCarries(),
		bits:  make([]int8, f.r.numVars+1), sums: make([]int64, len(f.s.rules)), more: make([]int64, len(f.s.rules)), less: make([]int64, len(f.s.rules)),
		key: make([]uint32, len(f.parts)+1), final: f.r.final.NewState(), lost: lost{left: make([]int64, len(f.s.rules)), price: make([]int64, len(f.s.rules))},
	}
}

// outcome of a beam.
type outcome uint8

const (
	ended  outcome = iota // it went through
	cut                   // the context ended
	noRoom                // the memory did
)

// run goes through all layers from the initial nodes. When it gives a trace, it
// is the best plan below the limit unless something was dropped.
func (b *beam) run(ctx context.Context, starts [][]uint32) (*factored.Trace, int64, outcome) {
	f := b.f
	b.start(starts)
	b.note(0)
	for t := 1; t <= f.horizon && b.layer.size() > 0; t++ {
		if f.off != nil {
			b.off = f.off[t-1]
		}
		for k := range b.o.group {
			whole := b.expand(ctx, t, k)
			if ctx.Err() != nil || b.whole && b.dropped < infinite {
				return nil, 0, cut
			}
			if !whole || b.most > 0 && b.held+b.seen.bytes()+b.layer.bytes() > b.most {
				return nil, 0, noRoom
			}
		}
		b.note(t)
		b.pause()
	}
	if b.goal.cost == infinite {
		return nil, 0, ended
	}
	return b.trace(starts), b.goal.cost, ended
}

// start makes the layer of the initial nodes.
func (b *beam) start(starts [][]uint32) {
	b.carry.number(nil)
	b.layer, b.spare = newLayer(len(b.key)), newLayer(len(b.key))
	for i, s := range starts {
		bound := -b.t.Tail[0]
		for id, v := range s {
			if bound += b.t.At[id][0][v]; bound >= infinite/2 {
				bound = infinite
				break
			}
		}
		if b.allows(bound) && !b.o.impossible {
			copy(b.key, s)
			b.key[len(s)] = 0
			b.o.canonical(b.key, nil)
			b.layer.add(b.key, hashKey(b.key), 0, bound, 0, -1, int32(i))
		}
	}
	b.close()
}

// turn begins the next layer and returns the one before.
func (b *beam) turn() (old *layer) {
	old = b.layer
	b.layer, b.spare = b.spare, old
	b.layer.empty(old.size())
	b.layer.lowest = old.lowest
	return old
}

// close thins the layer and notes how it came about.
func (b *beam) close() {
	kept, dropped := b.layer.thin(b.width+b.spared/lent, b.spare)
	if kept != b.layer {
		b.layer, b.spare = kept, b.layer
	}
	b.dropped = min(b.dropped, dropped)
	b.history = append(b.history, origins{slices.Clone(b.layer.from), slices.Clone(b.layer.by)})
	b.held += 8 * int64(b.layer.size())
}

// ends reports whether a plan may end with these values of the groups.
func (f *Factors) ends(st *propagate.State, value func(id int) uint32) bool {
	if !st.Consistent() {
		return false
	}
	st.Reset()
	for id := range f.parts {
		g := &f.parts[id]
		if len(g.own) > 0 && !step.Assign(st, lits(g.own), g.values[value(id)]) {
			return false
		}
	}
	return f.completes(st)
}

// completes reports whether a final state, of which the bits that vary are assigned, is allowed.
func (f *Factors) completes(st *propagate.State) bool {
	var aux []model.Lit
	p := f.r.Task.Problem
	for i := range p.NumBits() {
		v := f.r.nowVar(factored.Bit(i))
		switch p.Kind(factored.Bit(i)) {
		case factored.State:
			if x := f.r.fixed[v]; x != 0 && !st.Assign(model.Lit(v)*model.Lit(x)) {
				return false
			}
		case factored.Auxiliary:
			aux = append(aux, model.Lit(v))
		}
	}
	return st.Satisfiable(aux)
}

// trace is the plan of the best ending.
func (b *beam) trace(starts [][]uint32) *factored.Trace {
	x := b.itinerary(starts)
	if b.waves != nil {
		return b.waves.of.traceOf(b.waves.bySteps(x))
	}
	return b.f.traceOf(x)
}

// itinerary follows the best ending back.
func (b *beam) itinerary(starts [][]uint32) *itinerary {
	f := b.f
	n := len(b.o.group)
	moves := make([]int32, b.goal.step*n)
	i := b.goal.node
	for k := len(moves); k > 0; k-- {
		moves[k-1] = b.history[k].by[i]
		i = b.history[k].from[i]
	}
	values := slices.Clone(starts[b.history[0].by[i]])
	actual := make([]int32, len(values)) // by slot of the key: the group that it stands for
	for id := range actual {
		actual[id] = int32(id)
	}
	b.o.canonical(values, actual)
	x := &itinerary{}
	for t := range f.horizon + 1 {
		now, chosen := make([]int32, len(actual)), make([]int32, len(actual))
		for slot, id := range actual {
			now[id] = int32(values[slot])
		}
		x.values = append(x.values, now)
		for k := 0; t < f.horizon && k < n; k++ {
			slot := b.o.group[k]
			id := actual[slot]
			if t < b.goal.step {
				chosen[id] = moves[t*n+k]
			} else {
				chosen[id] = b.rest[id][values[slot]]
			}
			values[slot] = uint32(f.parts[id].moves[values[slot]][chosen[id]].to)
			b.o.settle(k, values, actual)
		}
		x.moves = append(x.moves, chosen)
	}
	return x
}
