package pb

import (
	"context"

	"github.com/fdplan/fdplan/engine"
)

// Engine is the conflict-driven search as an engine.Engine.
type Engine struct{}

// Name is "pb".
func (Engine) Name() string { return "pb" }

// Solve finds an optimal plan or proves that there is none, unless a limit is
// reached first. Of a range of horizons each is solved by itself.
func (Engine) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	return engine.EachHorizon(ctx, q, report, func(h int, report func(engine.Progress)) (*engine.Result, error) {
		s, err := Open(q.Task, h)
		if err != nil {
			return nil, err
		}
		return s.Solve(ctx, l, report)
	})
}
