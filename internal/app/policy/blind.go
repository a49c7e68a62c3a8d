package policy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// blind finds the best plan that sees nothing, for the worst case where a number of disturbances is given.
func (m *model) blind(ctx context.Context, r Request, hasGoal bool, disturbances *int) (*Document, error) {
	goal := hasGoal && (disturbances == nil || r.Objective == policy.Success)
	o := policy.Options{Objective: r.Objective, Horizon: r.Horizon, Threads: r.Limits.Threads, Memory: r.Limits.Memory, States: r.States, Report: r.Report}
	d := &Document{
		Schema: app.Schema, Problem: m.p.Problem.Name, Objective: r.Objective, Goal: goal, Learned: m.learned(), Engine: "search over sets of states", Status: engine.Infeasible,
		Disturbances: disturbances, Blind: true,
		Table: Table{Variables: stateNames(m.p.Problem), States: [][]any{}, Actions: []app.Values{}, Rows: [][]int{}, Ranges: rangesOf(m.p.Problem)},
	}
	if disturbances != nil {
		o = r.worst(goal, *disturbances, r.Limits.Memory)
		d.From = r.Robust.MinHorizon
	}
	var s *policy.BlindSolution
	search := func(ctx context.Context, outcomes int) (err error) {
		o.Outcomes = outcomes
		s, err = policy.Blind(ctx, m.process, o)
		return err
	}
	var err error
	if disturbances == nil {
		err = search(ctx, 0)
	} else if other, err := m.either(ctx, r, goal, *disturbances, search); err != nil || other != nil {
		return other, err
	}
	if err != nil {
		return nil, err
	}
	d.Horizon, d.States, d.Pairs = s.Horizon, s.States, s.Pairs
	if s.Exists {
		if err := d.takePlan(m, s); err != nil {
			return nil, err
		}
	}
	if r.Certify && d.Value != nil && !o.Worst { // the table is rounded up
		bound := *d.Bound + tolerance/4*math.Max(1, math.Abs(*d.Bound))
		d.Bound = &bound
	}
	return d.finish(ctx, m, s.Observed, r)
}

// takePlan writes a plan into d, and lets the evaluator say what it is worth.
func (d *Document) takePlan(m *model, s *policy.BlindSolution) error {
	var actions []factored.Valuation
	for _, id := range s.Plan {
		val := make(factored.Valuation, m.p.Problem.NumBits())
		if err := m.process.Action(val, id); err != nil {
			return err
		}
		actions = append(actions, val)
	}
	if d.Plan = stepsOf(m.p.Problem, actions); d.Disturbances != nil {
		return d.guarantee(m, s.Value)
	}
	return d.verify(m, s.Value)
}

// stepsOf writes the actions of a plan.
func stepsOf(p *factored.Problem, actions []factored.Valuation) []app.Values {
	out := []app.Values{}
	for _, a := range actions {
		out = append(out, app.ValuesOf(p, factored.Action, a, false))
	}
	return out
}

// act is what an answer does: its table, or its plan.
func (d *Document) act(p *factored.Problem) (validate.RobustPolicy, error) {
	if !d.Blind {
		return d.Table.policy(p, d.Disturbances != nil)
	}
	var err error
	if d.steps, err = actionsOf(p, d.Plan); err != nil {
		return nil, err
	}
	steps := d.steps
	return func(step, _ int, _ factored.Valuation) factored.Valuation {
		if step > len(steps) {
			return nil
		}
		return steps[step-1]
	}, nil
}

// blindShown has the table show that no plan is worth more than the bound.
func (d *Document) blindShown(ctx context.Context, m *model, found *validate.Ceiled) error {
	scale := big.NewRat(1, 1)
	if d.Objective == policy.Reward {
		scale.SetInt64(m.p.Problem.Reward.Scale)
	}
	for h := max(d.From, 1); d.From > 0 && h < d.Horizon; h++ {
		if ok, err := d.noPlan(ctx, m, found, h, nil); !ok || err != nil {
			return errors.Join(err, fmt.Errorf("that no plan reaches the goal within %s is not proven", counted.Of(h, "step")))
		}
	}
	var limit *big.Rat
	switch {
	case d.Value == nil:
	case d.Disturbances != nil: // a whole number
		d.Bound = d.Value
		limit = new(big.Rat).SetInt64(int64(math.Round(*d.Value * float64(m.p.Problem.Reward.Scale))))
	case d.Bound == nil:
		return errors.New("there is no bound")
	default:
		limit = new(big.Rat).SetFloat64(*d.Bound)
		limit.Mul(limit, scale)
	}
	ok, err := d.noPlan(ctx, m, found, d.Horizon, limit)
	if err == nil && !ok {
		err = errors.New("that no plan is worth more is not proven")
	}
	return err
}

// noPlan is validate.Ceiled.NoPlan.
func (d *Document) noPlan(ctx context.Context, m *model, found *validate.Ceiled, horizon int, limit *big.Rat) (bool, error) {
	sets, ok, err := found.NoPlan(ctx, m.start, horizon, limit)
	d.Proof.Sets += sets
	if errors.Is(err, validate.ErrManyStates) {
		err = fmt.Errorf("%w: %w", certify.ErrNoProof, err)
	}
	return ok, err
}

// blindAnswer is answer for a plan.
func (d *Document) blindAnswer() string {
	where := ""
	if d.Disturbances != nil {
		where = fmt.Sprintf(" in every run with at most %s", counted.Of(*d.Disturbances, "disturbance"))
	}
	steps := counted.Of(d.Horizon, "step")
	switch {
	case d.Status == engine.Infeasible && d.Goal && d.Disturbances != nil:
		return fmt.Sprintf("no plan reaches the goal within %s%s, if it sees nothing", steps, where)
	case d.Status == engine.Infeasible:
		return fmt.Sprintf("no plan keeps the rules for %s%s, if it sees nothing", steps, where)
	case d.Value == nil:
		return "no answer"
	case d.Goal && d.Disturbances != nil:
		return fmt.Sprintf("%s, reaches the goal without seeing anything within %s%s, with reward %.9g at worst", d.Status, steps, where, *d.Value)
	case d.Disturbances != nil:
		return fmt.Sprintf("%s, reward %.9g at worst without seeing anything, in runs of %s with at most %s", d.Status, *d.Value, steps, counted.Of(*d.Disturbances, "disturbance"))
	case d.Objective == policy.Success:
		return fmt.Sprintf("%s, reaches the goal without seeing anything within %s with probability %s", d.Status, steps, plan.Percent(*d.Value))
	}
	return fmt.Sprintf("%s, expected reward %.9g without seeing anything, horizon %d", d.Status, *d.Value, d.Horizon)
}
