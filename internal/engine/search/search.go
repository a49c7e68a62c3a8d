package search

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/engine/pattern"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/problem/factored"
)

// Engine is the forward search as an engine.Engine.
type Engine struct {
	Without Part // what is left out, to see what it is worth
	// Eager looks for a cheapest way from the first joint action on, and not only
	// where the graph turns out to be large, and with larger tables soon.
	Eager bool
}

// Part is something that the search does beside exploring the graph.
type Part uint8

// The parts.
const (
	Tables      Part = 1 << iota // take turns with the tables and prices of package bound
	CheapestWay                  // look for a cheapest way
	Patterns                     // estimate its cost by the tables of package pattern
	LocalSearch                  // improve plans that the tables do not prove soon
	Beam                         // look for a first plan in a large graph
	Compilation                  // compile known transitions
)

// Name is "search".
func (Engine) Name() string { return "search" }

// none is the value of a state from which no plan can be completed.
const none = math.MinInt64

// run is one call of Solve.
type run struct {
	without          Part
	q                engine.Query
	g                *graph
	workers          []*worker
	limits           engine.Limits
	values           [][]int64 // values[k][s]: best reward of k more steps from s
	whole            bool      // the graph is wanted whole, proof or not
	outgrown         bool      // the graph has no room left
	polls            int64     // how often full was asked
	report           func(engine.Progress)
	incumbent        *engine.Result // from the beam, while the graph is incomplete
	tables           tables         // the search with bounds, beside the graph
	far              []int64        // by state: best reward of a path of farSteps steps to it
	farSteps         int
	beamAt           int64 // joint actions tried before the next beam
	compilationTried bool  // whether the step was to be compiled
	completed        int64 // joint actions tried before it was
	laid             int64 // work that laid tables out
	counted          int   // joint actions of the first state; 0 before they are
	open             int64 // joint actions tried in the state that is being expanded
	askedFinal       bool

	polisher      *polisher // improves plans by local search; nil before its first turn
	refusedPolish bool      // it cannot

	ways            *cheapest      // the search for a cheapest way, beside the graph; nil before its first turn
	rules           *pattern.Rules // nil before they are asked for
	both            []*pursuit     // over operators, where there are any; ways is one of them
	tablesAt        int64          // the work of both after which their tables grow
	found           bool           // the search for any plan has one
	beside          int64          // its work
	cheapestFrom    int64          // joint actions that are tried before it begins
	sharpenAfter    int64          // joint actions that it tries before its tables grow
	refusedCheapest bool           // it is of no use, or done
	cheapest        *engine.Result // its answer; nil before there is one
}

// Solve finds an optimal plan or proves that there is none, unless a limit is
// reached first. It is exact: every joint action of every reachable state is
// tried.
func (e Engine) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	if q.MinHorizon < 1 || q.MaxHorizon < q.MinHorizon {
		return nil, fmt.Errorf("the horizons %d..%d are not a range of positive numbers", q.MinHorizon, q.MaxHorizon)
	}
	if q.MaxHorizon > q.Problem.MaxHorizon() {
		return nil, fmt.Errorf("the reward over %d steps may leave 64 bits; at most %d steps fit", q.MaxHorizon, q.Problem.MaxHorizon())
	}
	s, err := newRelation(q.Task)
	if err != nil {
		return nil, err
	}
	if report == nil {
		report = func(engine.Progress) {}
	}
	left := func(x Part) bool { return e.Without&x != 0 }
	r := &run{
		q: q, g: newGraph(s), limits: l, report: report, tables: tables{refused: left(Tables), shared: l}, cheapestFrom: cheapestFrom, sharpenAfter: sharpenAfter,
		without: e.Without, refusedCheapest: left(CheapestWay), refusedPolish: left(LocalSearch), compilationTried: left(Compilation),
	}
	switch {
	case q.MinHorizon != q.MaxHorizon:
		r.limits.Shared = nil // what the graph says is about all horizons
	case l.Shared == nil: // the searches of this engine tell each other too
		r.limits.Shared = &engine.Exchange{}
		r.tables.shared = r.limits
	}
	if e.Eager {
		r.cheapestFrom, r.sharpenAfter = 0, 20
	}
	for range max(1, l.Threads) {
		r.workers = append(r.workers, s.newWorker(ctx, l.Memory))
	}
	reason := r.explore(ctx)
	if q.MinHorizon == q.MaxHorizon {
		r.takeOffer()
	}
	if r.tables.err != nil {
		return nil, r.tables.err
	}
	if r.tables.proven() {
		return r.tables.result(ctx, q)
	}
	if r.cheapest != nil {
		return r.cheapest, nil
	}
	return r.improve(r.conclude(ctx, reason)), nil
}

