package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/engine/verify"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Verdict is the answer of `fdplan validate`.
type Verdict struct {
	Schema  int      `json:"schema"`
	Problem string   `json:"problem"`
	Horizon int      `json:"horizon"`
	Valid   Verdicts `json:"valid"`
	Reward  *float64 `json:"reward"` // of a valid plan
	Trace   []Values `json:"trace"`  // of a valid plan
	Failure *Fault   `json:"failure"`
	// Simulated and what follows is of the simulator, where it was asked.
	Simulated        *float64 `json:"simulated_reward"`
	SimulatorFailure *Fault   `json:"simulator_failure"`
	// Differs is the first state in which the simulator is elsewhere than the
	// model; null when there is none, or the model gives no states.
	Differs     *Difference `json:"differs"`
	Simulations int         `json:"simulations"` // steps that the simulator was asked for
	Recorded    int         `json:"recorded"`    // transitions added to the data set
}

// Difference is a state that was expected and one that was observed.
type Difference struct {
	Step     int    `json:"step"`     // 1 for the initial state
	Expected Values `json:"expected"` // of the variables that differ
	Observed Values `json:"observed"`
}

// Fault is where an invalid plan fails.
type Fault struct {
	Step       int    `json:"step"`
	Group      string `json:"group"`
	Constraint string `json:"constraint"`
	Origin     string `json:"origin,omitempty"`
	Values     Values `json:"values"` // primed names are of the next step
	Text       string `json:"text"`   // all of it as a sentence
}

// Validate replays a plan, read from the named file's data, in the model and in
// the real system, nil for none, where it begins in the plan's first state if
// the plan has states. Errors about the system are those of package simulator.
func Validate(ctx context.Context, problem *Problem, name string, data []byte, real *Real) (*Verdict, error) {
	t := problem.Task
	plan, err := ReadPlan(t.Problem, name, data)
	if err != nil {
		return nil, err
	}
	report, err := validate.Check(t.Problem, t.Network, plan)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	v := &Verdict{Schema: Schema, Problem: t.Problem.Name, Horizon: len(plan.Actions)}
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
		v.Reward = rewardOf(t.Problem, report.Reward)
		for _, val := range report.Trace.Steps {
			v.Trace = append(v.Trace, valuesOf(t.Problem, factored.State, val, true))
		}
		return v, nil
	}
	v.Failure = failureLine(report.Failure)
	return v, nil
}

// replay replays a plan in a real system; states are the model's, nil where
// they are not known.
func (v *Verdict) replay(ctx context.Context, problem *Problem, plan validate.Plan, states []factored.Valuation, real *Real) error {
	if real.Name == rddlName && !real.Info().Deterministic {
		return errors.New("the RDDL is stochastic; whether a plan holds in it is a matter of chance")
	}
	var start factored.Valuation
	var err error
	if plan.States != nil {
		start = plan.States[0]
	} else if start, err = problem.start(real); err != nil {
		return err
	}
	run, err := real.Replay(ctx, start, plan.Actions)
	if err != nil {
		return err
	}
	valid := run.Failure == nil
	v.Valid.Simulator, v.Simulations, v.Recorded = &valid, real.Steps(), real.Recorded()
	if valid {
		v.Simulated = run.Reward
	} else {
		v.SimulatorFailure = faultOf(run.Failure)
	}
	for i, a := range run.Answers {
		if i < len(states) && v.Differs == nil {
			v.Differs = difference(problem.Problem, i+1, states[i], a)
		}
	}
	return nil
}

// difference compares a state that was expected with one that was observed;
// nil when they agree.
func difference(p *factored.Problem, step int, expected factored.Valuation, a *simulator.Answer) *Difference {
	want, got := simulator.Differing(p, &simulator.Answer{State: expected}, a)
	if len(want) == 0 {
		return nil
	}
	d := &Difference{Step: step, Expected: Values{}, Observed: Values{}}
	for i := range want {
		d.Expected, d.Observed = append(d.Expected, Entry(want[i])), append(d.Observed, Entry(got[i]))
	}
	return d
}

// Property is the answer of `fdplan verify`.
type Property struct {
	Schema   int      `json:"schema"`
	Problem  string   `json:"problem"`
	Property string   `json:"property"`
	Status   string   `json:"status"`  // "holds" or "fails"
	Witness  *Witness `json:"witness"` // of a property that fails
	Checked  bool     `json:"checked"` // the checker confirmed the witness
}

// Witness is a step that breaks a property.
type Witness struct {
	State  Values `json:"state"`
	Action Values `json:"action"`
	Next   Values `json:"next"`
}

// Verify decides a property of one step.
func Verify(ctx context.Context, problem *Problem, property string) (*Property, error) {
	t := problem.Task
	e, err := expr.Parse(t.Problem, property, expr.Options{Next: true})
	if err != nil {
		return nil, fmt.Errorf("--property %s: %w", property, err)
	}
	res, err := verify.Property(ctx, t, e)
	if err != nil {
		return nil, err
	}
	out := &Property{Schema: Schema, Problem: t.Problem.Name, Property: property, Status: "holds"}
	if !res.Holds {
		p := t.Problem
		out.Status, out.Checked = "fails", true
		out.Witness = &Witness{
			State:  valuesOf(p, factored.State, res.Now, true),
			Action: valuesOf(p, factored.Action, res.Now, true),
			Next:   valuesOf(p, factored.State, res.Next, true),
		}
	}
	return out, nil
}
