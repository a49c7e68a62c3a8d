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

// MaxSAT is FD-SAT-Plan+ (paper, section "The WP-MaxSAT Compilation") with an
// outside solver.
type MaxSAT struct {
	Solver   external.Solver // of kind external.MaxSAT
	Encoding cnf.Encoding
}

// Name is "maxsat".
func (MaxSAT) Name() string { return "maxsat" }

// Solve has the solver find an optimal plan. Of a range of horizons each is
// solved by itself. Errors are those of external.Run and *LieError.
func (e MaxSAT) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	return solve(ctx, q, l, report, "maxsat", e.Solver, e.Encoding)
}

// PB is the pseudo-Boolean model, two inequalities a neuron, with an outside
// solver.
type PB struct {
	Solver external.Solver // of kind external.PB
}

// Name is "pb".
func (PB) Name() string { return "pb" }

// Solve is as that of MaxSAT.
func (e PB) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	return solve(ctx, q, l, report, "pb", e.Solver, cnf.Default)
}

func solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress), name string, s external.Solver, e cnf.Encoding) (*engine.Result, error) {
	return engine.EachHorizon(ctx, q, report, func(h int, report func(engine.Progress)) (*engine.Result, error) {
		r, err := solveOne(ctx, q.Task, h, l, report, name, s, e)
		if err != nil {
			return nil, fmt.Errorf("engine %s: %w", name, err)
		}
		return r, nil
	})
}

func solveOne(ctx context.Context, t engine.Task, horizon int, l engine.Limits, report func(engine.Progress), name string, s external.Solver, e cnf.Encoding) (*engine.Result, error) {
	if _, err := s.Program(); err != nil {
		return nil, err // before anything is written
	}
	m, err := model.New(t.Problem, t.Network, horizon, model.Options{Propagate: true})
	if err != nil {
		return nil, err
	}
	if m.Infeasible() {
		return &engine.Result{Status: engine.Infeasible}, nil
	}
	kind, err := format.ParseKind(string(s.Dialect))
	if err != nil {
		return nil, err
	}
	o := format.Options{Kind: kind, Encoding: e}
	stats, err := format.Measure(ctx, m, o)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &engine.Result{Status: engine.Unknown, Reason: context.Cause(ctx).Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	in := external.Input{
		Variables: int(stats.Variables),
		Write: func(w io.Writer, _ external.Dialect) error {
			_, err := format.Write(ctx, w, m, o)
			return err
		},
	}
	solving, cancel := context.WithCancel(ctx)
	defer cancel()
	objective := format.ObjectiveOf(m, kind)
	j := &Judge{Engine: name, Solver: s.Name, Model: m, Constant: objective.Constant, Shared: l.Shared, Report: report, Cancel: cancel}
	// No cost is negative. Solvers that find no soft clause do not speak of optima.
	j.KnowBound(-m.ObjectiveConstant())
	if t, _ := l.Shared.Best(); t != nil {
		j.Know(t)
	}
	a, err := external.Run(solving, s, in, Limits(ctx, l, true), j.Progress)
	switch {
	case err != nil && j.Lie() != nil:
		return nil, j.Lie()
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		a = external.Answer{} // the file was being written
	case err != nil:
		return nil, err
	}
	return j.Conclude(ctx, a)
}
