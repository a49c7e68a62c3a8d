package outsource

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/solve/external"
)

// Session is one problem over one horizon, solved again and again with more
// plans excluded: the paper's own configuration of Algorithm 1. The solver keeps
// nothing from one call to the next. The model and the best proven bound are kept.
type Session struct {
	engine   string // its name, for progress and errors
	solver   external.Solver
	options  format.Options
	m        *model.Model
	excluded []engine.Landmark
	bound    *int64 // on the scaled reward; excluding plans cannot raise it
}

// open builds the model. It returns an *external.MissingError if the solver is
// not installed.
func open(ctx context.Context, name string, s external.Solver, e cnf.Encoding, t engine.Task, horizon int) (*Session, error) {
	if _, err := s.Program(); err != nil {
		return nil, err
	}
	kind, err := format.ParseKind(string(s.Dialect))
	if err != nil {
		return nil, err
	}
	m, err := model.New(t.Problem, t.Network, horizon, model.Options{Propagate: true, Context: ctx})
	if err != nil {
		return nil, err
	}
	return &Session{engine: name, solver: s, options: format.Options{Kind: kind, Encoding: e}, m: m}, nil
}

// Exclude adds one clause to the file: some action bit of the landmark's steps,
// or some bit of the initial state, differs.
func (x *Session) Exclude(l engine.Landmark) error {
	if err := l.Check(x.m.Horizon); err != nil {
		return err
	}
	x.excluded = append(x.excluded, l)
	x.options.Clauses = append(x.options.Clauses, x.m.Differs(l.Trace, l.Depth))
	return nil
}

// Solve has the solver find an optimal plan among those that are not excluded.
func (x *Session) Solve(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	r, err := x.solve(ctx, l, report)
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w", x.engine, err)
	}
	if r.Bound != nil {
		b := *r.Bound
		x.bound = &b
	}
	return r, nil
}

func (x *Session) solve(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	if x.m.Infeasible() {
		return &engine.Result{Status: engine.Infeasible}, nil
	}
	for _, c := range x.options.Clauses {
		if len(c) == 0 { // the only initial state is excluded
			return &engine.Result{Status: engine.Infeasible}, nil
		}
	}
	stats, err := format.Measure(ctx, x.m, x.options)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &engine.Result{Status: engine.Unknown, Bound: x.bound, Reason: context.Cause(ctx).Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	in := external.Input{
		Variables: int(stats.Variables),
		Write: func(w io.Writer, _ external.Dialect) error {
			_, err := format.Write(ctx, w, x.m, x.options)
			return err
		},
	}
	objective := format.ObjectiveOf(x.m, x.options.Kind)
	j := &Judge{
		Engine: x.engine, Solver: x.solver.Name, Model: x.m, Constant: objective.Constant, Excluded: x.excluded,
		Shared: l.Shared, Report: report,
	}
	// No cost is negative. Solvers that find no soft clause do not speak of optima.
	j.KnowBound(-x.m.ObjectiveConstant())
	if x.bound != nil {
		j.KnowBound(*x.bound)
	}
	if t, _ := l.Shared.Best(); t != nil {
		j.Know(t)
	}
	return j.Run(ctx, x.solver, in, l)
}
