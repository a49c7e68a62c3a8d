package blp

import (
	"context"
	"sync"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/internal/solve/highs"
)

// Engine is FD-BLP-Plan+ as an engine.Engine. The zero value solves the program by HiGHS,
// with what helps.
type Engine struct {
	Solver *external.Solver // of kind external.MILP; nil is HiGHS, as a program or in process
	Plain  bool             // the paper's program, with nothing added

	inProcess *loaded // shared by copies; nil until Keep
}

var _ engine.Opener = Engine{}

// Name is "blp".
func (Engine) Name() string { return "blp" }

// Solve has the solver find an optimal plan. Of a range of horizons each is
// solved by itself. Errors are those of external.Run and highs.Solve, an
// *external.MissingError where there is no solver, and *outsource.LieError.
func (e Engine) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	e = e.Keep()
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
	return &Session{e: e.Keep(), task: t, horizon: horizon}, nil
}

// Keep returns the engine such that HiGHS in process is loaded once, for all questions to it
// and its copies.
func (e Engine) Keep() Engine {
	if e.inProcess == nil {
		e.inProcess = &loaded{}
	}
	return e
}

// loaded is HiGHS in process, once it was needed.
type loaded struct {
	mu     sync.Mutex
	engine *highs.Engine
}

// solve is highs.Engine.Solve.
func (x *loaded) solve(ctx context.Context, in external.Input, l external.Limits, o highs.Options, report func(external.Progress)) (external.Answer, error) {
	x.mu.Lock()
	if x.engine == nil {
		e, err := highs.Open(ctx)
		if err != nil {
			x.mu.Unlock()
			return external.Answer{}, err
		}
		x.engine = e
	}
	x.mu.Unlock()
	return x.engine.Solve(ctx, in, l, o, report)
}

// runner is a solver ready to run.
type runner struct {
	name       string
	takesStart bool
	whole      bool // it counts time in whole seconds
	run        func(ctx context.Context, in external.Input, l external.Limits, o highs.Options, report func(external.Progress)) (external.Answer, error)
}

// runner finds the solver. The error is an *external.MissingError where it is not
// installed.
func (e Engine) runner() (*runner, error) {
	if e.Solver == nil || e.Solver.Name == "highs" && e.Solver.TakesStart() {
		native, err := external.Lookup(external.MILP, "highs")
		if err != nil {
			return nil, err
		}
		if _, missing := native.Program(); missing == nil {
			return &runner{name: "HiGHS", takesStart: true, whole: true, run: highs.Solve}, nil
		}
		if _, err := highs.Find(); err != nil {
			return nil, err
		}
		return &runner{name: "HiGHS", takesStart: true, run: e.Keep().inProcess.solve}, nil
	}
	s := *e.Solver
	if _, err := s.Program(); err != nil {
		return nil, err
	}
	run := func(ctx context.Context, in external.Input, l external.Limits, _ highs.Options, report func(external.Progress)) (external.Answer, error) {
		return external.Run(ctx, s, in, l, report)
	}
	return &runner{name: s.Name, takesStart: s.TakesStart(), whole: true, run: run}, nil
}
