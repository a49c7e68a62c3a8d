package bound

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// scale is how finely a unit of cost is priced. With thousands, 200 machines and one store lost .08 by
// rounding, which a bound next to a whole number does not have.
const scale = 1_000_000

// Search improves prices and widens beams in turns until bound and plan meet.
// Its work is cut into stages, so that another search can have turns too.
type Search struct {
	f      *Factors // nil where propagation alone finds that there is no plan
	o      *optimizer
	order  *order // of beams; nil before the first
	limits engine.Limits
	report func(engine.Progress)
	starts [][]uint32
	trace  *factored.Trace
	cost   int64 // of trace, without the constant; infinite without one
	lower  int64 // no plan costs less
	beyond int64 // no plan costs as much
	nodes  int64
	rest   [][]int32 // moves that rest; nil where the system cannot rest everywhere
	pairs  *pairs    // where it can
	waves  *waves    // what beams go through, in place of steps; nil for these
	better dominance // of values; nil for none, or before a beam wider than narrow
	asked  bool      // whether that was looked for
	last   int64     // nodes of the last beam
	whole  int64     // nodes of the last beam that dropped none
	slack  int64     // how far beyond the bound the next beam looks, where it can
	width  int       // of the next beam
	narrow int       // width up to which nodes of beams are not compared
	turn   int       // beams so far
	stuck  int       // reoptimizations since one has found something
	rounds int       // of prices that are to come before the next beam
	reason string
	flows  flows // the program of the groups, beside beams
	// offered is the bound of the cuts that were handed in last.
	offered int64
}

// Start cuts a problem into groups. It gives ErrNoGroups where that does not
// help.
func Start(ctx context.Context, t engine.Task, horizon int, l engine.Limits, report func(engine.Progress)) (*Search, error) {
	l.Shared.ExpectCuts()
	f, err := New(ctx, t, horizon, l.Spend)
	if err != nil {
		l.Shared.OfferCuts(nil)
		return nil, err
	}
	if report == nil {
		report = func(engine.Progress) {}
	}
	s := &Search{f: f, limits: l, report: report, cost: infinite, lower: -infinite, offered: -infinite, flows: flows{refused: infinite + 1}, width: firstWidth, narrow: narrow, rounds: firstRounds}
	if f == nil {
		s.lower = infinite
		return s, ctx.Err()
	}
	var ok bool
	if s.starts, ok = f.listStarts(ctx); !ok {
		l.Shared.OfferCuts(nil)
		return nil, ErrNoGroups
	}
	s.beyond = f.beyond()
	if s.o = f.tried; s.o != nil {
		s.rounds -= triedRounds
		s.o.restart()
	} else {
		s.o = f.newOptimizer(scale)
	}
	return s, nil
}

// The widths of beams: the first, that up to which nodes are not compared, by how much they grow, and the last.
const (
	firstWidth = 100
	narrow     = 400
	growth     = 4
	lastWidth  = 1 << 26
)

// Rounds of prices: before the first beam, and after one that found a better
// plan, which is the target then. A stage takes as many as make stageNodes.
const (
	firstRounds = 200
	laterRounds = 2000
	stageNodes  = 20_000
)

// Where the system can rest: beams grow twice as fast up to restWidth, since few states are left to them, and look
// further beyond the bound after one of cheapNodes or fewer, or of at most slowGrowth times as many as the one before that was whole.
const (
	restWidth  = 10_000
	cheapNodes = 50_000
	slowGrowth = 2
)

// Proven reports whether the best plan is proven to be, or that there is none.
func (s *Search) Proven() bool { return s.lower >= s.cost }

// WorkPerNode is what a node of a beam counts for in the units of engine.Limits.Spend: it takes a microsecond.
const WorkPerNode = 3

// Done reports whether there is nothing left to do: an answer is proven, or the
// memory is used up.
func (s *Search) Done() bool { return s.Proven() || s.reason != "" }

// Rests reports whether the system can rest everywhere, as far as is known: beams visit no state twice then.
func (s *Search) Rests() bool { return s.rest != nil }

// Nodes is the work so far, in nodes of beams.
func (s *Search) Nodes() int64 { return s.nodes }

