package blp

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/outsource"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/problem/factored"
)

// Session is one problem over one horizon, to be solved again and again with
// more plans excluded. MILP solvers start over each time; what was found out of
// the problem is kept, and so is the bound.
type Session struct {
	e        Engine
	task     engine.Task
	horizon  int
	known    *known
	excluded []engine.Landmark
	bound    *int64 // on the scaled reward, of earlier calls
	prover   string // who claims it; "" for what the model itself shows
}

// Exclude adds one linear constraint: some action bit of the landmark's steps, or
// some bit of the initial state, is another.
func (x *Session) Exclude(l engine.Landmark) error {
	if err := l.Check(x.horizon); err != nil {
		return err
	}
	x.excluded = append(x.excluded, l)
	return nil
}

// Shares of the time that is left.
const (
	learnShare  = 4  // to find out what helps
	searchShare = 10 // to look for a start solution
)

// part is a context that ends after a share of the time that is left.
func part(ctx context.Context, share int, most time.Duration) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(deadline)/time.Duration(share))
	}
	return context.WithTimeout(ctx, most)
}

// Solve finds an optimal plan among those that are not excluded.
func (x *Session) Solve(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	r, err := x.solve(ctx, l, report)
	if err != nil {
		return nil, fmt.Errorf("engine blp: %w", err)
	}
	x.known.tables.count(r)
	if r.Bound != nil {
		b := *r.Bound
		x.bound, x.prover = &b, r.Prover
	}
	return r, nil
}

func (x *Session) solve(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	solver, name, err := x.e.solver()
	if err != nil {
		return nil, err
	}
	if report == nil {
		report = func(engine.Progress) {}
	}
	if x.known == nil {
		report(engine.Progress{Phase: "blp: looking at the problem"})
		learnCtx, cancel := part(ctx, learnShare, time.Minute)
		x.known, err = learn(learnCtx, x.task, x.horizon, x.e.Help)
		cancel()
		if err != nil {
			return nil, err
		}
	}
	if x.known.m.Infeasible() {
		return &engine.Result{Status: engine.Infeasible}, nil
	}
	j := &outsource.Judge{Engine: "blp", Solver: name, Model: x.known.m, Excluded: x.excluded, Shared: l.Shared, Report: report}
	infeasible, err := x.prepare(ctx, l, j)
	switch {
	case err != nil:
		return nil, err
	case infeasible:
		return &engine.Result{Status: engine.Infeasible}, nil
	case j.Settled():
		return x.improve(j.Conclude(ctx, external.Answer{}))
	}
	start, reward := j.Best()
	least := &reward
	if start == nil || x.e.Help != All {
		least = nil
	}
	b := build(x.known, x.excluded, least)
	if b.groups != nil {
		j.Complete = b.groups.Read
	}
	r, err := x.improve(j.Run(ctx, solver, b.input(ctx, start), l))
	if err == nil && b.groups != nil {
		figures := figuresOf(r)
		figures["flow_variables"], figures["flow_integers"] = int64(b.next-1-b.m.NumVars()), int64(len(b.groups.Integers))
	}
	return r, err
}

// input is what the solver gets: the program, with a plan to start from unless it
// is nil.
func (b *builder) input(ctx context.Context, start *factored.Trace) external.Input {
	in := external.Input{Write: func(w io.Writer, d external.Dialect) error { return b.write(ctx, w, d) }}
	if start != nil {
		in.Start = b.solution(ctx, start)
	}
	return in
}

// improve takes the bound of an earlier call where it is better: excluding more
// plans cannot have made any better.
func (x *Session) improve(r *engine.Result, err error) (*engine.Result, error) {
	if err != nil || x.bound == nil || r.Status == engine.Infeasible || r.Bound != nil && *r.Bound <= *x.bound {
		return r, err
	}
	r.Bound, r.Prover = x.bound, x.prover
	if r.Trace != nil && r.Reward == *x.bound {
		r.Status, r.Reason = engine.Optimal, ""
	}
	return r, nil
}

// prepare looks for what helps: plans to begin with, a bound, and what flow variables stand for. It reports whether tables
// show that there is no plan.
func (x *Session) prepare(ctx context.Context, l engine.Limits, j *outsource.Judge) (infeasible bool, err error) {
	switch x.e.Help {
	case All:
		if err = x.explore(ctx); err == nil && x.known.layers == nil {
			infeasible, err = x.askTables(ctx, l, j)
		}
	case Flow:
		if err = x.cutUp(ctx, l); err == nil && x.known.tables == nil {
			err = x.explore(ctx)
		}
	}
	if err != nil || infeasible {
		return infeasible, err
	}
	if x.e.Help == All && !j.Settled() {
		searchCtx, cancel := part(ctx, searchShare, searchTime)
		defer cancel()
		limits := engine.Limits{Threads: 1, Memory: searchMemory}
		res, err := search.Engine{}.Solve(searchCtx, engine.Query{Task: x.task, MinHorizon: x.horizon, MaxHorizon: x.horizon}, limits, nil)
		if err != nil {
			return false, err
		}
		// Its bound stays unused: the proof is to be the solver's.
		if res.Trace != nil {
			j.Know(res.Trace)
		}
	}
	if t, _ := l.Shared.Best(); t != nil {
		j.Know(t)
	}
	return false, nil
}

// Bounds on the search for a start solution.
const (
	searchTime   = 5 * time.Second
	searchMemory = 256 << 20
)
