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
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/engine/tube"
	"github.com/fdplan/fdplan/internal/model"
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

// Steps are those that a property is about.
type Steps string

// The steps, all from a legal state and action: those that C allows together, at which T gives
// a successor.
const (
	AnyNext   Steps = "any"   // wherever they lead
	LegalNext Steps = "legal" // those to states that C allows
)

// Property decides whether prop, parsed over t.Problem with primes allowed, holds for every
// one of some steps. The problem's initial state and goal do not matter.
//
// Where quantities go on by functions, branch and bound by linear programs is tried first.
func Property(ctx context.Context, t engine.Task, prop *expr.Expr, steps Steps) (*Result, error) {
	if res, err := byPieces(ctx, t, prop, steps); res != nil || err != nil {
		return res, err
	}
	return byBits(ctx, t, prop, steps)
}

const (
	// mostCases bounds the alternatives of a negated property, each of which is a search by itself.
	mostCases = 64
	// mostNodes bounds each of these. One node takes some .1 ms.
	mostNodes = 20_000
)

// byPieces is Property by linear programs; nil where it does not know.
func byPieces(ctx context.Context, t engine.Task, prop *expr.Expr, steps Steps) (*Result, error) {
	if !(tube.Engine{}).Suits(t) {
		return nil, nil
	}
	all := prop.Alternatives(mostCases)
	for _, e := range all {
		counter, err := counterexamples(t.Problem, e, false, steps)
		if err != nil {
			return nil, nil
		}
		step, err := tube.Step(ctx, counter, t.Network, mostNodes)
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("%w: %w", ErrStopped, context.Cause(ctx))
		case err != nil:
			return nil, nil
		case step != nil:
			n := t.Problem.NumBits() // without what was added
			res := &Result{Now: step.Steps[0][:n], Next: step.Steps[1][:n]}
			if Replay(t, prop, res, steps) != nil {
				return nil, nil // of what was left out
			}
			return res, nil
		}
	}
	if all == nil {
		return nil, nil
	}
	return &Result{Holds: true}, nil
}

// byBits is Property by an enumeration of bits.
func byBits(ctx context.Context, t engine.Task, prop *expr.Expr, steps Steps) (*Result, error) {
	p := t.Problem
	bits := p.NumBits()
	counter, err := Counterexamples(p, prop, steps)
	if err != nil {
		return nil, err
	}
	one, err := step.New(engine.Task{Problem: counter, Network: t.Network})
	if err != nil {
		return nil, err
	}
	m, then := one.Model, one.After()
	st := one.Whole(then...).NewState()
	st.SetInterrupt(func() bool { return ctx.Err() != nil })
	vars := decisions(one, then)
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
		if err := Replay(t, prop, res, steps); err != nil {
			return nil, fmt.Errorf("the checker refuses the counterexample: %w", err)
		}
	}
	return res, nil
}

// decisions lists the variables to enumerate, in this order. Actions and states decide
// everything that the network defines; what remains open after them is auxiliary or an open
// known transition.
func decisions(one *step.Step, then []model.Sum) []model.Lit {
	vars := slices.Concat(one.Actions, one.Now, one.Paid, one.Aux, one.Next)
	for _, b := range one.Task.Problem.Bits(factored.Auxiliary) {
		if v := one.Model.Var(2, b); slices.ContainsFunc(then, func(s model.Sum) bool { return mentions(&s, v) }) {
			vars = append(vars, v)
		}
	}
	return vars
}

// mentions reports whether a constraint has a variable.
func mentions(s *model.Sum, v model.Lit) bool {
	return slices.ContainsFunc(s.Terms, func(t model.Term) bool { return t.Lit == v || t.Lit == -v })
}

// Counterexamples returns the problem whose plans of one step are the counterexamples
// to a property: any initial state, no goal and no reward, and the property negated.
// With AnyNext what holds for states holds for the first alone.
func Counterexamples(p *factored.Problem, prop *expr.Expr, steps Steps) (*factored.Problem, error) {
	return counterexamples(p, prop, true, steps)
}

func counterexamples(p *factored.Problem, prop *expr.Expr, negate bool, steps Steps) (*factored.Problem, error) {
	counter := p.Clone()
	counter.Initial, counter.Goal = nil, nil
	counter.Reward = factored.Reward{Scale: 1}
	rules := len(counter.Global)
	if err := prop.Require(counter, negate, "property"); err != nil {
		return nil, fmt.Errorf("compiling the property: %w", err)
	}
	if steps == AnyNext {
		rules = 0
	}
	// The property is about the first state alone, too.
	counter.Transition = append(counter.Transition, counter.Global[rules:]...)
	counter.Global = counter.Global[:rules]
	return counter, nil
}

// Refuting is Counterexamples of a property that is still to be parsed.
func Refuting(p *factored.Problem, property string, steps Steps) (*factored.Problem, error) {
	e, err := expr.Parse(p, property, expr.Options{Next: true})
	if err != nil {
		return nil, fmt.Errorf("property %s: %w", property, err)
	}
	return Counterexamples(p, e, steps)
}

// Replay has the independent checker confirm a counterexample: the step is one of those that
// the property is about, and the property is false there.
func Replay(t engine.Task, prop *expr.Expr, r *Result, steps Steps) error {
	if prop.Eval(r.Now, r.Next) {
		return errors.New("the property is true there")
	}
	failure, err := validate.CheckStep(t.Problem, t.Network, r.Now, r.Next)
	if err != nil {
		return err
	}
	if failure == nil && steps == LegalNext {
		failure = validate.CheckPart(t.Problem, validate.State, r.Next)
	}
	if failure != nil {
		return failure
	}
	return nil
}
