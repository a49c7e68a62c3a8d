// Package race is the engine auto: other engines side by side on the same
// query, the first proof wins. They tell each other of plans and bounds as they
// go, so that each can prove what another found.
//
// Most problems are small, and the first engine answers them before another has
// loaded its model. The others therefore have a short turn when the first has done a certain
// amount of work, which does not depend on the machine, and join it when it has done a larger one.
package race

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/routine"
)

// Engine is a race as an engine.Engine. The Winner of its results names the
// engine that proved them, or had the best plan when time was up.
type Engine struct{ engines []engine.Engine }

// Special is an engine for some problems alone.
type Special interface {
	engine.Engine
	// Suits reports whether the engine may answer queries about a task.
	Suits(engine.Task) bool
}

var _ engine.Opener = Engine{}

// New returns a race of engines. The first begins, the others join it, a Special where it suits; see the package comment. Those that are
// an engine.Opener have sessions, as the first is.
func New(first engine.Opener, others ...engine.Engine) Engine {
	return Engine{append([]engine.Engine{first}, others...)}
}

// Name is "auto".
func (Engine) Name() string { return "auto" }

// Solve returns the first result that is proven; without one, the best plan
// with the best bound.
func (e Engine) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	var entrants []entrant
	for _, one := range e.engines {
		if s, ok := one.(Special); !ok || s.Suits(q.Task) {
			entrants = append(entrants, entrant{one.Name(), func(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
				return one.Solve(ctx, q, l, report)
			}})
		}
	}
	if l.Shared == nil {
		l.Shared = &engine.Exchange{}
	}
	res, _, err := run(ctx, entrants, l, report)
	return res, err
}

// The first engine works up to firstWork before each of the others does turnWork once: some hundredths of a second, in which most problems are
// solved, and one of the others may see what the first is not made for. Then it works up to headStart before the others join it.
const (
	firstWork = 50_000
	turnWork  = 150_000
	headStart = 400_000
)

// entrant is one engine's part in a race.
type entrant struct {
	name  string
	solve func(context.Context, engine.Limits, func(engine.Progress)) (*engine.Result, error)
}

// racer is an entrant under way. It works until it reaches its level, and waits there.
type racer struct {
	entrant
	ctx    context.Context
	cancel context.CancelCauseFunc
	shared *engine.Exchange // what it knows; what others find comes between rounds
	resume chan struct{}
	level  int64 // of work
	state  state
	moved  bool  // it came closer to an answer in the last round, or without a plan not long before
	last   int64 // its level when it last came closer
}

// state is what a racer does.
type state uint8

const (
	outside state = iota // it has not begun
	waiting              // it has reached its level
	running
	finished
)

// event is a racer that has reached its level, or has ended with a result or an error.
type event struct {
	racer int
	ended bool
	res   *engine.Result
	err   error
}

// broken reports whether what the others share may be broken too.
func (e *event) broken() bool { return errors.As(e.err, new(*routine.Panic)) }

// decides reports whether the race is over.
func (e *event) decides() bool {
	return e.broken() || e.err == nil && (e.res.Status == engine.Optimal || e.res.Status == engine.Infeasible)
}

// contest is one race under way.
type contest struct {
	racers []*racer
	limits engine.Limits
	events chan event
	late   []event // ends without a proof

	mu     sync.Mutex // held while reporting
	report func(engine.Progress)
}

// run has the entrants solve the same query under the limits l, which hold for
// all of them together. It returns when all have ended: the first proof with
// its entrant, or without a proof what is known, and -1.
//
// They work in rounds, each as much as the others, or less while others come closer to an answer and it does not, and are
// told between rounds alone what the others have found.
// So the answer is the same in every run, on any number of threads.
func run(ctx context.Context, entrants []entrant, l engine.Limits, report func(engine.Progress)) (*engine.Result, int, error) {
	l.Memory /= int64(len(entrants))
	c := &contest{limits: l, events: make(chan event, 2*len(entrants)), report: report}
	for _, e := range entrants {
		r := &racer{entrant: e, shared: &engine.Exchange{}, resume: make(chan struct{}, 1)}
		r.ctx, r.cancel = context.WithCancelCause(ctx)
		r.shared.Take(l.Shared)
		defer r.cancel(nil)
		c.racers = append(c.racers, r)
	}
	more := int64(0)
	for n := 0; c.open(ctx); n++ {
		turns := c.turns(n, more)
		if e := c.round(ctx, turns); e != nil {
			c.stop()
			if e.broken() {
				return nil, -1, e.err
			}
			e.res.Winner = entrants[e.racer].name
			return e.res, e.racer, nil
		}
		for _, r := range turns {
			if r.moved = closer(r.shared, l.Shared); r.moved {
				r.last = r.level
			} else if lasts(l.Shared) {
				r.moved = r.level < patience*r.last
			}
		}
		for _, r := range turns {
			l.Shared.Take(r.shared)
		}
		for _, r := range c.racers {
			r.shared.Take(l.Shared)
		}
		more = 0
		for _, r := range c.racers {
			more = max(more, r.level/8)
		}
	}
	slices.SortStableFunc(c.late, func(x, y event) int { return x.racer - y.racer })
	res, err := c.better(c.late)
	return res, -1, err
}

// turns sets the levels of round n, in which racers do more work than before, but for the first rounds, and returns who takes part.
func (c *contest) turns(n int, more int64) []*racer {
	turns := c.racers
	switch n {
	case 0:
		turns = c.racers[:1]
		turns[0].level = firstWork
	case 1:
		for _, r := range turns[1:] {
			r.level = turnWork
		}
	case 2:
		turns = c.racers[:1]
		turns[0].level = headStart
	default:
		c.raise(turns, more)
	}
	if len(c.late) == len(c.racers)-1 { // one is alone, and does all that it can
		for _, r := range c.racers {
			r.level = math.MaxInt64
		}
	}
	return turns
}

