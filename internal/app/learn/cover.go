package learn

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

// cover records in a network's file which rows it was trained on: that they are all legal
// ones, if so, or else the rows themselves. If ctx has already ended it records the rows.
func cover(ctx context.Context, p *load.Problem, f *bnn.File, rows, training *train.Examples) (legal bool, err error) {
	seen := coverage.Of(training.Inputs, training.In)
	if p.Truth != nil {
		legal, err = train.AreLegal(ctx, p.Truth.Compiled, p.Truth.Sim, training, maxLegal)
	}
	switch {
	case err != nil && ctx.Err() == nil:
		return false, fmt.Errorf("comparing the training rows with the legal ones: %w", err)
	case legal:
		seen = coverage.Legal(training.Inputs, training.Rows())
	}
	f.Meta = append(f.Meta, [2]string{load.MetaData, rows.Digest()}, [2]string{load.MetaSeen, seen.String()})
	return legal, nil
}

// support records in a network's file which cases the rows settle.
func support(f *bnn.File, t *structure.Table, st *structure.Structure) {
	s := &coverage.Support{Inputs: t.Inputs, Outputs: t.Outputs, Tables: coverage.Settled(t, st), Unseen: t.Unseen()}
	f.Meta = append(f.Meta, load.SupportLines(s)...)
}
