package pattern

import (
	"context"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/sat"
	"github.com/fdplan/fdplan/problem/factored"
)

// oneStep asks questions about a step from any state that the sets keep to
// another: which moves there are, and what they cost at least.
type oneStep struct {
	ctx context.Context
	*step.Step
	s     *sat.Solver
	costs []sat.Term        // the cost of the step: literals with positive weights
	above map[int64]sat.Lit // the cost is at least so much
	asked int
	vars  []*variable // whose moves are to be seen
}

// maxConflicts bounds one question. A question that is not answered counts as
// possible, which is sound.
const maxConflicts = 2_000

// maxAsked bounds all questions about a problem.
const maxAsked = 60_000

// newStep loads the model of a step, without initial state and goal.
func newStep(ctx context.Context, t engine.Task) (*oneStep, error) {
	one, err := step.New(t)
	if err != nil {
		return nil, err
	}
	q := &oneStep{ctx: ctx, Step: one, s: sat.New(sat.Options{}), above: map[int64]sat.Lit{}}
	err = conflict.Load(ctx, q.s, one.Model, func(_ int, g model.Group, _ int) (sat.Lit, bool) {
		return sat.NoLit, g != model.Initial && g != model.Goal
	})
	if err != nil {
		return nil, err
	}
	for _, r := range t.Problem.Reward.Terms {
		at := 1
		if r.Lit.Next {
			at = 2
		}
		l := q.at(at, r.Lit.Bit)
		if r.Lit.Neg {
			l = l.Not()
		}
		if r.Weight > 0 { // it costs what it does not earn
			q.costs = append(q.costs, sat.Term{Coef: r.Weight, Lit: l.Not()})
		} else if r.Weight < 0 {
			q.costs = append(q.costs, sat.Term{Coef: -r.Weight, Lit: l})
		}
	}
	return q, nil
}

// at is a bit at step 1 or 2.
func (q *oneStep) at(t int, b factored.Bit) sat.Lit {
	return sat.Pos(int32(q.Model.Var(t, b)))
}

// possible reports whether a step may satisfy all literals. exact is false where
// that was not decided.
func (q *oneStep) possible(lits ...sat.Lit) (yes, exact bool) {
	q.asked++
	switch q.s.Solve(q.ctx, lits, sat.Budget{Conflicts: maxConflicts}) {
	case sat.Unsatisfiable:
		return false, true
	case sat.Satisfiable:
		q.see()
		return true, true
	}
	return true, false
}

// exhausted reports whether no more questions should be asked.
func (q *oneStep) exhausted() bool { return q.asked > maxAsked || q.ctx.Err() != nil }

// cost is that of the step that was found last.
func (q *oneStep) cost() (sum int64) {
	for _, t := range q.costs {
		if q.s.Value(t.Lit) {
			sum += t.Coef
		}
	}
	return sum
}

// least is the least cost of a step that satisfies all literals, of which one costs best, and none less than floor.
func (q *oneStep) least(lits []sat.Lit, best, floor int64) int64 {
	for best > floor {
		high, ok := q.above[best]
		if !ok {
			high = q.s.NewVar()
			if _, err := q.s.AddReified(high, q.costs, best); err != nil {
				return 0
			}
			q.above[best] = high
		}
		switch yes, exact := q.possible(append(lits[:len(lits):len(lits)], high.Not())...); {
		case !yes:
			return best
		case !exact:
			return 0
		}
		best = q.cost()
	}
	return best
}
