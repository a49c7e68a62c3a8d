package planner

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/expr"
	"github.com/fdplan/fdplan/factored"
	"github.com/fdplan/fdplan/validate"
	"github.com/fdplan/fdplan/verify"
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
	// Simulated and SimulatorFailure are of the simulator, where it was asked.
	Simulated        *float64 `json:"simulated_reward"`
	SimulatorFailure *Fault   `json:"simulator_failure"`
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

// Validate replays a plan, read from the named file's data, in the model and,
// when asked, in the simulator.
func Validate(problem *Problem, name string, data []byte, inSimulator bool) (*Verdict, error) {
	t := problem.Task
	if _, err := problem.Simulator(); inSimulator && err != nil {
		return nil, err
	}
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
	if inSimulator {
		s, err := problem.simulate(plan)
		if err != nil {
			return nil, err
		}
		valid := s.failure == nil
		v.Valid.Simulator, v.SimulatorFailure = &valid, s.failure
		if valid {
			v.Simulated = &s.reward
		}
	}
	if report.Valid {
		v.Reward = rewardOf(t.Problem, report.Reward)
		for _, val := range report.Trace.Steps {
			v.Trace = append(v.Trace, valuesOf(t.Problem, factored.State, val, true))
		}
		return v, nil
	}
	f := report.Failure
	v.Failure = &Fault{Step: f.Step, Group: f.Group, Constraint: f.What, Origin: f.Origin, Values: Values{}, Text: f.Error()}
	for _, x := range f.Values {
		e := Entry{Name: x.Name, Value: x.Value}
		if x.Next {
			e.Name += "'"
		}
		if x.Bool {
			e.Value = x.Value != 0
		}
		v.Failure.Values = append(v.Failure.Values, e)
	}
	return v, nil
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
