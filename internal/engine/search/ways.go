package search

import (
	"context"
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/engine/pattern"
	"github.com/fdplan/fdplan/internal/routine"
)

// Ways is the search for a cheapest way alone: the horizons of a query are not looked at, and a plan has as many steps
// as the way. The reward of a plan is that of its steps.
type Ways struct{}

// Name is "search".
func (Ways) Name() string { return "search" }

// Solve finds a cheapest way, and the shortest of these, or proves that no way leads to the goal. Every step must cost something or nothing: its reward
// is at most that of resting.
func (Ways) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	s, err := newRelation(q.Task)
	if err != nil {
		return nil, err
	}
	if report == nil {
		report = func(engine.Progress) {}
	}
	if s.mostReward != 0 {
		return nil, fmt.Errorf("a step of %s may have the reward %v; expected costs, which are no rewards above 0, or a horizon", q.Problem.Name, q.Problem.Reward.Float(s.mostReward))
	}
	r := &run{q: q, g: newGraph(s), limits: l, report: report, sharpenAfter: sharpenAfter}
	r.q.MaxHorizon = math.MaxInt32
	for range max(1, l.Threads) {
		r.workers = append(r.workers, s.newWorker(ctx, l.Memory))
	}
	full := func() bool { return ctx.Err() != nil || l.Memory > 0 && r.waysBytes() > l.Memory/4*3 }
	if !r.g.addInitial(ctx, full) {
		return r.orBest(&engine.Result{Status: engine.Unknown, Reason: r.stopped(ctx)}), nil
	}
	r.aside(ctx, asideFirst)
	if err := r.seek(ctx, full); err != nil && ctx.Err() == nil {
		return nil, err
	}
	if r.ways == nil {
		none := int64(0) // no way costs less
		return r.orBest(&engine.Result{Status: engine.Unknown, Bound: &none, Reason: r.stopped(ctx)}), nil
	}
	return r.orBest(r.way(ctx)), nil
}

// The work of the search for any plan: what it has at first, and its part of the work once there is a plan. Before, it has half.
const (
	asideFirst = 25_000_000
	asideTurn  = 10_000_000
	asidePart  = 16
)

// aside has the search for any plan do so much work in all, or its part of that once there is a plan.
func (r *run) aside(ctx context.Context, work int64) {
	for r.limits.Aside != nil && ctx.Err() == nil {
		tr, was := r.limits.Shared.Best()
		r.found = tr != nil
		share := work
		if r.found {
			share /= asidePart
		}
		if r.beside >= share {
			return
		}
		r.beside += asideTurn
		if !r.limits.Aside(ctx, asideTurn) {
			r.limits.Aside = nil
		}
		if tr, reward := r.limits.Shared.Best(); tr != nil && (!r.found || reward > was) {
			r.report(engine.Progress{Phase: "search: a plan", Reward: &reward, Trace: tr})
		}
	}
}

// confine has a search look for nothing that costs more than the best plan.
func (r *run) confine(c *cheapest) {
	if tr, reward := r.limits.Shared.Best(); tr != nil {
		c.limit = min(c.limit, 1-reward)
	}
}

// orBest is a result with the best plan that was found aside, where the search has none.
func (r *run) orBest(out *engine.Result) *engine.Result {
	if tr, reward := r.limits.Shared.Best(); tr != nil && out.Status == engine.Unknown {
		out.Status, out.Trace, out.Reward, out.Horizon = engine.Feasible, tr, reward, tr.Horizon()
		if out.Bound != nil && *out.Bound == reward {
			out.Status, out.Reason = engine.Optimal, ""
		}
	}
	return out
}

