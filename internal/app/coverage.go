package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// The keys under which a network's file says what it was trained on.
const (
	metaData = "data" // train.Examples.Digest of all rows, those held out too
	metaSeen = "seen" // coverage.Set of the inputs of the training rows
)

// cover writes into a network's file which rows it was trained on: that they are
// all legal ones where that is so, else the rows themselves. Where ctx has ended
// already the rows will do.
func (p *Problem) cover(ctx context.Context, f *bnn.File, rows, training *train.Examples) error {
	seen := coverage.Of(training.Inputs, training.In)
	legal, err := train.AreLegal(ctx, p.truth.compiled, p.truth.sim, training, maxLegal)
	switch {
	case err != nil && ctx.Err() == nil:
		return fmt.Errorf("comparing the training rows with the legal ones: %w", err)
	case legal:
		seen = coverage.Legal(training.Inputs, training.Rows())
	}
	f.Meta = append(f.Meta, [2]string{metaData, rows.Digest()}, [2]string{metaSeen, seen.String()})
	return nil
}

// readSeen finds out what the network in a file was trained on; nil where the file
// does not say.
func readSeen(name string, f *bnn.File) (*coverage.Set, error) {
	var seen *coverage.Set
	for i, kv := range f.Meta {
		if kv[0] != metaSeen {
			continue
		}
		const first = 2 // the first line with metadata
		if seen != nil {
			return nil, source.Errorf(name, first+i, len("meta "), "there are two sets of rows that training has seen; expected one")
		}
		var err error
		if seen, err = coverage.Parse(kv[1], f.Network.Inputs()); err != nil {
			return nil, source.Errorf(name, first+i, len("meta "+metaSeen+" ")+1, "%v", err)
		}
	}
	return seen, nil
}

// unseen lists the steps, from 1, at which a plan relies on a state and action
// that no training row had. Where the set of rows is not exact there may be more.
func (p *Problem) unseen(tr *factored.Trace) ([]int, error) {
	var steps []int
	row := make([]uint64, bnn.Words(len(p.Problem.Inputs)))
	for t, val := range tr.Steps[:tr.Horizon()] {
		var seen bool
		if p.seen.AllLegal() {
			values := p.truth.compiled.Values(val)
			var err error
			if seen, err = train.IsLegal(p.truth.sim, pick(values, p.truth.sim.States()), pick(values, p.truth.sim.Actions())); err != nil {
				return nil, fmt.Errorf("step %d: %w", t+1, err)
			}
		} else {
			clear(row)
			for i, b := range p.Problem.Inputs {
				if val[b] {
					row[i/64] |= 1 << (i % 64)
				}
			}
			seen = p.seen.Has(row)
		}
		if !seen {
			steps = append(steps, t+1)
		}
	}
	return steps, nil
}

// countUnseen writes into a document how far its plan relies on what the network
// was never trained on. Nothing is known without a network, and of one whose file
// does not say.
func (p *Problem) countUnseen(d *Document, tr *factored.Trace) error {
	if p.seen == nil || p.Network == nil || p.seen.AllLegal() && p.truth.sim.Stochastic() {
		return nil
	}
	steps, err := p.unseen(tr)
	var evaluation *source.Error
	switch {
	case errors.As(err, &evaluation): // what the RDDL cannot evaluate is not known to be legal
		return nil
	case err != nil:
		return fmt.Errorf("comparing the plan with the training rows: %w", err)
	}
	n, exact := len(steps), p.seen.Exact()
	d.UnseenSteps, d.UnseenExact, d.unseen = &n, &exact, steps
	return nil
}

// Warning says, in one line, that the plan relies on what the network was never
// trained on; it is empty where that is not so or not known.
func (d *Document) Warning() string {
	if d.UnseenSteps == nil || *d.UnseenSteps == 0 {
		return ""
	}
	least := "at least "
	if *d.UnseenExact {
		least = ""
	}
	const most = 10 // steps to be named
	var names []string
	for _, t := range d.unseen[:min(most, len(d.unseen))] {
		names = append(names, fmt.Sprint(t))
	}
	if len(d.unseen) > most {
		names = append(names, "…")
	}
	return fmt.Sprintf("in %s%d of %d steps (%s) the plan uses a state and action that no training row had; there the network may be wrong",
		least, *d.UnseenSteps, len(d.Plan), strings.Join(names, ", "))
}
