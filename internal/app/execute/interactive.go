package execute

import (
	"context"
	"errors"
	"slices"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// Observation is what a real system answers to a reset or to a step.
type Observation struct {
	Schema int `json:"schema"`
	Step   int `json:"step"` // steps since the reset
	// State is the state after it, every variable that was observed; null if the step was not
	// taken.
	State   *app.Values `json:"state"`
	Missing []string    `json:"missing,omitempty"` // variables that were not observed
	// OutOfRange lists the values that the system sent and that their variables do not have; absent if there
	// are none.
	OutOfRange []simulator.Outside `json:"out_of_range,omitempty"`
	Reward     *float64            `json:"reward"`   // of the step; null if unknown, and after a reset
	Terminal   bool                `json:"terminal"` // no action can follow
	Goal       *bool               `json:"goal"`     // whether the goal holds; null if that is unknown
	Failure    *app.Fault          `json:"failure"`  // the rule that the reset or the step violated
}

// ErrEpisode is the error of a step without a reset before it, or after the end of an episode.
var ErrEpisode = errors.New("no episode has begun, or it has ended; expected a reset before the step")

// Interactive drives a real system from outside, one action at a time.
type Interactive struct {
	p      *load.Problem
	real   *Real
	now    *simulator.Answer // nil outside of an episode
	taken  int
	failed bool // the system is of no use any more
	reward *simulator.Reward
}

// NewInteractive drives a system that was opened for p. The caller closes the system.
func NewInteractive(p *load.Problem, real *Real) (*Interactive, error) {
	if err := NoTimed(p); err != nil {
		return nil, err
	}
	return &Interactive{p: p, real: real}, nil
}

// Reset begins an episode in the initial state of from, which is the problem with its initial
// state changed or not, or in a state of the system's own if from does not give one.
func (x *Interactive) Reset(ctx context.Context, from *load.Problem) (*Observation, error) {
	x.now, x.taken, x.reward = nil, 0, x.real.NewReward()
	start, err := initial(from, x.real)
	if err != nil {
		return nil, err
	}
	a, err := x.real.Reset(ctx, start)
	if err != nil {
		x.failed = true
		return nil, err
	}
	return x.observe(a)
}

// Step takes an action, the JSON object of a step of a plan.
func (x *Interactive) Step(ctx context.Context, action []byte) (*Observation, error) {
	if x.now == nil {
		return nil, ErrEpisode
	}
	steps := append(append([]byte(`{"schema":1,"plan":[`), action...), `]}`...)
	plan, err := app.ReadPlan(x.p.Problem, "action", steps)
	if err != nil {
		return nil, err
	}
	before := x.now
	a, err := x.real.Step(ctx, before, plan.Actions[0])
	if err != nil {
		x.now, x.failed = nil, true
		return nil, err
	}
	x.taken++
	out, err := x.observe(a)
	if err == nil && a.State != nil {
		out.Reward = x.reward.Add(before, plan.Actions[0], a)
	}
	return out, err
}

// Failed reports whether the system has failed and can only be closed.
func (x *Interactive) Failed() bool { return x.failed }

// observe notes an answer, which ends the episode if it violates a rule or is terminal.
func (x *Interactive) observe(a *simulator.Answer) (*Observation, error) {
	out := &Observation{Schema: app.Schema, Step: x.taken, Terminal: a.Terminal, Missing: a.Missing, OutOfRange: a.Outside}
	x.now = a
	if v := a.Violation; v != nil {
		step := max(1, x.taken)
		if v.After {
			step++
		}
		out.Failure, x.now = app.SimulatorFault(&simulator.Failure{Violation: v, Step: step}), nil
	}
	if a.Terminal {
		x.now = nil
	}
	if a.State == nil {
		return out, nil
	}
	state := app.ValuesOf(x.p.Problem, factored.State, a.State, true)
	state = slices.DeleteFunc(state, func(e app.Entry) bool { return slices.Contains(a.Missing, e.Name) })
	out.State = &state
	if out.Failure == nil && len(x.p.Problem.Goal) > 0 || a.Goal != nil {
		v, err := x.real.Goal(a)
		var partial *simulator.PartialError
		switch {
		case errors.As(err, &partial): // it is unknown
		case err != nil:
			return nil, err
		default:
			holds := v == nil
			out.Goal = &holds
		}
	}
	return out, nil
}
