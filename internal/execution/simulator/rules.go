package simulator

import (
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Rules are a problem's requirements on observed states and on the actions taken in them, the
// functions C and G of the paper. Every method returns the first violated rule, or nil.
type Rules interface {
	// State checks a state by itself.
	State(state factored.Valuation) *Violation
	// Action checks an action in a state, both in now, before it is taken.
	Action(now factored.Valuation) *Violation
	// Step checks a step that was taken.
	Step(now, next factored.Valuation) *Violation
	// Goal checks a final state.
	Goal(state factored.Valuation) *Violation
}

// TruthRules are the rules of a problem's RDDL: invariants, preconditions, the goal.
type TruthRules struct{ Truth *Truth }

// State checks ranges and invariants.
func (r TruthRules) State(state factored.Valuation) *Violation {
	return Broken(r.Truth.Sim.NewRunner(nil).SetState(r.Truth.State(state)), true)
}

// Action checks preconditions and max-nondef-actions.
func (r TruthRules) Action(now factored.Valuation) *Violation {
	run := r.Truth.Sim.NewRunner(nil)
	// The state has been checked already.
	_ = run.SetState(r.Truth.State(now))
	return Broken(run.CheckAction(r.Truth.Action(now)), false)
}

// Step accepts every step: how the system steps is not restricted.
func (r TruthRules) Step(now, next factored.Valuation) *Violation { return nil }

// Goal evaluates the goal.
func (r TruthRules) Goal(state factored.Valuation) *Violation {
	v, err := r.Truth.judge(state)
	switch {
	case err != nil:
		return Broken(err, true)
	case v != nil && !v.Holds:
		return goalFails(v)
	}
	return nil
}

// ProblemRules are the constraints of a factored problem, for problems without RDDL.
// Auxiliary variables may take any suitable value.
type ProblemRules struct{ Problem *factored.Problem }

// State checks the part of C that mentions no action.
func (r ProblemRules) State(state factored.Valuation) *Violation {
	return r.failure(validate.State, state)
}

// Action checks all of C.
func (r ProblemRules) Action(now factored.Valuation) *Violation {
	return r.failure(validate.Action, now)
}

// Step accepts every step: how the system steps is not restricted.
func (r ProblemRules) Step(now, next factored.Valuation) *Violation { return nil }

// Goal checks G.
func (r ProblemRules) Goal(state factored.Valuation) *Violation {
	return r.failure(validate.Goal, state)
}

func (r ProblemRules) failure(part validate.Part, now factored.Valuation) *Violation {
	f := validate.CheckPart(r.Problem, part, now)
	if f == nil {
		return nil
	}
	v := &Violation{Group: f.Group, Constraint: f.What, Origin: f.Origin, After: part != validate.Action}
	for _, x := range f.Values {
		value := Value{x.Name, x.Value}
		if w, ok := r.Problem.Lookup(x.Name); ok {
			value.Value = w.Show(x.Value)
		}
		v.Values = append(v.Values, value)
	}
	return v
}

// Required is a condition that the user added to the problem.
type Required struct {
	Text         string
	Action, Next bool // whether it mentions an action, the next state
	Holds        func(now, next factored.Valuation) bool
	Variables    func(now, next factored.Valuation) []Value // that it mentions
}

// RequiredRules are the conditions that the user added.
type RequiredRules []Required

// State checks conditions on the state alone.
func (r RequiredRules) State(state factored.Valuation) *Violation {
	return r.first(state, nil, func(c *Required) bool { return !c.Action && !c.Next }, true)
}

// Action checks conditions with an action.
func (r RequiredRules) Action(now factored.Valuation) *Violation {
	return r.first(now, nil, func(c *Required) bool { return c.Action && !c.Next }, false)
}

// Step checks conditions with the next state.
func (r RequiredRules) Step(now, next factored.Valuation) *Violation {
	return r.first(now, next, func(c *Required) bool { return c.Next }, false)
}

// Goal accepts every state.
func (r RequiredRules) Goal(factored.Valuation) *Violation { return nil }

func (r RequiredRules) first(now, next factored.Valuation, applies func(*Required) bool, after bool) *Violation {
	for i := range r {
		if c := &r[i]; applies(c) && !c.Holds(now, next) {
			return &Violation{Group: "require", Constraint: c.Text, Values: c.Variables(now, next), After: after}
		}
	}
	return nil
}
