package search

import (
	"context"
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/engine"
)

// Ways is the search for a cheapest way alone: the horizons of a query are not looked at, and a plan has as many steps
// as the way. The reward of a plan is that of its steps.
type Ways struct{}

// Name is "search".
func (Ways) Name() string { return "search" }

// Solve finds a cheapest way, and the shortest of these, or proves that no way leads to the goal. Every step must cost something or nothing: its reward
// is at most that of resting.
func (Ways) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	s, err := newRelation(q.Task)
	if err != nil {
		return nil, err
	}
	if report == nil {
		report = func(engine.Progress) {}
	}
	if s.mostReward != 0 {
		return nil, fmt.Errorf("a step of %s may have the reward %v; expected costs, which are no rewards above 0, or a horizon", q.Problem.Name, q.Problem.Reward.Float(s.mostReward))
	}
	r := &run{q: q, g: newGraph(s), limits: l, report: report, sharpenAfter: sharpenAfter}
	r.q.MaxHorizon = math.MaxInt32
	for range max(1, l.Threads) {
		r.workers = append(r.workers, s.newWorker(ctx, l.Memory))
	}
	full := func() bool { return ctx.Err() != nil || l.Memory > 0 && r.ways != nil && r.ways.bytes() > l.Memory/4*3 }
	if !r.g.addInitial(ctx, full) {
		return &engine.Result{Status: engine.Unknown, Reason: r.stopped(ctx)}, nil
	}
	if r.g.compiled, err = s.compile(ctx); err != nil {
		return nil, err
	}
	for _, w := range r.workers {
		w.compiled = r.g.compiled
	}
	if err := r.openWays(ctx); err != nil && ctx.Err() == nil {
		return nil, err
	} else if err != nil {
		none := int64(0) // no way costs less
		return &engine.Result{Status: engine.Unknown, Bound: &none, Reason: r.stopped(ctx)}, nil
	}
	c := r.ways
	c.compiled = r.g.compiled
	for !c.done && !full() {
		if c.guess != nil && c.tried >= c.next && !c.sharpen(ctx) || !c.advance(ctx, r.workers) {
			break
		}
		bound := -c.lower
		report(engine.Progress{Phase: fmt.Sprintf("search: %d states", c.states.count), Bound: &bound})
	}
	return r.way(ctx), nil
}

// stopped says why a search ended early.
func (r *run) stopped(ctx context.Context) string {
	if ctx.Err() != nil {
		return context.Cause(ctx).Error()
	}
	return fmt.Sprintf("the memory limit of %d MiB was reached", r.limits.Memory>>20)
}

// way is what the search for a cheapest way has found.
func (r *run) way(ctx context.Context) *engine.Result {
	c := r.ways
	bound := -c.lower
	out := &engine.Result{Status: engine.Unknown, Bound: &bound}
	switch {
	case !c.done:
		out.Reason = r.stopped(ctx)
	case c.goal < 0:
		out.Status, out.Bound = engine.Infeasible, nil
	default:
		steps := 0
		for id := uint32(c.goal); c.to[id].parent != id; id = c.to[id].parent {
			steps++
		}
		tr := c.plan(r.workers[0], max(1, steps))
		if tr == nil {
			out.Reason = "the goal holds at once, and the system cannot rest"
			break
		}
		out.Status, out.Horizon, out.Reward, out.Trace = engine.Optimal, max(1, steps), bound, tr
	}
	out.Stats = map[string]int64{"states": int64(c.states.count), "joint_actions": c.tried, "table_bytes": c.bytes()}
	return out
}
