package search

import (
	"context"
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/engine/pattern"
	"github.com/fdplan/fdplan/problem/factored"
)

// cheapest looks for a cheapest way from an initial state to one in which a plan
// may end, whatever its number of steps: A* (Hart, Nilsson, Raphael 1968) with
// pattern tables as the estimate. The cost of a step is what its reward lacks to
// the most that a step can give. No plan costs less than the cheapest way,
// however long the horizon; where the system may rest at no cost, a way that is
// shorter than the horizon is a plan.
//
// Ways are compared by cost, then by their number of steps. The order in which
// states are expanded does not depend on threads.
type cheapest struct {
	s         *relation
	horizon   int64
	compiled  *compiledStep // nil before the step is compiled, and where it cannot be
	gen       *generator    // where the step has operators, else nil
	after     []uint64      // a state
	states    *registry
	actions   *registry
	to        pages           // by state
	open      openList        // states to expand
	guess     *pattern.Least  // nil for none
	cutter    *pattern.Cutter // a further estimate, of states that would be expanded; nil for none
	entries   int             // that a table may have
	next      int64           // successors after which the tables are made larger
	most      int64           // the most that a step costs, at least 1
	limit     int64           // ways that cost as much are of no use
	lower     int64           // no way costs less
	goal      int64           // the state that the cheapest way leads to; -1 before it is found
	done      bool            // there is no more to find
	exhausted bool            // because nothing is left to expand
	tooLong   bool            // some way of cost lower is longer than the horizon
	tried     int64           // successors before merging
	effort    int64           // of code beside them, in the same units
	found     []successors
}

// way is the best way to a state that is known.
type way struct {
	cost   int64
	left   int64 // estimated cost from here on; never where no way leads to a goal
	steps  int32
	parent uint32 // itself for an initial state
	action uint32
	rest   int32 // an action that stays here at no cost; -1 for none, or not expanded
	closed bool  // expanded since it was last improved
	cut    bool  // the cutter was asked
}

// newCheapest starts a search from all initial states of a graph. Its tables grow after so many
// joint actions.
func newCheapest(g *graph, guess *pattern.Least, horizon int, sharpenAfter int64) *cheapest {
	c := &cheapest{
		s: g.s, states: newRegistry(g.s.StateWords()), actions: newRegistry(g.s.ActionWords()), horizon: int64(horizon), guess: guess,
		limit: math.MaxInt64, next: sharpenAfter, entries: smallTable, goal: -1,
	}
	for _, r := range g.s.p.Reward.Terms {
		c.most += max(r.Weight, -r.Weight)
	}
	c.most = max(c.most, 1)
	for i := range uint32(g.depth[0]) {
		id := c.states.add(g.states.key(i))
		c.improve(id, way{parent: id, rest: -1})
	}
	return c
}

// The tables are small at first, since they take time. A search that has become
// long continues with larger ones, each time after sharpenFactor times as many
// joint actions.
const (
	smallTable    = 1 << 12
	largeTable    = 1 << 20
	sharpenAfter  = 50_000
	sharpenFactor = 6
	tableGrowth   = 16
)

// sharpen continues with larger tables, if they can be larger. It is false when the
// context ended.
func (c *cheapest) sharpen(ctx context.Context, threads int) bool {
	c.next *= sharpenFactor
	if c.entries = min(c.entries*tableGrowth, largeTable); c.guess.Grow(ctx, c.entries, c.sample(), threads) {
		c.estimate()
	}
	return ctx.Err() == nil
}

// estimate has the tables estimate all states again.
//
// What is expanded stays so, until a cheaper way to it is found.
func (c *cheapest) estimate() {
	c.open.clear()
	for id := range uint32(c.to.n) {
		w := c.to.at(id)
		w.left = max(w.left, c.guess.Of(c.states.key(id)))
		if !w.closed {
			c.enlist(id)
		}
	}
}

// samples is how many states tables are made for.
const samples = 512

// sample is all initial states, and some others.
func (g *graph) sample() (out [][]uint64) {
	for i := 0; i < g.states.Len(); i++ {
		if i >= g.depth[0] {
			i += g.states.Len() / samples
		}
		if i < g.states.Len() {
			out = append(out, g.states.key(uint32(i)))
		}
	}
	return out
}

