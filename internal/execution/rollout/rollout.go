package rollout

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/problem/factored"
)

// Planner searches from one state after another. It belongs to one goroutine.
type Planner struct {
	t       *simulator.Truth
	r       *sim.Runner
	rng     *rand.Rand
	horizon int
	noop    []float64
	root    *way // the state to begin in
	best    *way // nil before the first
}

// way is a sequence of joint actions, in the order of Simulator.Actions, with what came of it.
type way struct {
	actions, states [][]float64 // one state more than actions
	rewards         []float64   // summed: rewards[t] is that of the first t actions
}

func (w *way) reward() float64 { return w.rewards[len(w.rewards)-1] }

// New returns a planner in the model of t, its compiled problem, which must be deterministic.
// It draws from rng alone.
func New(t *simulator.Truth, rng *rand.Rand) (*Planner, error) {
	s, err := sim.New(t.Compiled.Ground, sim.WithRanges(t.Sim.Ranges()))
	if err != nil {
		return nil, err
	}
	if s.Stochastic() {
		return nil, errors.New("the model draws at random; expected a deterministic one")
	}
	return &Planner{t: t, r: s.NewRunner(rng), rng: rng, noop: s.Noop(nil)}, nil
}

// Start forgets earlier plans and begins in a state, with the plan to do nothing.
func (p *Planner) Start(state factored.Valuation, horizon int) {
	p.horizon, p.best = horizon, nil
	p.root = &way{states: [][]float64{p.t.State(state)}, rewards: []float64{0}}
	p.take(p.walk(p.root, 0, p.action(nil)))
}

// Try takes the actions of a plan, and does nothing after its end.
func (p *Planner) Try(actions []factored.Valuation) {
	values := make([][]float64, len(actions))
	for i, a := range actions {
		values[i] = p.t.Action(a)
	}
	p.take(p.walk(p.root, 0, p.action(values)))
}

// action chooses from a list, and doing nothing after its end.
func (p *Planner) action(list [][]float64) func(t int) []float64 {
	return func(t int) []float64 {
		if t < len(list) {
			return list[t]
		}
		return p.noop
	}
}

// walk takes the first steps of a way and continues with the actions that choose returns. An
// illegal one is replaced by doing nothing, or by a random legal one where that is illegal
// too. The result ends early in a terminal state, and is nil if there is no way on.
func (p *Planner) walk(w *way, steps int, choose func(t int) []float64) *way {
	out := &way{
		actions: append(make([][]float64, 0, p.horizon), w.actions[:steps]...),
		states:  append(make([][]float64, 0, p.horizon+1), w.states[:steps+1]...),
		rewards: append(make([]float64, 0, p.horizon+1), w.rewards[:steps+1]...),
	}
	var broken *sim.Violation
	if err := p.r.SetState(out.states[steps]); err != nil && !errors.As(err, &broken) {
		return nil
	}
	for t := steps; t < p.horizon; t++ {
		if end, err := p.r.Terminal(); err != nil {
			return nil
		} else if end {
			break
		}
		action, err := p.legal(choose(t))
		if err != nil {
			return nil
		}
		reward, err := p.r.Advance(action)
		if err != nil {
			return nil
		}
		out.actions = append(out.actions, action)
		out.states = append(out.states, p.r.State(nil))
		out.rewards = append(out.rewards, out.rewards[t]+reward)
	}
	return out
}

// legal returns a joint action, or what replaces it in the present state.
func (p *Planner) legal(action []float64) ([]float64, error) {
	if p.r.CheckAction(action) == nil {
		return action, nil
	}
	if p.r.CheckAction(p.noop) == nil {
		return p.noop, nil
	}
	return p.r.DrawAction(nil)
}

// take keeps a way that is no worse than the best one.
func (p *Planner) take(w *way) {
	if w != nil && (p.best == nil || w.reward() >= p.best.reward()) {
		p.best = w
	}
}

// Improve searches for a better plan until ctx ends or rounds changes were tried.
func (p *Planner) Improve(ctx context.Context, rounds int) {
	if p.best == nil || len(p.best.actions) == 0 {
		return
	}
	p.constant(ctx)
	for i := 0; i < rounds && ctx.Err() == nil && len(p.best.actions) > 0; i++ {
		p.change()
	}
}

// maxConstant bounds the actions that are tried at every step.
const maxConstant = 64

// constant tries plans that set one action at every step.
func (p *Planner) constant(ctx context.Context) {
	for i := 0; i < min(len(p.noop), maxConstant) && ctx.Err() == nil; i++ {
		action := p.single(i)
		p.take(p.walk(p.root, 0, func(int) []float64 { return action }))
	}
}

// single is the joint action in which one action alone is not at its default: true, or a
// value that is drawn.
func (p *Planner) single(i int) []float64 {
	action := slices.Clone(p.noop)
	p.set(action, i)
	return action
}

// set gives action i another value, unless its values are not known.
func (p *Planner) set(action []float64, i int) {
	s := p.r.Simulator()
	r, ok := s.Ranges().Of(&s.Problem().Fluents[s.Actions()[i]])
	if n := len(r.Values); n > 0 {
		action[i] = r.Values[p.rng.IntN(n)]
	} else if n := int(r.Hi - r.Lo); ok && n > 0 {
		x := r.Lo + float64(p.rng.IntN(n))
		if x >= action[i] {
			x++
		}
		action[i] = x
	}
}

// The changes of a plan at a random step.
const (
	draw    = iota // a legal joint action that is drawn
	flip           // one action has another value
	only           // one action alone is not at its default
	remove         // the step is left out
	insert         // a drawn action comes before it
	copied         // the action of another step
	some           // several actions in a row are drawn
	changes        // number of changes
)

// change tries one change.
func (p *Planner) change() {
	old := p.best.actions
	at := p.rng.IntN(len(old))
	next := slices.Clone(old)
	end := at + 1 // drawn from at to here
	switch p.rng.IntN(changes) {
	case draw:
	case flip:
		next[at], end = slices.Clone(old[at]), at
		p.set(next[at], p.rng.IntN(len(p.noop)))
	case only:
		next[at], end = p.single(p.rng.IntN(len(p.noop))), at
	case remove:
		next, end = slices.Delete(next, at, at+1), at
	case insert:
		next = slices.Insert(next, at, p.noop)
	case copied:
		next[at], end = old[p.rng.IntN(len(old))], at
	case some:
		end = at + 2 + p.rng.IntN(4)
	}
	follow := p.action(next)
	p.take(p.walk(p.best, at, func(t int) []float64 {
		if t < end {
			if action, err := p.r.DrawAction(nil); err == nil {
				return action
			}
		}
		return follow(t)
	}))
}

// Trace returns the best plan as bits of the problem; nil if there is none. It is shorter than
// the horizon if it ends in a terminal state. A state that lies outside the problem is an error.
func (p *Planner) Trace() (*factored.Trace, error) {
	if p.best == nil {
		return nil, nil
	}
	s := p.r.Simulator()
	tr := &factored.Trace{}
	values := make([]float64, len(s.Problem().Fluents))
	for t, state := range p.best.states {
		for i, f := range s.States() {
			values[f] = state[i]
		}
		action := p.noop
		if t < len(p.best.actions) {
			action = p.best.actions[t]
		}
		for i, f := range s.Actions() {
			values[f] = action[i]
		}
		bits, err := p.t.Compiled.Valuation(values)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", t+1, err)
		}
		tr.Steps = append(tr.Steps, bits)
	}
	return tr, nil
}
