package search

import (
	"context"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
)

// Layers is the state graph step by step, for engines that want to know what
// is reachable: exactly the states and steps that some plan of the horizon
// passes.
type Layers struct {
	// States[t-1] are the states of step t, 1..H+1, as valuations whose action
	// and auxiliary bits are false.
	States [][]factored.Valuation
	// Edges[t-1] are the steps from t to t+1, parallel ones included.
	Edges [][]Edge
}

// Edge is one step from States[t-1][From] to States[t][To].
type Edge struct {
	From, To int32
	Action   factored.Valuation // the state's and the action's bits together
}

// Explore lists the layers of a task, forwards from the initial states and then
// backwards from those in which a plan may end. It gives up, with false, when
// the context ends or a layer would have more than most edges.
func Explore(ctx context.Context, t engine.Task, horizon, most int) (*Layers, bool, error) {
	s, err := newStep(t)
	if err != nil {
		return nil, false, err
	}
	g := newGraph(s)
	full := func() bool { return g.states.count > most }
	if !g.addInitial(ctx, full) {
		return nil, false, nil
	}
	w := s.newWorker(ctx, 0)
	type step struct {
		from, to uint32
		action   uint32
	}
	fans := map[uint32][]step{} // by state; a state's steps are the same at any time
	actions := newTable(s.actionWords())
	layers := [][]uint32{nil}
	for i := range g.depth[0] {
		layers[0] = append(layers[0], uint32(i))
	}
	var f fan
	sw, aw := s.stateWords(), s.actionWords()
	for range horizon {
		here := layers[len(layers)-1]
		seen := map[uint32]bool{}
		var next []uint32
		edges := 0
		for _, id := range here {
			steps, known := fans[id]
			if !known {
				if ctx.Err() != nil {
					return nil, false, nil
				}
				key := append([]uint64(nil), g.states.key(id)...)
				w.expand(key, &f)
				for k := range f.rewards {
					steps = append(steps, step{id, g.states.add(f.states[k*sw : (k+1)*sw]), actions.add(f.actions[k*aw : (k+1)*aw])})
				}
				fans[id] = steps
			}
			if edges += len(steps); edges > most {
				return nil, false, nil
			}
			for _, e := range steps {
				if !seen[e.to] {
					seen[e.to] = true
					next = append(next, e.to)
				}
			}
		}
		layers = append(layers, next)
	}
	if ctx.Err() != nil {
		return nil, false, nil
	}
	// Backwards: what cannot end is left out.
	alive := map[uint32]int32{}
	out := &Layers{States: make([][]factored.Valuation, horizon+1), Edges: make([][]Edge, horizon)}
	keep := func(t int, id uint32) {
		alive[id] = int32(len(out.States[t]))
		out.States[t] = append(out.States[t], s.valuation(g.states.key(id), nil))
	}
	for _, id := range layers[horizon] {
		if w.isFinal(g.states.key(id)) {
			keep(horizon, id)
		}
	}
	for t := horizon - 1; t >= 0; t-- {
		after := alive
		alive = map[uint32]int32{}
		for _, id := range layers[t] {
			for _, e := range fans[id] {
				to, ok := after[e.to]
				if !ok {
					continue
				}
				if _, ok := alive[id]; !ok {
					keep(t, id)
				}
				out.Edges[t] = append(out.Edges[t], Edge{alive[id], to, s.valuation(g.states.key(id), actions.key(e.action))})
			}
		}
	}
	return out, true, nil
}

// Rollout follows a few promising ways from the initial states, at most width at
// a time, and gives the best plan among them; nil where none ends well.
func Rollout(ctx context.Context, t engine.Task, horizon, width int) (*factored.Trace, error) {
	s, err := newStep(t)
	if err != nil {
		return nil, err
	}
	r := &run{q: engine.Query{Task: t, MinHorizon: horizon, MaxHorizon: horizon}, g: newGraph(s), report: func(engine.Progress) {}}
	r.workers = []*worker{s.newWorker(ctx, 0)}
	const most = 1 << 14 // initial states; what is left out is no matter
	r.g.addInitial(ctx, func() bool { return r.g.states.count > most })
	r.beam(ctx, width)
	if r.incumbent == nil {
		return nil, nil
	}
	return r.incumbent.Trace, nil
}
