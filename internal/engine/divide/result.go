package divide

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/internal/engine"
)

// bound is the highest reward that a plan can have, by all that is known; none reports that
// there is no plan, and known that there is a bound at all.
func (r *run) bound() (bound int64, none, known bool) {
	above := r.most
	if r.first != nil && r.first.Bound != nil {
		above = *r.first.Bound
	}
	if r.root == nil {
		return above, false, r.first != nil && r.first.Bound != nil
	}
	bound, none = r.root.bound(min(above, r.most), false)
	return bound, none, true
}

// tell reports what is known.
func (r *run) tell() {
	settled := 0
	leaves := r.root.leaves(nil)
	for _, n := range leaves {
		if r.closed(n) {
			settled++
		}
	}
	p := engine.Progress{Phase: fmt.Sprintf("%d of %d cubes", settled, len(leaves)), Work: r.stats[workStat]}
	if bound, none, known := r.bound(); known && !none {
		if r.trace != nil {
			bound = max(bound, r.reward)
		}
		p.Bound = &bound
	}
	if r.trace != nil {
		reward := r.reward
		p.Reward, p.Trace = &reward, r.trace
	}
	r.report(p)
}

// result is what is known at the end.
func (r *run) result(ctx context.Context) (*engine.Result, error) {
	res := &engine.Result{Stats: r.stats, Reason: r.reason, Winner: r.Unit}
	if n := r.stats[cubesStat]; n < 2 {
		res.Note = "the work is not large enough to be divided: there is nothing for a second worker to do"
	} else {
		res.Note = fmt.Sprintf("the work was divided into %d parts", n)
	}
	if r.root != nil {
		r.stats[refutedStat] = r.root.refutations()
	}
	if r.Proof && r.root != nil {
		res.Evidence = &engine.Evidence{Literal: r.Literal, Write: r.join}
	}
	bound, none, known := r.bound()
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
	case r.trace != nil && known && bound == r.reward:
		res.Status, res.Reason = engine.Optimal, ""
	case r.trace != nil:
		res.Status = engine.Feasible
	default:
		res.Status = engine.Unknown
	}
	if known {
		res.Bound = &bound
	}
	if res.Status != engine.Optimal && ctx.Err() != nil {
		res.Reason = context.Cause(ctx).Error()
	}
	return res, nil
}
