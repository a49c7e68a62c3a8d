package engine

import (
	"maps"
	"sync"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// Exchange is where engines that work on the same query side by side tell each other
// of plans and bounds, of each horizon by itself (Limits.Of); a plan that is known beforehand may be
// offered before they begin. A nil Exchange knows nothing. It is safe for concurrent use.
type Exchange struct {
	mu     sync.Mutex
	trace  *factored.Trace
	reward int64
	bound  *int64
	parts  map[int]*Exchange // by horizon, of a query about several
	cuts   []Cut
	turn   int // how often cuts were handed in; -1 where they are to come
}

// Cut is what tables and prices say of the rewards from a step on, as a linear
// inequality that every plan satisfies: Unit times the sum of the scaled rewards of
// steps Step..H is at most Most, minus Less of each value that the state before
// Step has.
type Cut struct {
	Step       int // 1..H
	Unit, Most int64
	Values     []CutValue
}

// CutValue is a value of a group at a step: Bits are all true. They are literals of
// the model of all steps (model.New).
type CutValue struct {
	Bits  []model.Lit
	Less  int64 // at least 0
	Never bool  // no plan has this value
}

// at returns the exchange about one horizon of a query about several.
func (x *Exchange) at(horizon int) *Exchange {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.parts[horizon] == nil {
		if x.parts == nil {
			x.parts = map[int]*Exchange{}
		}
		x.parts[horizon] = &Exchange{}
	}
	return x.parts[horizon]
}

// Take hands in all that another knows.
func (x *Exchange) Take(y *Exchange) {
	x.Offer(y.Best())
	if b := y.Bound(); b != nil {
		x.Lower(*b)
	}
	y.mu.Lock()
	parts, cuts, turn := maps.Clone(y.parts), y.cuts, y.turn
	y.mu.Unlock()
	x.mu.Lock()
	if turn > x.turn || turn < 0 && x.turn == 0 {
		x.cuts, x.turn = cuts, turn
	}
	x.mu.Unlock()
	for h, part := range parts {
		x.at(h).Take(part)
	}
}

// Offer hands in a plan with its reward.
func (x *Exchange) Offer(t *factored.Trace, reward int64) {
	if x == nil || t == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.trace == nil || reward > x.reward {
		x.trace, x.reward = t, reward
	}
}

// Lower hands in an upper bound on the reward of every plan.
func (x *Exchange) Lower(bound int64) {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.bound == nil || bound < *x.bound {
		x.bound = &bound
	}
}

// Best is the best plan that was offered; nil when there is none.
func (x *Exchange) Best() (*factored.Trace, int64) {
	if x == nil {
		return nil, 0
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.trace, x.reward
}

// Bound is the lowest bound that was handed in; nil when there is none.
func (x *Exchange) Bound() *int64 {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bound
}

// ExpectCuts says that cuts are to come.
func (x *Exchange) ExpectCuts() {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.turn == 0 {
		x.turn = -1
	}
}

// OfferCuts hands in cuts in place of those before; none where there are none to be found.
func (x *Exchange) OfferCuts(cuts []Cut) {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.cuts, x.turn = cuts, max(x.turn, 0)+1
}

// Cuts are the cuts that were handed in last, and how often that was; -1 where they are to come.
func (x *Exchange) Cuts() (cuts []Cut, turn int) {
	if x == nil {
		return nil, 0
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.cuts, x.turn
}
