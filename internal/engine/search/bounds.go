package search

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/engine/step"
)

// tables is the search with tables and prices that takes turns with the
// exploration of the graph. Both are counted in work, not in time, so that the
// answer is the same on any machine. Of a range of horizons it solves one after the
// other, the shortest first.
type tables struct {
	s       *bound.Search    // nil before its first turn, between horizons, and where it does not help
	shared  engine.Limits    // with the exchange of the query
	solved  []*engine.Result // by horizon from the shortest on, those that are proven
	spent   int64            // nodes of these
	whole   bool             // all horizons are
	refused bool
	err     error
}

// A joint action that the graph tries is worth about so many nodes of a beam:
// where propagation completes the successor, and where code or a network does.
const (
	nodesPerCompletion = 30
	nodesPerPass       = 3
)

// restShare is how many times as much the tables may do where the system can rest.
const restShare = 4

// Code that lists all of a small space, of so many state bits, is the better bet: it
// tries more joint actions for each node of a beam, and has the first turn. smallGraph is of how many bits the pairs of a state and a joint action are then, as far
// as the first state tells. After smallTries it is no longer the better bet, and tables have a quarter of the work.
const (
	smallSpace        = 25
	smallGraph        = 32
	smallTriesPerNode = 64
	smallTries        = 300_000
	laterTriesPerNode = 9
)

// small reports whether code may list all states, and what may be done in each.
func (r *run) small() bool {
	bits := len(r.g.s.Now)
	if r.g.s.eval != nil || bits > smallSpace {
		return false
	}
	most := 1 << (smallGraph - bits)
	return most >= tooMany || r.joint() <= most
}

// joint is how many joint actions the first state has, up to tooMany; 0 where there is none.
func (r *run) joint() int {
	if r.counted == 0 && r.g.states.Len() > 0 {
		r.counted = r.countActions(r.g.states.key(0), tooMany)
	}
	return r.counted
}

// The graph has a head start, in joint actions tried: most problems are solved
// by then.
const (
	headStartCompletion = 2_000
	headStartPass       = 50_000
)

// proven reports whether the tables have the answer.
func (x *tables) proven() bool { return x.whole || x.err != nil }

// nodes is the work of the tables so far.
func (x *tables) nodes() int64 {
	if x.s == nil {
		return x.spent
	}
	return x.spent + x.s.Nodes()
}

// result is the answer to a query of which all horizons are solved.
func (x *tables) result(ctx context.Context, q engine.Query) (*engine.Result, error) {
	return engine.EachHorizon(ctx, q, nil, func(h int, _ func(engine.Progress)) (*engine.Result, error) {
		return x.solved[h-q.MinHorizon], nil
	})
}

// lower is the better of a bound, nil for none, and that of the tables, which is about
// one horizon alone.
func (r *run) lower(b *int64) *int64 {
	x := &r.tables
	if x.s == nil || r.q.MinHorizon != r.q.MaxHorizon {
		return b
	}
	if own := x.s.Result().Bound; own != nil && (b == nil || *own < *b) {
		return own
	}
	return b
}

// turn gives the search with tables its share of the work: all of it while a state with too many joint actions is expanded. It is for a graph that is
// not wanted whole.
func (r *run) turn(ctx context.Context) {
	x := &r.tables
	if r.whole || x.refused || x.err != nil {
		return
	}
	if r.open >= tooMany {
		r.advanceTables(ctx, math.MaxInt64)
		return
	}
	done := r.g.tried + r.open
	head, worth := int64(headStartCompletion), nodesPerCompletion*done
	switch {
	case r.g.compiled != nil && r.small():
		head, worth = headStartPass, done/smallTriesPerNode+max(0, done-smallTries)/laterTriesPerNode
	case r.g.s.direct || r.g.compiled != nil:
		done += r.g.effort
		head, worth = headStartPass, nodesPerPass*done
	}
	if done < head {
		return
	}
	if x.s != nil && x.s.Rests() {
		worth *= restShare
	}
	r.advanceTables(ctx, max(worth, firstNodes))
}

// advanceTables lets the tables do up to most nodes in all.
func (r *run) advanceTables(ctx context.Context, most int64) {
	x := &r.tables
	for !x.proven() && (x.s != nil || r.startTables(ctx)) {
		for !x.s.Done() && x.err == nil && ctx.Err() == nil && x.nodes()+x.s.NextNodes() <= most {
			if x.err = x.s.Advance(ctx); x.err == nil {
				r.takeTables()
				x.err = r.polish(ctx)
			}
		}
		r.takeTables()
		if x.err != nil || !x.s.Proven() {
			return
		}
		r.settleTables()
	}
}

// settleTables records that a horizon is solved. The search of the last one stays.
func (r *run) settleTables() {
	x := &r.tables
	res := x.s.Result()
	x.solved = append(x.solved, res)
	h := r.q.MinHorizon + len(x.solved) - 1
	if x.whole = h == r.q.MaxHorizon; r.q.MinHorizon == r.q.MaxHorizon {
		return
	}
	line := engine.HorizonResult{Horizon: h, Status: res.Status}
	if res.Trace != nil {
		line.Reward = res.Reward
	}
	r.report(engine.Progress{Phase: fmt.Sprintf("search: horizon %d, %s", h, res.Status), Settled: &line, Reward: r.incumbentReward(), Trace: r.incumbentTrace(), Work: r.work()})
	if !x.whole {
		x.spent, x.s = x.nodes(), nil
	}
}

