package execute

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// What a run does when no plan is found.
const (
	insteadRest   = "rest"
	insteadNoop   = "noop"
	insteadRandom = "random"
)

// instead chooses how a run with a determinised model goes on without a plan.
func (x *run) instead() string {
	switch {
	case len(x.rest.actions) > 0:
		return insteadRest
	case x.p.Truth == nil || legal(x.p.Truth.System(), x.now.State, noop(x.p.Problem)):
		return insteadNoop
	}
	return insteadRandom
}

// goOn takes a step without a plan.
func (x *run) goOn(ctx context.Context) error {
	instead := x.instead()
	if instead != insteadRest && len(x.last) > 0 {
		x.last = x.last[1:] // its first step is not taken
	}
	switch instead {
	case insteadRest:
		_, err := x.follow(ctx)
		return err
	case insteadRandom:
		if x.rng == nil {
			x.rng = rand.New(rand.NewPCG(x.r.Seed, 2))
		}
		action, err := randomAction(x.p.Truth.System(), x.now.State, x.rng)
		if err != nil {
			return err
		}
		_, err = x.step(ctx, app.ValuesOf(x.p.Problem, factored.Action, action, false), nil)
		return err
	}
	_, err := x.step(ctx, app.Values{}, nil)
	return err
}

// noop returns the joint action of all defaults.
func noop(p *factored.Problem) factored.Valuation {
	val := make(factored.Valuation, p.NumBits())
	p.Defaults(factored.Action, val)
	return val
}

// legal reports whether the preconditions allow an action in a state.
func legal(t *simulator.Truth, state, action factored.Valuation) bool {
	r := t.Sim.NewRunner(nil)
	// The state has been observed; whether it is legal does not matter here.
	_ = r.SetState(t.State(state))
	return r.CheckAction(t.Action(action)) == nil
}

// randomAction draws a joint action uniformly from those that are legal in a state.
func randomAction(t *simulator.Truth, state factored.Valuation, rng *rand.Rand) (factored.Valuation, error) {
	r := t.Sim.NewRunner(rng)
	_ = r.SetState(t.State(state))
	action, err := r.DrawAction(nil)
	if err != nil {
		return nil, fmt.Errorf("drawing a legal action: %w", err)
	}
	values := t.Compiled.Values(state)
	for i, f := range t.Sim.Actions() {
		values[f] = action[i]
	}
	return t.Compiled.Valuation(values)
}

// drawn sets the variables of a kind to random values.
func drawn(p *factored.Problem, k factored.Kind, val factored.Valuation, rng *rand.Rand) {
	for _, v := range p.OfKind(k) {
		_ = v.Set(val, v.Lo+rng.Int64N(v.Hi-v.Lo+1)) // in its range
	}
}

// Random draws an action that the rules allow, uniformly; where draws seldom are allowed, from the allowed ones
// that differ from doing nothing in one variable at most.
func (real *Real) Random(p *load.Problem, now *simulator.Answer, rng *rand.Rand) (factored.Valuation, error) {
	if p.Truth != nil && p.Other == nil {
		return randomAction(p.Truth.System(), now.State, rng)
	}
	w := p.World()
	for range mostDraws {
		val := make(factored.Valuation, w.NumBits())
		if drawn(w, factored.Action, val, rng); real.Allows(now, val) {
			return val, nil
		}
	}
	var legal []factored.Valuation
	idle := noop(w)
	for i := range w.Variables {
		v := &w.Variables[i]
		for x := v.Lo; v.Kind == factored.Action && x <= v.Hi; x++ {
			val := append(factored.Valuation(nil), idle...)
			if v.Set(val, x) == nil && real.Allows(now, val) {
				legal = append(legal, val)
			}
		}
	}
	if len(legal) == 0 {
		return nil, fmt.Errorf("%d random actions break the rules of the problem; expected rules that allow some", mostDraws)
	}
	return legal[rng.IntN(len(legal))], nil
}
