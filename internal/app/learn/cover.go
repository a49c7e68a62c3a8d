package learn

import (
	"context"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// cover records in a network's file which rows it was trained on, those held out too. Where
// these are all legal ones and the network is right on each, that is all there is to record. If
// ctx has already ended it is not asked whether they are.
func cover(ctx context.Context, p *load.Problem, f *bnn.File, rows, training *train.Examples, from []train.Source) (legal bool, err error) {
	if p.Truth != nil {
		legal, err = train.AreLegal(ctx, p.Truth.Compiled, p.Truth.Sim, training, maxLegal)
	}
	if err != nil && ctx.Err() == nil {
		return false, fmt.Errorf("comparing the training rows with the legal ones: %w", err)
	}
	seen, err := Record(p, from)
	if err != nil {
		return false, err
	}
	forward := forwardOf(f.Network)
	f.Meta = append(f.Meta, [2]string{load.MetaData, rows.Digest()})
	switch {
	case legal && seen.Disputed(forward).Len() == 0:
		f.Meta = append(f.Meta, [2]string{load.MetaSeen, coverage.Legal(training.Inputs, training.Rows()).String()})
		return true, nil
	case legal:
		f.Meta = append(f.Meta, [2]string{load.MetaSeen, coverage.Legal(training.Inputs, training.Rows()).String()})
		seen = seen.Disputed(forward)
	}
	AddRecord(f, seen, training)
	return legal, nil
}

// AddRecord writes rows into the file of the network that was trained on a part of them. The
// inputs of that part are written too where the record does not tell them.
func AddRecord(f *bnn.File, seen *coverage.Record, training *train.Examples) {
	if seen.Whole {
		seen = seen.Fit(forwardOf(f.Network))
		if !seen.Whole || seen.Seen().Rows() != training.Rows() {
			f.Meta = append(f.Meta, [2]string{load.MetaSeen, coverage.Of(training.Inputs, training.In).String()})
		}
	}
	f.Meta = append(f.Meta, load.RecordLines(seen)...)
}

// forwardOf computes outputs.
func forwardOf(net *bnn.Network) func(out, in []uint64) {
	eval := bnn.NewEvaluator(net)
	scratch := eval.NewScratch()
	return func(out, in []uint64) { eval.Forward(out, in, scratch) }
}

// RecordOf is Record of a file.
func RecordOf(ctx context.Context, p *load.Problem, file string) (*coverage.Record, error) {
	from, err := sources(ctx, p, file, "", true)
	if err != nil {
		return nil, err
	}
	return Record(p, from.data)
}

// Record is the record of the rows of data sets, without those that have an empty cell. Rows
// have all bits of states and actions, also those that the network does not read.
func Record(p *load.Problem, from []train.Source) (*coverage.Record, error) {
	moreIn := others(p.Problem, p.Problem.Inputs, factored.State, factored.Action)
	moreOut := others(p.Problem, p.Problem.Outputs, factored.State)
	b := coverage.NewRecorder(len(p.Problem.Inputs), len(p.Problem.Outputs), load.BitNames(p.Problem, moreIn), load.BitNames(p.Problem, moreOut))
	in, out := make([]bool, len(moreIn)), make([]bool, len(moreOut))
	return record(b, p, from, func(r *train.Row, seen []coverage.Seen) {
		for i, bit := range moreIn {
			in[i] = r.Now[bit]
		}
		for i, bit := range moreOut {
			out[i] = r.Next[bit]
		}
		b.AddAlike(r.In, in, r.Out, out, r.Count, seen)
	})
}

// recordApart is Record for a problem whose outputs are those of functions alone: there is no network, and all bits are further ones.
func recordApart(p *load.Problem, from []train.Source) (*coverage.Record, error) {
	outputs := slices.Concat(p.Problem.Outputs, others(p.Problem, p.Problem.Outputs, factored.State))
	b := coverage.NewRecorder(0, 0, load.BitNames(p.Problem, p.Problem.Inputs), load.BitNames(p.Problem, outputs))
	out := make([]bool, len(outputs))
	return record(b, p, from, func(r *train.Row, seen []coverage.Seen) {
		for i, bit := range outputs {
			out[i] = r.Next[bit]
		}
		b.AddAlike(nil, r.In, nil, out, r.Count, seen)
	})
}

// record adds the complete rows of data sets to a recorder.
func record(b *coverage.Recorder, p *load.Problem, from []train.Source, add func(*train.Row, []coverage.Seen)) (*coverage.Record, error) {
	files, before, rows := make([]int, len(from)), make([]int, len(from)), 0
	for i := range from {
		files[i], before[i] = b.File(from[i].Name), rows
		rows += from[i].Data.Rows
	}
	var seen []coverage.Seen
	err := train.EachAlike(p.Problem, func(r *train.Row) {
		if r.InKnown != nil {
			return
		}
		seen = seen[:0]
		if from[r.Source].Name != "" {
			for _, i := range r.Alike {
				line := from[r.Source].Line(int(i))
				seen = append(seen, coverage.Seen{Row: before[r.Source] + int(i), Place: coverage.Place{File: int32(files[r.Source]), Line: int32(line)}})
			}
		}
		add(r, seen)
	}, from...)
	if err != nil {
		return nil, err
	}
	return b.Record(), nil
}

// others lists the bits of some kinds that are not among those given.
func others(p *factored.Problem, bits []factored.Bit, kinds ...factored.Kind) []factored.Bit {
	have := map[factored.Bit]bool{}
	for _, b := range bits {
		have[b] = true
	}
	var more []factored.Bit
	for _, k := range kinds {
		for _, b := range p.Bits(k) {
			if !have[b] {
				more = append(more, b)
			}
		}
	}
	return more
}

// support records in a network's file which cases the rows settle.
func support(to *Trained, t *structure.Table, st *structure.Structure) {
	s := coverage.SupportOf(t, st)
	to.file.Meta = append(to.file.Meta, load.SupportLines(s)...)
	for o, c := range s.Classes {
		to.Found.Outputs[o].Errors = c.Rate
	}
}
