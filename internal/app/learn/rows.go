package learn

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/train"
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

// sourced are data sets to learn from, with how many rows of logs gave no transition, and why.
type sourced struct {
	data    []train.Source
	dropped int
	why     string
	log     bool // the first is a log, whose rows follow each other in time
	outside outsides
}

// mostOutside bounds the values outside that are listed.
const mostOutside = 20

// outsides are the values of a data set that their fluents do not have.
type outsides struct {
	first      []dataset.Outside
	unreadable map[int]bool // lines with a value that cannot be read
}

func (o *outsides) add(x dataset.Outside) {
	if len(o.first) < mostOutside {
		o.first = append(o.first, x)
	}
	if x.Unreadable {
		if o.unreadable == nil {
			o.unreadable = map[int]bool{}
		}
		o.unreadable[x.Line] = true
	}
}

// alsoWeight is how many others a row of Training.Also weighs in the loss, and votes where rows contradict
// each other. Such rows are few and were observed where a plan failed, so that they count more than others; but
// several others that agree overrule one.
const alsoWeight = 10

// sources reads the data sets to learn from. The rows of also, empty for none,
// have a weight. With gaps, cells of logs may be empty.
func sources(ctx context.Context, p *load.Problem, file, also string, gaps bool) (*sourced, error) {
	s, err := learner(p)
	if err != nil {
		return nil, err
	}
	s.Gaps = gaps
	all := &sourced{}
	for _, from := range []struct {
		name   string
		weight int
	}{{file, 0}, {also, alsoWeight}} {
		if from.name == "" {
			continue
		}
		err := all.read(ctx, p, from.name, s, int32(from.weight))
		switch empty := errors.Is(err, load.ErrNoRows) || errors.Is(err, train.ErrEmpty); {
		case empty && from.name == also:
			continue // the record of a run without a step
		case err != nil:
			return nil, err
		}
	}
	return all, nil
}

// measuredSources reads a data set to measure a network on. Cells may be empty, and may have
// values that their fluents do not have.
func measuredSources(ctx context.Context, p *load.Problem, file string) (*sourced, error) {
	s, err := learner(p)
	if err != nil {
		return nil, err
	}
	all := &sourced{}
	s.Gaps, s.Outside = true, all.outside.add
	return all, all.read(ctx, p, file, s, 0)
}

// read adds a data set, or a log for a task that declares its fluents.
func (x *sourced) read(ctx context.Context, p *load.Problem, name string, s *dataset.Schema, weight int32) error {
	outside := s.Outside != nil
	log, s, err := p.ReadRows(ctx, name, s)
	if err != nil {
		return err
	}
	var d *dataset.Data
	if log != nil {
		d = log.Data
		if len(log.Drops) > 0 {
			x.why = log.Summary()
		}
		x.dropped += len(log.Drops)
	} else if d, err = dataset.ReadAs(name, s.Stored()); err != nil {
		return err
	}
	if d.Rows == 0 {
		return fmt.Errorf("%s: %w, expected at least one transition", name, train.ErrEmpty)
	}
	if len(x.data) == 0 {
		x.log = log != nil || d.Begins != nil
	}
	from := train.Source{Data: d, Name: filepath.Base(name), Weight: weight, Outside: outside}
	if s.Stored() != s {
		from.Data, from.Stored = s.Quantise(d), d
	}
	x.data = append(x.data, from)
	return nil
}
