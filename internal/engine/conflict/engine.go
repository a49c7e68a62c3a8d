package conflict

import (
	"context"
	"errors"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
)

// Feature is something that the search does beside plain conflict-driven
// search. All of them are on unless said otherwise; each can be left out to see
// what it is worth.
type Feature uint8

// The features.
const (
	ActionOrder   Feature = 1 << iota // decide actions first, earliest step first, and in turns by activity alone
	CounterLayers                     // count costs step by step; else one linear constraint for each bound
	StateNogoods                      // learn nogoods over states
	FromBelow                         // raise the lower bound in turns
	CuttingPlanes                     // learn linear constraints; off by default
	Tables                            // bound the costs from each step on by tables and prices (package bound)
	Implicates                        // state a network of few inputs by clauses too
	Cores                             // raise the lower bound by cores, first and in turns; off by default in MaxSAT
)

// standard is what is on by default.
const standard = ActionOrder | CounterLayers | StateNogoods | FromBelow | Tables | Implicates | Cores

// PB is the engine that takes the model as it is: neurons and sums native.
type PB struct {
	// Proof, when set, takes a proof of the answer. It goes with a single
	// horizon and a single question.
	Proof *Proof
	// Change switches features: what is on by default goes off, and the other
	// way round.
	Change Feature
	// Within are bits with values that all plans asked for have: an optimum or bound is that
	// of these plans. A plan that is known beforehand (engine.Limits.Shared) may be another,
	// and where it is as good as all of these it is the result.
	Within []model.Given
}

// Name is "pb".
func (PB) Name() string { return "pb" }

// Solve finds an optimal plan or proves that there is none, unless a limit is
// reached first. Of a range of horizons each is solved by itself.
func (e PB) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	if e.Proof != nil && q.MinHorizon != q.MaxHorizon {
		return nil, errors.New("a proof is about one horizon; expected a single number, not a range")
	}
	return solve(ctx, q, l, report, setup{features: standard ^ e.Change, proof: e.Proof, within: e.Within})
}

// MaxSAT is FD-SAT-Plan+: the model as clauses (paper, section "The WP-MaxSAT
// Compilation"), solved as weighted partial MaxSAT.
type MaxSAT struct {
	Encoding cnf.Encoding
	Change   Feature // as in PB
}

// Name is "maxsat".
func (MaxSAT) Name() string { return "maxsat" }

// Solve is as that of PB.
func (e MaxSAT) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	return solve(ctx, q, l, report, setup{features: standard&^Cores ^ e.Change, encoding: &e.Encoding})
}

// Open prepares for queries about one horizon.
func (e PB) Open(ctx context.Context, t engine.Task, horizon int) (engine.Session, error) {
	return open(ctx, t, horizon, setup{features: standard ^ e.Change, within: e.Within})
}

// Open prepares for queries about one horizon.
func (e MaxSAT) Open(ctx context.Context, t engine.Task, horizon int) (engine.Session, error) {
	return open(ctx, t, horizon, setup{features: standard&^Cores ^ e.Change, encoding: &e.Encoding})
}

// setup is how a session is to work.
type setup struct {
	features Feature
	encoding *cnf.Encoding // nil for the model as it is
	proof    *Proof        // nil for none
	within   []model.Given
	memory   int64 // bytes that the loaded model may take; 0 is no bound
}

func solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress), how setup) (*engine.Result, error) {
	how.memory = l.Memory
	return engine.EachHorizon(ctx, q, report, func(h int, report func(engine.Progress)) (*engine.Result, error) {
		s, err := open(ctx, q.Task, h, how)
		if err != nil && ctx.Err() != nil {
			return &engine.Result{Status: engine.Unknown, Reason: context.Cause(ctx).Error()}, nil
		}
		if large := new(engine.TooLargeError); errors.As(err, &large) {
			return &engine.Result{Status: engine.Unknown, Reason: large.Error()}, nil
		}
		if err != nil {
			return nil, err
		}
		return s.Solve(ctx, l.Of(q, h), report)
	})
}
