package acting

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// ErrSystem is wrapped by errors about a system that is not deterministic, or not as its problem says.
var ErrSystem = errors.New("the system is not as assumed")

// errLift is about objects that share a function and do not behave alike.
var errLift = errors.New("objects of a type do not share a function")

// outside is about values out of range, after a step.
func outside(a *simulator.Answer, step int) error {
	return fmt.Errorf("%w: after step %d it sent %v=%v, which is out of range; expected %s", ErrSystem, step, a.Outside[0].Variable, a.Outside[0].Value, a.Outside[0].Expected)
}

// unpaid is about a reward of a step that is not the problem's; nil if it is.
func unpaid(mine, sent float64, step int) error {
	if math.Abs(mine-sent) <= 1e-6*math.Max(1, math.Abs(mine)) {
		return nil
	}
	return fmt.Errorf("%w: the reward of step %d is %v, that of the problem is %v; expected the same, --reward for one of your own, or --reward-at-most to learn it", ErrSystem, step, sent, mine)
}

// ContradictionError is about a step that had two outcomes. It wraps ErrSystem.
type ContradictionError struct {
	p                *factored.Problem
	now, first, then factored.Valuation // nil outcomes are refusals
	start            bool               // one of the outcomes is the state that the system begins in
}

func (e *ContradictionError) Error() string {
	action := listed(e.p, factored.Action, e.now)
	text := fmt.Sprintf("%v: the same step had two outcomes, so that it is not deterministic or not fully recorded: %s in %s led to %s before and to %s now",
		ErrSystem, action, listed(e.p, factored.State, e.now), e.outcome(e.first), e.outcome(e.then))
	if e.start {
		text += "; one of them is the state that it begins in: it may have reset itself"
	}
	return text
}

// Unwrap returns ErrSystem.
func (e *ContradictionError) Unwrap() error { return ErrSystem }

func (e *ContradictionError) outcome(state factored.Valuation) string {
	if state == nil {
		return "a refusal"
	}
	return listed(e.p, factored.State, state)
}

// listed names the variables of a kind that do not have their default.
func listed(p *factored.Problem, k factored.Kind, val factored.Valuation) string {
	var parts []string
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == k && v.Value(val) != v.Default {
			parts = append(parts, simulator.ValueOf(v, val).String())
		}
	}
	if len(parts) == 0 {
		return "(nothing)"
	}
	return strings.Join(parts, ", ")
}
