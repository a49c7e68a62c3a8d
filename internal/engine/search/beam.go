package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/problem/factored"
)

// maxBeamWidth is the most states that a beam keeps at each step.
const maxBeamWidth = 512

// beamWidth is the width of a beam that tries about as many successors as
// were tried so far.
func (r *run) beamWidth(tried int64) int {
	perState := int64(r.q.MaxHorizon) * int64(1+r.g.widest)
	return int(min(max(tried/perState, 8), maxBeamWidth))
}

// beamNode is a state on the beam and how it was reached.
type beamNode struct {
	state, action []uint64 // action leads here; nil at the first step
	parent        int32    // in the layer before
	reward        int64    // summed so far
	broken        int      // goal constraints that fail here
}

// beam looks for a first plan while the graph is too large to be complete: a
// walk through the steps that keeps few states at each, a third of them the
// best so far, a third those that break the fewest goals, and a third spread by
// their hash, since sometimes neither says where to go. It proves nothing and
// stores nothing in the graph.
func (r *run) beam(ctx context.Context, width int) {
	if r.without&Beam != 0 {
		return
	}
	g := r.g
	most := 2 * max(g.tried/int64(r.q.MaxHorizon*width), int64(1+g.widest)) // a state may have far more joint actions than those before it
	var layers [][]beamNode
	var layer []beamNode
	for i := range g.depth[0] {
		layer = append(layer, beamNode{state: slices.Clone(g.states.key(uint32(i)))})
	}
	layer = r.thin(layer, width)
	for t := 1; ; t++ {
		layers = append(layers, layer)
		if h := t - 1; h >= r.q.MinHorizon {
			r.take(layers, h)
		}
		if t > r.q.MaxHorizon || len(layer) == 0 || ctx.Err() != nil {
			return
		}
		layer = r.thin(r.beamStep(ctx, layer, most), width)
	}
}

// beamStep expands a layer, by so many joint actions of each state at most where code does not try all, and keeps the best way to each successor.
func (r *run) beamStep(ctx context.Context, layer []beamNode, most int64) []beamNode {
	s := r.g.s
	found := make([]successors, len(layer))
	parallel(r.workers, len(layer), func(w *worker, i int) {
		w.atMost = most
		w.expand(layer[i].state, &found[i])
		w.atMost = 0
	})
	if ctx.Err() != nil {
		return nil
	}
	seen := newRegistry(s.StateWords())
	var next []beamNode
	sw, aw := s.StateWords(), s.ActionWords()
	for i := range found {
		if ctx.Err() != nil {
			return nil
		}
		f := &found[i]
		for k, reward := range f.rewards {
			n := beamNode{state: f.states[k*sw : (k+1)*sw], action: f.actions[k*aw : (k+1)*aw], parent: int32(i), reward: layer[i].reward + reward}
			if id := seen.add(n.state); int(id) == len(next) {
				next = append(next, n)
			} else if next[id].reward < n.reward {
				next[id] = n
			}
		}
	}
	return next
}

// thin keeps width nodes and lets go of the memory of the others.
func (r *run) thin(nodes []beamNode, width int) []beamNode {
	kept := integer.Below[int32](len(nodes))
	if len(nodes) > width {
		for i := range nodes {
			nodes[i].broken = r.g.s.brokenGoals(nodes[i].state)
		}
		byHash := func(a, b *beamNode) int { return cmp.Compare(hash(a.state), hash(b.state)) }
		byReward := func(a, b *beamNode) int { return cmp.Or(cmp.Compare(b.reward, a.reward), byHash(a, b)) }
		byGoal := func(a, b *beamNode) int { return cmp.Or(cmp.Compare(a.broken, b.broken), byReward(a, b)) }
		for i, order := range []func(a, b *beamNode) int{byReward, byGoal, byHash} {
			slices.SortFunc(kept[i*width/3:], func(a, b int32) int { return order(&nodes[a], &nodes[b]) })
		}
		kept = kept[:width]
	}
	out := make([]beamNode, len(kept))
	for i, k := range kept {
		n := nodes[k]
		n.state, n.action = slices.Clone(n.state), slices.Clone(n.action)
		out[i] = n
	}
	return out
}

// brokenGoals counts the goal constraints, over state bits alone, that fail in
// state.
func (s *relation) brokenGoals(state []uint64) int {
	broken := 0
next:
	for i := range s.p.Goal {
		c := &s.p.Goal[i]
		var sum int64
		for _, t := range c.Terms {
			if s.p.Kind(t.Lit.Bit) != factored.State {
				continue next
			}
			if step.Bit(state, s.Place[t.Lit.Bit]) != t.Lit.Neg {
				sum += t.Coef
			}
		}
		if c.Op != factored.GE && sum > c.K || c.Op != factored.LE && sum < c.K {
			broken++
		}
	}
	return broken
}

// take makes the best node of the last layer in which a plan may end the
// incumbent, if it is better.
func (r *run) take(layers [][]beamNode, h int) {
	last := layers[len(layers)-1]
	best := -1
	for i, n := range last {
		if (best < 0 || n.reward > last[best].reward) && (r.incumbent == nil || n.reward > r.incumbent.Reward) && r.workers[0].isFinal(n.state) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	tr := &factored.Trace{Steps: make([]factored.Valuation, h+1)}
	var action []uint64
	for t, i := h, int32(best); t >= 0; t-- {
		n := &layers[t][i]
		tr.Steps[t] = r.g.s.valuation(n.state, action)
		action, i = n.action, n.parent
	}
	r.incumbent = &engine.Result{Status: engine.Feasible, Horizon: h, Reward: last[best].reward, Trace: tr}
	if r.q.MinHorizon == r.q.MaxHorizon {
		r.limits.Shared.Offer(tr, r.incumbent.Reward)
	}
	r.report(engine.Progress{Phase: fmt.Sprintf("search: a plan of %d steps", h), Reward: &r.incumbent.Reward, Trace: tr, Work: r.work()})
}