// sample is some states that are open.
func (c *cheapest) sample() (out [][]uint64) {
	n := 0
	c.open.each(func(id uint32) {
		if n%(1+c.open.count/samples) == 0 {
			out = append(out, c.states.key(id))
		}
		n++
	})
	return out
}

// bytes is the memory that the search holds.
func (c *cheapest) bytes() int64 {
	return c.states.Bytes() + c.actions.Bytes() + c.to.bytes() + 4*int64(c.open.count)
}

// improve notes a way to a state, and puts the state on the open list, unless a
// way that is as good is known or the state leads nowhere.
func (c *cheapest) improve(id uint32, w way) {
	if int(id) == c.to.n {
		w.left = max(w.left, 0)
		if c.guess != nil {
			w.left = max(w.left, c.guess.Of(c.states.key(id)))
		}
		c.to.add(w)
	} else {
		old := c.to.at(id)
		if !c.better(old, w.cost, w.steps) {
			return
		}
		w.left, w.rest, w.cut = max(w.left, old.left), old.rest, old.cut
		*old = w
	}
	c.enlist(id)
}

// enlist puts a state on the open list, unless it leads nowhere.
func (c *cheapest) enlist(id uint32) {
	w := c.to.at(id)
	if w.left >= pattern.Never || w.cost+w.left >= c.limit {
		return
	}
	r := rank{cost: w.cost + w.left, past: w.cost}
	if c.short() {
		r.steps = int64(w.steps) + (w.left+c.most-1)/c.most
	} else {
		r.length = w.steps
	}
	if c.guess == nil && c.cutter == nil {
		r.broken = int32(c.s.brokenGoals(c.states.key(id)))
	}
	c.open.push(r, id)
}

// short reports whether the number of steps matters. Where it does not, states with fewer steps still come first among equals.
func (c *cheapest) short() bool { return c.horizon < math.MaxInt32 }

// better reports whether a way to a state is better than the one that is known.
func (c *cheapest) better(old *way, cost int64, steps int32) bool {
	return cost < old.cost || cost == old.cost && steps < old.steps && (c.short() || !old.closed)
}

// pop takes the next states to expand, all of the same estimate. It is empty
// when nothing is left, or when the cheapest way is found.
func (c *cheapest) pop(w *worker, most int) (block []uint32) {
	var first rank
	for c.open.count > 0 && len(block) < most {
		e := c.open.first()
		if len(block) > 0 && (e.cost != first.cost || e.broken != first.broken || e.past != first.past) {
			return block
		}
		id := c.open.pop()
		to := c.to.at(id)
		if to.closed || to.cost != e.past || to.cost+to.left != e.cost || e.cost >= c.limit {
			continue
		}
		if c.tooLong && e.cost > c.lower {
			c.done = true // the cheapest ways are longer than the horizon
			return nil
		}
		c.lower = max(c.lower, e.cost)
		if e.steps > c.horizon {
			c.tooLong = true
			continue
		}
		if len(block) == 0 {
			first = e
		}
		if c.raise(id) {
			c.enlist(id)
			continue
		}
		if to.left == 0 && w.isFinal(c.states.key(id)) {
			c.goal, c.done = int64(id), true
			return nil
		}
		to.closed = true
		block = append(block, id)
	}
	if len(block) == 0 {
		c.done, c.exhausted = true, !c.tooLong
	}
	return block
}

// raise asks the cutter for the estimate of a state, once, and reports whether it is larger.
func (c *cheapest) raise(id uint32) bool {
	to := c.to.at(id)
	if c.cutter == nil || to.cut {
		return false
	}
	to.cut = true
	left := c.cutter.Of(c.states.key(id))
	if left <= to.left {
		return false
	}
	to.left = left
	return true
}

