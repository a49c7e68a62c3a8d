package support

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/problem/factored"
)

// Kind is how far the training rows stand for the learned next values of a step.
type Kind string

// The kinds of evidence.
const (
	Seen      Kind = "seen"      // rows have the state and the action, and all have the next values
	Disputed  Kind = "disputed"  // rows have them, and some have other next values
	Supported Kind = "supported" // no row has them, and functions of a class that agree with all rows have the next values
	Unseen    Kind = "unseen"    // none of these
)

// Evidence is what the training rows tell about a state with an action: about the next values
// that the network has for it.
type Evidence struct {
	Kind Kind `json:"kind"`
	// Rows counts those with the state and the action, as far as the network reads them, and
	// Agree those of them with the next values; null if the file does not count them.
	Rows  *int `json:"rows,omitempty"`
	Agree *int `json:"agree,omitempty"`
	// Class is that of the functions, of a supported step.
	Class string `json:"class,omitempty"`
	// Next names the variables that rows dispute, or whose next values are not supported.
	Next []string `json:"next,omitempty"`
}

// Share is the part of the rows that agree, of a disputed step.
func (e *Evidence) Share() float64 { return float64(*e.Agree) / float64(*e.Rows) }

// Disputes reports whether rows dispute some of the given variables and no others.
func (e *Evidence) Disputes(names map[string]bool) bool {
	return e.Kind == Disputed && !slices.ContainsFunc(e.Next, func(name string) bool { return !names[name] })
}

// String is the evidence in words.
func (e *Evidence) String() string {
	switch {
	case e.Kind == Disputed:
		return fmt.Sprintf("disputed, %d of %s agree", *e.Agree, counted.Of(*e.Rows, "row"))
	case e.Kind == Seen && e.Rows != nil && *e.Rows == 1:
		return "seen, 1 row agrees"
	case e.Kind == Seen && e.Rows != nil:
		return fmt.Sprintf("seen, %d rows agree", *e.Rows)
	case e.Kind == Supported:
		return "supported by " + e.Class
	}
	return string(e.Kind)
}

// Evidence judges a state with an action.
func (j *Judge) Evidence(now factored.Valuation) (Evidence, error) {
	if j.alone != nil {
		return j.together(now)
	}
	now.Pack(j.in, j.p.Problem.Inputs)
	if r := j.p.Record; r != nil {
		if from, to := r.Of(j.in); from < to {
			return j.counted(from, to), nil
		}
	}
	switch seen, err := j.seen(now); {
	case err != nil:
		return Evidence{}, err
	case seen:
		return Evidence{Kind: Seen}, nil
	}
	open := j.open()
	if len(open) == 0 {
		return Evidence{Kind: Supported, Class: j.p.Support.Class()}, nil
	}
	if e := j.alike(open); e != nil {
		return *e, nil
	}
	return Evidence{Kind: Unseen, Next: Variables(j.p.Problem, open)}, nil
}

// doubts are the kinds of evidence, each after those of less doubt.
var doubts = []Kind{Seen, Supported, Unseen, Disputed}

// together is the evidence of a step of several entities: the one of most doubt, of the fewest rows or those that agree least.
func (j *Judge) together(now factored.Valuation) (worst Evidence, err error) {
	var next []string
	for k, part := range j.p.Each(now) {
		e, err := j.alone.Evidence(part)
		if err != nil {
			return e, err
		}
		for i, name := range e.Next {
			e.Next[i] = factored.NameOf(name, j.p.Entities[k])
		}
		switch order := cmp.Compare(slices.Index(doubts, e.Kind), slices.Index(doubts, worst.Kind)); {
		case k == 0 || order > 0:
			worst, next = e, e.Next
		case order == 0:
			next = append(next, e.Next...)
			if e.Rows != nil && (e.Kind == Seen && *e.Rows < *worst.Rows || e.Kind == Disputed && e.Share() < worst.Share()) {
				worst = e
			}
		}
	}
	worst.Next = next
	return worst, nil
}