// seek searches until a cheapest way is found, or a limit is reached.
func (r *run) seek(ctx context.Context, full func() bool) error {
	s := r.g.s
	ops, joint, _, err := bound.Operators(ctx, s.Task, bound.Reading{Most: bound.MostJoint, Rules: r.exclusive(ctx), Spend: r.spend})
	if err != nil {
		return err
	}
	if ops != nil {
		return r.seekTwice(ctx, ops, joint, full)
	}
	if r.g.compiled, err = s.compile(ctx); err != nil {
		return err
	}
	for _, w := range r.workers {
		w.compiled = r.g.compiled
	}
	if err := r.single(ctx); err != nil {
		return err
	}
	c := r.ways
	c.compiled = r.g.compiled
	for !c.done && !full() {
		r.aside(ctx, c.tried*successorWork)
		r.confine(c)
		if c.guess != nil && c.tried >= c.next && !c.sharpen(ctx, len(r.workers)) || !c.advance(ctx, r.workers) {
			return nil
		}
		r.tell(c)
	}
	return nil
}

// tell reports how far a search is.
func (r *run) tell(c *cheapest) {
	bound := -c.lower
	r.report(engine.Progress{Phase: fmt.Sprintf("search: %d states", c.states.Len()), Bound: &bound})
}

// The work after which tables are built, of all searches, of pairTable entries, and the factor from which on they grow; the work before which both have equal turns.
const (
	tablesFrom   = 500_000_000
	tablesEarly  = 100_000_000 // where the rules that tables are made by are known already
	tablesFactor = 3
	pairTable    = 1 << 16
	equalTurns   = 50_000_000
	hopeless     = 3
)

// seekTwice searches with LM-cut and without, by turns: where one estimate is worth its time, the other is not. A search that has more work before it than
// the other has done, as far as its growth until now tells, waits.
func (r *run) seekTwice(ctx context.Context, ops []bound.Operator, joint [][]int, full func() bool) error {
	if err := r.pair(ops, joint); err != nil {
		return err
	}
	for !r.ways.done {
		r.aside(ctx, r.pairWork())
		p := turn(r.both)
		r.confine(p.cheapest)
		if err := r.advancePair(ctx, p); err != nil || ctx.Err() != nil || full() {
			return err
		}
		if r.ways == p.cheapest {
			r.tell(r.ways)
		}
	}
	return nil
}

// pair begins two searches over operators, one with LM-cut.
func (r *run) pair(ops []bound.Operator, joint [][]int) error {
	gen := r.g.s.newGenerator(ops, joint)
	cut, err := pattern.NewCut(r.q.Task, ops)
	if err != nil {
		return err
	}
	for _, cutting := range []bool{true, false} {
		c := newCheapest(r.g, nil, r.q.MaxHorizon, 0)
		c.use(gen)
		if cutting && cut == nil {
			continue
		} else if cutting {
			c.cutter = cut.NewCutter()
		}
		r.both = append(r.both, &pursuit{cheapest: c})
	}
	r.ways, r.tablesAt = r.both[0].cheapest, tablesFrom
	if r.rules != nil {
		r.tablesAt = tablesEarly
	}
	return nil
}

// waysBytes is the memory that the search for a cheapest way holds.
func (r *run) waysBytes() (n int64) {
	for _, p := range r.both {
		n += p.bytes()
	}
	if r.both == nil && r.ways != nil {
		n = r.ways.bytes()
	}
	return n
}

// pairWork is what both searches have done.
func (r *run) pairWork() int64 { return r.both[0].work() + r.both[len(r.both)-1].work() }

// advancePair gives one of the two searches a turn. The one with the larger bound, or the answer, is the search that speaks for both.
func (r *run) advancePair(ctx context.Context, p *pursuit) error {
	if !p.advance(ctx, r.workers) {
		return nil
	}
	p.note()
	if p.done || p.lower > r.ways.lower {
		r.ways = p.cheapest
	}
	if p.done || r.pairWork() < r.tablesAt {
		return nil
	}
	r.tablesAt *= tablesFactor
	return r.refine(ctx, r.both)
}

