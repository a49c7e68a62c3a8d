package planner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/bnn"
	"github.com/fdplan/fdplan/collect"
	"github.com/fdplan/fdplan/dataset"
	"github.com/fdplan/fdplan/train"
)

// Training says what to learn from.
type Training struct {
	Config     train.Config
	Split      train.SplitMode
	Progress   func(train.Epoch)
	Checkpoint string // file that holds the state of training; empty for none
	Resume     bool   // go on from it
}

// Trained is the outcome of `fdplan train`.
type Trained struct {
	Schema  int        `json:"schema"`
	Problem string     `json:"problem"`
	Network string     `json:"network"` // its shape
	Neurons int        `json:"neurons"`
	Edges   int        `json:"edges"`
	Rows    int        `json:"rows"`     // in the data
	Unique  int        `json:"distinct"` // of these
	Epoch   int        `json:"epoch"`    // that the network is from
	Train   *ErrorLine `json:"train"`
	Test    *ErrorLine `json:"test"` // null where the split left no row
	Exact   bool       `json:"exact"`
	// Contradictory counts states and actions with more than one next state.
	Contradictory int `json:"contradictory"`
	// Stopped says which limit ended the run, absent when none did.
	Stopped string `json:"stopped,omitempty"`

	file *bnn.File
}

// ErrorLine is a network's error on some rows, as shares of 1. Rows count as
// often as they were seen.
type ErrorLine struct {
	Rows     int     `json:"rows"` // distinct
	Wrong    int     `json:"wrong"`
	RowError float64 `json:"row_error"`
	BitError float64 `json:"bit_error"`
	// Bits has the error of each output bit that is ever wrong, by name.
	Bits map[string]float64 `json:"bits,omitempty"`
}

// ErrNothingLearned is wrapped where a task has no fluent to learn.
var ErrNothingLearned = errors.New("nothing is to be learned")

// examples reads a data set as the rows that the problem's network learns.
func (p *Problem) examples(file string) (*train.Examples, error) {
	s, err := p.learner()
	if err != nil {
		return nil, err
	}
	data, err := dataset.ReadAs(file, s)
	if err != nil {
		return nil, err
	}
	return train.FromData(data, p.truth.compiled)
}

// learner gives the columns of a problem with something to learn.
func (p *Problem) learner() (*dataset.Schema, error) {
	s, err := p.Simulator()
	if err != nil {
		return nil, err
	}
	if len(p.Problem.Outputs) == 0 {
		return nil, fmt.Errorf("%w in %s; expected learned = […] in its task file", ErrNothingLearned, p.Problem.Name)
	}
	return collect.Schema(s)
}

// Train learns a network from a data set. When ctx ends, the best network so
// far is the answer, and says so; without any the error is ctx's.
func (p *Problem) Train(ctx context.Context, file string, t Training) (*Trained, error) {
	rows, err := p.examples(file)
	if err != nil {
		return nil, err
	}
	training, testing, err := train.Split(rows, t.Split, t.Config.Seed)
	if err != nil {
		return nil, err
	}
	res, err := train.Run(ctx, t.Config, training, train.Options{
		Test: testing, Progress: t.Progress, Checkpoint: t.Checkpoint, CheckpointEvery: 10, Resume: t.Resume,
	})
	out := &Trained{Schema: Schema, Problem: p.Problem.Name, Rows: rows.Total(), Unique: rows.Rows(), Contradictory: rows.Conflicts.Inputs}
	switch {
	case err != nil && (ctx.Err() == nil || res == nil || res.Network == nil):
		return nil, err
	case err != nil:
		out.Stopped = context.Cause(ctx).Error()
	}
	n := res.Network
	out.Network, out.Neurons, out.Edges, out.Epoch, out.Exact = n.Shape(), n.Hidden()+n.Outputs(), n.Edges(), res.Epoch, res.Exact()
	out.Train = p.errorLine(res.Train)
	if res.Test != nil {
		out.Test = p.errorLine(res.Test)
	}
	if out.file, err = train.File(p.Problem, t.Config, res); err != nil {
		return nil, err
	}
	out.file.Meta = append([][2]string{{"problem", p.Problem.Name}, {"transitions", fmt.Sprint(out.Rows)}}, out.file.Meta...)
	return out, nil
}

// Write writes the network.
func (t *Trained) Write(w io.Writer) error { return bnn.WriteFile(w, t.file) }

func (p *Problem) errorLine(m *train.Measure) *ErrorLine {
	l := &ErrorLine{Rows: m.Rows, Wrong: m.WrongRows, RowError: m.RowError(true), BitError: m.BitError(true)}
	for i, wrong := range m.TotalBits {
		if wrong > 0 {
			if l.Bits == nil {
				l.Bits = map[string]float64{}
			}
			l.Bits[p.Problem.BitName(p.Problem.Outputs[i])] = float64(wrong) / float64(m.Total)
		}
	}
	return l
}

// Tested is the outcome of `fdplan test`.
type Tested struct {
	Schema  int        `json:"schema"`
	Problem string     `json:"problem"`
	Network string     `json:"network"`
	Data    *ErrorLine `json:"data"`  // null where no data set was given
	Legal   *ErrorLine `json:"legal"` // on every legal row; null where they are too many
}

// maxLegal bounds the steps that are tried to list all legal rows.
const maxLegal = 20_000_000

// Test measures a network file on a data set, which may be empty, and on all
// legal rows of the problem where they can be listed.
func (p *Problem) Test(ctx context.Context, network string, text []byte, data string) (*Tested, error) {
	if _, err := p.learner(); err != nil {
		return nil, err
	}
	f, err := bnn.ReadFile(network, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if err := fits(network, f, p.Problem); err != nil {
		return nil, err
	}
	out := &Tested{Schema: Schema, Problem: p.Problem.Name, Network: f.Network.Shape()}
	if data != "" {
		rows, err := p.examples(data)
		if err != nil {
			return nil, err
		}
		m, err := train.Test(f.Network, rows)
		if err != nil {
			return nil, err
		}
		out.Data = p.errorLine(m)
	}
	rows, err := train.Legal(ctx, p.truth.compiled, p.truth.sim, false, maxLegal)
	switch {
	case errors.Is(err, train.ErrTooMany):
		return out, nil
	case err != nil:
		return nil, err
	}
	m, err := train.Test(f.Network, rows)
	if err != nil {
		return nil, err
	}
	out.Legal = p.errorLine(m)
	return out, nil
}

// String is the line for people.
func (l *ErrorLine) String() string {
	s := fmt.Sprintf("%d of %d distinct rows wrong; row error %.3f %%, bit error %.4f %%", l.Wrong, l.Rows, 100*l.RowError, 100*l.BitError)
	if len(l.Bits) > 0 {
		worst, most := "", 0.0
		for name, e := range l.Bits {
			if e > most || e == most && strings.Compare(name, worst) < 0 {
				worst, most = name, e
			}
		}
		s += fmt.Sprintf("; worst bit %s, %.3f %%", worst, 100*most)
	}
	return s
}
