package blp

import (
	"context"
	"errors"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/engine/outsource"
)

// tables is what package bound makes of a problem.
type tables struct {
	search *bound.Search
	result *engine.Result
}

// askTables bounds the problem by tables and prices, and hands a judge their plan and
// bound. It reports whether they show that there is no plan.
func (x *Session) askTables(ctx context.Context, l engine.Limits, j *outsource.Judge) (infeasible bool, err error) {
	if x.known.tables == nil {
		tablesCtx, cancel := part(ctx, learnShare, time.Minute)
		defer cancel()
		if err := x.learnTables(tablesCtx, l, j); err != nil || x.known.tables == nil {
			return false, err
		}
	}
	r := x.known.tables.result
	if r.Trace != nil {
		j.Know(r.Trace)
	}
	if r.Bound != nil {
		j.Show(*r.Bound)
	}
	return r.Status == engine.Infeasible, nil
}

// learnTables looks for tables and prices. There are none where the problem does not
// fall into groups.
func (x *Session) learnTables(ctx context.Context, l engine.Limits, j *outsource.Judge) error {
	start, reward := j.Best()
	bounds := func(r *engine.Result) bool { return r.Bound != nil && *r.Bound < -x.known.m.ObjectiveConstant() }
	over := &reward
	if start == nil {
		over = nil
	}
	s, err := bound.Assist(ctx, x.task, x.horizon, l, start, over, nil, bounds)
	if s != nil && err == nil {
		x.known.tables = &tables{s, s.Result()}
	}
	return err
}

// cutUp cuts the problem into groups, where it falls into some, and finds no prices.
func (x *Session) cutUp(ctx context.Context, l engine.Limits) error {
	if x.known.tables != nil {
		return nil
	}
	ctx, cancel := part(ctx, learnShare, time.Minute)
	defer cancel()
	s, err := bound.Start(ctx, x.task, x.horizon, engine.Limits{Threads: 1, Memory: l.Memory / 4}, nil)
	switch {
	case errors.Is(err, bound.ErrNoGroups) || ctx.Err() != nil:
		return nil
	case err == nil:
		x.known.tables = &tables{s, s.Result()}
	}
	return err
}

// count adds what the tables took to a result's figures.
func (x *tables) count(r *engine.Result) {
	if x == nil {
		return
	}
	figures := figuresOf(r)
	for k, v := range x.result.Stats {
		figures["bound_"+k] = v
	}
}

// figuresOf are the figures of a result, to be added to.
func figuresOf(r *engine.Result) map[string]int64 {
	if r.Stats == nil {
		r.Stats = map[string]int64{}
	}
	return r.Stats
}
