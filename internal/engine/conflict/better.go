package conflict

import (
	"context"
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// betterConflicts bounds the search for the best plan, before any better one will do.
const betterConflicts = 500

// Better looks for the best plan from below, as long as that is easy, and then for any with more than a reward.
func (x *Session) Better(ctx context.Context, reward *int64, l engine.Limits) (*engine.Result, error) {
	x.forget()
	x.beat = math.MaxInt64
	if x.until = 0; l.Conflicts > 0 {
		x.until = x.s.Stats().Conflicts + l.Conflicts
	}
	if b := l.Shared.Bound(); b != nil {
		x.lower = max(x.lower, -*b-x.m.ObjectiveConstant())
	}
	l.Shared = nil // plans of others need not keep what was found out since
	reason, err := x.better(ctx, reward, l)
	x.until = 0
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("engine %s: %w", x.name, err)
	}
	if ctx.Err() != nil {
		reason = x.stopped(ctx, l)
	}
	r := x.conclude(reason)
	if lower := x.reward(x.lower); r.Trace != nil {
		r.Status, r.Bound = engine.Feasible, &lower
	}
	return r, nil
}

// better returns the reason why it stopped before.
func (x *Session) better(ctx context.Context, reward *int64, l engine.Limits) (string, error) {
	if reward == nil {
		if reason, err := x.first(ctx, l); reason != "" || err != nil || x.incumbent == nil {
			return reason, err
		}
	} else {
		x.cost = -*reward - x.m.ObjectiveConstant()
		x.beat = x.cost
	}
	found, bound := x.incumbent, x.cost
	if err := x.count(ctx); err != nil {
		return "", err
	}
	if x.incumbent == nil {
		x.cost = math.MaxInt64 // it was to bound what is counted
	}
	began := x.s.Stats().Conflicts
	for x.incumbent == found && x.lower < bound {
		next, budget := min(bound, x.c.next(x.lower)), sat.Budget{Memory: l.Memory, Conflicts: began + betterConflicts - x.s.Stats().Conflicts}
		if budget.Conflicts <= 0 {
			if found != nil {
				return "", nil
			}
			if next, budget.Conflicts = bound, 0; x.wantsTables(l) {
				budget.Conflicts = tablesAfter(l)
			}
		}
		status, err := x.ask(ctx, next, budget)
		if err != nil {
			return "", err
		}
		if status == sat.Unknown && x.over(ctx, l) {
			return x.stopped(ctx, l), nil
		}
		if status == sat.Unknown && next == bound {
			if err := x.help(ctx, l); err != nil {
				return "", err
			}
		}
	}
	return "", nil
}
