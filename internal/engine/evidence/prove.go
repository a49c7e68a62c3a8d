package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/backward"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/problem/factored"
)

// Answer is what is known of one horizon.
type Answer struct {
	Horizon int
	Status  engine.Status
	Trace   *factored.Trace // a plan of the best reward known; nil without one
	Reward  int64           // of Trace
	Bound   *int64          // no plan has a higher reward; nil when nothing is known
	// Excluded are plans that the answer is not about. The file has a clause for each.
	Excluded []engine.Landmark
	// Evidence is the engine's own proof; nil for none.
	Evidence *engine.Evidence
}

// Options set up a proof.
type Options struct {
	W      io.Writer
	Format proof.Format
	// Literal has the proof be about the paper's own rows: the file that compile
	// writes with --encoding paper. Else constants are propagated.
	Literal bool
	Limits  engine.Limits
	// Large is called, where it is set, with the expected size in bytes of a proof
	// that will have more than about 100 MB.
	Large func(bytes int64)
	// Again is called, where it is set, before engine pb finds the answer a second time
	// because no other proof is small enough. Nothing is known then of time and size.
	Again func()
}

// ErrNoProof is wrapped by the error for an answer that no proof was found for.
var ErrNoProof = errors.New("no proof was made")

// ErrFalse is wrapped by the error for an answer that does not hold.
var ErrFalse = errors.New("the answer is false")

// Prove writes a proof of all that an answer says: of its plan and its bound, or
// that there is no plan. It does not matter which engine gave the answer. An answer
// that is false is an error that wraps ErrFalse. After an error, what was written is
// incomplete.
//
// Of a run that was cut short the bound may be more than can be proven: the answer
// that is returned has the bound that the proof shows, nil for none.
func Prove(ctx context.Context, t engine.Task, a Answer, o Options) (Answer, error) {
	if a.Trace == nil && a.Bound == nil && a.Status != engine.Infeasible {
		return a, fmt.Errorf("%w: nothing is known of horizon %d", ErrNoProof, a.Horizon)
	}
	if a.Evidence != nil && !a.Evidence.Costly {
		if known, err := own(ctx, a, o); known.Evidence != nil || err != nil {
			return known, err
		}
	}
	m, file, err := models(ctx, t, a.Horizon, o.Literal)
	if err != nil {
		return a, err
	}
	if len(a.Excluded) > 0 {
		// The dynamic program over states knows nothing of how they were reached.
		if a.Status != engine.Optimal && a.Status != engine.Infeasible {
			return a, fmt.Errorf("%w: the answer is %s, with plans excluded", ErrNoProof, a.Status)
		}
		return a, again(ctx, t, a, o, file)
	}
	switch p, err := a.prove(ctx, t, o, m, file, sizes{fewEdges: 20_000, mostEdges: 200_000, mostStates: 10_000, fewStates: 1_000, priceRounds: 1000}); {
	case err == nil:
		return p.answer, nil
	case errors.Is(err, backward.ErrClaim):
		return a, fmt.Errorf("%w: horizon %d: %w", ErrFalse, a.Horizon, err)
	case ctx.Err() != nil:
		return a, fmt.Errorf("%w: %w", ErrNoProof, context.Cause(ctx))
	default:
		return a, err
	}
}

// own writes the proof that the engine kept. Where it kept none, or none that is complete, a
// proof has to be found in another way: the answer that is returned then has no Evidence.
func own(ctx context.Context, a Answer, o Options) (Answer, error) {
	e := a.Evidence
	a.Evidence = nil
	if e == nil || e.Literal != o.Literal {
		return a, nil
	}
	s := &spool{}
	bound, err := e.Write(ctx, s, o.Format)
	switch {
	case ctx.Err() != nil:
		return a, fmt.Errorf("%w: %w", ErrNoProof, context.Cause(ctx))
	case err != nil:
		return a, nil
	}
	a.Bound, a.Evidence = bound, e
	return a, s.copyTo(o.W)
}

// models are the model with propagated constants and the one that the file is of.
func models(ctx context.Context, t engine.Task, horizon int, literal bool) (m, file *model.Model, err error) {
	if m, err = model.New(t.Problem, t.Network, horizon, model.Options{Propagate: true, Context: ctx}); err != nil || !literal {
		return m, m, err
	}
	file, err = model.New(t.Problem, t.Network, horizon, model.Options{})
	return m, file, err
}

// again has the conflict engine find the answer a second time, with a proof.
func again(ctx context.Context, t engine.Task, a Answer, o Options, file *model.Model) error {
	e := conflict.PB{Proof: &conflict.Proof{W: o.W, Format: o.Format, File: file, Excluded: a.Excluded}}
	l := o.Limits
	l.Shared = nil
	res, err := e.Solve(ctx, engine.Query{Task: t, MinHorizon: a.Horizon, MaxHorizon: a.Horizon}, l, nil)
	switch {
	case err != nil:
		return err
	case res.Status != engine.Optimal && res.Status != engine.Infeasible:
		return fmt.Errorf("%w: %s", ErrNoProof, res.Reason)
	case res.Status != a.Status || res.Status == engine.Optimal && res.Reward != a.Reward:
		return fmt.Errorf("%w: horizon %d: engine pb proves %s %d, the answer is %s %d", ErrFalse, a.Horizon, res.Status, res.Reward, a.Status, a.Reward)
	}
	return nil
}