// refine builds tables for all searches, or larger ones.
func (r *run) refine(ctx context.Context, both []*pursuit) (err error) {
	first := both[0].cheapest
	guess, grown := first.guess, false
	if guess == nil {
		first.entries = pairTable
		guess, err = r.patterns(ctx, pairTable)
		grown = guess != nil
	} else {
		first.entries = min(first.entries*tableGrowth, largeTable)
		grown = guess.Grow(ctx, first.entries, first.sample(), len(r.workers))
	}
	if err != nil || !grown {
		return err
	}
	return routine.Each(ctx, len(r.workers), len(both), func(i int) {
		both[i].guess = guess
		both[i].estimate()
	})
}

// patterns builds the first tables; nil where they are not wanted or say nothing.
func (r *run) patterns(ctx context.Context, entries int) (*pattern.Least, error) {
	if r.without&Patterns != 0 {
		return nil, nil
	}
	if rules, err := r.findRules(ctx); err != nil || rules == nil {
		return nil, err
	}
	return pattern.New(ctx, r.rules, r.g.sample(), entries, len(r.workers))
}

// findRules finds rules, once; nil for none.
func (r *run) findRules(ctx context.Context) (_ *pattern.Rules, err error) {
	if r.rules == nil {
		r.rules, err = pattern.NewRules(ctx, r.q.Task, r.g.depth[0], r.g.sample())
	}
	return r.rules, err
}

// exclusive finds the rules that operators are read by.
func (r *run) exclusive(ctx context.Context) func() ([]bound.Rule, error) {
	return func() ([]bound.Rule, error) {
		rules, err := r.findRules(ctx)
		if err != nil || rules == nil {
			return nil, err
		}
		return rules.Places(), nil
	}
}

// pursuit is a search beside another.
type pursuit struct {
	*cheapest
	level  int64    // the bound when it was raised last
	before [2]int64 // the work until it was raised, and until it was raised before that
	growth float64  // of the work for each unit of cost
}

// note measures the growth of the work.
func (p *pursuit) note() {
	if p.lower > p.level {
		if p.before[1] > 0 {
			p.growth = math.Pow(float64(p.work())/float64(p.before[1]), 1/float64(p.lower-p.level))
		}
		p.level, p.before = p.lower, [2]int64{p.before[1], p.work()}
	}
}

// turn chooses the search that goes on: that which has worked less, unless the bound of the other is far away for it.
func turn(both []*pursuit) *pursuit {
	less, more := both[0], both[len(both)-1]
	if less.work() > more.work() {
		less, more = more, less
	}
	if less.work() > equalTurns && less.growth > 1 && float64(less.work())*math.Pow(less.growth, float64(more.lower-less.lower)) > hopeless*float64(more.work()) {
		return more
	}
	return less
}

// stopped says why a search ended early.
func (r *run) stopped(ctx context.Context) string {
	if ctx.Err() != nil {
		return context.Cause(ctx).Error()
	}
	return fmt.Sprintf("the memory limit of %d MiB was reached", r.limits.Memory>>20)
}

// way is what the search for a cheapest way has found.
func (r *run) way(ctx context.Context) *engine.Result {
	c := r.ways
	bound := -c.lower
	out := &engine.Result{Status: engine.Unknown, Bound: &bound}
	switch {
	case !c.done:
		out.Reason = r.stopped(ctx)
	case c.goal < 0:
		out.Status, out.Bound = engine.Infeasible, nil
	default:
		steps := 0
		for id := uint32(c.goal); c.to.at(id).parent != id; id = c.to.at(id).parent {
			steps++
		}
		tr := c.plan(r.workers[0], max(1, steps))
		if tr == nil {
			out.Reason = "the goal holds at once, and the system cannot rest"
			break
		}
		out.Status, out.Horizon, out.Reward, out.Trace = engine.Optimal, max(1, steps), bound, tr
	}
	out.Stats = map[string]int64{"states": int64(c.states.Len()), "joint_actions": c.tried, "table_bytes": c.bytes()}
	return out
}
