package search

import "github.com/fdplan/fdplan/internal/engine/bound"

// workPerPoll is what a poll counts for while initial states are listed and no
// action is tried.
const workPerPoll = 256

// aloneWork is what the pair over operators does for each step of the horizon before it counts: the models of other engines grow with the horizon.
const aloneWork = 10_000_000

func (r *run) alone() int64 { return aloneWork * int64(r.q.MaxHorizon) }

// work measures what was done, in joint actions tried by code or a network.
func (r *run) work() int64 {
	w := r.laid + r.g.tried + r.g.effort + r.open + workPerPoll*r.polls
	w += r.completions() * (r.g.s.effort() - 1)
	w += r.tables.nodes() * bound.WorkPerNode
	if r.both != nil {
		w += max(0, r.pairWork()-r.alone()) / successorWork
	} else if r.ways != nil {
		w += r.ways.tried + r.ways.effort
	}
	return w
}

// laidPerReport is how much work lays tables out between two reports.
const laidPerReport = 5000

// spend counts work that lays tables out, and lets others have their turn.
func (r *run) spend(work int64) {
	before := r.laid / laidPerReport
	if r.laid += work; r.laid/laidPerReport > before {
		r.announce("search: tables are laid out", r.lower(r.limits.Shared.Bound()))
	}
}

// completions is how many of the joint actions tried propagation had to complete.
func (r *run) completions() int64 {
	switch {
	case r.g.s.direct:
		return 0
	case r.g.compiled != nil:
		return r.completed
	}
	return r.g.tried + r.open
}

// bitsPerEffort is how many variables propagation assigns in the time in which code or a
// network tries a joint action.
const bitsPerEffort = 8

// effort is what completing a joint action by propagation counts for, in joint actions that
// code or a network tries.
func (s *relation) effort() int64 { return int64(1 + int(s.Model.NumVars())/bitsPerEffort) }
