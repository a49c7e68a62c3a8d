package policy

import (
	"context"
	"errors"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/execution/decision"
	"github.com/fdplan/fdplan/internal/routine"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// exactSteps is the time that a run waits for dynamic programming before it begins, in times for a step.
const exactSteps = 20

// aside reports whether dynamic programming may go on beside a run: searches take one thread.
func (r *Request) aside() bool { return r.Online && r.PlanTime > 0 && r.Limits.Threads > 1 }

// online is the answer of dynamic programming, or a rule where that does not fit, or takes long.
func (m *model) online(ctx context.Context, p *load.Problem, r Request, d *Document) (*Document, error) {
	rule := *d
	rule.Rule = &Rule{Seed: r.Seed, Leaves: decision.OnlineLeaves}
	var late <-chan time.Time
	if r.aside() {
		timer := time.NewTimer(exactSteps * r.PlanTime)
		defer timer.Stop()
		late = timer.C
	}
	done := routine.Start(func() (*Document, error) { return m.exactly(ctx, p, r, d) })
	select {
	case o := <-done:
		if errors.Is(o.Err, policy.ErrTooLarge) && r.States == 0 {
			return &rule, nil
		}
		return o.Value, o.Err
	case <-late:
		rule.pending = &pending{done: done}
		return &rule, nil
	}
}

// pending is an exact policy that is computed beside a run.
type pending struct {
	done <-chan routine.Outcome[*Document]
	act  validate.RobustPolicy // once it is there
}

// choose is the action of the exact policy, if that is there and knows the state at a step.
func (x *pending) choose(p *factored.Problem, step int, state factored.Valuation) (factored.Valuation, error) {
	if x == nil {
		return nil, nil
	}
	select {
	case o := <-x.done:
		x.done = nil // and so never again
		if errors.Is(o.Err, app.ErrInternal) {
			return nil, o.Err
		}
		if o.Err == nil && o.Value.Value != nil {
			var err error
			if x.act, err = o.Value.act(p); err != nil {
				return nil, err
			}
		}
	default:
	}
	if x.act == nil {
		return nil, nil
	}
	return x.act(step, 0, state), nil
}
