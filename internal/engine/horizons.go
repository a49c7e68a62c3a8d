package engine

import (
	"context"
	"fmt"
)

// EachHorizon answers a query for an engine that solves one horizon at a time:
// the best reward over all, the shortest on a tie.
func EachHorizon(ctx context.Context, q Query, report func(Progress), solve func(h int, report func(Progress)) (*Result, error)) (*Result, error) {
	if q.MinHorizon < 1 || q.MaxHorizon < q.MinHorizon {
		return nil, fmt.Errorf("the horizons %d..%d are not a range of positive numbers", q.MinHorizon, q.MaxHorizon)
	}
	if report == nil {
		report = func(Progress) {}
	}
	if q.MinHorizon == q.MaxHorizon {
		return solve(q.MinHorizon, report)
	}
	all := &Result{Status: Infeasible, Stats: map[string]int64{}}
	bounded := true
	for h := q.MinHorizon; h <= q.MaxHorizon; h++ {
		r, err := solve(h, all.among(h, report))
		if err != nil {
			return nil, err
		}
		line := HorizonResult{Horizon: h, Status: r.Status}
		switch r.Status {
		case Optimal:
			line.Reward = r.Reward
		case Feasible:
			line.Status = Unknown
		}
		all.Horizons = append(all.Horizons, line)
		if r.Trace != nil && (all.Trace == nil || r.Reward > all.Reward) {
			all.Trace, all.Horizon, all.Reward = r.Trace, r.Horizon, r.Reward
		}
		if r.Status != Infeasible {
			bounded = bounded && r.Bound != nil
			if bounded && (all.Bound == nil || *r.Bound > *all.Bound) {
				all.Bound = r.Bound
			}
		}
		if line.Status != Unknown {
			all.among(h, report)(Progress{Phase: string(line.Status), Settled: &line})
		}
		for k, v := range r.Stats {
			all.Stats[k] += v
		}
		if r.Reason != "" {
			all.Reason = r.Reason
		}
		if r.Prover != "" {
			all.Prover = r.Prover
		}
	}
	if !bounded {
		all.Bound = nil
	}
	switch {
	case all.Trace != nil && all.Bound != nil && *all.Bound == all.Reward:
		all.Status = Optimal
	case all.Trace != nil:
		all.Status = Feasible
	case all.Reason != "":
		all.Status = Unknown
	}
	return all, nil
}

// among turns what is reported of horizon h into what is known of all: the best
// plan so far. A bound holds for one horizon, and means nothing for the others.
func (r *Result) among(h int, report func(Progress)) func(Progress) {
	return func(p Progress) {
		p.Phase, p.Bound = fmt.Sprintf("horizon %d, %s", h, p.Phase), nil
		if r.Trace != nil && (p.Reward == nil || *p.Reward <= r.Reward) {
			reward := r.Reward
			p.Reward, p.Trace = &reward, r.Trace
		}
		report(p)
	}
}
