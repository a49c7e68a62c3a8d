package simulator

import (
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/problem/factored"
)

// Recorder appends observed transitions to a data set (package dataset).
type Recorder struct {
	a      *dataset.Appender
	values func(factored.Valuation) (states, actions []float64)
}

// NewRecorder opens a data set to append to, with the columns s: the fluents of a problem's
// RDDL, on which its network is trained; or, without RDDL (t and s nil), its variables.
func NewRecorder(name string, p *factored.Problem, t *Truth, s *dataset.Schema) (*Recorder, error) {
	r := &Recorder{}
	var err error
	if t != nil {
		r.values = func(val factored.Valuation) ([]float64, []float64) { return t.State(val), t.Action(val) }
	} else {
		s, err = dataset.OfProblem(p)
		r.values = func(val factored.Valuation) ([]float64, []float64) {
			return valuesOf(p, factored.State, val), valuesOf(p, factored.Action, val)
		}
	}
	if err != nil {
		return nil, err
	}
	r.a, err = dataset.Append(name, s)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func valuesOf(p *factored.Problem, k factored.Kind, val factored.Valuation) []float64 {
	var out []float64
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == k {
			out = append(out, float64(v.Value(val)))
		}
	}
	return out
}

// Observe adds a transition. It is intended for Options.Observe.
func (r *Recorder) Observe(t Transition) error {
	states, actions := r.values(t.Now)
	next, _ := r.values(t.Next)
	row := append(append(states, actions...), next...)
	return r.a.WriteRows(row)
}

// Rows returns the number of transitions that were added.
func (r *Recorder) Rows() int { return r.a.Rows() }

// Close completes the file.
func (r *Recorder) Close() error { return r.a.Close() }
