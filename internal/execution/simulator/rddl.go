package simulator

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/rddl/translate"
	"github.com/fdplan/fdplan/problem/factored"
)

// Truth is a problem's RDDL: its translation, its simulator, and its goal over the state, nil
// if there is none. It is immutable.
type Truth struct {
	Compiled *translate.Compiled
	Sim      *sim.Simulator
	Goal     *ground.Node
}

// State returns the state values of a valuation in the order of Sim.States.
func (t *Truth) State(val factored.Valuation) []float64 { return t.pick(val, t.Sim.States()) }

// Action returns the action values of a valuation in the order of Sim.Actions.
func (t *Truth) Action(val factored.Valuation) []float64 { return t.pick(val, t.Sim.Actions()) }

func (t *Truth) pick(val factored.Valuation, fluents []int) []float64 {
	values := t.Compiled.Values(val)
	out := make([]float64, len(fluents))
	for i, f := range fluents {
		out[i] = values[f]
	}
	return out
}

// observed returns the present state of r as bits.
func (t *Truth) observed(r *sim.Runner) (factored.Valuation, error) {
	values := make([]float64, len(t.Compiled.Ground.Fluents))
	for i := range t.Compiled.Ground.Fluents {
		switch t.Compiled.Ground.Fluents[i].Kind {
		case ground.State:
			values[i] = r.Value(i)
		case ground.Action: // action bits of the valuation are ignored
			if t.Compiled.Variable(i) != nil {
				values[i] = t.Compiled.Ground.Fluents[i].Default
			}
		}
	}
	val, err := t.Compiled.Valuation(values)
	if err != nil {
		return nil, fmt.Errorf("the simulator's state does not fit the problem: %w", err)
	}
	for _, b := range t.Compiled.Problem.Bits(factored.Action) {
		val[b] = false
	}
	return val, nil
}

// judge evaluates the goal in a state; it returns nil if there is none.
func (t *Truth) judge(val factored.Valuation) (*Verdict, error) {
	if t.Goal == nil {
		return nil, nil
	}
	holds, err := ground.Eval(t.Goal, &ground.Values{Now: t.Compiled.Values(val), Near: t.Compiled.Ground.Unrounded != nil})
	if err != nil {
		return nil, err
	}
	return &Verdict{Holds: holds != 0, Text: t.Goal.String(), Values: t.mentioned(t.Goal, val)}, nil
}

// mentioned lists the states that an expression mentions, in the problem's order.
func (t *Truth) mentioned(n *ground.Node, val factored.Valuation) []Value {
	seen := map[int]bool{}
	var walk func(n *ground.Node)
	walk = func(n *ground.Node) {
		if n.Op == ground.Ref {
			seen[n.Fluent] = true
		}
		for _, a := range n.Args {
			walk(a)
		}
	}
	walk(n)
	var out []Value
	for _, f := range t.Sim.States() {
		if v := t.Compiled.Variable(f); v != nil && seen[f] {
			out = append(out, ValueOf(v, val))
		}
	}
	return out
}

// RDDL is a System that simulates a problem's RDDL.
type RDDL struct {
	t *Truth
	r *sim.Runner
}

// NewRDDL returns a system of a truth. Stochastic RDDL draws from rng, which may otherwise be
// nil.
func NewRDDL(t *Truth, rng *rand.Rand) *RDDL { return &RDDL{t: t, r: t.Sim.NewRunner(rng)} }

// Info reports that any state can be set.
func (s *RDDL) Info() Info {
	return Info{Name: "rddl", AnyState: true, Deterministic: !s.t.Sim.Stochastic()}
}

// Reset sets a state or, with nil, the instance's initial one.
func (s *RDDL) Reset(ctx context.Context, state factored.Valuation) (*Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	var err error
	if state == nil {
		err = s.r.Reset()
	} else {
		err = s.r.SetState(s.t.State(state))
	}
	return s.answer(nil, err, true)
}

// Step performs a joint action. An evaluation error is a violation of the group simulation.
func (s *RDDL) Step(ctx context.Context, action factored.Valuation) (*Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	before := s.r.Steps()
	reward, err := s.r.Step(s.t.Action(action))
	return s.answer(&reward, err, s.r.Steps() > before)
}

// answer reads the runner's state; moved reports that it follows a call.
func (s *RDDL) answer(reward *float64, broken error, moved bool) (*Answer, error) {
	a := &Answer{Violation: Broken(broken, moved)}
	if !moved {
		return a, nil
	}
	a.Reward = reward
	var err error
	if a.State, err = s.t.observed(s.r); err != nil {
		if a.Violation != nil { // a requested state that is invalid
			a.State = nil
			return a, nil
		}
		return nil, err
	}
	if a.Terminal, err = s.r.Terminal(); err != nil {
		if a.Violation == nil {
			a.Violation = Broken(err, true)
		}
		return a, nil
	}
	a.Goal, err = s.t.judge(a.State)
	return a, err
}

// Close does nothing.
func (s *RDDL) Close() error { return nil }

// Broken converts an error of package sim to a violation. It also determines whether the
// violation is about the state after a step. It returns nil for nil.
func Broken(err error, after bool) *Violation {
	if err == nil {
		return nil
	}
	var v *sim.Violation
	if !errors.As(err, &v) {
		return &Violation{
			Group: "simulation", Constraint: err.Error(), After: after,
			say: func(step int) string { return fmt.Sprintf("step %d: %v", step, err) },
		}
	}
	out := &Violation{Group: v.Kind.String(), Constraint: v.Condition, After: after}
	out.Origin = fmt.Sprintf("%s:%d:%d", v.Pos.File, v.Pos.Line, v.Pos.Col)
	for _, x := range v.Values {
		out.Values = append(out.Values, Value{x.Name, plain(x)})
		if v.Kind == sim.OutOfRange && x.Name != "" && x.Name[len(x.Name)-1] == '\'' {
			out.After = true // a step led out of the range
		}
	}
	out.say = func(step int) string {
		// The runner counts from its last reset, the user from the start of the plan.
		at := *v
		at.Step = step
		return at.Error()
	}
	return out
}

// plain returns a simulator's value as a bool, an int64 or a float64.
func plain(x sim.Value) any {
	switch {
	case x.Text == "true" || x.Text == "false":
		return x.Text == "true"
	case x.Value == float64(int64(x.Value)):
		return int64(x.Value)
	}
	return x.Value
}
