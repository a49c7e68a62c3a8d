package acting

import (
	"context"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/problem/factored"
)

// question asks for the best optimistic plan from a state.
type question struct {
	from    *node
	to      *node // the state that it ends in, in place of the goal, whatever its reward; nil for the goal
	fresh   bool  // its first step was never taken
	open    bool  // some next value of its first step is not known; whatever its goal and reward
	horizon int
	over    *int64 // that its reward exceeds; nil for any reward
	safe    bool   // its first step that was never taken breaks no rule
	drawn   bool   // its reward is a sum of random weights
}

func (q question) key() string {
	key := fmt.Sprint(q.horizon, " ", q.fresh, q.open, q.safe, " ", q.from.key)
	if q.to != nil {
		key += " " + q.to.key
	}
	return key
}

// query is a question that is asked again and again.
type query struct {
	question
	session engine.Clausal
	clauses int // that it has
	stated  int // that it was opened with
	linear  bool
	known   int                // regions of rewards that it has
	unit    int64              // of its rewards
	most    *int64             // of a step, if the reward is learned; nil if not
	first   factored.Valuation // with the bits that it has beside those of the problem
	taken   int                // steps that were taken from its state and are excluded
	ahead   int                // the same of those that are foreseen
	bound   *int64             // no plan has a higher reward; nil if nothing is known
	result  *engine.Result
}

// A plan that is refuted counts as perRound conflicts of the effort for each learned bit, and as mostRound at most. Where little
// is known, what refutes a plan says little of others, and a step at random shows more; where rows were known before, they may be enough.
const perRound, mostRound = 3, 200

// ask answers a question.
func (l *learner) ask(ctx context.Context, of question) (*engine.Result, error) {
	l.m.infer()
	q := l.queries[of.key()]
	if q == nil {
		q = &query{question: of}
		l.queries[of.key()] = q
	}
	if q.session == nil {
		if err := l.reopen(ctx, q); err != nil {
			return nil, err
		}
	}
	if q.result != nil {
		less := q.over != nil && (of.over == nil || *of.over < *q.over) // that there is none says nothing of this question
		if q.result.Trace == nil && less || q.result.Trace != nil && of.over != nil && q.result.Reward <= *of.over {
			q.result = nil
		}
	}
	q.over = of.over
	for rounds := int64(0); ; rounds++ {
		if done, err := l.answers(ctx, q); done || err != nil {
			return q.result, err
		}
		if rounds > l.effort/int64(min(mostRound, perRound*len(l.m.Outputs)))+int64(len(l.o.Known)) && !q.open && q.to == nil {
			return nil, errHard
		}
		if err := l.update(ctx, q); err != nil {
			return nil, err
		}
		limits := l.o.Limits
		limits.Conflicts = l.effort
		r, err := q.better(ctx, limits)
		switch {
		case err != nil:
			return nil, err
		case r.Status != engine.Unknown:
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case r.Reason == engine.ReasonConflicts && q.linear:
			q.stated = -1 // the next time it begins with tables for what is asked then
			return nil, errHard
		case r.Reason == engine.ReasonConflicts:
			l.linear = true
			if err := l.reopen(ctx, q); err != nil {
				return nil, err
			}
			continue
		default:
			return nil, fmt.Errorf("%w: %s", errLimit, r.Reason)
		}
		q.result = r
	}
}

// better asks for a plan with more than a reward, in the scale of the problem.
func (q *query) better(ctx context.Context, limits engine.Limits) (*engine.Result, error) {
	over := q.over
	if over != nil {
		x := integer.FloorDiv(*over, q.unit)
		over = &x
	}
	limits.Shared = &engine.Exchange{}
	if q.bound != nil {
		limits.Shared.Lower(integer.FloorDiv(*q.bound, q.unit))
	}
	r, err := q.session.Better(ctx, over, limits)
	if err == nil && q.most != nil {
		if r.Reward *= q.unit; r.Bound != nil {
			x := min(*r.Bound*q.unit, *q.most*int64(q.horizon))
			r.Bound = &x
		}
	}
	if err == nil && r.Bound != nil && (q.bound == nil || *r.Bound < *q.bound) {
		q.bound = r.Bound
	}
	return r, err
}

