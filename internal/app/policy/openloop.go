package policy

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// mostStates bounds the states of a problem for which a plan is compared with the best policy without
// being asked: those are solved in well under a second.
const mostStates = 5000

// OfPlan tells how a plan that was made for a determinised model of a problem fares where draws are
// drawn, and the best policy, if that is computed quickly; p is the problem with its draws. It is nil where
// nothing is known: there is no goal, or too many states can be reached.
func OfPlan(ctx context.Context, p *load.Problem, steps []app.Values, r Request) (*plan.Chance, error) {
	if p.Truth == nil || p.Truth.Goal == nil {
		return nil, nil
	}
	m, err := newModel(p)
	if err != nil {
		return nil, err
	}
	var actions []factored.Valuation
	for _, s := range steps {
		a, err := app.BitsOf(p.Problem, s)
		if err != nil {
			return nil, err
		}
		actions = append(actions, a)
	}
	odds, err := validate.PlanSuccess(p.Problem, nil, m.chance, m.start, actions, mostStates)
	if errors.Is(err, validate.ErrManyStates) || err == nil && odds.Failure != nil {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("following the plan where draws are drawn: %w", err)
	}
	out := &plan.Chance{}
	out.Success, _ = odds.Lower.Float64()
	r.Objective, r.Horizon, r.States = policy.Success, len(steps), mostStates
	d, err := Plan(ctx, p, r)
	if errors.Is(err, policy.ErrTooLarge) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.Policy = d.Value
	return out, nil
}
