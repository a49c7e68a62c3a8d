package policy

import (
	"context"
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/validate"
)

// Robust bounds the disturbances of a run: draws that do not have their most likely outcome.
type Robust struct {
	Disturbances int
	// Risk, where it is not 0, chooses the least number of disturbances such that a run of the policy has
	// more with at most this probability.
	Risk float64
	// MinHorizon is the least horizon of a range, of which the shortest is taken that reaches the goal; 0 for no range.
	MinHorizon int
}

// mostDisturbances bounds what is tried for a risk.
const mostDisturbances = 200

// robust finds the policy with the best worst case.
func (m *model) robust(ctx context.Context, r Request, hasGoal bool) (*Document, error) {
	if r.Robust.Risk == 0 {
		return m.robustFor(ctx, r, hasGoal, r.Robust.Disturbances)
	}
	for n := range mostDisturbances {
		d, err := m.robustFor(ctx, r, hasGoal, n)
		if err != nil || d.Value == nil || *d.Excess <= r.Robust.Risk {
			return d, err
		}
	}
	return nil, fmt.Errorf("a run has more than %d disturbances with a probability above %v; expected a greater risk, or fewer steps", mostDisturbances, r.Robust.Risk)
}

// robustFor is robust for a number of disturbances.
func (m *model) robustFor(ctx context.Context, r Request, hasGoal bool, n int) (*Document, error) {
	if r.Blind {
		return m.blind(ctx, r, hasGoal, &n)
	}
	goal := hasGoal && r.Objective == policy.Success
	var s *policy.Solution
	other, err := m.either(ctx, r, goal, n, func(ctx context.Context, outcomes int) (err error) {
		o := r.worst(goal, n, r.Limits.Memory/2)
		o.Outcomes = outcomes
		s, err = policy.Solve(ctx, m.process, o)
		return err
	})
	if err != nil || other != nil {
		return other, err
	}
	d := &Document{
		Schema: app.Schema, Problem: m.p.Problem.Name, Objective: r.Objective, Horizon: s.Horizon, Goal: goal, Learned: m.learned(), Engine: "minimax", Status: engine.Infeasible,
		States: s.States, Pairs: s.Pairs, Disturbances: &n, From: r.Robust.MinHorizon,
	}
	if s.Exists() {
		f := d.Table.fill(m, s.State)
		for _, row := range s.Rows() {
			if err := f.row(row, row.Disturbances); err != nil {
				return nil, err
			}
		}
		d.evidence(f)
		if err := d.guarantee(m, s.Value); err != nil {
			return nil, err
		}
	}
	return d.finish(ctx, m, s, r)
}

// worst has the options for the best worst case in runs with at most n disturbances.
func (r *Request) worst(goal bool, n int, memory int64) policy.Options {
	o := policy.Options{
		Objective: policy.Reward, Horizon: r.Horizon, Worst: true, Disturbances: n, MinHorizon: r.Robust.MinHorizon,
		Threads: r.Limits.Threads, Memory: memory, States: r.States, Report: r.Report,
	}
	if goal {
		o.Objective = policy.Success
	}
	return o
}

// guarantee lets the evaluator follow the policy through all of its runs.
func (d *Document) guarantee(m *model, found float64) error {
	w, err := d.worstCase(m)
	if err != nil {
		return fmt.Errorf("%w: following the policy: %w", app.ErrInternal, err)
	}
	if w.Failure != nil {
		return fmt.Errorf("%w: the evaluator refuses the policy: %w", app.ErrInternal, w.Failure)
	}
	if math.Abs(*d.Value-found) > tolerance*math.Max(1, math.Abs(found)) {
		return fmt.Errorf("%w: the policy's worst reward was computed as %v, and by the evaluator as %v", app.ErrInternal, found, *d.Value)
	}
	d.Bound, d.Status = d.Value, engine.Optimal
	return d.Table.follow(m, w.Walk)
}

// worstCase computes what the table guarantees, from the definition of the problem alone.
func (d *Document) worstCase(m *model) (*validate.Worst, error) {
	act, err := d.act(m.p.Problem)
	if err != nil {
		return nil, err
	}
	w, err := validate.WorstCase(m.of, nil, m.chance, m.start, act, d.Horizon, *d.Disturbances, d.Goal)
	if err == nil && w.Failure == nil {
		d.Value, d.Excess, d.Reached, d.Evaluated = app.RewardOf(m.p.Problem, w.Reward), &w.Excess, w.States, "exactly"
	}
	return w, err
}
