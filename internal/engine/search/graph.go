package search

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/routine"
)

// graph is the part of the reachable state space that has been expanded.
// States are numbered breadth first, so those first reached by step t are a
// prefix of all.
type graph struct {
	s        *relation
	compiled *compiledStep // nil before the step is compiled, and where it cannot be
	states   *registry
	actions  *registry
	depth    []int // depth[d] is the number of states reachable in at most d steps
	done     int   // states[:done] are expanded

	start  []int64 // edges of state i: [start[i], start[i+1])
	succ   []uint32
	action []uint32
	reward []int64
	last   []int64 // per state: 1 + its latest edge, to find parallel edges
	final  []int8  // per state: 1 a plan may end there, -1 not, 0 not asked
	ends   bool    // a plan may end in every state

	passes int64 // forward passes
	effort int64 // of code beside them, in joint actions tried
	tried  int64 // successors before merging
	widest int   // most successors seen of one state, before merging

	// tick is called now and then while a state is expanded alone, with the joint actions that were tried and are not in tried yet; nil
	// for none. The state is given up where it is false.
	tick func(tried int64) bool
}

// tickWork is about how much work is done, in joint actions that code tries, from one call of tick to the next.
const tickWork = 1 << 16

func newGraph(s *relation) *graph {
	return &graph{s: s, states: newRegistry(s.StateWords()), actions: newRegistry(s.ActionWords()), start: []int64{0}}
}

// bytes is the memory that the graph holds.
func (g *graph) bytes() int64 {
	return g.states.Bytes() + g.actions.Bytes() +
		8*int64(cap(g.start)+cap(g.reward)+cap(g.last)) + 4*int64(cap(g.succ)+cap(g.action)) + int64(cap(g.final))
}

// addInitial numbers all states that I and C allow at step 1, in order; false
// when the context ended or full said so first.
func (g *graph) addInitial(ctx context.Context, full func() bool) bool {
	st := g.s.first.NewState()
	st.SetInterrupt(func() bool { return ctx.Err() != nil || full() })
	key := make([]uint64, g.s.StateWords())
	whole := true
	if st.Consistent() {
		aux := append(append(g.s.Aux[:0:0], g.s.Paid...), g.s.Aux...)
		whole = st.Each(g.s.Now, func() bool {
			if st.Satisfiable(aux) {
				step.Pack(key, st, g.s.Now)
				g.states.add(key)
			}
			return true
		})
	}
	g.depth = append(g.depth, g.states.Len())
	return whole && !st.Interrupted()
}

// A block of states is expanded between two looks at the limits: at most
// blockStates, no more than give about blockEdges edges at the widest
// fan-out seen, since a block's edges are held twice, and where propagation completes them no more
// than take blockEffort.
const (
	blockStates = 2048
	blockEdges  = 1 << 20
	blockEffort = 1 << 17
)

// blockSize is how many states are expanded next, at most.
func (g *graph) blockSize(workers int) int {
	if g.done == 0 {
		return 4 * workers // until a fan-out is known
	}
	n := min(blockStates, blockEdges/(1+g.widest))
	if g.compiled == nil && !g.s.direct {
		n = min(n, blockEffort/((1+g.widest)*int(g.s.effort())))
	}
	return max(n, 1)
}

// expandLayer expands every state that is not, and so adds one depth. It is
// false when the context ended or full returned true; the graph then holds some
// states with all their edges. pause is called between blocks.
func (g *graph) expandLayer(ctx context.Context, workers []*worker, full func() bool, pause func()) bool {
	end := g.states.Len()
	for g.done < end {
		if ctx.Err() != nil || full() {
			return false
		}
		block := min(g.blockSize(len(workers)), end-g.done)
		found := make([]successors, block)
		if w := workers[0]; block == 1 && g.tick != nil { // on any number of threads
			w.tick = g.tick
			g.expandBlock(workers, found)
			w.tick = nil
			g.tick(0)
		} else {
			g.expandBlock(workers, found)
		}
		if ctx.Err() != nil {
			return false // the successors may be incomplete
		}
		for i := range found {
			if found[i].tooWide {
				return false
			}
			g.widest = max(g.widest, len(found[i].rewards))
			g.merge(&found[i])
		}
		pause()
	}
	g.depth = append(g.depth, g.states.Len())
	return true
}