// NextNodes is about how many nodes the next stage will take at most.
func (s *Search) NextNodes() int64 {
	switch {
	case s.f == nil:
		return 0
	case s.rounds > 0:
		return s.o.roundNodes() * int64(s.stageRounds())
	}
	return s.beamNodes()
}

// beamNodes is about how many nodes the next beam will take at most.
func (s *Search) beamNodes() int64 {
	return min(int64(s.width)*int64(s.f.horizon)*int64(len(s.f.parts)), max(cheapNodes, growth*s.last))
}

// stageRounds is how many rounds the next stage takes.
func (s *Search) stageRounds() int {
	return min(s.rounds, int(1+stageNodes/s.o.roundNodes()))
}

// Advance does the next stage: prices are improved, or a beam is run.
func (s *Search) Advance(ctx context.Context) error {
	if s.Done() || s.f == nil {
		return nil
	}
	s.takeOffer()
	if n := s.stageRounds(); n > 0 {
		target := int64(infinite)
		if s.cost < infinite {
			target = s.cost * scale
		}
		s.nodes += int64(n) * s.o.roundNodes()
		s.rounds -= n
		if !s.o.improve(ctx, n, target) {
			s.rounds = 0
		}
		if s.rounds == 0 {
			s.offerCuts()
		}
		s.raise(s.f.cost(s.o.bound, scale))
		s.reportProgress("prices")
		return nil
	}
	if s.flowTurn() {
		return s.advanceFlow()
	}
	before := s.cost
	if err := s.beam(ctx, s.width); err != nil {
		return err
	}
	s.reportProgress(fmt.Sprintf("beam of width %d", s.width))
	if err := s.reoptimize(ctx); err != nil {
		return err
	}
	s.turn++
	if s.cost < before {
		if s.rounds = laterRounds; s.rest != nil {
			s.rounds = firstRounds // what is left there is between groups
		}
		s.o.restart()
		s.reconsiderFlow()
	}
	return nil
}

// assistNodes is what is spent on tables for another engine, in nodes of beams; nodesPerConflict the same where
// it may have so many conflicts.
const (
	assistNodes      = 2_000_000
	nodesPerConflict = 100
)

// Assist does what pays for another engine that looks for more than a reward, nil for any, and knows a plan of that reward, or nil: some
// prices and beams, these only without a plan or where bounds reports that the bound is of use. It gives
// nil where the problem does not fall into groups, or ctx ends before anything is known.
func Assist(ctx context.Context, t engine.Task, horizon int, l engine.Limits, plan *factored.Trace, reward *int64, report func(engine.Progress), bounds func(*engine.Result) bool) (*Search, error) {
	shared := &engine.Exchange{}
	if plan != nil {
		shared.Offer(plan, *reward)
	}
	s, err := Start(ctx, t, horizon, engine.Limits{Threads: 1, Memory: l.Memory / 4, Shared: shared}, report)
	if errors.Is(err, ErrNoGroups) || ctx.Err() != nil {
		return nil, nil
	}
	if err == nil && plan == nil && reward != nil && s.f != nil {
		s.cost = s.f.cost(s.f.reward(0)-*reward, 1) // the least cost of plans that are not looked for
	}
	most := int64(assistNodes)
	if l.Conflicts > 0 {
		most = min(most, nodesPerConflict*l.Conflicts)
	}
	for err == nil && !s.Done() && s.Nodes()+s.NextNodes() < most && ctx.Err() == nil {
		err = s.Advance(ctx)
		if s.rounds == 0 && plan != nil && !bounds(s.Result()) {
			break
		}
	}
	return s, err
}

// takeOffer takes a better plan, or a better bound, of another engine.
func (s *Search) takeOffer() {
	zero := s.f.reward(0)
	if t, reward := s.limits.Shared.Best(); t != nil && zero-reward < s.cost {
		s.trace, s.cost = t, zero-reward
	}
	if b := s.limits.Shared.Bound(); b != nil {
		s.lower = max(s.lower, zero-*b)
	}
}

