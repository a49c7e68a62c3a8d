package plan

import (
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/problem/factored"
)

// Unsupported is a step whose next state the training rows do not support.
type Unsupported struct {
	Step int      `json:"step"` // from 1
	Next []string `json:"next"` // the variables whose next values are not supported
}

// unseen lists the steps at which a plan relies on next values that the training rows do not
// support.
func unseen(p *load.Problem, j *support.Judge, tr *factored.Trace) ([]Unsupported, error) {
	steps := []Unsupported{}
	for t, val := range tr.Steps[:tr.Horizon()] {
		open, err := j.Open(val)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", t+1, err)
		}
		if len(open) > 0 {
			steps = append(steps, Unsupported{t + 1, support.Variables(p.Problem, open)})
		}
	}
	return steps, nil
}

// CountUnseen records in a document how far its plan relies on next values that the training
// rows do not support. Nothing is recorded without a network, or if its file does not tell
// what it was trained on.
func (d *Document) CountUnseen(p *load.Problem, tr *factored.Trace) error {
	j := support.NewJudge(p)
	if j == nil {
		return nil
	}
	steps, err := unseen(p, j, tr)
	switch {
	case errors.Is(err, support.ErrUnknown):
		return nil
	case err != nil:
		return fmt.Errorf("comparing the plan with the training rows: %w", err)
	}
	n, exact := len(steps), j.Exact()
	d.UnseenSteps, d.UnseenExact, d.Unsupported = &n, &exact, steps
	return nil
}

// Warning returns a line that warns that the plan relies on next values that the training
// rows do not support. It is empty if the plan does not, or if that is unknown.
func (d *Document) Warning() string {
	if d.UnseenSteps == nil || *d.UnseenSteps == 0 {
		return ""
	}
	least := "at least "
	if *d.UnseenExact {
		least = ""
	}
	var names []string
	for _, u := range d.Unsupported {
		names = append(names, fmt.Sprint(u.Step))
	}
	return fmt.Sprintf("in %s%d of %d steps (%s) the plan relies on next values that the training rows do not support; there the network may be wrong",
		least, *d.UnseenSteps, len(d.Plan), support.Listed(names))
}