// A state with many joint actions is not expanded before the tables had a turn:
// manyActions of them are worth as many nodes as wideNodes, and with tooMany the
// graph is no help before the tables have used their memory up.
const (
	manyActions = 100
	tooMany     = 5_000
	wideNodes   = 5_000_000
)

// openTables gives the tables the first turn where states have many joint
// actions.
func (r *run) openTables(ctx context.Context) {
	x := &r.tables
	if r.whole || r.small() || r.g.states.Len() == 0 || x.refused {
		return
	}
	many := manyActions
	if r.g.s.direct { // a network takes them quickly
		many = tooMany
	}
	n := r.joint()
	if n < many {
		return
	}
	most := int64(wideNodes)
	if n >= tooMany {
		most = math.MaxInt64
	}
	r.advanceTables(ctx, most)
}

// countActions counts the joint actions of a state that constraints do not rule
// out at once, up to most.
func (r *run) countActions(state []uint64, most int) int {
	s, st := r.g.s, r.workers[0].st
	if !st.Consistent() {
		return 0
	}
	st.Reset()
	n := 0
	if step.Assign(st, s.Now, state) {
		st.Each(s.Actions, func() bool {
			if n++; !s.direct {
				r.spend(1 + s.effort()/10)
			}
			return n < most
		})
	}
	return n
}

// firstNodes is how much work the tables may do at their first turn.
const firstNodes = 50_000

// startTables cuts the problem over the next horizon into groups; false where that
// does not help.
func (r *run) startTables(ctx context.Context) bool {
	x := &r.tables
	if x.refused || ctx.Err() != nil {
		return false
	}
	h := r.q.MinHorizon + len(x.solved)
	l := x.shared.Of(r.q, h)
	l.Memory /= 2
	l.Spend = r.spend
	s, err := bound.Start(ctx, r.q.Task, h, l, func(p engine.Progress) {
		p.Work = r.work()
		if r.q.MinHorizon != r.q.MaxHorizon {
			p.Phase, p.Bound = fmt.Sprintf("horizon %d, %s", h, p.Phase), nil
		}
		if in := r.incumbentReward(); in != nil && (p.Reward == nil || *in > *p.Reward) {
			p.Reward = in
		}
		r.report(p)
	})
	switch {
	case err == nil:
		x.s = s
	case errors.Is(err, bound.ErrNoGroups), ctx.Err() != nil:
		x.refused = true
	default:
		x.err = err
	}
	return x.s != nil
}

// takeTables makes a better plan of the tables the incumbent.
func (r *run) takeTables() {
	if res := r.tables.s.Result(); res.Trace != nil && (r.incumbent == nil || res.Reward > r.incumbent.Reward) {
		r.incumbent = res
	}
}

// besidesWays is how many times as much as the tables the search for a cheapest way does where the graph has no room left.
const besidesWays = 8

// finish continues without the graph, which has no room left: with the search for a cheapest way, which needs less for a state, and the tables by
// turns, and then with these alone.
func (r *run) finish(ctx context.Context) {
	if r.whole {
		return
	}
	r.outgrown = true
	nodes := r.tables.nodes()
	for !r.refusedCheapest && !r.proven() && !r.full() && ctx.Err() == nil {
		before := r.waysWork()
		if r.turnCheapest(ctx); r.ways == nil {
			break
		}
		r.announce(fmt.Sprintf("search: %d states", r.ways.states.Len()), r.lower(r.limits.Shared.Bound()))
		r.takeOffer()
		done := r.waysWork() - before
		if done == 0 || r.proven() {
			break
		}
		nodes += done / successorWork / bound.WorkPerNode / besidesWays
		r.advanceTables(ctx, nodes)
	}
	if !r.proven() {
		r.advanceTables(ctx, math.MaxInt64)
	}
}

// waysWork is what the search for a cheapest way has done.
func (r *run) waysWork() int64 {
	switch {
	case r.both != nil:
		return r.pairWork()
	case r.ways != nil:
		return r.ways.tried * successorWork
	}
	return 0
}

// improve adds what the tables and others say to what the graph does: their bound, or of a range
// the horizons that the tables solved.
func (r *run) improve(res *engine.Result) *engine.Result {
	for i := range min(len(r.tables.solved), len(res.Horizons)) {
		if line, by := &res.Horizons[i], r.tables.solved[i]; line.Status == engine.Unknown {
			line.Status, line.Reward = by.Status, by.Reward
		}
	}
	if r.q.MinHorizon != r.q.MaxHorizon {
		return res
	}
	if r.tables.s != nil {
		for k, v := range r.tables.s.Result().Stats {
			res.Stats["bound_"+k] = v
		}
	}
	own := r.lower(r.limits.Shared.Bound())
	if res.Status != engine.Feasible && res.Status != engine.Unknown || own == nil || res.Bound != nil && *res.Bound <= *own {
		return res
	}
	b := *own
	if res.Trace != nil {
		b = max(b, res.Reward)
	}
	res.Bound = &b
	if res.Trace != nil && b == res.Reward {
		res.Status, res.Reason = engine.Optimal, ""
	}
	return res
}