// full reports whether the tables, with the values still to come, near the bound
// on memory. A quarter is left for what grows, and for the collector.
func (r *run) full() bool {
	r.polls++
	if r.limits.Memory <= 0 {
		return false
	}
	bytes := r.g.bytes() + r.waysBytes()
	if perState := int64(8 * (r.q.MaxHorizon + 1)); !r.outgrown {
		bytes += perState * int64(r.g.states.Len())
	}
	return bytes > r.limits.Memory/4*3
}

// proven reports whether a search beside the graph has the answer.
func (r *run) proven() bool { return r.tables.proven() || r.cheapest != nil }

// explore expands layers until the longest horizon is covered and computes the
// values. It returns why it stopped early, "" when it did not.
func (r *run) explore(ctx context.Context) (reason string) {
	g := r.g
	many := func() bool {
		r.announce("search: initial states", nil)
		return r.full()
	}
	if !g.addInitial(ctx, many) {
		g.depth = nil // not all initial states: nothing can be concluded
		return r.stopped(ctx)
	}
	if r.openTables(ctx); r.tables.proven() {
		return ""
	}
	pause := func() { r.pause(ctx) }
	g.tick = func(tried int64) bool { // others may have their turn before a state with many joint actions is expanded
		if r.open = tried; tried > 0 {
			r.announce(fmt.Sprintf("search: %d states", g.states.Len()), r.lower(r.limits.Shared.Bound()))
			r.turn(ctx)
		}
		return !r.proven()
	}
	for d := 1; d < r.q.MaxHorizon+1 && !g.saturated(); d++ {
		// The states at depth H are needed, but not their successors.
		full := func() bool { return r.proven() || r.full() }
		if !g.expandLayer(ctx, r.workers, full, pause) {
			if r.proven() {
				return ""
			}
			if r.finish(ctx); r.proven() {
				return ""
			}
			if ctx.Err() == nil {
				r.beam(ctx, maxBeamWidth) // time is left, if no memory
			}
			return r.stopped(ctx)
		}
		bound := r.optimism(d)
		if bound != nil {
			r.limits.Shared.Lower(*bound)
		}
		r.takeOffer()
		if !r.whole && bound != nil && r.incumbent != nil && r.q.MinHorizon == r.q.MaxHorizon && r.incumbent.Reward == *bound {
			return "" // proven: nothing can be better
		}
		r.announce(fmt.Sprintf("search: %s within %s", counted.Of(g.states.Len(), "state"), counted.Of(d, "step")), r.lower(bound))
	}
	return ""
}

// announce reports a phase with a bound, nil for none, and the best plan so far.
func (r *run) announce(phase string, bound *int64) {
	r.report(engine.Progress{Phase: phase, Bound: bound, Reward: r.incumbentReward(), Trace: r.incumbentTrace(), Work: r.work()})
}

// pause lets everything that is beside the exploration have its turn.
func (r *run) pause(ctx context.Context) {
	g := r.g
	r.announce(fmt.Sprintf("search: %d states", g.states.Len()), r.lower(r.limits.Shared.Bound()))
	if err := r.compileStep(ctx); err != nil {
		r.tables.err = err
	}
	if r.turnCheapest(ctx); r.both == nil || r.pairWork() > r.alone() {
		r.turn(ctx)
	}
	// A beam is about as much work as what was explored until then, so that
	// looking for a first plan at most doubles the time, and small problems
	// never pay for it.
	r.beamAt = max(r.beamAt, 50_000)
	if g.tried >= r.beamAt && !r.proven() {
		r.beam(ctx, r.beamWidth(r.beamAt))
		r.beamAt = 16 * g.tried
	}
}

// covered is the longest horizon up to MaxHorizon that the graph answers.
func (r *run) covered() int {
	if r.g.depth == nil {
		return 0
	}
	if r.g.saturated() {
		return r.q.MaxHorizon
	}
	return min(r.q.MaxHorizon, len(r.g.depth)-1)
}

