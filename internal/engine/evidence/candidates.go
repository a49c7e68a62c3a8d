package evidence

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/backward"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/model"
)

// How a proof is chosen, as measured on the published instances and those of
// examples/scaling: about the steps between states where these are few, else of tables
// and prices with the few states that these leave, else about more steps, else by the
// conflict engine. One that comes later was never the smaller where an earlier one was
// possible.
type sizes struct {
	// fewEdges are steps between states whose proof is written before tables are tried.
	fewEdges int64
	// mostEdges bounds the proofs that package backward writes. Beyond it they have
	// about 100 MB, and the conflict engine's are often smaller.
	mostEdges int64
	// mostStates bounds the states that tables leave, fewStates where there is little time: a proof
	// has some 10 KB about each.
	mostStates, fewStates int
	priceRounds           int // how long prices are improved
}

// mostNodes bounds the search for the states that tables leave.
const mostNodes = 500_000

// prover writes proofs of one answer.
type prover struct {
	task    engine.Task
	answer  Answer
	o       Options
	m, file *model.Model
	claim   backward.Claim
	sizes
}

// prove writes a proof of no more than these sizes.
func (a Answer) prove(ctx context.Context, t engine.Task, o Options, m, file *model.Model, most sizes) (*prover, error) {
	claim := backward.Claim{Infeasible: a.Status == engine.Infeasible, Trace: a.Trace, Bound: a.Bound}
	p := &prover{task: t, answer: a, o: o, m: m, file: file, claim: claim, sizes: most}
	return p, p.write(ctx)
}

// write writes the first of the proofs that can be had.
func (p *prover) write(ctx context.Context) error {
	if err := p.backward(ctx, p.fewEdges); !errors.Is(err, backward.ErrTooLarge) {
		return err
	}
	if p.answer.Status != engine.Optimal && p.answer.Status != engine.Infeasible {
		return p.weaker(ctx) // there is little time
	}
	x, err := p.relax(ctx)
	if err != nil {
		return err
	}
	if done, err := p.tables(ctx, x, p.mostStates); done || err != nil {
		return err
	}
	if err := p.backward(ctx, p.mostEdges); !errors.Is(err, backward.ErrTooLarge) {
		return err
	}
	if known, err := own(ctx, p.answer, p.o); known.Evidence != nil || err != nil {
		p.answer = known
		return err
	}
	if p.o.Again != nil {
		p.o.Again()
	}
	return again(ctx, p.task, p.answer, p.o, p.file)
}

// weaker writes a proof of the bound of a run that was cut short: of all of it where tables and
// prices leave few states, else as far as these show it; where they show none, of the plan alone.
func (p *prover) weaker(ctx context.Context) error {
	x, err := p.relax(ctx)
	if err != nil {
		return err
	}
	if done, err := p.tables(ctx, x, p.fewStates); done || err != nil {
		return err
	}
	if x != nil && x.Most() < -p.m.ObjectiveConstant() {
		most := x.Most()
		p.claim.Bound, p.answer.Bound = &most, &most
		if done, err := p.shown(ctx, x); done || err != nil {
			return err
		}
	}
	p.claim.Bound, p.answer.Bound = nil, nil
	if p.claim.Trace == nil {
		return fmt.Errorf("%w: its bound is beyond what can be written down", ErrNoProof)
	}
	return p.backward(ctx, p.fewEdges)
}

// relax is what tables and prices show of the claim; nil for nothing.
func (p *prover) relax(ctx context.Context) (*bound.Relaxation, error) {
	want := bound.Wanted{Infeasible: p.claim.Infeasible, Rounds: p.priceRounds, Partial: true}
	if p.claim.Bound != nil {
		want.Most = *p.claim.Bound
	}
	x, err := bound.Relax(ctx, p.task, p.answer.Horizon, want)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, bound.ErrNoGroups):
		return nil, nil
	}
	return x, err
}

// backward writes a proof about so many steps between states at most.
func (p *prover) backward(ctx context.Context, edges int64) error {
	_, err := backward.Write(ctx, p.m, p.claim, p.options(p.o.W, edges))
	return err
}

func (p *prover) options(w io.Writer, edges int64) backward.Options {
	return backward.Options{W: w, Format: p.o.Format, File: p.file, Edges: edges, Large: p.o.Large}
}

// tables writes a proof from tables and prices and, where these do not show the answer, the
// states that they leave, so many at most. It reports whether there is one.
func (p *prover) tables(ctx context.Context, x *bound.Relaxation, most int) (done bool, err error) {
	switch {
	case x == nil:
		return false, nil
	case x.Shows():
		return p.shown(ctx, x)
	}
	nodes := x.Nodes(ctx, mostNodes)
	if nodes == nil || len(slices.Concat(nodes...)) > most {
		return false, ctx.Err()
	}
	s := &spool{}
	_, err = backward.Nodes(ctx, p.m, p.claim, x, nodes, p.options(s, 0))
	return s.end(p.o.W, err)
}

// shown writes a proof from tables and prices alone.
func (p *prover) shown(ctx context.Context, x *bound.Relaxation) (done bool, err error) {
	s := &spool{}
	_, err = backward.Tables(ctx, p.m, p.claim, x, p.options(s, p.mostEdges))
	return s.end(p.o.W, err)
}

// spool holds a proof in memory, compressed, until it is complete.
type spool struct {
	text bytes.Buffer
	z    *gzip.Writer
}

func (s *spool) Write(b []byte) (int, error) {
	if s.z == nil {
		z, err := gzip.NewWriterLevel(&s.text, gzip.BestSpeed)
		if err != nil {
			return 0, fmt.Errorf("holding a proof: %w", err)
		}
		s.z = z
	}
	return s.z.Write(b)
}

// end copies the proof to w unless an error says that it is too large or does not show the
// claim. What does not hold is for the next proof to say.
func (s *spool) end(w io.Writer, err error) (done bool, _ error) {
	switch {
	case errors.Is(err, backward.ErrTooLarge), errors.Is(err, backward.ErrClaim):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, s.copyTo(w)
}

func (s *spool) copyTo(w io.Writer) error {
	if s.z == nil {
		return nil
	}
	if err := s.z.Close(); err != nil {
		return err
	}
	z, err := gzip.NewReader(&s.text)
	if err != nil {
		return fmt.Errorf("holding a proof: %w", err)
	}
	_, err = io.Copy(w, z)
	return err
}
