package bound

import (
	"context"
	"math"
)

// optimizer improves prices by the subgradient method of Polyak: against the
// best plan's cost as the target where one is known, otherwise with steps that
// shrink slowly. Every round gives a bound; the best is kept.
type optimizer struct {
	f       *Factors
	best    *Tables
	bound   int64 // root of best
	trial   *Tables
	price   [][]float64 // what trial.Price is rounded from
	excess  [][]int64   // [t-1][relation]: uses minus limit along the groups' best paths
	scratch priced
	unit    float64 // a typical cost, scaled
	alpha   float64
	stalled int   // rounds since the bound last grew
	idle    int   // rounds since it last grew by a noticeable part of the gap
	since   int64 // the bound then
	decay   float64
	begun   bool // price holds where the method stands
	round   int
}

// newOptimizer starts without prices.
func (f *Factors) newOptimizer(scale int64) *optimizer {
	o := &optimizer{f: f, best: f.newTables(scale), trial: f.newTables(scale), alpha: 1}
	f.fill(o.best)
	o.bound = f.root(o.best)
	o.price = make([][]float64, f.horizon)
	o.excess = make([][]int64, f.horizon)
	for i := range o.price {
		o.price[i], o.excess[i] = make([]float64, len(f.rels)), make([]int64, len(f.rels))
	}
	all, _ := f.r.weights()
	for _, c := range all {
		o.unit = max(o.unit, math.Abs(float64(c)))
	}
	o.unit = max(o.unit, 1) * float64(scale)
	return o
}

// follow adds up the uses along the best path of each group at trial's prices.
// It is false when a group has no path.
func (o *optimizer) follow() bool {
	f, t := o.f, o.trial
	for i := range o.excess {
		for e := range f.rels {
			o.excess[i][e] = -f.rels[e].limit
		}
	}
	for id := range f.parts {
		g, at := &f.parts[id], t.At[id]
		v, best := int32(-1), int64(infinite)
		for _, s := range g.starts {
			if at[0][s] < best {
				v, best = s, at[0][s]
			}
		}
		if v < 0 {
			return false
		}
		for i := range f.horizon {
			g.price(t.Price[i], &o.scratch)
			v = o.along(g, at, i, v)
		}
	}
	return true
}

// along takes the best move of a group from v at step i+1 and counts its uses.
func (o *optimizer) along(g *part, at [][]int64, i int, v int32) int32 {
	p := &o.scratch
	known, fixed := g.known[i], g.fixed[i]
	want := at[i][v]
	if p.now != nil {
		want -= p.now[v]
	}
	for k := range g.moves[v] {
		m := &g.moves[v][k]
		if m.reads&known != fixed || at[i+1][m.to] == infinite {
			continue
		}
		c := m.cost*o.trial.Scale + at[i+1][m.to] + p.readCost(m.reads)
		if p.after != nil {
			c += p.after[m.to]
		}
		if c != want {
			continue
		}
		count := func(uses []use) {
			for _, u := range uses {
				o.excess[i][u.rel] += u.coef
			}
		}
		o.f.eachUse(g, v, m, count)
		return m.to
	}
	return v
}

// restart begins the method anew from the best prices.
func (o *optimizer) restart() { o.begun = false }

// begin starts the method at the best prices.
func (o *optimizer) begin() {
	for i := range o.price {
		for e := range o.price[i] {
			o.price[i][e] = float64(o.best.Price[i][e])
		}
	}
	o.begun, o.alpha, o.decay, o.stalled, o.idle, o.since = true, 1, 1, 0, 0, o.bound
}

// maxIdle is after how many rounds without a noticeable gain the method ends.
const maxIdle = 150

// improve runs rounds of the method. target is the priced cost of the best
// plan, or infinite without one. It is false when more rounds would gain
// nothing: the bound, rounded, has reached the target, nothing is violated, or
// the gains have become small.
func (o *optimizer) improve(ctx context.Context, rounds int, target int64) (more bool) {
	if len(o.f.rels) == 0 || o.bound == infinite {
		return false
	}
	f := o.f
	if !o.begun {
		o.begin()
	}
	for range rounds {
		if target < infinite && f.cost(o.bound, o.best.Scale)*o.best.Scale >= target {
			return false
		}
		if ctx.Err() != nil {
			return true
		}
		o.round++
		for i := range o.price {
			for e, x := range o.price[i] {
				o.trial.Price[i][e] = int64(math.Round(x))
			}
		}
		f.fill(o.trial)
		bound := f.root(o.trial)
		if bound > o.bound {
			o.bound, o.stalled = bound, 0
			o.keep()
		} else {
			o.stalled++
		}
		if o.idle++; target < infinite && float64(o.bound-o.since) > .01*float64(target-o.since) {
			o.idle, o.since = 0, o.bound
		}
		if bound == infinite || target < infinite && o.idle > maxIdle || !o.follow() || !o.step(bound, target) {
			return false
		}
	}
	return true
}

// keep copies the trial's tables into best; the trial's are needed to follow.
func (o *optimizer) keep() {
	b, t := o.best, o.trial
	for g := range t.At {
		for i := range t.At[g] {
			copy(b.At[g][i], t.At[g][i])
		}
	}
	for i := range t.Price {
		copy(b.Price[i], t.Price[i])
	}
	copy(b.Tail, t.Tail)
}

// step moves the prices along the excess. It is false when nothing is violated.
func (o *optimizer) step(bound, target int64) bool {
	var norm float64
	for i := range o.excess {
		for e, x := range o.excess[i] {
			if !o.f.rels[e].equal && x < 0 && o.price[i][e] <= 0 {
				o.excess[i][e] = 0
				continue
			}
			norm += float64(x) * float64(x)
		}
	}
	if norm == 0 {
		return false
	}
	if o.stalled > 20 {
		o.alpha, o.stalled = o.alpha*.7, 0
	}
	var size float64
	if target < infinite {
		size = max(o.alpha, .01) * 1.5 * float64(target-bound) / norm
	} else {
		o.decay *= .985
		size = o.unit * o.decay / math.Sqrt(norm)
	}
	for i := range o.excess {
		for e, x := range o.excess[i] {
			if x == 0 {
				continue
			}
			price := o.price[i][e] + size*float64(x)
			if !o.f.rels[e].equal {
				price = max(price, 0)
			}
			o.price[i][e] = max(min(price, float64(o.f.priceCap)), -float64(o.f.priceCap))
		}
	}
	return true
}