// manyFinal is how many states are asked one by one whether a plan may end there, before it is looked at whether it may in all.
const manyFinal = 1000

// askFinal finds out, once, whether a plan may end in every state: constraints that only say what auxiliary bits are forbid none.
func (r *run) askFinal(ctx context.Context) {
	if r.askedFinal {
		return
	}
	r.askedFinal = true
	conditions, _, ok, err := bound.Final(ctx, r.g.s.Task)
	r.g.ends = ok && err == nil && len(conditions) == 0
}

// evaluate fills values for 0..h more steps: the sweeps of the dynamic
// program. Values with k more steps are needed only of states that h-k steps
// reach. It returns the last k that it finished, or -1: less than h when the
// context ended meanwhile.
func (r *run) evaluate(ctx context.Context, h int) int {
	g := r.g
	n := g.reach(h)
	late := ctx.Err() != nil // then this is all that is left to do
	if n-len(g.final) >= manyFinal {
		r.askFinal(ctx)
	}
	if errors.Is(context.Cause(ctx), engine.ErrSettled) || !g.classify(r.workers, n, func() bool { return !late && ctx.Err() != nil }) {
		return -1
	}
	r.values = make([][]int64, h+1)
	r.values[0] = make([]int64, n)
	for i := range r.values[0] {
		r.values[0][i] = none
		if g.final[i] > 0 {
			r.values[0][i] = 0
		}
	}
	for k := 1; k <= h; k++ {
		if !late && ctx.Err() != nil {
			return k - 1
		}
		before := r.values[k-1]
		v := make([]int64, g.reach(h-k))
		for i := range v {
			best := int64(none)
			for e := g.start[i]; e < g.start[i+1]; e++ {
				if w := before[g.succ[e]]; w != none {
					best = max(best, w+g.reward[e])
				}
			}
			v[i] = best
		}
		r.values[k] = v
	}
	return h
}

// best is the best reward of exactly h steps from an initial state.
func (r *run) best(h int) (reward int64, state int) {
	reward = none
	for i, v := range r.values[h][:r.g.depth[0]] {
		if v > reward {
			reward, state = v, i
		}
	}
	return reward, state
}

// conclude turns what was explored into a result. reason is "" when the
// exploration is complete.
func (r *run) conclude(ctx context.Context, reason string) *engine.Result {
	res := &engine.Result{Status: engine.Unknown, Reason: reason}
	h := r.covered()
	reward := int64(none)
	if h >= r.q.MinHorizon {
		h = r.evaluate(ctx, h)
		if h < r.q.MaxHorizon && res.Reason == "" && ctx.Err() != nil {
			res.Reason = context.Cause(ctx).Error()
		}
		for k := r.q.MinHorizon; k <= h; k++ {
			v, _ := r.best(k)
			one := engine.HorizonResult{Horizon: k, Status: engine.Infeasible}
			if v != none {
				one.Status, one.Reward = engine.Optimal, v
			}
			res.Horizons = append(res.Horizons, one)
			if v > reward {
				reward, res.Horizon = v, k
			}
		}
	}
	for k := max(h+1, r.q.MinHorizon); k <= r.q.MaxHorizon; k++ {
		res.Horizons = append(res.Horizons, engine.HorizonResult{Horizon: k, Status: engine.Unknown})
	}
	if r.q.MinHorizon == r.q.MaxHorizon {
		res.Horizons = nil
	}
	if reward != none {
		res.Reward = reward
		res.Trace = r.plan(res.Horizon)
	}
	if in := r.incumbent; in != nil && h < r.q.MaxHorizon && (reward == none || in.Reward > reward) {
		res.Reward, res.Horizon, res.Trace = in.Reward, in.Horizon, in.Trace
	}
	switch {
	case h == r.q.MaxHorizon && res.Trace == nil:
		res.Status = engine.Infeasible
	case h == r.q.MaxHorizon:
		res.Status = engine.Optimal
		res.Bound = &res.Reward
	default:
		if res.Trace != nil {
			res.Status = engine.Feasible
		}
		res.Bound = r.partialBound(max(h, 0), reward)
		// What was not explored cannot be better; with several horizons it
		// could still be as good and shorter.
		if res.Trace != nil && res.Bound != nil && *res.Bound == res.Reward && (res.Horizon <= h || r.q.MinHorizon == r.q.MaxHorizon) {
			res.Status, res.Reason = engine.Optimal, ""
		}
	}
	g := r.g
	res.Stats = map[string]int64{
		"states": int64(g.states.Len()), "expanded": int64(g.done), "edges": int64(len(g.succ)),
		"forward_passes": g.passes, "table_bytes": g.bytes(),
	}
	return res
}

