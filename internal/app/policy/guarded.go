package policy

import (
	"math"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// guarded is a policy.Guarded process whose states and actions can be shown.
type guarded struct {
	process
	by policy.Guarded

	of    *load.Problem
	shown *support.Shown // of each of its entities
	parts []factored.Valuation
	now   factored.Valuation
	next  []factored.Valuation
}

// newGuarded returns the process of a model in which nothing is expected of what rows do not show; nil where they are not recorded.
func newGuarded(p *load.Problem, m *model, objective policy.Objective, kind support.Showing) *guarded {
	one, of := p.One(), m.of
	if one != p {
		of = withoutModel(one.Problem)
	}
	shown := support.NewShown(one, kind)
	if shown == nil || one != p && p.OwnReward {
		return nil
	}
	least := 0.0
	if objective == policy.Reward {
		least = shown.Least(func(now, next factored.Valuation) float64 {
			reward, ok := validate.StepReward(of, now, next)
			if !ok {
				return math.Inf(1)
			}
			return of.Reward.Float(reward)
		})
		if math.IsInf(least, 1) {
			return nil
		}
		least *= float64(max(1, len(p.Entities)))
	}
	g := &guarded{process: m.process, of: p, shown: shown, now: make(factored.Valuation, m.p.Problem.NumBits())}
	g.by = policy.Guarded{Process: m.process, Known: g.look, Least: least}
	return g
}

// Expand implements policy.Process.
func (g *guarded) Expand(state []uint64, x *policy.Expansion) error { return g.by.Expand(state, x) }

// look reports whether rows show an action in a state; next has the packed states that it can lead to.
func (g *guarded) look(state []uint64, action uint32, next []uint64) (bool, error) {
	if err := g.Unpack(g.now, state); err != nil {
		return false, err
	}
	if err := g.Action(g.now, action); err != nil {
		return false, err
	}
	words := g.Words()
	n := len(next) / words
	for len(g.next) < n {
		g.next = append(g.next, make(factored.Valuation, len(g.now)))
	}
	for i := range n {
		if err := g.Unpack(g.next[i], next[i*words:(i+1)*words]); err != nil {
			return false, err
		}
	}
	for k, part := range g.of.Each(g.now) {
		g.parts = g.parts[:0]
		for _, then := range g.next[:n] {
			g.parts = append(g.parts, g.of.Each(then)[k])
		}
		if !g.shown.Shows(part, g.parts) {
			return false, nil
		}
	}
	return true, nil
}
