package load

import (
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/problem/factored"
)

// Unrounded is how a plan fares where reals are not rounded.
type Unrounded struct {
	Valid  bool    `json:"valid"`
	Reward float64 `json:"reward"` // up to where the plan fails
	// Off is the greatest difference of a state from that of the model, of the fluent named.
	Off    float64 `json:"off"`
	Fluent string  `json:"fluent,omitempty"`
	// Says is why the plan fails; absent if it does not.
	Says string `json:"says,omitempty"`
}

// String is for people.
func (u *Unrounded) String() string {
	switch {
	case u == nil:
		return ""
	case !u.Valid:
		return "without rounding the plan fails: " + u.Says
	case u.Fluent == "":
		return fmt.Sprintf("without rounding the plan holds, with reward %.6g and the same states", u.Reward)
	}
	return fmt.Sprintf("without rounding the plan holds, with reward %.6g; the states differ by %.3g at most (%s)", u.Reward, u.Off, u.Fluent)
}

// Unrounded replays a plan, the states of which are those of the model, in RDDL whose reals are not rounded; draws have the values that
// the model gives them. It is nil for other problems. A state that is the initial one of the model is that of the RDDL.
func (p *Problem) Unrounded(tr *factored.Trace) (*Unrounded, error) {
	t := p.Truth
	if t == nil || t.Compiled == nil || t.Compiled.Ground.Unrounded == nil {
		return nil, nil
	}
	rounded, g := t.Compiled.Ground, t.Compiled.Ground.Unrounded
	if rounded.Origin != nil {
		var err error
		if g, err = g.Determinize(rounded.Origin.Rule); err != nil {
			return nil, err
		}
	}
	s, err := sim.New(g)
	if err != nil || s.Stochastic() {
		return nil, err
	}
	u, r := &Unrounded{Valid: true}, s.NewRunner(nil)
	fail := func(err error) (*Unrounded, error) {
		u.Valid, u.Says = false, err.Error()
		return u, nil
	}
	start := t.Compiled.Values(tr.Steps[0])
	state := make([]float64, len(s.States()))
	for i, f := range s.States() {
		if state[i] = start[f]; start[f] == rounded.Fluents[f].Initial {
			state[i] = g.Fluents[f].Initial
		}
	}
	if err := r.SetState(state); err != nil {
		return fail(err)
	}
	system := t.System()
	for k := range tr.Horizon() {
		reward, err := r.Step(system.Action(tr.Steps[k]))
		if u.Reward += reward; err != nil {
			return fail(err)
		}
		values := t.Compiled.Values(tr.Steps[k+1])
		for _, f := range s.States() {
			if off := math.Abs(r.Value(f) - values[f]); off > u.Off {
				u.Off, u.Fluent = off, g.Fluents[f].Name
			}
		}
	}
	return u, u.judge(system, r)
}

// judge looks whether the goal holds.
func (u *Unrounded) judge(t *simulator.Truth, r *sim.Runner) error {
	if t.Goal == nil {
		return nil
	}
	now := make([]float64, len(t.Compiled.Ground.Fluents))
	for i := range now {
		now[i] = r.Value(i)
	}
	holds, err := ground.Eval(t.Goal, &ground.Values{Now: now})
	if err == nil && holds == 0 {
		u.Valid, u.Says = false, "the goal "+t.Goal.String()+" does not hold"
	}
	return err
}