// expandBlock finds the successors of the states from done on.
func (g *graph) expandBlock(workers []*worker, found []successors) {
	expandBlock(workers, g.compiled, found, func(i int) []uint64 { return g.states.key(uint32(g.done + i)) })
}

// expandBlock finds the successors of the states that key gives, by compiled
// code if x is not nil.
func expandBlock(workers []*worker, x *compiledStep, found []successors, key func(i int) []uint64) {
	per := 1
	if x != nil {
		per = x.states
	}
	parallel(workers, (len(found)+per-1)/per, func(w *worker, n int) {
		from, to := n*per, min((n+1)*per, len(found))
		if x == nil {
			w.expand(key(from), &found[from])
			return
		}
		keys := make([][]uint64, 0, 64)
		for i := from; i < to; i++ {
			keys = append(keys, key(i))
		}
		w.expandCompiled(x, keys, found[from:to])
	})
}

// parallel calls f for 0..n-1, each on some worker.
func parallel(workers []*worker, n int, f func(w *worker, i int)) {
	if len(workers) == 1 || n < 4 {
		for i := range n {
			f(workers[0], i)
		}
		return
	}
	var next atomic.Int64
	var wg routine.Group
	for _, w := range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(w, i)
			}
		})
	}
	wg.Wait()
}

// merge makes f the edges of state g.done. Of parallel edges the best is kept,
// the first of equals: a plan that takes another is never better, nor earlier
// in the order.
func (g *graph) merge(f *successors) {
	sw, aw := g.s.StateWords(), g.s.ActionWords()
	first := int64(len(g.succ))
	g.passes += f.passes
	g.tried += int64(len(f.rewards))
	g.effort += f.effort
	const dropped = ^uint32(0)
	drops := 0
	for k, r := range f.rewards {
		to := g.states.add(f.states[k*sw : (k+1)*sw])
		for int(to) >= len(g.last) {
			g.last = append(g.last, 0)
		}
		if e := g.last[to] - 1; e >= first {
			if g.reward[e] >= r {
				continue
			}
			g.succ[e] = dropped
			drops++
		}
		g.last[to] = int64(len(g.succ)) + 1
		g.succ = append(g.succ, to)
		g.action = append(g.action, g.actions.add(f.actions[k*aw:(k+1)*aw]))
		g.reward = append(g.reward, r)
	}
	if drops > 0 {
		n := first
		for e := first; e < int64(len(g.succ)); e++ {
			if g.succ[e] == dropped {
				continue
			}
			g.succ[n], g.action[n], g.reward[n] = g.succ[e], g.action[e], g.reward[e]
			g.last[g.succ[n]] = n + 1
			n++
		}
		g.succ, g.action, g.reward = g.succ[:n], g.action[:n], g.reward[:n]
	}
	g.done++
	g.start = append(g.start, int64(len(g.succ)))
}

// classify asks for each of the first n states whether a plan may end there.
// It is false when that was interrupted, or stop returned true.
func (g *graph) classify(workers []*worker, n int, stop func() bool) bool {
	from := len(g.final)
	if n <= from {
		return true
	}
	g.final = append(g.final, make([]int8, n-from)...)
	if g.ends {
		for i := range g.final {
			g.final[i] = 1
		}
		return true
	}
	var stopped atomic.Bool
	parallel(workers, n-from, func(w *worker, i int) {
		g.final[from+i] = -1
		if stopped.Load() || i%64 == 0 && stop() {
			stopped.Store(true)
			return
		}
		if w.isFinal(g.states.key(uint32(from + i))) {
			g.final[from+i] = 1
		}
	})
	if stopped.Load() || slices.ContainsFunc(workers, func(w *worker) bool { return w.fin.Interrupted() }) {
		g.final = g.final[:from]
		return false
	}
	return true
}

// reach is the number of states reachable in at most d steps.
func (g *graph) reach(d int) int {
	return g.depth[min(d, len(g.depth)-1)]
}

// saturated reports whether no state is left to expand.
func (g *graph) saturated() bool { return g.done == g.states.Len() }
