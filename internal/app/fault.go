package app

import (
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Difference is a pair of an expected and an observed state.
type Difference struct {
	Step     int    `json:"step"`     // 1 for the initial state
	Expected Values `json:"expected"` // of the variables that differ
	Observed Values `json:"observed"`
}

// Fault describes where an invalid plan fails.
type Fault struct {
	Step       int    `json:"step"`
	Group      string `json:"group"`
	Constraint string `json:"constraint"`
	Origin     string `json:"origin,omitempty"`
	Values     Values `json:"values"`          // primed names are of the next step
	Words      string `json:"words,omitempty"` // the constraint in plain English
	Rule       string `json:"rule,omitempty"`  // what the user wrote, where it is known
	Text       string `json:"text"`            // the complete fault as a sentence
}

// DifferenceOf compares an expected with an observed state; it returns nil if they agree.
func DifferenceOf(p *factored.Problem, step int, expected factored.Valuation, a *simulator.Answer) *Difference {
	want, got := simulator.Differing(p, &simulator.Answer{State: expected}, a)
	if len(want) == 0 {
		return nil
	}
	d := &Difference{Step: step, Expected: Values{}, Observed: Values{}}
	for i := range want {
		d.Expected, d.Observed = append(d.Expected, Entry(want[i])), append(d.Observed, Entry(got[i]))
	}
	return d
}

// SimulatorFault converts a failure in a simulator to the form of the documents.
func SimulatorFault(f *simulator.Failure) *Fault {
	out := &Fault{Step: f.Step, Group: f.Group, Constraint: f.Constraint, Origin: f.Origin, Values: Values{}, Text: f.Error()}
	for _, x := range f.Values {
		out.Values = append(out.Values, Entry(x))
	}
	return out
}

// CheckerFault converts a fault found by the checker to the form of the documents.
func CheckerFault(p *factored.Problem, f *validate.Failure) *Fault {
	out := &Fault{Step: f.Step, Group: f.Group, Constraint: f.What, Words: f.Words, Origin: f.Origin, Values: Values{}, Text: f.Error()}
	for _, x := range f.Values {
		e := Entry{Name: x.Name, Value: x.Value}
		if x.Next {
			e.Name += "'"
		}
		if v, ok := p.Lookup(x.Name); ok {
			e.Value = v.Show(x.Value)
		} else if x.Bool {
			e.Value = x.Value != 0
		}
		out.Values = append(out.Values, e)
	}
	return out
}
