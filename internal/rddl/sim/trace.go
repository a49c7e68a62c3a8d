package sim

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// Trace writes episodes as CSV: a header, then one row per step, numbered from 1, with the
// state before the step, the joint action, intermediate fluents and observations of the step,
// and its reward. The last row of an episode is its final state, with the other columns
// empty. Booleans are true and false, enumerations their values.
type Trace struct {
	w       *csv.Writer
	s       *Simulator
	columns []int
	row     []string
}

// NewTrace writes the header.
func NewTrace(w io.Writer, s *Simulator) (*Trace, error) {
	t := &Trace{w: csv.NewWriter(w), s: s}
	t.row = append(t.row, "step")
	for _, k := range []ground.Kind{ground.State, ground.Action, ground.Interm, ground.Observ} {
		for i, f := range s.p.OfKind(k) {
			t.columns = append(t.columns, i)
			t.row = append(t.row, f.Name)
		}
	}
	t.row = append(t.row, "reward")
	return t, t.flush()
}

func (t *Trace) flush() error {
	if err := t.w.Write(t.row); err != nil {
		return err
	}
	t.w.Flush()
	return t.w.Error()
}

// before makes the runner show the fluents of the coming step.
func (t *Trace) before(r *Runner) {
	if t == nil {
		return
	}
	step := strconv.Itoa(r.step + 1)
	r.show = func() {
		t.row = append(t.row[:0], step)
		for _, f := range t.columns {
			t.row = append(t.row, FormatValue(&t.s.p.Fluents[f], r.m.vals[f]))
		}
	}
}

// after writes the step that was taken.
func (t *Trace) after(r *Runner, reward float64) error {
	if t == nil {
		return nil
	}
	r.show = nil
	t.row = append(t.row, number(reward))
	return t.flush()
}

// last writes the final state.
func (t *Trace) last(r *Runner) error {
	if t == nil {
		return nil
	}
	t.row = append(t.row[:0], strconv.Itoa(r.step+1))
	for _, f := range t.columns {
		if t.s.p.Fluents[f].Kind == ground.State {
			t.row = append(t.row, FormatValue(&t.s.p.Fluents[f], r.m.vals[f]))
		} else {
			t.row = append(t.row, "")
		}
	}
	t.row = append(t.row, "")
	return t.flush()
}
