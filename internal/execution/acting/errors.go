package acting

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// ErrSystem is wrapped by errors about a system that is not deterministic, or not as its problem says.
var ErrSystem = errors.New("the system is not as assumed")

// ErrLift is wrapped where objects that share a function do not behave alike.
var ErrLift = errors.New("objects of a type do not share a function")

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
