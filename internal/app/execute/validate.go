package execute

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Verdict is the answer of `fdplan validate`.
type Verdict struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	load.Altered
	Horizon int          `json:"horizon"`
	Valid   app.Verdicts `json:"valid"`
	Reward  *float64     `json:"reward"` // of a valid plan
	Trace   []app.Values `json:"trace"`  // of a valid plan
	Failure *app.Fault   `json:"failure"`
	// Simulated and the following fields are about the simulator, if one was used.
	Simulated        *float64   `json:"simulated_reward"`
	SimulatorFailure *app.Fault `json:"simulator_failure"`
	// Differs is the first state in which the simulator differs from the model; null if there
	// is none, or if the model has no states.
	Differs     *app.Difference `json:"differs"`
	Simulations int             `json:"simulations"` // steps requested from the simulator
	Recorded    int             `json:"recorded"`    // transitions added to the data set
	// OutOfRange lists the values that the simulator sent and that their variables do not have; absent if there are
	// none.
	OutOfRange []simulator.Outside `json:"out_of_range,omitempty"`
	// Assumed says what the verdict about the model assumes of inputs; absent without.
	Assumed []load.Assumed `json:"assumed,omitempty"`
}

// Validate replays a plan, read from the named file's data, in the model and, unless it is
// nil, in the real system, starting in the plan's first state if the plan has states. Errors
// about the system are those of package simulator.
func Validate(ctx context.Context, problem *load.Problem, name string, data []byte, real *Real) (*Verdict, error) {
	t := problem.Task
	if x, err := problem.ExecuteText(name, data); x != nil || err != nil {
		return executed(problem, x), err
	}
	plan, err := app.ReadPlan(t.Problem, name, data)
	if err != nil {
		return nil, err
	}
	if err := problem.CheckHorizon(len(plan.Actions)); err != nil {
		return nil, err
	}
	report, err := validate.Check(t.Problem, t.Network, plan)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	v := &Verdict{Schema: app.Schema, Problem: t.Problem.Name, Altered: problem.Altered, Horizon: len(plan.Actions), Assumed: problem.Assumed()}
	v.Valid.Model = &report.Valid
	if real != nil {
		states := plan.States
		if report.Valid {
			states = report.Trace.Steps
		}
		if err := v.replay(ctx, problem, plan, states, real); err != nil {
			return nil, err
		}
	}
	if report.Valid {
		v.Reward = app.RewardOf(t.Problem, report.Reward)
		for _, val := range report.Trace.Steps {
			v.Trace = append(v.Trace, app.ValuesOf(t.Problem, factored.State, val, true))
		}
		return v, nil
	}
	v.Failure = app.CheckerFault(t.Problem, report.Failure)
	return v, nil
}

// executed is the verdict on a plan that was executed in PDDL.
func executed(p *load.Problem, x *load.Executed) *Verdict {
	if x == nil {
		return nil
	}
	v := &Verdict{Schema: app.Schema, Problem: p.Problem.Name, Horizon: x.Steps}
	valid := x.Failure == nil
	if v.Valid.Model = &valid; valid {
		v.Reward = &x.Reward
	} else {
		v.Failure = &app.Fault{Step: x.Steps, Text: x.Failure.Error()}
	}
	return v
}

// replay replays a plan in a real system; states are the model's, nil if unknown.
func (v *Verdict) replay(ctx context.Context, problem *load.Problem, plan validate.Plan, states []factored.Valuation, real *Real) error {
	if real.Name == rddlName && !real.Info().Deterministic {
		return errors.New("the RDDL is stochastic; whether a plan holds in it is a matter of chance")
	}
	var start factored.Valuation
	var err error
	if plan.States != nil {
		start = plan.States[0]
	} else if start, err = initial(problem, real); err != nil {
		return err
	}
	run, err := real.Replay(ctx, start, plan.Actions)
	if err != nil {
		return err
	}
	if run.Failure == nil {
		run.Failure = problem.TimedFailure(run.Answers, plan.Actions)
	}
	valid := run.Failure == nil
	v.Valid.Simulator, v.Simulations, v.Recorded = &valid, real.Steps(), real.Recorded()
	v.OutOfRange = real.Outside()
	if valid {
		v.Simulated = run.Reward
	} else {
		v.SimulatorFailure = app.SimulatorFault(run.Failure)
	}
	for i, a := range run.Answers {
		if i < len(states) && v.Differs == nil {
			v.Differs = app.DifferenceOf(problem.World(), i+1, states[i], a)
		}
	}
	return nil
}
