// Package race is the engine auto: search and pb side by side on the same
// query, the first proof wins. They tell each other of plans and bounds as they
// go, so that either can prove what the other found.
//
// Most problems are small, and search answers them before a second engine has
// loaded its model. pb therefore starts when search has done a certain amount
// of work, which does not depend on the machine.
package race

import (
	"context"
	"errors"
	"sync"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/search"
)

// Engine is the race as an engine.Engine. Its results tell in Winner which
// engine proved them, or had the best plan when time was up.
type Engine struct{}

// Name is "auto".
func (Engine) Name() string { return "auto" }

// headStart is the work of search, in joint actions tried, before pb joins: some
// milliseconds.
const headStart = 20_000

// entry is one engine's part.
type entry struct {
	name string
	res  *engine.Result
	err  error
}

// Solve gives the first result that is proven; without one, the better plan
// with the better bound.
func (Engine) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	if report == nil {
		report = func(engine.Progress) {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if q.MinHorizon == q.MaxHorizon {
		l.Shared = &engine.Exchange{}
	}
	if l.Memory > 0 {
		l.Memory /= 2
	}
	var mu sync.Mutex
	both := func(p engine.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if t, reward := l.Shared.Best(); t != nil && (p.Reward == nil || reward > *p.Reward) {
			p.Reward = &reward
		}
		if b := l.Shared.Bound(); b != nil && (p.Bound == nil || *b < *p.Bound) {
			p.Bound = b
		}
		report(p)
	}
	done := make(chan entry, 2)
	busy := make(chan struct{})
	var once sync.Once
	go func() {
		res, err := search.Engine{}.Solve(ctx, q, l, func(p engine.Progress) {
			if p.Work >= headStart {
				once.Do(func() { close(busy) })
			}
			both(p)
		})
		done <- entry{"search", res, err}
	}()
	running, start := 1, busy // start is nil once pb runs
	var late []entry
	for {
		select {
		case e := <-done:
			running--
			if e.err == nil && (e.res.Status == engine.Optimal || e.res.Status == engine.Infeasible) {
				cancel(errors.New("the other engine was faster"))
				for ; running > 0; running-- {
					<-done
				}
				e.res.Winner = e.name
				return e.res, nil
			}
			late = append(late, e)
			if running == 0 && (len(late) == 2 || ctx.Err() != nil) {
				return better(late)
			}
			if len(late) == 1 && running == 0 { // search gave up before pb began
				once.Do(func() { close(busy) })
			}
		case <-start:
			start = nil
			running++
			go func() {
				res, err := conflict.PB{}.Solve(ctx, q, l, both)
				done <- entry{"pb", res, err}
			}()
		}
	}
}

// better joins what is known when nothing was proven.
func better(entries []entry) (*engine.Result, error) {
	var best *engine.Result
	var errs []error
	for _, e := range entries {
		if e.err != nil {
			errs = append(errs, e.err)
			continue
		}
		r := e.res
		r.Winner = e.name
		if best == nil {
			best = r
			continue
		}
		bound := best.Bound
		if r.Bound != nil && (bound == nil || *r.Bound < *bound) {
			bound = r.Bound
		}
		if r.Trace != nil && (best.Trace == nil || r.Reward > best.Reward) {
			best = r
		}
		best.Bound = bound
	}
	if best == nil {
		return nil, errors.Join(errs...)
	}
	if best.Trace != nil && best.Bound != nil && *best.Bound == best.Reward && best.Horizons == nil {
		best.Status, best.Reason = engine.Optimal, ""
	}
	return best, nil
}
