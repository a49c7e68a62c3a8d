// Package plan implements the use case of planning: an engine finds a plan, the checker
// replays it and, if there is RDDL, it is simulated.
package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// Division says how a problem is divided among workers.
type Division struct {
	Engine  string // name of the engine that the query asks for
	Proof   bool   // a proof of the answer is kept
	Literal bool   // the proof is about the paper's own rows
	// WorkersOnly leaves all the work to workers; else the engine has the first second alone,
	// and goes on beside them.
	WorkersOnly bool
}

// Query is what is asked of an engine.
type Query struct {
	Horizon bind.Horizon `http:"yes" short:"H" help:"Number of steps, or a range N..M, whose best reward is found, the shortest on a tie; default: the problem's own." placeholder:"N"`
	registry.Options
	Confirm bool `help:"Prove or refute the claim of an external solver, by engine auto."`
}

// Request is a planning query with its limits, and with what it reports to.
type Request struct {
	Query
	// Prove, where it is set, is given the result once the checker has confirmed it.
	Prove func(*engine.Result) error `name:"-"`
	// Try, where it is set, replays a plan in a system of the user's, in place of the
	// problem's own RDDL.
	Try    func(context.Context, *factored.Trace) (*simulator.Run, error) `name:"-"`
	System string                                                         `name:"-"` // what Try asks; "" without Try
	// Divide, where it is set, makes the engine that answers from that of the options: one
	// that sends parts of the work to others.
	Divide  func(engine.Engine) engine.Engine `name:"-"`
	Limits  engine.Limits                     `name:"-"` // Threads 0 is one for each processor
	Report  func(engine.Progress)             `name:"-"`
	Now     func() time.Time                  `name:"-"` // the clock; nil is time.Now
	Started time.Time                         `name:"-"` // start of the process; zero means the time of the call
	Loaded  time.Time                         `name:"-"` // when the problem was loaded; zero means the time of the call

	// Outright, where it is set, has looked for plans before the problem was compiled.
	Outright *Outright `name:"-"`

	unproven bool // no proof is wanted
}

// SetDefaults sets zero fields to their defaults.
func (r *Request) SetDefaults() {
	if r.Now == nil {
		r.Now = time.Now
	}
	if r.Started.IsZero() {
		r.Started = r.Now()
	}
	if r.Loaded.IsZero() {
		r.Loaded = r.Started
	}
	if r.Prove == nil {
		r.Prove, r.unproven = func(*engine.Result) error { return nil }, true
	}
	r.Limits = app.Limits(r.Limits)
}

// setHorizon takes the problem's own horizon where none is given; a problem in PDDL needs none.
func (r *Request) setHorizon(p *load.Problem) error {
	if p.Parallel() {
		if r.Horizon.Min == r.Horizon.Max {
			r.Horizon.Min = 1
		}
		return nil
	}
	if r.Horizon.Max == 0 {
		if p.InPDDL() {
			return nil
		}
		if p.Problem.Horizon == 0 {
			return fmt.Errorf("%s: %w", p.Problem.Name, app.ErrNoHorizon)
		}
		r.Horizon = bind.Steps(p.Problem.Horizon)
	}
	return p.CheckHorizon(r.Horizon.Min)
}

// Plan runs an engine and lets the checker confirm its answer.
func Plan(ctx context.Context, p *load.Problem, r Request) (*Document, error) {
	t := p.Task
	if err := r.setHorizon(p); err != nil {
		return nil, err
	}
	r.SetDefaults()
	e, err := r.engine(p)
	if err != nil {
		return nil, err
	}
	if r.Horizon.Max == 0 && !p.Parallel() {
		r.Limits.Shared = cmp.Or(r.Limits.Shared, &engine.Exchange{})
		r.Limits.Aside = aside(p, &r)
	}
	began := r.Now()
	solving, cancel := r.share(ctx)
	defer cancel()
	res, err := engine.InTime(e).Solve(solving, engine.Query{Task: t, MinHorizon: r.Horizon.Min, MaxHorizon: r.Horizon.Max}, r.Limits, r.Report)
	if err != nil {
		return nil, err
	}
	d := About(p)
	d.outright = r.Outright
	d.Engine, d.Status, d.Stopped, d.Stats = cmp.Or(res.Winner, e.Name()), res.Status, res.Reason, res.Stats
	d.Note, d.Simulator = cmp.Or(d.Note, res.Note), r.System
	d.Seconds = Seconds{Load: r.Loaded.Sub(r.Started).Seconds(), Solve: r.Now().Sub(began).Seconds()}
	switch {
	case p.Parallel():
		d.Note = cmp.Or(d.Note, "a step is of any actions that do not interfere, and the least number of steps is asked for, whatever they cost")
		d.Range = &[2]int{r.Horizon.Min, r.Horizon.Min + len(res.Horizons) - 1}
	case r.Horizon.Max == 0:
	case r.Horizon.Min == r.Horizon.Max:
		d.Horizon = &r.Horizon.Min
	default:
		d.Range = &[2]int{r.Horizon.Min, r.Horizon.Max}
	}
	d.addHorizons(t.Problem, res)
	if res.Bound != nil {
		d.Bound = app.RewardOf(t.Problem, *res.Bound)
	}
	d.Claim(res.Prover)
	if r.Confirm {
		if err := d.check(ctx, p, &r, res); err != nil {
			return nil, err
		}
	}
	if err := d.Follow(p, res, func(tr *factored.Trace) error { return d.Simulate(ctx, p, tr, r.Try) }); err != nil {
		return nil, err
	}
	if err := r.Prove(res); err != nil {
		return nil, err
	}
	d.bound(t.Problem, &r, res)
	d.Seconds.Total = r.Now().Sub(r.Started).Seconds()
	return d, nil
}

