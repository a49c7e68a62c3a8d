package outsource

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/solve/external"
)

// MaxSAT is FD-SAT-Plan+ (paper, section "The WP-MaxSAT Compilation") with an
// external solver.
type MaxSAT struct {
	Solver   external.Solver // of kind external.MaxSAT
	Encoding cnf.Encoding
}

// Name returns "maxsat".
func (MaxSAT) Name() string { return "maxsat" }

// Solve has the solver find an optimal plan. Each horizon of a range is solved
// by itself. Errors are those of external.Run and *LieError.
func (e MaxSAT) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	return solve(ctx, e, q, l, report)
}

// Open prepares for queries about one horizon. The solver starts anew at each.
func (e MaxSAT) Open(ctx context.Context, t engine.Task, horizon int) (engine.Session, error) {
	return open(ctx, e.Name(), e.Solver, e.Encoding, t, horizon)
}

// PB is the pseudo-Boolean model, two inequalities a neuron, with an outside
// solver.
type PB struct {
	Solver external.Solver // of kind external.PB
}

// Name returns "pb".
func (PB) Name() string { return "pb" }

// Solve is as MaxSAT.Solve.
func (e PB) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	return solve(ctx, e, q, l, report)
}

// Open is as MaxSAT.Open.
func (e PB) Open(ctx context.Context, t engine.Task, horizon int) (engine.Session, error) {
	return open(ctx, e.Name(), e.Solver, cnf.Default, t, horizon)
}

// solve answers a query by one session a horizon.
func solve(ctx context.Context, e engine.Opener, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	return engine.EachHorizon(ctx, q, report, func(h int, report func(engine.Progress)) (*engine.Result, error) {
		s, err := e.Open(ctx, q.Task, h)
		if err != nil {
			return nil, fmt.Errorf("engine %s: %w", e.Name(), err)
		}
		return s.Solve(ctx, l, report)
	})
}