// partialBound bounds the reward over all horizons when only those up to h are
// known, reward being the best of these or none.
func (r *run) partialBound(h int, reward int64) *int64 {
	if r.g.depth == nil {
		most := r.g.s.mostReward // linear in the horizon
		b := max(most*int64(r.q.MinHorizon), most*int64(r.q.MaxHorizon))
		return &b
	}
	b := r.optimism(h)
	if b != nil && reward > *b {
		return &reward
	}
	return b
}

// optimism is a bound on the reward of every horizon that the first d layers
// do not answer: the best that d steps reach, and the most that any step can
// give for each of the rest. nil when there is no such horizon.
func (r *run) optimism(d int) *int64 {
	from, to := max(d+1, r.q.MinHorizon), r.q.MaxHorizon
	if from > to || r.g.saturated() {
		return nil
	}
	far := r.reachedBest(d)
	if far == none {
		return nil
	}
	most := r.g.s.mostReward // linear in the horizon
	bound := max(far+most*int64(from-d), far+most*int64(to-d))
	return &bound
}

// reachedBest is the best reward of a path of exactly d steps. It goes on from
// what it was last asked.
func (r *run) reachedBest(d int) int64 {
	g := r.g
	if r.far == nil || d < r.farSteps {
		r.far, r.farSteps = make([]int64, g.depth[0]), 0
	}
	for ; r.farSteps < d; r.farSteps++ {
		now := r.far
		next := make([]int64, g.reach(r.farSteps+1))
		for i := range next {
			next[i] = none
		}
		for i := range now {
			if now[i] == none {
				continue
			}
			for e := g.start[i]; e < g.start[i+1]; e++ {
				next[g.succ[e]] = max(next[g.succ[e]], now[i]+g.reward[e])
			}
		}
		r.far = next
	}
	best := int64(none)
	for _, v := range r.far {
		best = max(best, v)
	}
	return best
}

// plan follows the values of horizon h from the first best initial state.
func (r *run) plan(h int) *factored.Trace {
	_, at := r.best(h)
	tr := &factored.Trace{}
	r.follow(at, h, tr)
	return tr
}

// follow appends to tr the best k steps from a state, taking the first edge that
// keeps the best reward.
func (r *run) follow(at, k int, tr *factored.Trace) {
	g := r.g
	for ; k > 0; k-- {
		want := r.values[k][at]
		for e := g.start[at]; e < g.start[at+1]; e++ {
			if w := r.values[k-1][g.succ[e]]; w != none && w+g.reward[e] == want {
				tr.Steps = append(tr.Steps, r.g.s.valuation(g.states.key(uint32(at)), g.actions.key(g.action[e])))
				at = int(g.succ[e])
				break
			}
		}
	}
	tr.Steps = append(tr.Steps, r.g.s.valuation(g.states.key(uint32(at)), nil))
}

// valuation unpacks a state and an action, nil for none.
func (s *relation) valuation(state, action []uint64) factored.Valuation {
	v := make(factored.Valuation, s.p.NumBits())
	for i, b := range s.StateBits {
		v[b] = step.Bit(state, int32(i))
	}
	if action != nil {
		for i, b := range s.ActionBits {
			v[b] = step.Bit(action, int32(i))
		}
	}
	return v
}

// takeOffer makes a better plan of another engine the incumbent.
func (r *run) takeOffer() {
	if t, reward := r.limits.Shared.Best(); t != nil && (r.incumbent == nil || reward > r.incumbent.Reward) {
		r.incumbent = &engine.Result{Trace: t, Horizon: t.Horizon(), Reward: reward}
	}
}

func (r *run) incumbentTrace() *factored.Trace {
	if r.incumbent == nil {
		return nil
	}
	return r.incumbent.Trace
}

func (r *run) incumbentReward() *int64 {
	if r.incumbent == nil {
		return nil
	}
	return &r.incumbent.Reward
}
