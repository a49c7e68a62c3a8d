package plan

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// unseen lists the steps, from 1, at which a plan relies on a state and action that no
// training row had. If the set of rows is not exact there may be more.
func unseen(p *load.Problem, tr *factored.Trace) ([]int, error) {
	var steps []int
	row := make([]uint64, bnn.Words(len(p.Problem.Inputs)))
	for t, val := range tr.Steps[:tr.Horizon()] {
		var seen bool
		if p.Seen.AllLegal() {
			values := p.Truth.Compiled.Values(val)
			var err error
			if seen, err = train.IsLegal(p.Truth.Sim, pick(values, p.Truth.Sim.States()), pick(values, p.Truth.Sim.Actions())); err != nil {
				return nil, fmt.Errorf("step %d: %w", t+1, err)
			}
		} else {
			clear(row)
			for i, b := range p.Problem.Inputs {
				if val[b] {
					row[i/64] |= 1 << (i % 64)
				}
			}
			seen = p.Seen.Has(row)
		}
		if !seen {
			steps = append(steps, t+1)
		}
	}
	return steps, nil
}

// CountUnseen records in a document how far its plan relies on states and actions that the
// network was not trained on. Nothing is recorded without a network, or if its file does not
// contain the training rows.
func (d *Document) CountUnseen(p *load.Problem, tr *factored.Trace) error {
	if p.Seen == nil || p.Network == nil || p.Seen.AllLegal() && p.Truth.Sim.Stochastic() {
		return nil
	}
	steps, err := unseen(p, tr)
	var evaluation *source.Error
	switch {
	case errors.As(err, &evaluation): // what the RDDL cannot evaluate is not known to be legal
		return nil
	case err != nil:
		return fmt.Errorf("comparing the plan with the training rows: %w", err)
	}
	n, exact := len(steps), p.Seen.Exact()
	d.UnseenSteps, d.UnseenExact, d.unseen = &n, &exact, steps
	return nil
}

// Warning returns a line that warns that the plan relies on states and actions that the
// network was not trained on. It is empty if the plan does not, or if that is unknown.
func (d *Document) Warning() string {
	if d.UnseenSteps == nil || *d.UnseenSteps == 0 {
		return ""
	}
	least := "at least "
	if *d.UnseenExact {
		least = ""
	}
	const most = 10 // maximal number of steps to name
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

// pick returns the values of some fluents.
func pick(values []float64, fluents []int) []float64 {
	out := make([]float64, len(fluents))
	for i, f := range fluents {
		out[i] = values[f]
	}
	return out
}
