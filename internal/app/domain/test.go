package domain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/pddl"
)

// TestDocument is the answer of testing a domain.
type TestDocument struct {
	Schema  int    `json:"schema"`
	Domain  string `json:"domain"`
	Rows    int    `json:"rows"`    // transitions in the data
	Allowed int    `json:"allowed"` // that the domain has as possible
	Right   int    `json:"right"`   // with the state after them
	// Failures counts the failed actions in the data, and Refused those that the domain has as impossible.
	Failures int `json:"failures"`
	Refused  int `json:"refused"`
	// Truth is what the domain allows in all states of the data beside what the true one does; null without that.
	Truth *Truth `json:"truth"`
}

// Truth counts ground actions in all states of the data.
type Truth struct {
	Steps    int `json:"steps"`    // of the true domain, possible or not
	Possible int `json:"possible"` // in the true domain
	Allowed  int `json:"allowed"`  // in the tested one
	Both     int `json:"both"`
	Right    int `json:"right"` // of both, with the same state after them
	// Precision is Both of Allowed, and Recall Both of Possible; null where that is 0 of 0.
	Precision *float64 `json:"precision"`
	Recall    *float64 `json:"recall"`
	// Example is a step that is allowed, and not possible or with another effect; empty if there is none.
	Example string `json:"example,omitempty"`
}

// Test holds a domain to trajectories, and to the true domain if that is named.
func Test(ctx context.Context, tested, truth, data string) (*TestDocument, error) {
	text, err := load.ReadFile(tested)
	if err != nil {
		return nil, err
	}
	d, err := pddl.ReadDomain(tested, text)
	if err != nil {
		return nil, err
	}
	if data == "" {
		return nil, errors.New("a domain is tested on trajectories; expected a file or a folder of them")
	}
	with := tested
	if truth != "" {
		with = truth // it has the actions that were not learned, too
	}
	real, runs, _, err := read(with, data)
	if err != nil {
		return nil, err
	}
	out := &TestDocument{Schema: app.Schema, Domain: d.Name}
	if truth != "" {
		out.Truth = &Truth{}
	}
	for _, run := range runs {
		for i := range run.Transitions {
			x := &run.Transitions[i]
			out.row(d, run, x)
			if truth != "" && (i == 0 || run.Transitions[i-1].Before != x.Before) {
				if err := out.Truth.state(ctx, real.At(run, x.Before), d.At(run, x.Before)); err != nil {
					return nil, err
				}
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	if t := out.Truth; t != nil {
		t.Precision, t.Recall = share(t.Both, t.Allowed), share(t.Both, t.Possible)
	}
	return out, nil
}

func share(of, all int) *float64 {
	if all == 0 {
		return nil
	}
	x := float64(of) / float64(all)
	return &x
}

// row counts a row.
func (t *TestDocument) row(d *pddl.Domain, run *pddl.Trajectory, x *pddl.Transition) {
	known := slices.ContainsFunc(d.Actions, func(a *pddl.Action) bool { return a.Name == x.Name })
	if x.After == nil {
		t.Failures++
		if !known || d.At(run, x.Before).Execute(x.Step) != nil {
			t.Refused++
		}
		return
	}
	t.Rows++
	err := d.Replay(run, x)
	if err == nil || errors.Is(err, pddl.ErrAfter) {
		t.Allowed++
	}
	if err == nil {
		t.Right++
	}
}

// state counts the steps in a state that either domain allows.
func (t *Truth) state(ctx context.Context, real, mine *pddl.State) error {
	possible, err := real.Applicable(ctx)
	if err != nil {
		return err
	}
	allowed, err := mine.Applicable(ctx)
	if err != nil {
		return err
	}
	t.Steps += real.Count()
	t.Possible += len(possible)
	t.Allowed += len(allowed)
	known := map[string]bool{}
	for _, s := range possible {
		known[s.String()] = true
	}
	for _, s := range allowed {
		if !known[s.String()] {
			t.Example = fmt.Sprintf("%s is allowed and not possible in %s", s, real.Facts())
			continue
		}
		t.Both++
		to, my := real.Copy(), mine.Copy()
		if errors.Join(to.Execute(s), my.Execute(s)) != nil || !to.Same(my) {
			t.Example = fmt.Sprintf("%s has another effect in %s", s, real.Facts())
			continue
		}
		t.Right++
	}
	return nil
}

// WriteText writes the answer as text.
func (t *TestDocument) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s, %d allowed, %d of these with the right effect\n", t.Domain, counted.Of(t.Rows, "row"), t.Allowed, t.Right)
	if t.Failures > 0 {
		fmt.Fprintf(w, "%s, %d refused\n", counted.Of(t.Failures, "failure"), t.Refused)
	}
	if x := t.Truth; x != nil {
		fmt.Fprintf(w, "in all states of the data: %d steps possible, %d allowed, %d both, %d of these with the right effect", x.Possible, x.Allowed, x.Both, x.Right)
		if x.Precision != nil && x.Recall != nil {
			fmt.Fprintf(w, "; precision %.4g, recall %.4g", *x.Precision, *x.Recall)
		}
		fmt.Fprintln(w)
		if x.Example != "" {
			fmt.Fprintln(w, x.Example)
		}
	}
	return nil
}
