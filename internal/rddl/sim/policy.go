package sim

import (
	"errors"
	"fmt"
)

// Policy chooses joint actions.
type Policy interface {
	// Act gives the joint action for the runner's present state in dst, which it
	// grows as needed. ErrPlanEnd says that there is none any more. A policy holds no
	// state of its own, so that it may be shared.
	Act(r *Runner, dst []float64) ([]float64, error)
}

// ErrPlanEnd is the answer of a Plan after its last step.
var ErrPlanEnd = errors.New("the plan has no further step")

// Noop takes every action at its default, legal or not.
type Noop struct{}

// Act implements Policy.
func (Noop) Act(r *Runner, dst []float64) ([]float64, error) { return r.s.Noop(dst), nil }

// Random draws joint actions uniformly over the legal ones: Booleans,
// enumerations and numbers in their ranges. It serves for `random` and for
// `exploration` alike: to make every Boolean action true with probability one
// half, other actions uniform over their values, and to redraw joint actions that
// break a constraint, is to draw uniformly over the legal joint actions. Where
// max-nondef-actions or the preconditions leave few, they are counted or
// enumerated instead of redrawn for ever, from the same distribution. With
// max-nondef-actions, a real action is off its default as often as a Boolean one.
type Random struct{}

// Act implements Policy.
func (Random) Act(r *Runner, dst []float64) ([]float64, error) { return r.DrawAction(dst) }

// Plan is a fixed sequence of joint actions, each in the order of
// Simulator.Actions.
type Plan [][]float64

// Act implements Policy.
func (p Plan) Act(r *Runner, dst []float64) ([]float64, error) {
	if r.step >= len(p) {
		return nil, ErrPlanEnd
	}
	return append(dst[:0], p[r.step]...), nil
}

// PolicyNames lists what PolicyByName knows.
func PolicyNames() []string { return []string{"noop", "random", "exploration"} }

// PolicyByName finds a policy by the name that the command line has for it.
func PolicyByName(name string) (Policy, error) {
	switch name {
	case "noop":
		return Noop{}, nil
	case "random", "exploration":
		return Random{}, nil
	}
	return nil, fmt.Errorf("no policy %q, expected noop, random or exploration", name)
}