// advance expands a block of states. It is false when the context ended: what
// was found is incomplete then.
func (c *cheapest) advance(ctx context.Context, workers []*worker) bool {
	if c.gen != nil {
		for until := c.work() + blockWork; c.work() < until && !c.done && ctx.Err() == nil; {
			for _, id := range c.pop(workers[0], 1) {
				c.expand(id)
			}
		}
		return ctx.Err() == nil
	}
	block := c.pop(workers[0], blockStates)
	for len(c.found) < len(block) {
		c.found = append(c.found, successors{})
	}
	found := c.found[:len(block)]
	expandBlock(workers, c.compiled, found, func(i int) []uint64 { return c.states.key(block[i]) })
	if ctx.Err() != nil {
		return false
	}
	for i, id := range block {
		if found[i].tooWide {
			return false
		}
		c.merge(id, &found[i])
	}
	return true
}

// reach notes a way to a state by a step from another.
func (c *cheapest) reach(to uint32, from way, id uint32, cost int64, action func() uint32) {
	if int(to) < c.to.n && !c.better(c.to.at(to), from.cost+cost, from.steps+1) {
		return
	}
	c.improve(to, way{cost: from.cost + cost, steps: from.steps + 1, left: from.left - cost, parent: id, action: action(), rest: -1})
}

// merge notes the ways to the successors of a state.
func (c *cheapest) merge(id uint32, f *successors) {
	sw, aw := c.s.StateWords(), c.s.ActionWords()
	c.tried += int64(len(f.rewards))
	c.effort += f.effort
	from := *c.to.at(id)
	for k, r := range f.rewards {
		cost := c.s.mostReward - r
		to := c.states.add(f.states[k*sw : (k+1)*sw])
		if to == id {
			if cost == 0 && c.to.at(id).rest < 0 {
				c.to.at(id).rest = int32(c.actions.add(f.actions[k*aw : (k+1)*aw]))
			}
			continue
		}
		c.reach(to, from, id, cost, func() uint32 { return c.actions.add(f.actions[k*aw : (k+1)*aw]) })
	}
}

// plan is the cheapest way as a plan of exactly h steps; nil where it is longer,
// or where the system cannot rest on the way. It rests as late as it can.
func (c *cheapest) plan(w *worker, h int) *factored.Trace {
	var ids []uint32 // from the goal to the initial state
	for id := uint32(c.goal); ; id = c.to.at(id).parent {
		ids = append(ids, id)
		if c.to.at(id).parent == id {
			break
		}
	}
	waits := h - (len(ids) - 1)
	if waits < 0 {
		return nil
	}
	rest := -1
	if waits > 0 {
		var f successors
		w.expand(c.states.key(ids[0]), &f)
		c.merge(ids[0], &f)
		for i, id := range ids {
			if c.to.at(id).rest >= 0 {
				rest = i
				break
			}
		}
		if rest < 0 {
			return nil
		}
	}
	tr := &factored.Trace{}
	for i := len(ids) - 1; i >= 0; i-- {
		key := c.states.key(ids[i])
		if i == rest {
			for range waits {
				tr.Steps = append(tr.Steps, c.s.valuation(key, c.actions.key(uint32(c.to.at(ids[i]).rest))))
			}
		}
		if i > 0 {
			tr.Steps = append(tr.Steps, c.s.valuation(key, c.actions.key(c.to.at(ids[i-1]).action)))
		} else {
			tr.Steps = append(tr.Steps, c.s.valuation(key, nil))
		}
	}
	return tr
}

// How many joint actions the exploration of the graph tries before a cheapest way is looked for: most problems are solved by then. Over a
// long horizon, where all else takes longer, they are fewer, so that their product with it is at most cheapestSteps.
const (
	cheapestFrom  = 20_000
	cheapestSteps = 1_000_000
)

// turnCheapest gives the search for a cheapest way its turn: it may try as many
// joint actions as the exploration of the graph. It is for a single horizon,
// where an initial state is seen to rest at no cost.
func (r *run) turnCheapest(ctx context.Context) {
	g := r.g
	if r.whole || r.refusedCheapest || r.q.MinHorizon != r.q.MaxHorizon || !r.outgrown && g.tried < min(r.cheapestFrom, cheapestSteps/int64(r.q.MaxHorizon)) {
		return
	}
	if r.ways == nil {
		if !r.rests() {
			r.refusedCheapest = true
			return
		}
		if err := r.openWays(ctx); err != nil {
			r.refusedCheapest = true
			return
		}
	}
	if r.both != nil {
		r.turnPair(ctx)
		return
	}
	c := r.ways
	c.compiled = g.compiled
	if r.incumbent != nil {
		c.limit = r.costOf(r.incumbent.Reward)
	}
	share := g.tried
	if c.guess != nil {
		share *= guidedShare
	}
	if r.outgrown {
		share = c.tried + sharpenAfter
	}
	for !c.done && c.tried < share && ctx.Err() == nil && !r.full() {
		if c.guess != nil && c.tried >= c.next && !c.sharpen(ctx, len(r.workers)) || !c.advance(ctx, r.workers) {
			return
		}
	}
	r.concludeCheapest()
}