// raise notes a bound. One beyond all that plans can cost shows that there is none.
func (s *Search) raise(cost int64) {
	if cost >= s.beyond {
		cost = infinite
	}
	s.lower = max(s.lower, cost)
	if s.lower < infinite {
		s.limits.Shared.Lower(s.f.reward(s.lower))
	}
}

// dearest is the most that a plan that is looked for may cost, priced.
func (s *Search) dearest() int64 { return (min(s.cost, s.beyond) - s.f.step) * scale }

// beam runs one beam, cut by the best plan.
func (s *Search) beam(ctx context.Context, width int) error {
	if s.order == nil {
		s.order, s.rest = s.f.newOrder(), s.f.rests()
		s.pair()
		if s.rest == nil {
			s.waves = s.f.newWaves()
		}
	}
	limit := s.dearest()
	if s.rest != nil && s.lower > -infinite {
		limit = min(limit, (s.lower+s.slack)*scale)
	} else if err := s.probe(ctx, limit); err != nil || s.Done() {
		return err
	}
	if s.pairs != nil && s.pairs.steps == nil && width > restWidth {
		s.pairs.countSteps(s.order)
	}
	b, err := s.runBeam(ctx, limit, width, false)
	switch {
	case err != nil:
		return err
	case b.dropped < infinite:
		s.slack = 0
		if s.width = min(s.width*growth, lastWidth); s.rest != nil && s.width < restWidth {
			s.width *= growth
		}
	default: // what is within more is not much, or not much more
		if s.slack = max(s.f.step, 2*s.slack); b.nodes > max(cheapNodes, slowGrowth*s.whole) {
			s.slack = 0
		}
		s.whole = b.nodes
	}
	return nil
}

// probe looks for plans that cost no more than the bound, as far as a beam drops nothing: without one the bound rises. Few nodes are
// within so little, where there may be many below the cost of the best plan.
func (s *Search) probe(ctx context.Context, limit int64) error {
	for s.lower > -infinite && s.lower*scale < limit && ctx.Err() == nil && !s.Done() {
		before := s.lower
		if _, err := s.runBeam(ctx, s.lower*scale, s.width, true); err != nil || s.lower == before {
			return err
		}
	}
	return nil
}

// runBeam runs a beam over the nodes within a limit; one that is to be whole ends when it drops a node.
func (s *Search) runBeam(ctx context.Context, limit int64, width int, whole bool) (*beam, error) {
	f, o, t, starts, guide := s.f, s.order, s.o.best, s.starts, (*guide)(nil)
	if !whole && s.rest == nil {
		guide = s.o.guide()
	}
	if w := s.waves; w != nil {
		f, o, t, starts, guide = w.Factors, w.order, w.best(s.o), w.begin(starts), w.guide(guide)
	}
	b := f.newBeam(o, t, limit, width, s.limits.Memory/2)
	b.rest, b.pairs, b.whole, b.waves, b.guide = s.rest, s.pairs, whole, s.waves, guide
	if width > s.narrow && !s.asked {
		s.better, s.asked = f.newDominance(), true
	}
	b.better = s.better
	before := s.nodes
	phase := fmt.Sprintf("beam of width %d", width)
	b.pause = func() {
		s.nodes = before + b.nodes
		s.reportProgress(phase)
	}
	trace, cost, how := b.run(ctx, starts)
	s.nodes, s.last = before+b.nodes, b.nodes
	if err := s.take(trace, cost); err != nil {
		return nil, err
	}
	switch how {
	case noRoom:
		s.reason = fmt.Sprintf("the memory limit of %d MiB was reached", s.limits.Memory>>20)
	case ended:
		// What was left out costs at least as much as what it was dropped for.
		s.raise(min(s.cost, s.f.cost(min(b.dropped, b.pruned), scale)))
	}
	return b, nil
}

// pair has pairs of groups bound the cost, where the system can rest.
func (s *Search) pair() {
	if s.rest == nil {
		return
	}
	if s.pairs = s.f.newPairs(s.order); s.pairs == nil {
		return
	}
	least := int64(infinite)
	for _, start := range s.starts {
		least = min(least, s.pairs.of(start, 0))
	}
	s.raise(least)
}