// raise sets the levels of the next round, in which racers do more work. Those that do not come closer to an answer, while
// another does, do a third of it.
func (c *contest) raise(turns []*racer, more int64) {
	some := slices.ContainsFunc(turns, func(r *racer) bool { return r.moved })
	for _, r := range turns {
		if r.level += more; some && !r.moved {
			r.level -= more - more/3
		}
	}
}

// patience is how many times as much a racer may work from one plan or bound to the next where progress lasts.
const patience = 4

// little is the part of the reward, one in so many, that is a small gap.
const little = 16

// lasts reports whether who came closer to an answer is likely to come closer again, though not in each round. So it is where there is no plan,
// since the bounds of A* rise ever more slowly, and where the gap is small, since each step of it takes longer than the one before.
func lasts(x *engine.Exchange) bool {
	plan, reward := x.Best()
	bound := x.Bound()
	return plan == nil || bound != nil && little*(*bound-reward) <= max(reward, -reward)
}

// progress is the part of the gap, one in so many, that a round has to close to count.
const progress = 16

// closer reports whether x has a first plan or bound, or has closed a part of the gap that y knows.
func closer(x, y *engine.Exchange) bool {
	plan, reward := x.Best()
	bound := x.Bound()
	before, least := y.Best()
	most := y.Bound()
	if plan != nil && before == nil || bound != nil && most == nil {
		return true
	}
	if before == nil || most == nil {
		return bound != nil && *bound < *most || plan != nil && reward > least
	}
	return progress*(reward-least+*most-*bound) >= *most-least
}

// open reports whether a racer is under way, or is still to begin.
func (c *contest) open(ctx context.Context) bool {
	for i, r := range c.racers {
		if r.state != finished && (r.state != outside || i == 0 || ctx.Err() == nil) {
			return true
		}
	}
	return false
}

// round has racers work up to their levels, as many at once as there are threads. It returns who decides the
// race, nil for nobody: of those that do in one round the first in their order.
func (c *contest) round(ctx context.Context, turns []*racer) (winner *event) {
	next := 0
	for {
		for ; next < len(turns) && winner == nil && c.busy(ctx) < max(1, c.limits.Threads); next++ {
			if ctx.Err() == nil || next == 0 {
				c.start(next)
			}
		}
		if c.busy(ctx) == 0 {
			return winner
		}
		e := <-c.events
		c.racers[e.racer].state = waiting
		if !e.ended {
			continue
		}
		c.racers[e.racer].state = finished
		switch {
		case !e.decides():
			c.late = append(c.late, e)
		case winner == nil || e.racer < winner.racer:
			winner = &e
			for _, r := range turns[e.racer+1:] {
				r.cancel(engine.ErrSettled)
			}
		}
	}
}

// busy counts the racers that an event is to come of.
func (c *contest) busy(ctx context.Context) (n int) {
	for _, r := range c.racers {
		if r.state == running || r.state == waiting && ctx.Err() != nil {
			n++
		}
	}
	return n
}

// start has a racer go on.
func (c *contest) start(i int) {
	r := c.racers[i]
	switch r.state {
	case waiting:
		r.resume <- struct{}{}
	case outside:
		l := c.limits
		l.Shared = r.shared
		routine.Go(func() {
			res, err := r.solve(r.ctx, l, func(p engine.Progress) {
				c.forward(p, r)
				c.pass(i, p.Work)
			})
			c.events <- event{i, true, res, err}
		}, func(err error) { c.events <- event{i, true, nil, err} })
	default:
		return
	}
	r.state = running
}

// pass lets a racer go on that has not reached its level, or that is to end.
func (c *contest) pass(i int, work int64) {
	r := c.racers[i]
	for r.ctx.Err() == nil && work >= r.level {
		c.events <- event{racer: i}
		select {
		case <-r.resume:
		case <-r.ctx.Done():
		}
	}
}

// stop ends all racers and waits for them.
func (c *contest) stop() {
	for _, r := range c.racers {
		r.cancel(engine.ErrSettled)
	}
	for _, r := range c.racers {
		for r.state == running || r.state == waiting {
			if e := <-c.events; e.ended {
				c.racers[e.racer].state = finished
			}
		}
	}
}

// forward reports the progress of one entrant, with what it knows of the others.
func (c *contest) forward(p engine.Progress, r *racer) {
	if c.report == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range []*engine.Exchange{r.shared, c.limits.Shared} {
		if t, reward := x.Best(); t != nil && (p.Reward == nil || reward > *p.Reward) {
			p.Reward, p.Trace = &reward, t
		}
		if b := x.Bound(); b != nil && (p.Bound == nil || *b < *p.Bound) {
			p.Bound = b
		}
	}
	c.report(p)
}

// better joins what is known when nothing was proven.
func (c *contest) better(all []event) (*engine.Result, error) {
	var best *engine.Result
	var errs []error
	for _, f := range all {
		if f.err != nil {
			errs = append(errs, f.err)
			continue
		}
		r := f.res
		r.Winner = c.racers[f.racer].name
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
	if b := c.limits.Shared.Bound(); b != nil && best.Horizons == nil && (best.Bound == nil || *b < *best.Bound) {
		best.Bound = b
	}
	if best.Trace != nil && best.Bound != nil && *best.Bound == best.Reward && best.Horizons == nil {
		best.Status, best.Reason = engine.Optimal, ""
	}
	return best, nil
}
