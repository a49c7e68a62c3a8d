package certify

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/evidence"
	"github.com/fdplan/fdplan/internal/engine/registry"
)

// Answer is what is known of one horizon.
type Answer = evidence.Answer

// Options set up a proof.
type Options = evidence.Options

// ErrNoProof is wrapped by the error for an answer that no proof was found for.
var ErrNoProof = evidence.ErrNoProof

// Prove writes a proof of all that an answer says: of its plan and its bound, or
// that there is no plan. It does not matter which engine gave the answer. An answer
// that is false is an error that wraps app.ErrInternal. After an error, what was
// written is incomplete. The answer that is returned has the bound that the proof
// shows, which may be less than that of a run that was cut short.
func Prove(ctx context.Context, t engine.Task, a Answer, o Options) (Answer, error) {
	proven, err := evidence.Prove(ctx, t, a, o)
	if errors.Is(err, evidence.ErrFalse) {
		return a, fmt.Errorf("%w: %w", app.ErrInternal, err)
	}
	return proven, err
}

// Answers lists what a result says of each horizon that it is about. Of a range, a
// plan of each horizon that has one is found again.
func Answers(ctx context.Context, t engine.Task, res *engine.Result, horizon int, l engine.Limits) ([]Answer, error) {
	if len(res.Horizons) == 0 {
		if res.Trace != nil {
			horizon = res.Horizon
		}
		return []Answer{{Horizon: horizon, Status: res.Status, Trace: res.Trace, Reward: res.Reward, Bound: res.Bound, Evidence: res.Evidence}}, nil
	}
	var out []Answer
	for _, h := range res.Horizons {
		a := Answer{Horizon: h.Horizon, Status: h.Status, Reward: h.Reward}
		switch {
		case h.Status != engine.Optimal:
		case res.Trace != nil && res.Horizon == h.Horizon && res.Reward == h.Reward:
			a.Trace, a.Bound = res.Trace, &h.Reward
		default:
			e, err := registry.New(registry.Options{})
			if err != nil {
				return nil, err
			}
			one, err := e.Solve(ctx, engine.Query{Task: t, MinHorizon: h.Horizon, MaxHorizon: h.Horizon}, l, nil)
			switch {
			case err != nil:
				return nil, err
			case one.Status == engine.Optimal && one.Reward == h.Reward:
				a.Trace, a.Bound = one.Trace, &h.Reward
			case one.Status == engine.Optimal || one.Status == engine.Infeasible:
				return nil, fmt.Errorf("%w: horizon %d is %s %d, a second run proves %s %d", app.ErrInternal, h.Horizon, h.Status, h.Reward, one.Status, one.Reward)
			default:
				a.Status = engine.Unknown // the limit came first
			}
		}
		out = append(out, a)
	}
	return out, nil
}

// Open lists what a result says of the horizons of a range that are not settled: that no plan has
// a higher reward than its bound. It lists nothing where the result has no bound.
func Open(res *engine.Result) (out []Answer) {
	if res.Bound == nil {
		return nil
	}
	for _, h := range res.Horizons {
		if h.Status == engine.Optimal || h.Status == engine.Infeasible {
			continue
		}
		bound := *res.Bound
		a := Answer{Horizon: h.Horizon, Status: engine.Unknown, Bound: &bound}
		if res.Trace != nil && res.Horizon == h.Horizon {
			a.Status, a.Trace, a.Reward = engine.Feasible, res.Trace, res.Reward
		}
		out = append(out, a)
	}
	return out
}

// Bound is what the proofs of a range of so many horizons bound the reward by: the highest bound
// of one. It is nil where a horizon has none.
func Bound(answers []Answer, horizons int) (most *int64) {
	for _, a := range answers {
		switch {
		case a.Status == engine.Infeasible:
		case a.Bound == nil:
			continue
		case most == nil || *a.Bound > *most:
			most = a.Bound
		}
		horizons--
	}
	if horizons > 0 {
		return nil
	}
	return most
}