// holds reports whether the checker takes a plan.
func (s *Search) holds(trace *factored.Trace) bool {
	report, err := validate.Check(s.f.r.Task.Problem, s.f.r.Task.Network, validate.FromTrace(trace))
	return err == nil && report.Valid
}

// take makes a plan the best, if it is better.
func (s *Search) take(trace *factored.Trace, cost int64) error {
	if trace == nil || cost >= s.cost {
		return nil
	}
	report, err := validate.Check(s.f.r.Task.Problem, s.f.r.Task.Network, validate.FromTrace(trace))
	switch {
	case err != nil:
		return fmt.Errorf("checking a plan: %w", err)
	case !report.Valid:
		return fmt.Errorf("the checker refuses a plan: %w", report.Failure)
	case report.Reward != s.f.reward(cost):
		return fmt.Errorf("a plan's reward is counted as %d, the checker gives %d", s.f.reward(cost), report.Reward)
	}
	s.trace, s.cost = trace, cost
	s.limits.Shared.Offer(trace, report.Reward)
	return nil
}

// leastIdle is after how much work without a better plan a reoptimization ends at least, but for those after one in vain, in nodes of beams; one
// is worth so many moves there. A gap of more than fewSteps steps of cost is wide: a better plan is likely.
const (
	leastIdle    = 100_000
	movesPerNode = 15
	fewSteps     = 4
)

// idleNodes is after how much work without a better plan the next reoptimization ends.
func (s *Search) idleNodes() int64 {
	most := max(leastIdle, s.last)
	switch wide := s.lower == -infinite || s.cost-s.lower > fewSteps*s.f.step; {
	case s.rest != nil: // beams prove more there than plans of few groups
		return leastIdle / 4
	case wide && s.stuck == 0:
		return max(most, 3*s.last)
	case wide:
		return most
	}
	return max(leastIdle/4, most>>(2*min(s.stuck, 16)))
}

// reoptimize improves the best plan a few groups at a time.
func (s *Search) reoptimize(ctx context.Context) error {
	if s.trace == nil || s.Proven() || len(s.f.rels) == 0 {
		return nil
	}
	plan := s.f.itinerary(s.trace)
	if plan == nil {
		return nil
	}
	r := s.f.newReoptimizer(s.o.best, plan, s.order, uint64(s.turn))
	r.run(ctx, movesPerNode*s.idleNodes(), s.lower)
	s.nodes += r.work / movesPerNode
	if plan.cost >= s.cost {
		s.stuck++
		return nil
	}
	s.stuck = 0
	err := s.take(s.f.traceOf(plan), plan.cost)
	s.reportProgress("groups are planned again")
	return err
}

func (s *Search) reportProgress(phase string) {
	p := engine.Progress{Phase: "bound: " + phase, Work: s.nodes + int64(s.o.round)}
	if s.lower > -infinite && s.lower < infinite {
		b := s.f.reward(s.lower)
		p.Bound = &b
	}
	if s.trace != nil {
		r := s.f.reward(s.cost)
		p.Reward = &r
	}
	s.report(p)
}

// Result says what is known.
func (s *Search) Result() *engine.Result {
	if s.f == nil {
		return &engine.Result{Status: engine.Infeasible}
	}
	r := &engine.Result{Status: engine.Unknown, Reason: s.reason, Stats: map[string]int64{
		"groups": int64(len(s.f.parts)), "nodes": s.nodes, "price_rounds": int64(s.o.round),
	}}
	if s.waves != nil {
		r.Stats["waves"] = int64(s.waves.horizon)
	}
	if s.trace != nil {
		r.Status, r.Trace, r.Horizon, r.Reward = engine.Feasible, s.trace, s.f.horizon, s.f.reward(s.cost)
	}
	switch {
	case s.lower >= infinite:
		r.Status, r.Reason = engine.Infeasible, ""
	case s.lower > -infinite:
		b := s.f.reward(min(s.lower, s.cost))
		r.Bound = &b
	}
	if s.trace != nil && s.lower >= s.cost {
		r.Status, r.Reason = engine.Optimal, ""
	}
	return r
}