// alike is the evidence of rows with the same values of what the outputs that are open depend
// on; nil unless there are such rows for each of them, some of which disagree. The
// counts are those of the output with the least share that agrees.
func (j *Judge) alike(open []int) *Evidence {
	r, s := j.p.Record, j.p.Support
	if r == nil || !r.Whole || s == nil {
		return nil
	}
	var e *Evidence
	for _, o := range open {
		if len(s.Tables[o]) == 0 {
			return nil
		}
		rows, agree := 0, 0
		for i := range r.Len() {
			of := r.Outcome(i)
			if slices.ContainsFunc(s.Tables[o][0].Inputs, func(b int) bool { return of.Input(b) != (j.in[b/64]>>(b%64)&1 == 1) }) {
				continue
			}
			rows += of.Count()
			if of.Output(o) == (j.out[o/64]>>(o%64)&1 == 1) {
				agree += of.Count()
			}
		}
		if agree == rows { // or there are none
			return nil
		}
		if one := (Evidence{Kind: Disputed, Rows: &rows, Agree: &agree}); e == nil || one.Share() < e.Share() {
			e = &one
		}
	}
	e.Next = Variables(j.p.Problem, open)
	return e
}

// asks reports whether an output matters.
func (j *Judge) asks(output int) bool { return j.p.Support == nil || j.p.Support.Asks(output) }

// counted is the evidence of recorded outcomes.
func (j *Judge) counted(from, to int) Evidence {
	j.eval.Forward(j.out, j.in, j.scratch)
	rows, agree := 0, 0
	disputed := make([]bool, len(j.p.Problem.Outputs))
	for i := from; i < to; i++ {
		o := j.p.Record.Outcome(i)
		rows += o.Count()
		agrees := true
		for b := range disputed {
			if j.asks(b) && o.Output(b) != (j.out[b/64]>>(b%64)&1 == 1) {
				disputed[b], agrees = true, false
			}
		}
		if agrees {
			agree += o.Count()
		}
	}
	e := Evidence{Kind: Seen, Rows: &rows, Agree: &agree}
	if agree < rows {
		var bits []int
		for b, is := range disputed {
			if is {
				bits = append(bits, b)
			}
		}
		e.Kind, e.Next = Disputed, Variables(j.p.Problem, bits)
	}
	return e
}

// seen reports whether rows that are not counted have the inputs read last.
func (j *Judge) seen(now factored.Valuation) (bool, error) {
	switch s := j.p.Seen; {
	case s == nil:
		return false, nil
	case s.AllLegal():
		if j.p.Truth == nil || j.p.Truth.Sim.Stochastic() {
			return false, nil
		}
		return j.legal(now)
	case j.p.Support != nil && (j.p.Record == nil || !s.Exact()):
		// Rows may contradict each other there, or may only seem to be in the set.
		return s.Has(j.in) && len(j.open()) == 0, nil
	default:
		return s.Has(j.in), nil
	}
}

// Steps is the evidence of several steps, from 1.
type Steps []Step

// Step is the evidence of a step.
type Step struct {
	Step int `json:"step"` // from 1
	Evidence
}

// Steps judges the steps of a trace.
func (j *Judge) Steps(tr *factored.Trace) (Steps, error) {
	all := Steps{}
	for t, val := range tr.Steps[:tr.Horizon()] {
		e, err := j.Evidence(val)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", t+1, err)
		}
		all = append(all, Step{t + 1, e})
	}
	return all, nil
}

// Of lists the steps of a kind.
func (s Steps) Of(k Kind) Steps {
	var of Steps
	for i := range s {
		if s[i].Kind == k {
			of = append(of, s[i])
		}
	}
	return of
}

// Disputed states which steps rows dispute, and how many rows agree at least; empty for none.
func (s Steps) Disputed() string {
	of := s.Of(Disputed)
	if len(of) == 0 {
		return ""
	}
	if len(of) == 1 {
		return fmt.Sprintf("the plan's step %d is disputed by the log; %d of %s agree", of[0].Step, *of[0].Agree, counted.Of(*of[0].Rows, "row"))
	}
	least := 1.0
	for i := range of {
		least = min(least, of[i].Share())
	}
	return fmt.Sprintf("the plan's steps %s are disputed by the log; at least %d %% of the rows agree", of.numbers(), int(100*least))
}

// numbers lists the numbers of steps, of many the first few.
func (s Steps) numbers() string {
	const most = 10
	var names []string
	for i := range s {
		names = append(names, fmt.Sprint(s[i].Step))
	}
	last := len(names) - 1
	if last >= most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Known is nil in place of an error that wraps ErrUnknown.
func Known(err error) error {
	if errors.Is(err, ErrUnknown) {
		return nil
	}
	return err
}