// answers reports whether the result of a query holds, and excludes it if not.
func (l *learner) answers(ctx context.Context, q *query) (bool, error) {
	switch {
	case q.result == nil:
		return false, nil
	case q.result.Trace == nil:
		return true, nil
	case l.m.Refute(q.result.Trace), l.refused(q), q.fresh && l.g.arc(q.result.Trace.Steps[0]) != nil, q.open && l.foresee(q):
		return false, nil
	}
	barred, err := l.bar(ctx, q)
	return !barred, err
}

// update gives a query what was found out since it was asked.
func (l *learner) update(ctx context.Context, q *query) error {
	if (q.over != nil || q.linear) && !q.fresh && q.to == nil && q.stated < len(l.m.Clauses) {
		// Tables and constants (package conflict) come of clauses that the problem has from the beginning.
		if err := l.reopen(ctx, q); err != nil {
			return err
		}
	}
	q.tell(l.m)
	for r := l.m.Reward; r != nil && len(q.first) > l.m.Free.NumBits() && q.known < len(r.Known); q.known++ {
		q.session.Always(r.literals(l.m, &r.Known[q.known]))
	}
	for ; q.fresh && q.taken < len(q.from.arcs); q.taken++ {
		first := slices.Clone(q.first)
		copy(first, q.from.arcs[q.taken].action)
		tried := &factored.Trace{Steps: []factored.Valuation{first}}
		if err := q.session.Exclude(engine.Landmark{Trace: tried, Depth: 1}); err != nil {
			return err
		}
	}
	for ; q.open && q.ahead < len(q.from.foreseen); q.ahead++ {
		q.session.Always(l.never(q.from.foreseen[q.ahead].action))
	}
	return nil
}

// tell gives a query the clauses that it does not have.
func (q *query) tell(m *Model) {
	for ; q.clauses < len(m.Clauses); q.clauses++ {
		q.session.Always(m.Literals(&m.Clauses[q.clauses]))
	}
}

// refused excludes the steps of a plan that the system refused, or that begin where it ended a run, and reports whether there are any.
func (l *learner) refused(q *query) (any bool) {
	tr := q.result.Trace
	for t := range tr.Horizon() {
		n := l.g.nodes[tr.Steps[t].Key(l.g.states)]
		if n == nil {
			continue
		}
		a := n.taken[tr.Steps[t].Key(l.g.actions)]
		switch {
		case n.ends:
			q.session.Always(differs(l.g.states, n.state))
		case a != nil && a.to == nil:
			q.session.Always(l.never(tr.Steps[t]))
		default:
			continue
		}
		any = true
	}
	return any
}

// reopen prepares a query, with all that is known.
func (l *learner) reopen(ctx context.Context, q *query) error {
	p, long := l.m.optimistic()
	p.Initial = l.g.is(q.from)
	first, unit, most := make(factored.Valuation, p.NumBits()), int64(1), (*int64)(nil)
	switch r := l.m.Reward; {
	case q.to != nil || q.open:
		p.Goal, p.Reward = nil, factored.Reward{Scale: 1}
	case q.drawn:
		p.Reward = l.weights()
	case r != nil:
		var err error
		if first, err = r.state(p, l.m); err != nil {
			return err
		}
		for b := l.m.Free.NumBits(); b < len(first); b++ {
			if p.Kind(factored.Bit(b)) == factored.State {
				p.Initial = append(p.Initial, first.Fix([]factored.Bit{factored.Bit(b)}, "start")...)
			}
		}
		unit, most = r.unit, &r.Most
	}
	if q.to != nil {
		p.Goal = l.g.is(q.to)
	}
	solver := conflict.PB{}
	if l.linear {
		solver.Change = conflict.CuttingPlanes
	}
	s, err := solver.Open(ctx, engine.Task{Problem: p}, q.horizon)
	if err != nil {
		return err
	}
	for _, i := range long {
		s.(engine.Clausal).Always(l.m.Literals(&l.m.Clauses[i]))
	}
	*q = query{question: q.question, bound: q.bound, session: s.(engine.Clausal), clauses: len(l.m.Clauses), stated: len(l.m.Clauses), linear: l.linear, first: first, unit: unit, most: most}
	return nil
}