// turnPair gives the two searches over operators their turn: they go through states much faster than the graph, and find that nothing is left as it does.
func (r *run) turnPair(ctx context.Context) {
	share := max(pairShare*successorWork*r.g.tried, min(r.alone(), r.pairWork()+equalTurns))
	if r.outgrown {
		share = r.pairWork() + equalTurns
	}
	for !r.ways.done && r.pairWork() < share && ctx.Err() == nil && !r.full() {
		p := turn(r.both)
		if r.incumbent != nil {
			p.limit = r.costOf(r.incumbent.Reward)
		}
		if err := r.advancePair(ctx, p); err != nil {
			r.refusedCheapest = true
			return
		}
	}
	r.concludeCheapest()
}

// openWays begins the search for a cheapest way, with its estimates: a pair over operators where a step has one action at most.
func (r *run) openWays(ctx context.Context) error {
	ops, joint, _, err := bound.Operators(ctx, r.q.Task, bound.Reading{Most: 1 + len(r.q.Task.Problem.Bits(factored.Action)), Rules: r.exclusive(ctx), Spend: r.spend})
	if err != nil {
		return err
	}
	if ops != nil && r.without&Patterns == 0 {
		return r.pair(ops, joint)
	}
	return r.single(ctx)
}

// single begins one search, by the compiled step.
func (r *run) single(ctx context.Context) error {
	guess, err := r.patterns(ctx, smallTable)
	if err == nil {
		r.ways = newCheapest(r.g, guess, r.q.MaxHorizon, r.sharpenAfter)
	}
	return err
}

// How many joint actions a search with tables, and the pair over operators, may try for one of
// the exploration of the graph.
const (
	guidedShare = 8
	pairShare   = 128
)

// rests reports whether some initial state is followed by itself at no cost.
func (r *run) rests() bool {
	g := r.g
	for i := range min(g.depth[0], g.done) {
		for e := g.start[i]; e < g.start[i+1]; e++ {
			if int(g.succ[e]) == i && g.reward[e] == g.s.mostReward {
				return true
			}
		}
	}
	return false
}

// costOf is what a plan of some reward costs.
func (r *run) costOf(reward int64) int64 {
	return r.g.s.mostReward*int64(r.q.MaxHorizon) - reward
}

// concludeCheapest takes what the search for a cheapest way has found.
func (r *run) concludeCheapest() {
	c := r.ways
	reward := r.g.s.mostReward*int64(r.q.MaxHorizon) - c.lower
	if !c.done {
		r.limits.Shared.Lower(reward)
		return
	}
	r.refusedCheapest = true
	switch {
	case c.goal >= 0:
		r.limits.Shared.Lower(reward)
		tr := c.plan(r.workers[0], r.q.MaxHorizon)
		if tr == nil {
			return // the way does not fit the horizon
		}
		r.cheapest = &engine.Result{Status: engine.Optimal, Horizon: r.q.MaxHorizon, Trace: tr, Reward: reward, Bound: &reward}
	case !c.exhausted:
		r.limits.Shared.Lower(reward)
		return
	case r.incumbent != nil:
		in := *r.incumbent
		in.Status, in.Bound = engine.Optimal, &in.Reward
		r.cheapest = &in
	default:
		r.cheapest = &engine.Result{Status: engine.Infeasible}
	}
	r.cheapest.Stats = map[string]int64{"states": int64(c.states.Len()), "joint_actions": c.tried + r.g.tried, "table_bytes": c.bytes() + r.g.bytes()}
	r.report(engine.Progress{Phase: fmt.Sprintf("search: a cheapest way, %d states", c.states.Len()), Work: r.work()})
}