// About returns the document of an answer about a problem, with what does not depend on the
// answer.
func About(p *load.Problem) *Document {
	d := &Document{Schema: app.Schema, Problem: p.Problem.Name, Altered: p.Altered, Note: p.Note(), Assumed: p.Assumed()}
	d.LearnedRewardOf(p)
	return d
}

// Follow adds what follows from a plan and from the status, and which no engine has a say in.
// judge adds what a simulator says of the plan.
func (d *Document) Follow(p *load.Problem, res *engine.Result, judge func(*factored.Trace) error) error {
	if res.Trace != nil {
		if err := d.Confirm(p.Task, res); err != nil {
			return err
		}
		if err := judge(res.Trace); err != nil {
			return err
		}
		if err := d.Judge(p, res.Trace); err != nil {
			return err
		}
	}
	d.Sum(p.Task)
	return nil
}

// engine makes the engine that answers.
func (r *Request) engine(p *load.Problem) (engine.Engine, error) {
	if p.Parallel() {
		return newFewest(p, r.Options)
	}
	if r.Horizon.Max == 0 {
		return registry.AnyLength(r.Options)
	}
	e, err := registry.New(r.Options)
	if err == nil && r.Divide != nil {
		e = r.Divide(e)
	}
	return e, err
}

// errShare is why a run ends that is to be proven.
var errShare = errors.New("its share of the time limit was over, the rest is for the proof")

// share is how long the engine may take: where a proof is wanted too, three fifths of
// the time that is left.
func (r *Request) share(ctx context.Context) (context.Context, context.CancelFunc) {
	end, limited := ctx.Deadline()
	if r.unproven || !limited {
		return context.WithCancel(ctx)
	}
	now := r.Now()
	return context.WithDeadlineCause(ctx, now.Add(end.Sub(now)*3/5), errShare)
}

// bound notes the bound, which the proof of a run that was cut short may have changed.
func (d *Document) bound(p *factored.Problem, r *Request, res *engine.Result) {
	if r.unproven {
		return
	}
	d.Bound, d.Gap = nil, nil
	if res.Bound != nil {
		d.Bound = app.RewardOf(p, *res.Bound)
		if d.Reward != nil {
			g := Gap(*d.Bound, *d.Reward)
			d.Gap = &g
		}
	}
}

// Unloaded is the answer to a query that ctx ended before the problem, of which only the name
// is known, was loaded. With a range of horizons, nothing is known of each.
func Unloaded(ctx context.Context, problem string, q Query, after time.Duration) *Document {
	d := &Document{Schema: app.Schema, Problem: problem, Engine: q.Engine, Status: engine.Unknown, Stopped: context.Cause(ctx).Error(), Stats: map[string]int64{}}
	d.Seconds = Seconds{Load: after.Seconds(), Total: after.Seconds()}
	switch {
	case q.Horizon.Min < q.Horizon.Max:
		d.Range = &[2]int{q.Horizon.Min, q.Horizon.Max}
		for h := q.Horizon.Min; h <= q.Horizon.Max; h++ {
			d.Horizons = append(d.Horizons, HorizonLine{Horizon: h, Status: engine.Unknown})
		}
	case q.Horizon.Min > 0:
		d.Horizon = &q.Horizon.Min
	}
	return d
}

// addHorizons adds what is known of each horizon of a range.
func (d *Document) addHorizons(p *factored.Problem, res *engine.Result) {
	for _, h := range res.Horizons {
		line := HorizonLine{Horizon: h.Horizon, Status: h.Status}
		if h.Status == engine.Optimal {
			line.Reward = app.RewardOf(p, h.Reward)
		}
		d.Horizons = append(d.Horizons, line)
	}
}

// Confirm lets the checker replay the engine's plan and writes it to d. A plan that the
// checker refuses is never an answer.
func (d *Document) Confirm(t engine.Task, res *engine.Result) error {
	report, err := d.outright.check(t, res.Trace)
	if err != nil {
		return fmt.Errorf("%w: checking the plan of engine %s: %w", app.ErrInternal, d.Engine, err)
	}
	if !report.Valid {
		return fmt.Errorf("%w: the checker refuses the plan of engine %s: %w", app.ErrInternal, d.Engine, report.Failure)
	}
	if report.Reward != res.Reward {
		return fmt.Errorf("%w: engine %s counted the reward %v, the checker %v", app.ErrInternal, d.Engine, *app.RewardOf(t.Problem, res.Reward), *app.RewardOf(t.Problem, report.Reward))
	}
	horizon := res.Trace.Horizon()
	d.Horizon = &horizon
	d.Reward = app.RewardOf(t.Problem, report.Reward)
	if d.Bound != nil {
		g := Gap(*d.Bound, *d.Reward)
		d.Gap = &g
	}
	valid := true
	d.Valid.Model = &valid
	d.Tell(t.Problem, res.Trace)
	return nil
}
