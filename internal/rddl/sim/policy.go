package sim

import (
	"errors"
	"fmt"
)

// Policy chooses joint actions.
type Policy interface {
	// Act returns the joint action for the runner's present state in dst, which it grows as
	// needed. It returns ErrPlanEnd if there are no more actions. A policy has no state of
	// its own and may be shared.
	Act(r *Runner, dst []float64) ([]float64, error)
}

// ErrPlanEnd is returned by a Plan after its last step.
var ErrPlanEnd = errors.New("the plan has no further step")

// Noop takes every action at its default, legal or not.
type Noop struct{}

// Act implements Policy.
func (Noop) Act(r *Runner, dst []float64) ([]float64, error) { return r.s.Noop(dst), nil }

// Random draws joint actions uniformly from the legal ones: Booleans, enumerations and
// numbers in their ranges. It implements both `random` and `exploration`: making every
// Boolean action true with probability one half, other actions uniform over their values, and
// redrawing joint actions that violate a constraint is the same as drawing uniformly from the
// legal joint actions. If max-nondef-actions or the preconditions leave few, they are counted
// or enumerated, with the same distribution, instead of redrawn endlessly. With
// max-nondef-actions, a real action leaves its default as often as a Boolean one.
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

// PolicyByName finds a policy by its name on the command line.
func PolicyByName(name string) (Policy, error) {
	switch name {
	case "noop":
		return Noop{}, nil
	case "random", "exploration":
		return Random{}, nil
	}
	return nil, fmt.Errorf("no policy %q, expected noop, random or exploration", name)
}
