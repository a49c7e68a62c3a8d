package conflict

import (
	"context"
	"errors"

	"github.com/fdplan/fdplan/cnf"
	"github.com/fdplan/fdplan/engine"
)

// PB is the engine that takes the model as it is: neurons and sums native.
type PB struct {
	// Proof, when set, takes a proof of the answer. It goes with a single
	// horizon and a single question.
	Proof *Proof
}

// Name is "pb".
func (PB) Name() string { return "pb" }

// Solve finds an optimal plan or proves that there is none, unless a limit is
// reached first. Of a range of horizons each is solved by itself.
func (e PB) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	if e.Proof != nil && q.MinHorizon != q.MaxHorizon {
		return nil, errors.New("a proof is about one horizon; expected a single number, not a range")
	}
	return solve(ctx, q, l, report, nil, e.Proof)
}

// MaxSAT is FD-SAT-Plan+: the model as clauses (paper, section "The WP-MaxSAT
// Compilation"), solved as weighted partial MaxSAT.
type MaxSAT struct {
	Encoding cnf.Encoding
}

// Name is "maxsat".
func (MaxSAT) Name() string { return "maxsat" }

// Solve is as that of PB.
func (e MaxSAT) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	return solve(ctx, q, l, report, &e.Encoding, nil)
}

// Open prepares for queries about one horizon.
func (PB) Open(ctx context.Context, t engine.Task, horizon int) (engine.Session, error) {
	return open(ctx, t, horizon, nil, nil)
}

// Open prepares for queries about one horizon.
func (e MaxSAT) Open(ctx context.Context, t engine.Task, horizon int) (engine.Session, error) {
	return open(ctx, t, horizon, &e.Encoding, nil)
}

func solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress), e *cnf.Encoding, p *Proof) (*engine.Result, error) {
	return engine.EachHorizon(ctx, q, report, func(h int, report func(engine.Progress)) (*engine.Result, error) {
		s, err := open(ctx, q.Task, h, e, p)
		if err != nil && ctx.Err() != nil {
			return &engine.Result{Status: engine.Unknown, Reason: context.Cause(ctx).Error()}, nil
		}
		if err != nil {
			return nil, err
		}
		return s.Solve(ctx, l, report)
	})
}
