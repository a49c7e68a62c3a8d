package divide

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/internal/engine"
)

// bound is the highest reward that a plan can have, by all that is known; none reports that
// there is no plan.
func (r *run) bound() (bound int64, none bool) {
	if r.root == nil {
		return r.ceiling(false), false
	}
	return r.root.bound(r.ceiling(false), false)
}

// forward passes on a report. Two engines may have one at the same time.
func (r *run) forward(p engine.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report(p)
}

// reportProgress reports what is known.
func (r *run) reportProgress() {
	settled := 0
	leaves := r.root.leaves(nil)
	for _, n := range leaves {
		if r.closed(n) {
			settled++
		}
	}
	p := engine.Progress{Phase: fmt.Sprintf("%d of %d cubes", settled, len(leaves)), Work: r.stats[workStat]}
	if bound, none := r.bound(); !none {
		if r.trace != nil {
			bound = max(bound, r.reward)
		}
		p.Bound = &bound
	}
	if r.trace != nil {
		reward := r.reward
		p.Reward, p.Trace = &reward, r.trace
	}
	r.forward(p)
}

// result is what is known at the end.
func (r *run) result(ctx context.Context) (*engine.Result, error) {
	res := &engine.Result{Stats: r.stats, Reason: r.reason, Winner: r.Unit}
	if r.root != nil {
		r.stats[refutedStat] = r.root.refutations()
		res.Note = fmt.Sprintf("the work was divided into %d parts", r.stats[cubesStat])
		if r.stats[cubesStat] < 2 {
			res.Note = "the work was not divided: there was nothing for a second worker to do"
		}
		if r.Proof {
			res.Evidence = &engine.Evidence{Literal: r.Literal, Write: r.join}
		}
	}
	bound, none := r.bound()
	if r.trace != nil {
		res.Trace, res.Horizon, res.Reward = r.trace, r.horizon, r.reward
		if none {
			return nil, fmt.Errorf("%w: no cube has a plan, and yet there is one of reward %d", ErrUnit, r.reward)
		}
		bound = max(bound, r.reward)
	}
	switch {
	case r.trace == nil && none:
		res.Status, res.Reason = engine.Infeasible, ""
		return res, nil
	case r.trace != nil && bound == r.reward:
		res.Status, res.Reason = engine.Optimal, ""
	case r.trace != nil:
		res.Status = engine.Feasible
	default:
		res.Status = engine.Unknown
	}
	res.Bound = &bound
	if res.Status != engine.Optimal && ctx.Err() != nil {
		res.Reason = context.Cause(ctx).Error()
	}
	return res, nil
}
