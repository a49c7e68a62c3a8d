// Package verify decides properties of one step of a learned problem: whether
// a legal state and a legal joint action exist whose successor under the
// network and the known transitions breaks the property. (The authors' planner
// offers the same with horizon 1; here the property is any linear Boolean
// expression over s, a and s'.)
//
// It enumerates states and actions depth first, with the neurons and the
// negated property as constraints: bounds propagation cuts off what cannot be a
// counterexample. The answer is exact.
package verify

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// ErrStopped is wrapped by Property's error when the context ended before an
// answer.
var ErrStopped = errors.New("stopped before an answer")

// Result is the answer: Holds, or a counterexample.
type Result struct {
	Holds     bool
	Now, Next factored.Valuation // of the counterexample: state and action, and the state after
}

// Property decides whether prop, parsed over t.Problem with primes allowed,
// holds for every legal state and action: those that C allows together, at
// which T gives a successor. The problem's initial state and goal do not
// matter.
func Property(ctx context.Context, t engine.Task, prop *expr.Expr) (*Result, error) {
	p := t.Problem
	bits := p.NumBits()
	counter, err := Counterexamples(p, prop)
	if err != nil {
		return nil, err
	}
	m, err := model.New(counter, t.Network, 1, model.Options{})
	if err != nil {
		return nil, err
	}
	part := m.Part(1)
	sums := append(append([]model.Sum(nil), part.Sums[model.Global]...), part.Sums[model.Transition]...)
	sums = append(sums, part.Sums[model.Network]...)
	var neurons []model.Neuron
	for _, layer := range part.Layers {
		neurons = append(neurons, layer...)
	}
	st := propagate.NewSystem(int(m.NumVars()), sums, neurons).NewState()
	st.SetInterrupt(func() bool { return ctx.Err() != nil })
	// Actions and states decide everything that the network defines; what
	// remains open after them is auxiliary or an open known transition.
	var vars []model.Lit
	for _, b := range counter.Bits(factored.Action) {
		vars = append(vars, m.Var(1, b))
	}
	for _, kind := range []factored.Kind{factored.State, factored.Auxiliary} {
		for _, b := range counter.Bits(kind) {
			vars = append(vars, m.Var(1, b))
		}
	}
	for _, b := range counter.Bits(factored.State) {
		vars = append(vars, m.Var(2, b))
	}
	res := &Result{Holds: true}
	if st.Consistent() {
		st.Each(vars, func() bool {
			res.Holds = false
			res.Now, res.Next = make(factored.Valuation, bits), make(factored.Valuation, bits)
			for b := range bits {
				bit := factored.Bit(b)
				res.Now[b] = p.Kind(bit) != factored.Auxiliary && st.Value(m.Var(1, bit)) > 0
				res.Next[b] = p.Kind(bit) == factored.State && st.Value(m.Var(2, bit)) > 0
			}
			return false
		})
	}
	if res.Holds && st.Interrupted() {
		return nil, fmt.Errorf("%w: %w", ErrStopped, context.Cause(ctx))
	}
	if !res.Holds {
		if err := Replay(t, prop, res); err != nil {
			return nil, fmt.Errorf("the checker refuses the counterexample: %w", err)
		}
	}
	return res, nil
}

// Counterexamples returns the problem whose plans of one step are the counterexamples
// to a property: any initial state, no goal and no reward, and the property negated.
// What holds for states holds for the first alone, since a property is about steps
// from legal states, wherever they lead.
func Counterexamples(p *factored.Problem, prop *expr.Expr) (*factored.Problem, error) {
	counter := p.Clone()
	counter.Initial, counter.Goal = nil, nil
	counter.Reward = factored.Reward{Scale: 1}
	if err := prop.Require(counter, true, "property"); err != nil {
		return nil, fmt.Errorf("compiling the property: %w", err)
	}
	counter.Transition = append(counter.Transition, counter.Global...)
	counter.Global = nil
	return counter, nil
}

// Refuting is Counterexamples of a property that is still to be parsed.
func Refuting(p *factored.Problem, property string) (*factored.Problem, error) {
	e, err := expr.Parse(p, property, expr.Options{Next: true})
	if err != nil {
		return nil, fmt.Errorf("property %s: %w", property, err)
	}
	return Counterexamples(p, e)
}

// Replay has the independent checker confirm a counterexample: the step is
// legal, and the property is false there.
func Replay(t engine.Task, prop *expr.Expr, r *Result) error {
	if prop.Eval(r.Now, r.Next) {
		return errors.New("the property is true there")
	}
	failure, err := validate.CheckStep(t.Problem, t.Network, r.Now, r.Next)
	if err != nil {
		return err
	}
	if failure != nil {
		return failure
	}
	return nil
}
