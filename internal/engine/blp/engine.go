package blp

import (
	"context"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/solve/external"
)

// Engine is FD-BLP-Plan+ as an engine.Engine. The zero value solves the program by HiGHS,
// with what helps.
type Engine struct {
	Solver *external.Solver // of kind external.MILP; nil is HiGHS
	Help   Help             // what is added to the paper's program
}

// Help says what is added to the paper's program.
type Help uint8

// What there is to add.
const (
	All  Help = iota // a start solution, a bound by tables, and flow variables
	None             // nothing
	Flow             // flow variables alone
)

// Helps are their names.
var Helps = []string{All: "all", None: "none", Flow: "flow"}

var _ engine.Opener = Engine{}

// Name is "blp".
func (Engine) Name() string { return "blp" }

// Solve has the solver find an optimal plan. Of a range of horizons each is
// solved by itself. Errors are those of external.Run, an
// *external.MissingError where there is no solver, and *outsource.LieError.
func (e Engine) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	return engine.EachHorizon(ctx, q, report, func(h int, report func(engine.Progress)) (*engine.Result, error) {
		s, err := e.Open(ctx, q.Task, h)
		if err != nil {
			return nil, err
		}
		return s.Solve(ctx, l.Of(q, h), report)
	})
}

// Open prepares for queries about one horizon.
func (e Engine) Open(_ context.Context, t engine.Task, horizon int) (engine.Session, error) {
	return &Session{e: e, task: t, horizon: horizon}, nil
}

// solver returns the solver and what answers call it. The error is an *external.MissingError where
// it is not installed.
func (e Engine) solver() (s external.Solver, name string, err error) {
	if e.Solver != nil {
		s = *e.Solver
	} else if s, err = external.Lookup(external.MILP, "highs"); err != nil {
		return s, "", err
	}
	if _, err := s.Program(); err != nil {
		return s, "", err
	}
	if s.Name == "highs" {
		return s, "HiGHS", nil
	}
	return s, s.Name, nil
}
