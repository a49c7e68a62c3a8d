package load

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/problem/fdsat"
)

// Timed is a required condition on one step.
type Timed struct {
	Step int // from 1
	simulator.Required

	condition *expr.Expr
	origin    string
}

// ErrStep is wrapped by the error about a condition on a step that a plan does not have.
var ErrStep = errors.New("the plan has no such step")

// parsed are the options of required conditions.
var parsed = expr.Options{Next: true, Step: true}

// World returns the problem without what depends on the step, conditions and inputs: what the states and
// actions of a simulator are of.
func (p *Problem) World() *factored.Problem {
	if p.world != nil {
		return p.world
	}
	return p.Problem
}

// CheckHorizon refuses conditions on steps that a plan of the horizon does not have, and inputs that a plan does not fit.
func (p *Problem) CheckHorizon(horizon int) error {
	if err := p.checkGiven(horizon); err != nil {
		return err
	}
	for i := range p.Timed {
		r := &p.Timed[i]
		last := horizon
		if !r.Action && !r.Next {
			last++ // the state after the last step
		}
		if r.Step > last {
			return fmt.Errorf("--require %s: %w: the horizon is %d", r.Text, ErrStep, horizon)
		}
	}
	return nil
}

// TimedFailure returns the failure of the first condition on one step that the observed states
// and the actions of a plan do not satisfy; nil if there is none.
func (p *Problem) TimedFailure(answers []*simulator.Answer, actions []factored.Valuation) *simulator.Failure {
	for i := range p.Timed {
		r := &p.Timed[i]
		now, next := p.observed(answers, actions, r.Step), factored.Valuation(nil)
		if r.Next {
			next = p.observed(answers, actions, r.Step+1)
		}
		if now == nil || r.Next && next == nil || r.Holds(now, next) {
			continue
		}
		return &simulator.Failure{Violation: &simulator.Violation{Group: "require", Constraint: r.Text, Values: r.Variables(now, next)}, Step: r.Step, Prefix: min(r.Step, len(actions))}
	}
	return nil
}

// observed returns the observed state of a step with the action taken in it; nil if it was not
// observed in full.
func (p *Problem) observed(answers []*simulator.Answer, actions []factored.Valuation, step int) factored.Valuation {
	if step > len(answers) || answers[step-1].State == nil || len(answers[step-1].Missing) > 0 {
		return nil
	}
	out := make(factored.Valuation, p.Problem.NumBits())
	for _, b := range p.World().Bits(factored.State) {
		out[b] = answers[step-1].State[b]
	}
	if step <= len(actions) {
		for _, b := range p.World().Bits(factored.Action) {
			out[b] = actions[step-1][b]
		}
	}
	return out
}

// require adds a side constraint: an expression, or a constraint as the FD-SAT-Plan files
// write it.
func (p *Problem) require(text, origin string) error {
	r, err := requiredRule(p.Problem, text)
	if err != nil {
		return err
	}
	if layoutConstraint.MatchString(text) {
		c, err := fdsat.Constraint(p.Problem, text, false)
		if err != nil {
			return err
		}
		c.Origin = origin
		p.Problem.Global = append(p.Problem.Global, c)
		p.Required = append(p.Required, r)
		return nil
	}
	e, err := expr.Parse(p.Problem, text, parsed)
	if err != nil {
		return err
	}
	if c := e.Constants(); len(c) > 0 {
		return errors.New(c[0])
	}
	if e.Step() > 0 {
		p.Timed = append(p.Timed, Timed{Step: e.Step(), Required: r, condition: e, origin: origin})
		return nil
	}
	p.Required = append(p.Required, r)
	return e.Require(p.Problem, false, origin)
}

// addSteps adds what depends on the step to the problem that plans are made for, after everything else, so that the other
// variables have the same bits in World: what is assumed of inputs, and the conditions on single steps.
func (p *Problem) addSteps() error {
	if len(p.Timed) == 0 && len(p.Problem.Given()) == 0 {
		return p.Problem.Check()
	}
	p.world, p.Problem = p.Problem, p.Problem.Clone()
	if err := p.follow(p.Problem, 1, 0); err != nil {
		return err
	}
	for i := range p.Timed {
		r := &p.Timed[i]
		clock, err := p.Problem.AddClock(r.Step)
		if err != nil {
			return err
		}
		r.condition.When(clock)
		if err := r.condition.Require(p.Problem, false, r.origin); err != nil {
			return fmt.Errorf("--require %s: %w", r.Text, err)
		}
	}
	return p.Problem.Check()
}

// requiredRule is a side constraint in the form that is checked on a simulator's
// observations.
func requiredRule(p *factored.Problem, text string) (simulator.Required, error) {
	r := simulator.Required{Text: text}
	var inNow, inNext []*factored.Variable
	if layoutConstraint.MatchString(text) {
		c, err := fdsat.Constraint(p, text, false)
		if err != nil {
			return r, err
		}
		r.Action = p.HasAction(&c)
		for _, t := range c.Terms {
			if v, _ := p.Owner(t.Lit.Bit); !slices.Contains(inNow, v) {
				inNow = append(inNow, v)
			}
		}
		r.Holds = func(now, _ factored.Valuation) bool { return c.Holds(now, nil) }
	} else {
		e, err := expr.Parse(p, text, parsed)
		if err != nil {
			return r, err
		}
		r.Action, r.Next = e.Mentions()
		inNow, inNext = e.Variables()
		r.Holds = e.Eval
	}
	for _, v := range inNow {
		if v.Kind == factored.Auxiliary { // no simulator shows auxiliary variables
			r.Holds = func(_, _ factored.Valuation) bool { return true }
		}
	}
	r.Variables = func(now, next factored.Valuation) []simulator.Value {
		var out []simulator.Value
		for _, v := range inNow {
			out = append(out, simulator.ValueOf(v, now))
		}
		for _, v := range inNext {
			x := simulator.ValueOf(v, next)
			x.Name += "'"
			out = append(out, x)
		}
		return out
	}
	return r, nil
}
