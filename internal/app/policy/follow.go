package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/execution/decision"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Parse reads a policy file, for whatever problem it is.
func Parse(name string, data []byte) (*Document, error) {
	var d struct {
		Document
		Table *Table `json:"table"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, source.Errorf(name, 1, 0, "expected a policy as plan --policy -o writes it: %v", err)
	}
	out := &d.Document
	switch {
	case d.Table == nil:
		return nil, source.Errorf(name, 1, 0, "there is no table; expected a policy as plan --policy -o writes it")
	case out.Horizon < 1 || out.Horizon > policy.MaxHorizon || !slices.Contains(policy.Objectives, out.Objective):
		return nil, source.Errorf(name, 1, 0, "the horizon is %d and the objective %s; expected a horizon from 1 to %d, and success or reward", out.Horizon, source.Quote(string(out.Objective)), policy.MaxHorizon)
	}
	out.Table = *d.Table
	for _, s := range out.Table.States {
		for i, x := range s {
			if f, ok := x.(float64); ok && f == math.Trunc(f) {
				s[i] = int64(f)
			}
		}
	}
	if err := out.Table.check(out.Disturbances != nil); err != nil {
		return nil, source.Errorf(name, 1, 0, "%v", err)
	}
	return out, nil
}

// Read reads a policy file for a problem.
func Read(p *load.Problem, name string, data []byte) (*Document, error) {
	d, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	if d.Problem != p.Problem.Name {
		return nil, source.Errorf(name, 1, 0, "the policy is for %s; expected one for %s", source.Quote(d.Problem), p.Problem.Name)
	}
	if n := d.Disturbances; n != nil && (*n < 0 || *n > mostFailures) {
		return nil, source.Errorf(name, 1, 0, "the policy is for %d disturbances; expected 0 to %d", *n, mostFailures)
	}
	if err := checkVariables(p.Problem, d.Table.Variables); err != nil {
		return nil, source.Errorf(name, 1, 0, "%v", err)
	}
	if _, err := statesOf(p.Problem, d.Table.States); err != nil {
		return nil, source.Errorf(name, 1, 0, "%v", err)
	}
	if d.Table.Actions, err = readSteps(p.Problem, name, d.Table.Actions); err != nil {
		return nil, err
	}
	if d.Plan, err = readSteps(p.Problem, name, d.Plan); err != nil {
		return nil, err
	}
	if _, err := d.act(p.Problem); err != nil {
		return nil, source.Errorf(name, 1, 0, "%v", err)
	}
	return d, nil
}

// readSteps reads joint actions, with the errors of plans.
func readSteps(p *factored.Problem, name string, list []app.Values) ([]app.Values, error) {
	if len(list) == 0 {
		return list, nil
	}
	text, err := json.Marshal(map[string]any{"schema": app.Schema, "plan": list})
	if err != nil {
		return nil, err
	}
	plan, err := app.ReadPlan(p, name, text)
	return stepsOf(p, plan.Actions), err
}

// Is reports whether a file looks like a policy rather than a plan, even one that is cut off.
func Is(data []byte) bool {
	var d struct {
		Table json.RawMessage `json:"table"`
	}
	if json.Unmarshal(data, &d) != nil {
		return bytes.Contains(data, []byte(`"objective":`))
	}
	return d.Table != nil
}

// Verdict is what the evaluator says of a policy file. It says nothing of other policies.
type Verdict struct {
	Schema  int      `json:"schema"`
	Problem string   `json:"problem"`
	Valid   bool     `json:"valid"` // it keeps the rules, and its value is what the file says
	Value   *float64 `json:"value"` // null if it breaks a rule
	Exact   string   `json:"exact,omitempty"`
	Says    string   `json:"says"`
}

// Judge computes anew what a policy is worth, from the definition of the problem.
func (d *Document) Judge(p *load.Problem) (*Verdict, error) {
	m, err := d.model(p)
	if err != nil {
		return nil, err
	}
	if d.Rule != nil {
		return d.sampleAgain(p, m)
	}
	again := *d
	again.Value, again.Confidence = nil, 0
	failure, walk, err := again.value(m)
	if err == nil && failure == nil && d.Supported != nil {
		again.Supported, err = again.supports(m)
	}
	if err != nil {
		return nil, err
	}
	v := &Verdict{Schema: app.Schema, Problem: d.Problem, Value: again.Value, Exact: again.Exact}
	if failure != nil {
		v.Says = "the policy is refused: " + app.CheckerFault(p.Problem, failure).Text
		return v, nil
	}
	again.Status = engine.Feasible
	v.Says = strings.TrimPrefix(again.Says(), "feasible, ")
	v.Valid = d.Value != nil && (near(*d.Value, *v.Value) || d.Confidence > 0 && *d.Value < *v.Value) && (d.Supported == nil || again.Supported != nil && near(d.Supported.Value, again.Supported.Value))
	if !v.Valid {
		v.Says += "; the file says another value"
	}
	same, err := d.Table.tells(m, walk)
	if err != nil {
		return nil, err
	}
	if !same {
		v.Valid = false
		v.Says += "; the file says other outcomes"
	}
	return v, nil
}

// near reports whether two values are equal but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= tolerance*math.Max(1, math.Abs(b)) }

// Follower follows a policy in a system, and compares what it sees with what the model says. It belongs to
// one run.
type Follower struct {
	p     *load.Problem
	m     *model
	r     Request
	d     *Document
	act   validate.RobustPolicy
	first int // the step at which the policy began
	spent int // disturbances so far

	planner *decision.Planner // where the table does not have all that can be reached; else nil
	online  bool              // the planner searches at each step

	log, expected, variance float64 // of the probabilities of what was seen
	never                   int     // steps that led where the model never does
}

// NewFollower follows a policy, or makes one where it is nil. Where dynamic programming does not fit, there is a search
// at each step in place of a policy.
func NewFollower(ctx context.Context, p *load.Problem, d *Document, r Request) (*Follower, error) {
	f := &Follower{p: p, r: r, d: d, first: 1}
	var err error
	if d == nil {
		r.Online = true
		if f.d, err = Plan(ctx, p, r); err != nil {
			return nil, err
		}
		if f.d.Value == nil && f.d.Rule == nil {
			return nil, errors.New(f.d.Says())
		}
	}
	if f.m, err = f.d.model(p); err != nil {
		return nil, err
	}
	f.r.Horizon, f.r.Objective, f.r.Robust = f.d.Horizon, f.d.Objective, nil
	if n := f.d.Disturbances; n != nil {
		f.r.Robust = &Robust{Disturbances: *n}
	}
	if rule := f.d.Rule; rule != nil {
		x, err := f.m.factored(f.r.Objective, false)
		if err != nil {
			return nil, err
		}
		if f.planner, err = decision.NewPlanner(ctx, x, decision.PlannerOptions{Objective: f.r.Objective, Horizon: f.r.Horizon, Seed: rule.Seed, Leaves: rule.Leaves, Proven: rule.Proven}, r.Now); err != nil {
			return nil, err
		}
		if f.online = d == nil || r.PlanTime > 0; f.online {
			return f, nil
		}
	}
	f.act, err = f.d.act(p.Problem)
	return f, err
}

// Again returns a follower of the same policy for another run.
func (f *Follower) Again() *Follower {
	g := *f
	g.log, g.expected, g.variance, g.never, g.spent = 0, 0, 0, 0, 0
	return &g
}

// Horizon is the number of steps of the policy.
func (f *Follower) Horizon() int { return f.r.Horizon }

// Success reports whether the policy is to reach a goal.
func (f *Follower) Success() bool { return f.d.Objective == policy.Success }

// Choose returns the action for a state at a step, from 1, and what is known of it if it had to be planned: where the
// policy at hand says nothing. There is no action in a state without a legal one, or after the last step.
func (f *Follower) Choose(ctx context.Context, step int, state factored.Valuation) (action factored.Valuation, planned engine.Status, err error) {
	if step > f.r.Horizon {
		return nil, "", nil
	}
	if f.planner != nil && f.online {
		if action, err = f.d.pending.choose(f.p.Problem, step, state); action != nil || err != nil {
			return action, "", err
		}
		action, err = f.planner.Search(ctx, state, f.r.Horizon-step+1, f.r.PlanTime)
		return action, engine.Feasible, err
	}
	if action = f.act(step-f.first+1, f.spent, state); action != nil || f.d.Blind {
		return action, "", nil
	}
	if f.planner != nil {
		action, err = f.planner.Choose(state, f.r.Horizon-step+1)
		return action, "", err
	}
	return f.again(ctx, step, state)
}

// again makes a new policy.
func (f *Follower) again(ctx context.Context, step int, state factored.Valuation) (action factored.Valuation, planned engine.Status, err error) {
	p := *f.p
	p.Problem = f.p.Problem.Clone()
	p.Problem.Initial = state.Fix(p.Problem.Bits(factored.State), "observed")
	r := f.r
	r.Horizon = f.r.Horizon - step + 1
	if r.Robust != nil { // more was disturbed than the policy is for: hold what can be held
		r.Robust = &Robust{Disturbances: max(0, r.Robust.Disturbances-f.spent)}
	}
	d, err := Plan(ctx, &p, r)
	if err == nil && d.Value == nil && r.Robust != nil {
		r.Robust = nil
		d, err = Plan(ctx, &p, r)
	}
	if err != nil {
		return nil, "", err
	}
	if d.Value == nil {
		return nil, engine.Infeasible, err
	}
	if f.act, err = d.act(f.p.Problem); err != nil {
		return nil, "", err
	}
	f.first, f.spent = step, 0
	return f.act(1, 0, state), d.Status, nil
}

// See compares the state after a step with what the model says of the step from the state and with the action of
// now, and returns its probability.
func (f *Follower) See(now, next factored.Valuation) (p float64, err error) {
	draws, err := f.m.chance.Draws(now)
	if err != nil {
		return 0, err
	}
	p = 1
	for _, d := range draws {
		seen, mean, square := 0.0, 0.0, 0.0
		for k, row := range d.Values {
			q, _ := d.Probability[k].Float64()
			mean += q * math.Log(q)
			square += q * math.Log(q) * math.Log(q)
			is := row != nil
			for j, x := range row {
				is = is && f.p.Problem.Variables[d.Variables[j]].Value(next) == x
			}
			if is {
				seen += q
				f.spent += d.Disturbances[k]
			}
		}
		p *= seen
		f.expected += mean
		f.variance += square - mean*mean
	}
	if p == 0 {
		f.never++
	} else {
		f.log += math.Log(p)
	}
	return p, nil
}

// unlikely is how many standard deviations what was seen may be less likely than the model says on average:
// chance alone is further off in about one of 700 runs.
const unlikely = 3

// Drift says that the system does not behave as the model does; "" where it may.
func (f *Follower) Drift() string {
	switch off := (f.expected - f.log) / math.Sqrt(f.variance); {
	case f.never > 0:
		return fmt.Sprintf("%d of the steps led to states to which the model never leads: the system has changed, or the model is wrong", f.never)
	case f.variance > 0 && off > unlikely:
		return fmt.Sprintf("what happened is less likely than the model says, by %.1f standard deviations: the system may have changed", off)
	}
	return ""
}
