package simulator

import (
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/problem/factored"
)

// Columns are those of a data set of observed transitions.
type Columns struct {
	Schema *dataset.Schema
	values func(factored.Valuation) (states, actions []float64)
}

// NewColumns returns the columns s: the fluents of a problem's RDDL, on which its network is
// trained; or, without RDDL (t and s nil), the problem's variables.
func NewColumns(p *factored.Problem, t *Truth, s *dataset.Schema) (*Columns, error) {
	if t != nil {
		return &Columns{s, func(val factored.Valuation) ([]float64, []float64) { return t.State(val), t.Action(val) }}, nil
	}
	s, err := dataset.OfProblem(p)
	return &Columns{s, func(val factored.Valuation) ([]float64, []float64) {
		return valuesOf(p, factored.State, val), valuesOf(p, factored.Action, val)
	}}, err
}

// Row returns a transition as a row.
func (c *Columns) Row(t Transition) []float64 {
	states, actions := c.values(t.Now)
	next, _ := c.values(t.Next)
	return append(append(states, actions...), next...)
}

// Recorder appends observed transitions to a data set (package dataset).
type Recorder struct {
	a *dataset.Appender
	c *Columns
}

// NewRecorder opens a data set to append to.
func NewRecorder(name string, c *Columns) (*Recorder, error) {
	a, err := dataset.Append(name, c.Schema)
	if err != nil {
		return nil, err
	}
	return &Recorder{a, c}, nil
}

func valuesOf(p *factored.Problem, k factored.Kind, val factored.Valuation) []float64 {
	var out []float64
	for _, v := range p.OfKind(k) {
		out = append(out, float64(v.Value(val)))
	}
	return out
}

// Observe adds a transition. It is intended for Options.Observe.
func (r *Recorder) Observe(t Transition) error {
	row := r.c.Row(t)
	if t.Reward == nil {
		return r.a.WriteRows(row)
	}
	return r.a.WriteRewarded(row, []float64{*t.Reward})
}

// Rows returns the number of transitions that were added.
func (r *Recorder) Rows() int { return r.a.Rows() }

// Close completes the file.
func (r *Recorder) Close() error { return r.a.Close() }
