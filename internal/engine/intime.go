package engine

import (
	"context"
	"sync"

	"github.com/fdplan/fdplan/internal/routine"
	"github.com/fdplan/fdplan/problem/factored"
)

// InTime gives e an end that does not depend on it. When Limits.Late is closed,
// Solve returns the best plan and the best bound that e has reported, whatever
// e is doing: a phase that does not look at its context delays no answer. What
// e still does goes on without an audience until it looks at its context, or
// until the process ends. Where e answers before, its answer is returned as it
// is.
func InTime(e Engine) Engine { return inTime{e} }

type inTime struct{ Engine }

// Solve is as that of the engine inside.
func (e inTime) Solve(ctx context.Context, q Query, l Limits, report func(Progress)) (*Result, error) {
	if l.Late == nil {
		return e.Engine.Solve(ctx, q, l, report)
	}
	k := &known{report: report, settled: map[int]HorizonResult{}}
	if t, reward := l.Shared.Best(); t != nil { // an engine need not report what it was given
		k.trace, k.reward = t, reward
	}
	done := routine.Start(func() (*Result, error) { return e.Engine.Solve(ctx, q, l, k.take) })
	select {
	case a := <-done:
		return a.Value, a.Err
	case <-l.Late:
	}
	select {
	case a := <-done:
		return a.Value, a.Err
	default:
		return k.result(ctx, q), nil
	}
}

// known is the best of what an engine has reported.
type known struct {
	mu     sync.Mutex
	report func(Progress)
	closed bool
	trace  *factored.Trace
	reward int64
	bound  *int64
	prover string // of the bound
	// settled are the horizons of a range that are done with.
	settled map[int]HorizonResult
}

// take passes a report on, until the result has been asked for.
func (k *known) take(p Progress) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return
	}
	if p.Trace != nil && p.Reward != nil && (k.trace == nil || *p.Reward > k.reward) {
		k.trace, k.reward = p.Trace, *p.Reward
	}
	if p.Bound != nil && (k.bound == nil || *p.Bound < *k.bound) {
		b := *p.Bound
		k.bound, k.prover = &b, p.Prover
	}
	if p.Settled != nil {
		k.settled[p.Settled.Horizon] = *p.Settled
	}
	if k.report != nil {
		k.report(p)
	}
}

// result is what is known when time is over. Bounds are reported for queries
// about a single horizon alone, and hold for that query.
func (k *known) result(ctx context.Context, q Query) *Result {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	r := &Result{Status: Unknown, Bound: k.bound, Prover: k.prover, Stats: map[string]int64{}, Reason: "a limit was reached"}
	if cause := context.Cause(ctx); cause != nil {
		r.Reason = cause.Error()
	}
	for h := q.MinHorizon; h <= q.MaxHorizon && q.MinHorizon < q.MaxHorizon; h++ {
		line, ok := k.settled[h]
		if !ok {
			line = HorizonResult{Horizon: h, Status: Unknown}
		}
		r.Horizons = append(r.Horizons, line)
	}
	if k.trace != nil {
		r.Status, r.Trace, r.Horizon, r.Reward = Feasible, k.trace, k.trace.Horizon(), k.reward
		if k.bound != nil && *k.bound == k.reward {
			r.Status, r.Reason = Optimal, ""
		}
	}
	return r
}
