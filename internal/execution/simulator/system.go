package simulator

import (
	"context"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// System is a real system or a simulator of one. It is in one state and belongs to one
// goroutine. An error is final: after it the system must only be closed.
type System interface {
	// Info describes the system and its capabilities. It does not change.
	Info() Info
	// Reset puts the system into a state or, with nil, into an initial state of its own, and
	// returns the observation. A state may only be given if Info.AnyState is set.
	Reset(ctx context.Context, state factored.Valuation) (*Answer, error)
	// Step performs a joint action, the action bits of a valuation. A system that refuses it
	// stays in its state and returns a Violation and no State.
	Step(ctx context.Context, action factored.Valuation) (*Answer, error)
	// Close stops the system and frees its resources. It may be called twice.
	Close() error
}

// Info is a system's description of itself.
type Info struct {
	Name          string
	AnyState      bool // Reset accepts any state
	Deterministic bool // the same action in the same state has the same answer
	Partial       bool // answers may omit state variables
}

// Answer is a system's answer to a call.
type Answer struct {
	// State contains the observed state bits. It is nil after a step that was not taken.
	State factored.Valuation
	// Outside are the values that the system sent and that their variables do not have; State has others in
	// their place.
	Outside []Outside
	// Quantities are the values of quantities in their own units, by variable, as far as the system sent them.
	Quantities map[string]float64
	// Missing names the state variables that were not observed; their bits in State are
	// meaningless. It is empty unless Info.Partial is set, or at the end of an episode.
	Missing []string
	// Reward of the step, undiscounted; nil if the system has none.
	Reward *float64
	// Terminal reports that no action can be taken in State.
	Terminal bool
	// Goal reports whether the system considers its goal reached; nil if it does not evaluate
	// that and the problem's goal applies.
	Goal *Verdict
	// Violation is the rule that the call violated, nil for none.
	Violation *Violation
}

// Unseen reports that an episode has ended in a state that the system does not show.
func (a *Answer) Unseen() bool { return a.Terminal && len(a.Missing) > 0 }

// Verdict is a system's evaluation of its goal.
type Verdict struct {
	Holds  bool
	Text   string  // the goal, for messages
	Values []Value // of the variables that it mentions, if known
}

// Value is a variable with its value: a bool, an int64, a float64 or, for a named value and for
// the bin of a quantity, a string. The name of a variable
// of the next state ends in a prime.
type Value struct {
	Name  string
	Value any
}

func (v Value) String() string { return fmt.Sprintf("%s=%v", v.Name, v.Value) }

// Violation is a rule that was violated.
type Violation struct {
	Group      string // precondition, invariant, range, global, require, termination, goal, initial, simulator, …
	Constraint string
	Origin     string  // FILE:LINE:COL or similar, "" if unknown
	Values     []Value // of the variables that the rule mentions
	// After reports that the rule is about the state after the step, t+1, and not about the
	// state and the action of step t.
	After bool
	// say formats the violation as a sentence; nil for the usual one.
	say func(step int) string
}

// Text returns the violation as a sentence, at a step of the user's count.
func (v *Violation) Text(step int) string {
	if v.say != nil {
		return v.say(step)
	}
	s := fmt.Sprintf("step %d: the %s constraint %s fails", step, v.Group, v.Constraint)
	if v.Origin != "" {
		s += fmt.Sprintf(" (%s)", v.Origin)
	}
	if len(v.Values) > 0 {
		s += "; " + joinValues(v.Values)
	}
	return s
}

// maxShown bounds the values that a message spells out.
const maxShown = 16

func joinValues(values []Value) string {
	var parts []string
	for _, v := range values[:min(len(values), maxShown)] {
		parts = append(parts, v.String())
	}
	if more := len(values) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// ValueOf returns a variable's value in val.
func ValueOf(v *factored.Variable, val factored.Valuation) Value {
	return Value{v.Name, v.Show(v.Value(val))}
}

// active lists the variables of a kind that do not have their default.
func active(p *factored.Problem, k factored.Kind, val factored.Valuation) []Value {
	var out []Value
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == k && v.Value(val) != v.Default {
			out = append(out, ValueOf(v, val))
		}
	}
	return out
}

// Differing lists the state variables in which two states differ, with the values of each.
// Variables that either state lacks are ignored.
func Differing(p *factored.Problem, a, b *Answer) (inA, inB []Value) {
	missing := map[string]bool{}
	for _, list := range [][]string{a.Missing, b.Missing} {
		for _, name := range list {
			missing[name] = true
		}
	}
	for i := range p.Variables {
		v := &p.Variables[i]
		if v.Kind == factored.State && !missing[v.Name] && v.Value(a.State) != v.Value(b.State) {
			inA, inB = append(inA, ValueOf(v, a.State)), append(inB, ValueOf(v, b.State))
		}
	}
	return inA, inB
}
