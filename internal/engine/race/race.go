// Package race is the engine auto: other engines side by side on the same
// query, the first proof wins. They tell each other of plans and bounds as they
// go, so that each can prove what another found.
//
// Most problems are small, and the first engine answers them before another has
// loaded its model. The others therefore join when the first has done a certain
// amount of work, which does not depend on the machine.
package race

import (
	"context"
	"errors"
	"sync"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/routine"
)

// Engine is a race as an engine.Engine. The Winner of its results names the
// engine that proved them, or had the best plan when time was up.
type Engine struct {
	engines []engine.Opener
}

var _ engine.Opener = Engine{}

// New returns a race of engines, at least one. The first begins, the others
// join it; see the package comment.
func New(first engine.Opener, others ...engine.Opener) Engine {
	return Engine{append([]engine.Opener{first}, others...)}
}

// Name is "auto".
func (Engine) Name() string { return "auto" }

// Solve returns the first result that is proven; without one, the best plan
// with the best bound.
func (e Engine) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	entrants := make([]entrant, len(e.engines))
	for i, one := range e.engines {
		entrants[i] = entrant{one.Name(), func(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
			return one.Solve(ctx, q, l, report)
		}}
	}
	if l.Shared == nil {
		l.Shared = &engine.Exchange{}
	}
	res, _, err := run(ctx, entrants, l, report)
	return res, err
}

// headStart is the work of the first engine, in its own measure, before the
// others join: for search, joint actions tried, some milliseconds.
const headStart = 20_000

// entrant is one engine's part in a race.
type entrant struct {
	name  string
	solve func(context.Context, engine.Limits, func(engine.Progress)) (*engine.Result, error)
}

// finish is how an entrant ended.
type finish struct {
	entrant int
	res     *engine.Result
	err     error
}

// proven reports whether an entrant settled the query.
func (f finish) proven() bool {
	return f.err == nil && (f.res.Status == engine.Optimal || f.res.Status == engine.Infeasible)
}

// contest is one race under way.
type contest struct {
	entrants []entrant
	limits   engine.Limits
	busy     chan struct{} // closed when the first engine has had its head start
	setBusy  func()
	done     chan finish

	mu     sync.Mutex // held while reporting
	report func(engine.Progress)
}

// run has the entrants solve the same query under the limits l, which hold for
// all of them together. It returns when all have ended: the first proof with
// its entrant, or without a proof what is known, and -1.
func run(ctx context.Context, entrants []entrant, l engine.Limits, report func(engine.Progress)) (*engine.Result, int, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l.Memory /= int64(len(entrants))
	c := &contest{entrants: entrants, limits: l, busy: make(chan struct{}), done: make(chan finish, len(entrants)), report: report}
	c.setBusy = sync.OnceFunc(func() { close(c.busy) })
	c.start(ctx, 0)
	running, joined := 1, len(entrants) == 1
	var late []finish
	for running > 0 {
		busy := c.busy
		if joined {
			busy = nil
		}
		select {
		case <-busy:
		case f := <-c.done:
			running--
			broken := errors.As(f.err, new(*routine.Panic)) // what the others share may be broken too
			if f.proven() || broken {
				cancel(engine.ErrSettled)
				for ; running > 0; running-- {
					<-c.done
				}
				if broken {
					return nil, -1, f.err
				}
				f.res.Winner = entrants[f.entrant].name
				return f.res, f.entrant, nil
			}
			late = append(late, f)
			if joined || ctx.Err() != nil {
				continue
			}
		}
		// The first engine has had its head start, or gave up within it.
		joined = true
		for i := 1; i < len(entrants); i++ {
			running++
			c.start(ctx, i)
		}
	}
	res, err := c.better(late)
	return res, -1, err
}

// start has one entrant solve the query.
func (c *contest) start(ctx context.Context, i int) {
	report := func(p engine.Progress) {
		if i == 0 && p.Work >= headStart {
			c.setBusy()
		}
		c.forward(p)
	}
	routine.Go(func() {
		res, err := c.entrants[i].solve(ctx, c.limits, report)
		c.done <- finish{i, res, err}
	}, func(err error) { c.done <- finish{i, nil, err} })
}

// forward reports the progress of one entrant, with what the others know.
func (c *contest) forward(p engine.Progress) {
	if c.report == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, reward := c.limits.Shared.Best(); t != nil && (p.Reward == nil || reward > *p.Reward) {
		p.Reward, p.Trace = &reward, t
	}
	if b := c.limits.Shared.Bound(); b != nil && (p.Bound == nil || *b < *p.Bound) {
		p.Bound = b
	}
	c.report(p)
}

// better joins what is known when nothing was proven.
func (c *contest) better(all []finish) (*engine.Result, error) {
	var best *engine.Result
	var errs []error
	for _, f := range all {
		if f.err != nil {
			errs = append(errs, f.err)
			continue
		}
		r := f.res
		r.Winner = c.entrants[f.entrant].name
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
