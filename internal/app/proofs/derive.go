package proofs

import (
	"context"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	outcomes "github.com/fdplan/fdplan/internal/engine/explain"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// bareAnswer derives the answer in a folder anew: of the whole horizon, or of a change.
func bareAnswer(p *certify.Against) func(context.Context, *certify.Report, string, []byte) (*certify.Expected, error) {
	return func(_ context.Context, r *certify.Report, name string, data []byte) (*certify.Expected, error) {
		a := &bare{}
		if err := app.ReadExact(name, data, a, "an answer"); err != nil {
			return nil, err
		}
		e := bare{Schema: app.Schema, Problem: a.Problem, Horizon: a.Horizon, Status: a.Status, Reward: a.Reward, Plan: a.Plan, Trace: a.Trace}
		switch e.Status {
		case engine.Infeasible:
			e.Reward = nil
		case engine.Optimal:
			e.Bound = a.Reward
		default:
			e.Bound, e.Status = r.Shown.Bound, engine.Unknown
			if len(a.Plan) > 0 {
				e.Status = engine.Feasible
			}
		}
		if p == nil {
			return &certify.Expected{Answer: e, Unchecked: []string{"problem", "plan", "trace"}}, nil
		}
		e.Problem, e.Plan, e.Trace = p.Task.Problem.Name, nil, nil
		if len(a.Plan) > 0 {
			plan, err := app.ReadPlan(p.Task.Problem, name, data)
			if err != nil {
				return nil, err
			}
			report, err := validate.Check(p.Task.Problem, p.Task.Network, plan)
			if err != nil || !report.Valid {
				return nil, err // the report says so
			}
			e.Plan, e.Trace = app.StepsOf(p.Task.Problem, report.Trace)
		}
		return &certify.Expected{Answer: e}, nil
	}
}

// reasons are what an explanation tells of a change besides what comes of it.
var reasons = []string{"failure", "against", "because"}

// restate compares the explanation with what is derived anew, unless it is refused already.
func (x *checker) restate(data []byte) error {
	if !x.r.Accepted {
		return nil
	}
	e := &certify.Expected{Answer: x.e}
	if x.of == nil {
		e.Unchecked = certify.FieldsBut(x.e, []string{"schema", "horizon", "status", "best"})
	} else {
		e.Unchecked = []string{"stopped", "certificate", "conflict", "steps.omitted", "steps.alternatives"}
		for _, name := range reasons {
			e.Unchecked = append(e.Unchecked, "steps.alternatives."+name, "steps.others."+name)
		}
		found, err := x.derive(&x.e)
		if err != nil {
			return err
		}
		e.Answer = found
	}
	var err error
	if x.r.Unchecked, err = e.Compare(data); err != nil {
		x.refuse("%v", err)
	}
	return nil
}

// derive derives an explanation whose claims were accepted.
func (x *checker) derive(a *explain.Explanation) (*explain.Explanation, error) {
	p := x.p.Task.Problem
	e := &explain.Explanation{
		Schema: app.Schema, Problem: p.Name, Altered: x.of.Altered, Horizon: a.Horizon, Status: string(engine.Infeasible),
		Conflict: a.Conflict, Stopped: a.Stopped, Certificate: a.Certificate,
	}
	whole, err := readAnswer(x.dir)
	if err != nil || whole.Status == engine.Infeasible {
		return e, err
	}
	e.Status, e.Conflict = string(whole.Status), nil
	if whole.Status == engine.Optimal {
		e.Best = whole.Reward
	}
	if x.trace == nil {
		return e, nil
	}
	report, err := validate.Check(p, x.p.Task.Network, x.plan)
	if err != nil {
		return nil, err
	}
	e.Reward, e.Status = app.RewardOf(p, report.Reward), string(engine.Feasible)
	if e.Best != nil && *e.Best == *e.Reward {
		e.Status = string(engine.Optimal)
	}
	for i, val := range x.trace.Steps {
		e.Trace = append(e.Trace, app.ValuesOf(p, factored.State, val, true))
		if i == x.trace.Horizon() {
			break
		}
		step, err := x.step(i, &a.Steps[i], report.Reward)
		if err != nil {
			return nil, err
		}
		e.Steps = append(e.Steps, *step)
	}
	return e, e.Note(support.NewJudge(x.of), x.trace)
}

// step derives what is said of step i, from 0, of a plan with so much reward.
func (x *checker) step(i int, a *explain.ForceLine, sum int64) (*explain.ForceLine, error) {
	p := x.p.Task.Problem
	now, next := x.trace.Steps[i], x.trace.Steps[i+1]
	e := &explain.ForceLine{
		Step: i + 1, Action: app.ValuesOf(p, factored.Action, now, false), Reward: p.Reward.Float(p.Reward.StepReward(now, next)),
		Alternatives: []explain.AlternativeLine{}, Omitted: a.Omitted,
	}
	tried := without(p, now)
	for j, alt := range tried {
		line := explain.AlternativeLine{Without: alt.variable.Name, Action: app.ValuesOf(p, factored.Action, alt.action, false)}
		if j < len(a.Alternatives) {
			line.OutcomeLine = x.outcome(&a.Alternatives[j].OutcomeLine, sum)
		}
		e.Alternatives = append(e.Alternatives, line)
	}
	for j := len(tried); j < len(a.Alternatives); j++ {
		action, err := x.action(a.Alternatives[j].Action)
		if err != nil {
			return nil, err
		}
		if again := slices.ContainsFunc(tried, func(t changed) bool { return slices.Equal(t.action, action) }); again {
			continue
		}
		tried = append(tried, changed{action: action})
		e.Alternatives = append(e.Alternatives, explain.AlternativeLine{
			Action: app.ValuesOf(p, factored.Action, action, false), OutcomeLine: x.outcome(&a.Alternatives[j].OutcomeLine, sum),
		})
	}
	if certify.Has(folder(x.dir, i+1, len(a.Alternatives)), "") { // one that was left out
		e.Alternatives = append(e.Alternatives, explain.AlternativeLine{})
	}
	e.Others = explain.OthersLine{OutcomeLine: x.outcome(&a.Others.OutcomeLine, sum)}
	dir := folder(x.dir, i+1, -1)
	if !certify.Has(dir, "") {
		return e, nil
	}
	best, err := readAnswer(dir)
	if err == nil && len(best.Plan) > 0 {
		e.Others.Action = best.Plan[0]
	}
	return e, err
}

// outcome derives what comes of a change, which was accepted.
func (x *checker) outcome(a *explain.OutcomeLine, sum int64) explain.OutcomeLine {
	e := *a
	e.Reward, e.Loss = nil, nil
	switch a.Consequence {
	case outcomes.CostsMore, outcomes.AsGood, outcomes.Better:
		scale := float64(x.p.Task.Problem.Reward.Scale)
		e.Reward = a.Reward
		if a.Reward != nil {
			e.Loss = app.RewardOf(x.p.Task.Problem, sum-int64(math.Round(*a.Reward*scale)))
		}
	}
	return e
}

// changed is a joint action that was tried in place of the plan's.
type changed struct {
	variable *factored.Variable // whose action is left out; nil for another joint action
	action   factored.Valuation // action bits alone are set
}

// without are the joint actions that leave out one action of a step.
func without(p *factored.Problem, now factored.Valuation) (list []changed) {
	for _, v := range p.OfKind(factored.Action) {
		if v.Value(now) == v.Default {
			continue
		}
		action := make(factored.Valuation, p.NumBits())
		for _, b := range p.Bits(factored.Action) {
			action[b] = now[b]
		}
		if err := v.Set(action, v.Default); err == nil { // else its range has no default
			list = append(list, changed{v, action})
		}
	}
	return list
}
