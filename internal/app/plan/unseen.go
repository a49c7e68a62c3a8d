package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/problem/factored"
)

// Unsupported is a step whose next state the training rows do not support.
type Unsupported struct {
	Step int      `json:"step"` // from 1
	Next []string `json:"next"` // the variables whose next values are not supported
}

// Judge records in a document what the training rows tell about the steps of its plan. Nothing
// is recorded without a network, or if its file does not tell what it was trained on.
func (d *Document) Judge(p *load.Problem, tr *factored.Trace) error {
	j := support.NewJudge(load.Scoped(p))
	if j == nil {
		return nil
	}
	steps, err := j.Steps(tr)
	switch {
	case errors.Is(err, support.ErrUnknown):
		return nil
	case err != nil:
		return fmt.Errorf("comparing the plan with the training rows: %w", err)
	}
	d.Evidence, d.Unsupported = steps, []Unsupported{}
	for _, s := range steps.Of(support.Unseen) {
		d.Unsupported = append(d.Unsupported, Unsupported{s.Step, s.Next})
	}
	n, exact := len(d.Unsupported), j.Exact()
	d.UnseenSteps, d.UnseenExact = &n, &exact
	return nil
}

// Warning returns a line that warns of steps that training rows dispute, and if the plan relies
// on next values that they do not support. It is empty if there is nothing to warn of, or if
// that is unknown.
func (d *Document) Warning() string {
	return strings.Join(slices.DeleteFunc([]string{d.Evidence.Disputed(), d.unseen()}, func(s string) bool { return s == "" }), "; ")
}

// unseen warns of steps that the training rows do not support.
func (d *Document) unseen() string {
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
