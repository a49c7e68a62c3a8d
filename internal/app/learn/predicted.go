package learn

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// Predicted is the error of the network's predictions on the steps that a real system took: its rows.
type Predicted struct {
	*ErrorLine
	others int // state variables that the network does not give
}

// String returns the errors as a sentence. The floor is left out, since few steps have the same state and action.
func (p *Predicted) String() string {
	steps := map[bool]string{true: "step", false: "steps"}[p.Rows == 1]
	text := fmt.Sprintf("%d of %d %s wrong, unchanged %d", p.Wrong, p.Rows, steps, p.Unchanged)
	if p.others > 0 {
		text += fmt.Sprintf(" (in %d of %d variables, which are learned)", len(p.Fluents), len(p.Fluents)+p.others)
	}
	if p.Useless() {
		text += "; no better than \"nothing changes\""
	}
	return text
}

// Predictions measures a network on the steps of a session.
type Predictions struct {
	p          *load.Problem
	c          *measure.Counter
	row        train.Row
	units      measure.Values
	incomplete int
}

// Observed is a state that a real system showed.
type Observed struct {
	State factored.Valuation
	// Outside are the values that it sent and that their variables do not have, as numbers, by variable: NaN for one that
	// it could not read.
	Outside    map[string]float64
	Quantities map[string]float64 // in their own units, by variable, as far as it sent them
}

// Predict begins to measure the network of a problem. It returns nil if there is no network, or one that reads
// more than states and actions.
func Predict(p *load.Problem) *Predictions {
	auxiliary := func(b factored.Bit) bool { return p.Problem.Kind(b) == factored.Auxiliary }
	if p.Network == nil || slices.ContainsFunc(p.Problem.Inputs, auxiliary) {
		return nil
	}
	x := &Predictions{p: p, c: measure.NewCounter(p.Problem, measure.Network(p.Network))}
	in, out, fluents := len(p.Problem.Inputs), len(p.Problem.Outputs), len(x.c.Variables())
	x.row = train.Row{Count: 1, In: make([]bool, in), Out: make([]bool, out), Before: make([]bool, out)}
	x.units = measure.Values{Now: make([]float64, fluents), Next: make([]float64, fluents)}
	return x
}

// Add adds a step.
func (x *Predictions) Add(before Observed, action factored.Valuation, after Observed) {
	r := &x.row
	r.Outside = r.Outside[:0]
	now, next := slices.Clone(before.State), slices.Clone(after.State)
	if !x.exclude(now, before, false) || !x.exclude(next, after, true) {
		x.incomplete++
		return
	}
	for i, b := range x.p.Problem.Inputs {
		r.In[i] = now[b]
		if x.p.Problem.Kind(b) == factored.Action {
			r.In[i] = action[b]
		}
	}
	for i, b := range x.p.Problem.Outputs {
		r.Before[i], r.Out[i] = now[b], next[b]
	}
	for i, v := range x.c.Variables() {
		if v.Real() {
			x.units.Now[i], x.units.Next[i] = quantity(v, before), quantity(v, after)
		}
	}
	x.c.Add(r, &x.units, len(before.Outside)+len(after.Outside) > 0)
}

// exclude takes the values out of a state that no prediction can give, and reports whether all others are known.
func (x *Predictions) exclude(state factored.Valuation, o Observed, next bool) bool {
	for _, name := range slices.Sorted(maps.Keys(o.Outside)) {
		v, ok := x.p.Problem.Lookup(name)
		switch {
		case !ok || math.IsNaN(o.Outside[name]):
			return false
		case !v.Real(): // which counts in the nearest bin
			clear(state[v.First : int(v.First)+v.Width])
			x.row.Outside = append(x.row.Outside, train.Outside{Variable: v, Next: next, Value: o.Outside[name]})
		}
	}
	return true
}

// quantity is the value of a quantity in its own unit: as it was sent, or the number or the center of the bin that was taken for it.
func quantity(v *factored.Variable, o Observed) float64 {
	if q, ok := o.Quantities[v.Name]; ok {
		return q
	}
	return v.Center(v.Value(o.State))
}

// Errors returns the errors so far; nil if there are none to measure, and before the first step.
func (x *Predictions) Errors() *Predicted {
	if x == nil {
		return nil
	}
	l := lineOf(x.p, x.c)
	if l.Incomplete = x.incomplete; l.Rows+l.Incomplete == 0 {
		return nil
	}
	others := -len(x.c.Variables())
	for range x.p.Problem.OfKind(factored.State) {
		others++
	}
	return &Predicted{l, others}
}
