package learn

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/source"
)

// learner returns the columns of a problem with something to learn.
func learner(p *load.Problem) (*dataset.Schema, error) {
	if len(p.Unknown) > 0 {
		return dataset.OfProblem(p.Problem)
	}
	if _, err := p.Simulator(); err != nil {
		return nil, err
	}
	if err := p.Learns(); err != nil {
		return nil, err
	}
	return Columns(p)
}

// Columns are those of a data set of the problem's RDDL, or of that which stands in for it.
func Columns(p *load.Problem) (*dataset.Schema, error) {
	if p.Truth == nil {
		schema, err := collect.Schema(p.Other.Truth.Sim)
		if err != nil {
			return nil, err
		}
		return schema.Discretize(p.Other.Task.Bins)
	}
	schema, err := collect.Schema(p.Truth.Sim)
	if err != nil {
		return nil, err
	}
	return schema.Discretize(p.Truth.Task.Bins)
}

// examples reads a data set as the rows that the problem's network learns.
func examples(ctx context.Context, p *load.Problem, file string) (*train.Examples, error) {
	s, err := sources(ctx, p, file, "", 0, false)
	if err != nil {
		return nil, err
	}
	return train.FromSources(p.Problem, s.data...)
}

// sourced are data sets to learn from, with how many rows of logs gave no transition, and why.
type sourced struct {
	data    []train.Source
	dropped int
	why     string
}

// sources reads the data sets to learn from. The rows of also, empty for none,
// have a weight. With gaps, cells of logs may be empty.
func sources(ctx context.Context, p *load.Problem, file, also string, weight int, gaps bool) (*sourced, error) {
	s, err := learner(p)
	if err != nil {
		return nil, err
	}
	s.Gaps = gaps
	all := &sourced{}
	for _, from := range []struct {
		name   string
		weight int
	}{{file, 0}, {also, weight}} {
		if from.name == "" {
			continue
		}
		data, err := all.read(ctx, p, from.name, s)
		empty := errors.Is(err, load.ErrNoRows)
		switch {
		case err != nil && !empty:
			return nil, err
		case (empty || data.Rows == 0) && from.name == also:
			continue // the record of a run without a step
		case empty:
			return nil, err
		case data.Rows == 0:
			return nil, source.Errorf(from.name, 0, 0, "%v, expected at least one transition", train.ErrEmpty)
		}
		all.data = append(all.data, train.Source{Data: data, Name: filepath.Base(from.name), Weight: int32(from.weight)})
	}
	return all, nil
}

// read reads a data set, or a log for a task that declares its fluents.
func (x *sourced) read(ctx context.Context, p *load.Problem, name string, s *dataset.Schema) (*dataset.Data, error) {
	log, s, err := p.ReadRows(ctx, name, s)
	if err == nil && log == nil {
		return dataset.ReadAs(name, s)
	}
	if err != nil {
		return nil, err
	}
	if len(log.Drops) > 0 {
		x.why = log.Summary()
	}
	x.dropped += len(log.Drops)
	return s.Quantise(log.Data), nil
}
