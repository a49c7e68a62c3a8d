package policy

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

const (
	// mostStates bounds the states of a problem for which a plan is compared with the best policy without
	// being asked: those are solved in well under a second.
	mostStates = 5000
	// mostPairs bounds these states times the joint actions.
	mostPairs = 200_000
	// A plan that can reach more states is followed in so many runs, of so many steps together at most.
	mostRuns, mostSteps = 2000, 200_000
	// confidence is that of the interval.
	confidence = .99
)

// Draws reports whether something is drawn in the steps of a model, so that a plan for its most likely outcomes has a
// chance: RDDL that was determinised, or a learned model with outcomes.
func Draws(p *load.Problem) bool {
	return p.Determinized != "" || p.Declared != nil && p.Learned() && p.Trained.Chance != nil
}

// OfPlan tells how a plan that was made for the most likely outcomes fares where draws are drawn, and the best policy,
// if that is computed quickly; p is the problem with its draws. It is nil where nothing is known.
func OfPlan(ctx context.Context, p *load.Problem, steps []app.Values, r Request) (*plan.Chance, error) {
	m, err := newModel(p)
	if err != nil {
		return nil, err
	}
	actions, err := actionsOf(p.Problem, steps)
	if err != nil {
		return nil, err
	}
	out := &plan.Chance{Learned: m.learned()}
	r.Objective, r.Horizon, r.States = policy.Success, len(steps), m.quickly()
	if !hasGoal(p) {
		if r.Objective = policy.Reward; !out.Learned {
			return nil, nil
		}
	}
	if known, err := m.follow(ctx, out, actions, r.Objective); err != nil || !known {
		return nil, err
	}
	switch d, err := Plan(ctx, p, r); {
	case err == nil:
		out.Policy = d.Value
	case !errors.Is(err, policy.ErrTooLarge):
		return nil, err
	}
	out.Says = out.String()
	return out, nil
}

// quickly is how many states may be reached for a policy to be found quickly.
func (m *model) quickly() int {
	joint := int64(1)
	for i := range m.of.Variables {
		if v := &m.of.Variables[i]; m.of != m.p.Problem && v.Kind == factored.Action {
			joint = min(mostPairs, joint*(v.Hi-v.Lo+1))
		}
	}
	return int(min(mostStates, mostPairs/joint))
}

func actionsOf(p *factored.Problem, steps []app.Values) (actions []factored.Valuation, err error) {
	for i, s := range steps {
		a, err := app.BitsOf(p, s)
		if err != nil {
			return nil, fmt.Errorf("action %d: %w", i, err)
		}
		actions = append(actions, a)
	}
	return actions, nil
}

// follow writes into c what a plan is worth: computed, or sampled where too many states can be reached.
func (m *model) follow(ctx context.Context, c *plan.Chance, actions []factored.Valuation, o policy.Objective) (known bool, err error) {
	evaluate, scale := validate.PlanSuccess, int64(1)
	if o == policy.Reward {
		evaluate, scale = validate.PlanReward, m.of.Reward.Scale
	}
	odds, err := evaluate(m.of, nil, m.chance, m.start, actions, mostStates)
	switch {
	case errors.Is(err, validate.ErrManyStates) && o == policy.Success:
		c.Sampled, err = m.sample(ctx, actions)
		if errors.Is(err, validate.ErrManyStates) {
			return false, nil
		}
		if err == nil {
			c.Success = &c.Sampled.Rate
		}
		return err == nil, err
	case errors.Is(err, validate.ErrManyStates), err == nil && odds.Failure != nil:
		return false, nil
	case err != nil:
		return false, fmt.Errorf("following the plan where draws are drawn: %w", err)
	}
	value, _ := new(big.Rat).Quo(odds.Lower, big.NewRat(scale, 1)).Float64()
	if c.Success = &value; o == policy.Reward {
		c.Success, c.Reward = nil, &value
	}
	return true, nil
}

// sample follows a plan in runs whose draws are drawn.
func (m *model) sample(ctx context.Context, actions []factored.Valuation) (*plan.Sample, error) {
	s := &plan.Sample{Runs: max(1, min(mostRuns, mostSteps/len(actions))), Confidence: confidence}
	rng := rand.New(rand.NewPCG(1, 0))
	w := validate.NewWalk(m.of, m.chance)
	start, err := w.Number(m.start)
	if err != nil {
		return nil, err
	}
	succeeded := 0
	for range s.Runs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		at := start
		for _, a := range actions {
			if w.Goal(at) || w.Over(at) {
				break
			}
			next, err := w.Draw(at, a, rng)
			if err != nil {
				return nil, err
			}
			if next == nil {
				break
			}
			at = next.State
		}
		if w.Goal(at) {
			succeeded++
		}
	}
	s.Rate = float64(succeeded) / float64(s.Runs)
	s.Lower, s.Upper = coverage.Interval(s.Runs, succeeded, s.Confidence)
	return s, nil
}
