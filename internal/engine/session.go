package engine

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/problem/factored"
)

// Landmark excludes plans: all that begin as Trace does, from the same initial
// state and with the same joint actions at steps 1..Depth. With Depth equal to
// the horizon that is one plan, and the paper's generalized landmark constraint
// (section "Generalized Landmark Constraints"); with less it is every plan that
// would fail for the same reason. The values of auxiliary variables do not matter.
type Landmark struct {
	Trace *factored.Trace
	Depth int // 0 excludes the initial state
}

// Session is one query over one horizon that is asked again and again with more
// plans excluded, keeping what was learned: what Algorithm 1 of the paper needs.
type Session interface {
	// Solve answers for the plans that are not excluded.
	Solve(ctx context.Context, l Limits, report func(Progress)) (*Result, error)
	// Exclude adds a landmark.
	Exclude(Landmark) error
}

// Clausal is a session that takes what is found out about the system.
type Clausal interface {
	Session
	// Always adds a clause that holds at every step: one of the literals is true, of a bit at the step or, with
	// Next, at the following one.
	Always(clause []factored.Lit)
	// Better finds a plan with more than a scaled reward, any plan if that is nil: the best one where that is not
	// hard. The result is Feasible then, Infeasible if there is none, and Unknown if a limit was reached; its Bound holds
	// in each case. A bound of Limits.Shared is taken over.
	Better(ctx context.Context, reward *int64, l Limits) (*Result, error)
}

// Opener is an engine that can be asked again.
type Opener interface {
	Engine
	// Open prepares for queries about one horizon.
	Open(ctx context.Context, t Task, horizon int) (Session, error)
}

// Check reports a landmark that does not fit a horizon: more steps than there
// are, or than its trace has.
func (l *Landmark) Check(horizon int) error {
	if l.Depth < 0 || l.Depth > horizon || len(l.Trace.Steps) < max(1, l.Depth) {
		return fmt.Errorf("a landmark of %d steps over a trace of %d states; the horizon is %d", l.Depth, len(l.Trace.Steps), horizon)
	}
	return nil
}

// Covers reports whether a plan begins as the landmark does.
func (l *Landmark) Covers(p *factored.Problem, plan *factored.Trace) bool {
	for _, b := range p.Bits(factored.State) {
		if plan.Steps[0][b] != l.Trace.Steps[0][b] {
			return false
		}
	}
	for t := range l.Depth {
		for _, b := range p.Bits(factored.Action) {
			if plan.Steps[t][b] != l.Trace.Steps[t][b] {
				return false
			}
		}
	}
	return true
}
