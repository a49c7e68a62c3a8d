package search

import (
	"context"
	"slices"

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
	s, err := newRelation(t)
	if err != nil {
		return nil, false, err
	}
	x := &layering{g: newGraph(s), w: s.newWorker(ctx, 0), most: most, steps: map[uint32][]layerStep{}, actions: newRegistry(s.ActionWords())}
	if !x.g.addInitial(ctx, func() bool { return x.g.states.Len() > most }) {
		return nil, false, nil
	}
	var first []uint32
	for i := range x.g.depth[0] {
		first = append(first, uint32(i))
	}
	layers := [][]uint32{first}
	for t := range horizon {
		next, ok := x.next(layers[t])
		if !ok {
			return nil, false, nil
		}
		layers = append(layers, next)
	}
	if ctx.Err() != nil {
		return nil, false, nil
	}
	return x.backwards(layers), true, nil
}

// layering is one call of Explore.
type layering struct {
	g       *graph
	w       *worker
	most    int
	steps   map[uint32][]layerStep // by state; a state's steps are the same at any time
	actions *registry
	found   successors // of the state at hand
}

// layerStep is a step from some state, by the numbers of action and successor.
type layerStep struct {
	to, action uint32
}

// next lists the states that follow those of a layer. It is false when the
// context ends or there are too many steps.
func (x *layering) next(layer []uint32) ([]uint32, bool) {
	seen := map[uint32]bool{}
	var next []uint32
	edges := 0
	for _, id := range layer {
		steps, known := x.steps[id]
		if !known {
			if x.w.ctx.Err() != nil {
				return nil, false
			}
			steps = x.expand(id)
			x.steps[id] = steps
		}
		if edges += len(steps); edges > x.most {
			return nil, false
		}
		for _, e := range steps {
			if !seen[e.to] {
				seen[e.to] = true
				next = append(next, e.to)
			}
		}
	}
	return next, true
}

// expand lists the steps of a state.
func (x *layering) expand(id uint32) (steps []layerStep) {
	f := &x.found
	x.w.expand(slices.Clone(x.g.states.key(id)), f)
	sw, aw := x.g.s.StateWords(), x.g.s.ActionWords()
	for k := range f.rewards {
		steps = append(steps, layerStep{x.g.states.add(f.states[k*sw : (k+1)*sw]), x.actions.add(f.actions[k*aw : (k+1)*aw])})
	}
	return steps
}

// backwards keeps what leads to a state in which a plan may end.
func (x *layering) backwards(layers [][]uint32) *Layers {
	g, horizon := x.g, len(layers)-1
	out := &Layers{States: make([][]factored.Valuation, horizon+1), Edges: make([][]Edge, horizon)}
	alive := map[uint32]int32{} // states of the layer at hand, by their place there
	keep := func(t int, id uint32) {
		alive[id] = int32(len(out.States[t]))
		out.States[t] = append(out.States[t], g.s.valuation(g.states.key(id), nil))
	}
	for _, id := range layers[horizon] {
		if x.w.isFinal(g.states.key(id)) {
			keep(horizon, id)
		}
	}
	for t := horizon - 1; t >= 0; t-- {
		after := alive
		alive = map[uint32]int32{}
		for _, id := range layers[t] {
			for _, e := range x.steps[id] {
				to, ok := after[e.to]
				if !ok {
					continue
				}
				if _, ok := alive[id]; !ok {
					keep(t, id)
				}
				out.Edges[t] = append(out.Edges[t], Edge{alive[id], to, g.s.valuation(g.states.key(id), x.actions.key(e.action))})
			}
		}
	}
	return out
}
