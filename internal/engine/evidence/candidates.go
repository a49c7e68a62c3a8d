package evidence

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/backward"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/model"
)

// How proofs are chosen. A proof about few steps is written at once. Of others the
// smaller is taken: of tables and prices, with the states that these leave where they
// do not suffice, or about the steps between states; and where that is large, by the conflict engine.
const (
	// fewEdges are steps between states whose proof is not worth a comparison:
	// with a network there are more, since its tables are large if there are any.
	fewEdges        = 2_000
	fewEdgesLearned = 20_000
	// mostEdges bounds the proofs that package backward writes. Beyond it they have
	// about 100 MB, and the conflict engine's are often smaller.
	mostEdges = 200_000
	// bytesPerEdge is how much a step between states takes in a proof, at least.
	bytesPerEdge = 60
	// largeProof is the size in bytes from which the conflict engine is asked for a
	// smaller one.
	largeProof = 4 << 20
	// Where tables and prices do not show an answer, they may leave few states: proofs
	// about these are written of at most so many nodes of a beam, in at most
	// so many bytes.
	mostNodes   = 500_000
	fewNodes    = 100_000 // where there is little time
	mostOfNodes = 100 << 20
	// priceRounds is how long prices are improved.
	priceRounds = 1000
)

// prover writes proofs of one answer.
type prover struct {
	task    engine.Task
	answer  Answer
	o       Options
	m, file *model.Model
	claim   backward.Claim
}

// smallest writes the smallest of the proofs that can be had.
func (p *prover) smallest(ctx context.Context) error {
	few := int64(fewEdges)
	if p.task.Network != nil {
		few = fewEdgesLearned
	}
	if err := p.backward(ctx, p.o.W, few); !errors.Is(err, backward.ErrTooLarge) {
		return err
	}
	if p.answer.Status != engine.Optimal && p.answer.Status != engine.Infeasible {
		return p.weaker(ctx) // there is little time
	}
	best, err := p.tables(ctx)
	if err != nil {
		return err
	}
	other, edges := &spool{}, int64(mostEdges)
	if best != nil {
		other.most = best.size
		edges = min(edges, best.size/bytesPerEdge)
	}
	err = p.backward(ctx, other, edges)
	switch {
	case err == nil:
		best = other
	case !errors.Is(err, backward.ErrTooLarge) && !errors.Is(err, errSize):
		return err
	case best == nil:
		if known, err := own(ctx, p.answer, p.o); known.Evidence != nil || err != nil {
			p.answer = known
			return err
		}
		if p.o.Again != nil {
			p.o.Again()
		}
		return again(ctx, p.task, p.answer, p.o, p.file)
	}
	if best.size > largeProof {
		if other := p.conflict(ctx, best.size); other != nil {
			best = other
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return best.copyTo(p.o.W)
}

// weaker writes a proof of the bound of a run that was cut short: of all of it where tables and
// prices leave few states, else as far as these show it; where they show none, of the plan alone.
func (p *prover) weaker(ctx context.Context) error {
	x, err := p.relax(ctx)
	var s *spool
	if x != nil && !x.Shows() {
		s, err = p.nodes(ctx, x, fewNodes, largeProof)
	}
	if x != nil && s == nil && err == nil && x.Most() < -p.m.ObjectiveConstant() {
		most := x.Most()
		p.claim.Bound, p.answer.Bound = &most, &most
		s, err = p.write(ctx, x)
	}
	switch {
	case err != nil:
		return err
	case s != nil:
		return s.copyTo(p.o.W)
	}
	p.claim.Bound, p.answer.Bound = nil, nil
	if p.claim.Trace == nil {
		return fmt.Errorf("%w: its bound is beyond what can be written down", ErrNoProof)
	}
	return p.backward(ctx, p.o.W, fewEdges)
}

// relax is what tables and prices show of the claim; nil for nothing.
func (p *prover) relax(ctx context.Context) (*bound.Relaxation, error) {
	want := bound.Wanted{Infeasible: p.claim.Infeasible, Rounds: priceRounds, Partial: true}
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

func (p *prover) backward(ctx context.Context, w io.Writer, edges int64) error {
	_, err := backward.Write(ctx, p.m, p.claim, backward.Options{W: w, Format: p.o.Format, File: p.file, Edges: edges, Large: p.o.Large})
	return err
}

// tables is a proof from tables and prices and, where these do not show the answer, the
// states that they leave; nil where these are too many.
func (p *prover) tables(ctx context.Context) (*spool, error) {
	x, err := p.relax(ctx)
	switch {
	case x == nil:
		return nil, err
	case x.Shows():
		return p.write(ctx, x)
	}
	return p.nodes(ctx, x, mostNodes, mostOfNodes)
}

// nodes is a proof from tables, prices and the states that these leave; nil where there are more
// nodes, or more bytes, than are allowed.
func (p *prover) nodes(ctx context.Context, x *bound.Relaxation, most, bytes int64) (*spool, error) {
	nodes := x.Nodes(ctx, most)
	if nodes == nil {
		return nil, ctx.Err()
	}
	s := &spool{most: bytes}
	_, err := backward.Nodes(ctx, p.m, p.claim, x, nodes, backward.Options{W: s, Format: p.o.Format, File: p.file, Large: p.o.Large})
	if errors.Is(err, errSize) || errors.Is(err, backward.ErrClaim) {
		return nil, nil
	}
	return s, err
}

// write writes a proof from tables and prices; nil if it would be too large, or they
// do not show the claim.
func (p *prover) write(ctx context.Context, x *bound.Relaxation) (*spool, error) {
	s := &spool{}
	_, err := backward.Tables(ctx, p.m, p.claim, x, backward.Options{W: s, Format: p.o.Format, File: p.file, Edges: mostEdges, Large: p.o.Large})
	if errors.Is(err, backward.ErrTooLarge) || errors.Is(err, backward.ErrClaim) {
		return nil, nil // what does not hold is for the other proof to say
	}
	return s, err
}

// conflict is a proof of at most some size by the conflict engine; nil where it
// has none.
func (p *prover) conflict(ctx context.Context, most int64) *spool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &spool{most: most, over: cancel}
	o := p.o
	o.W = s
	if err := again(ctx, p.task, p.answer, o, p.file); err != nil || ctx.Err() != nil {
		return nil
	}
	return s
}

// errSize is the error of a spool that is full.
var errSize = errors.New("the proof is larger than another")

// spool holds a proof in memory, compressed.
type spool struct {
	text bytes.Buffer
	z    *gzip.Writer
	size int64  // of what was written
	most int64  // that may be written; 0 is no bound
	over func() // is called when it is more; may be nil
}

func (s *spool) Write(b []byte) (int, error) {
	if s.size += int64(len(b)); s.most > 0 && s.size > s.most {
		if s.over != nil {
			s.over()
		}
		return 0, errSize
	}
	if s.z == nil {
		z, err := gzip.NewWriterLevel(&s.text, gzip.BestSpeed)
		if err != nil {
			return 0, fmt.Errorf("holding a proof: %w", err)
		}
		s.z = z
	}
	return s.z.Write(b)
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
