package bound

import (
	"context"
	"math"
)

// optimizer improves prices by a proximal bundle method with a bundle for each chain (Lemaréchal 1975; Kiwiel 1990). The
// paths of each chain that were best at some prices are kept, and the bound that they show is maximised less a multiple of the square of the way from the best
// prices until now, by turns over the chains: each mixes its paths anew, the others fixed (block-coordinate Frank-Wolfe with pairwise steps, Lacoste-Julien et al.
// 2013; Swoboda and Kolmogorov 2019). It computes in floating point; the best prices are rounded, and their bound is computed in integers.
type optimizer struct {
	f     *Factors
	d     *dual
	best  *Tables // of the prices that were rounded last
	bound int64   // root of best
	trial *Tables

	price  []float64 // the best so far, [(t-1)*rels+rel], in units of cost
	value  float64   // their bound
	exact  float64   // the value that best was computed for
	point  []float64 // the prices at hand: price + reach*excess, of an inequality 0 at least
	excess []float64 // uses minus limit of the mixture of paths
	cost   float64   // of that mixture
	reach  float64   // how far prices go for an excess of one
	nulls  int       // steps without a better bound since reach has changed
	near   int       // steps that hardly promised anything
	work   int64     // of the last turn beside that of paths, in uses of paths
	idle   int       // rounds since the bound grew by a noticeable part of the gap
	since  float64   // the bound then
	round  int
}

// newOptimizer starts without prices.
func (f *Factors) newOptimizer(scale int64) *optimizer {
	o := &optimizer{f: f, best: f.newTables(scale), trial: f.newTables(scale)}
	f.fill(o.best)
	o.bound = f.root(o.best)
	return o
}

// roundNodes is what a round costs, in nodes of beams: some 3 ns a move of groups that differ.
func (o *optimizer) roundNodes() int64 {
	work := len(o.f.rels)
	if o.d == nil {
		for id := range o.f.parts {
			work += 2 * o.f.parts[id].total
		}
	} else {
		work += o.d.moves
	}
	return 1 + (int64(work)*int64(o.f.horizon)+o.work)/100
}

// restart forgets that rounds have gained little.
func (o *optimizer) restart() { o.idle, o.since, o.near = 0, o.value, 0 }

// maxIdle is after how many rounds without a noticeable gain the method ends.
const maxIdle = 40

// start evaluates the first prices.
func (o *optimizer) start() {
	o.d = o.f.newDual()
	n := len(o.d.uses)
	o.price, o.point, o.excess = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range o.excess {
		o.excess[i] = -float64(o.limit(i))
	}
	o.value = o.evaluate()
	for _, c := range o.d.chains {
		p := c.list[0]
		p.weight = 1
		o.cost += c.mult * p.cost
		p.add(o.excess, c.mult)
	}
	var violated float64
	for i, x := range o.excess {
		if x > 0 || o.equal(i) {
			violated += x * x
		}
	}
	if violated > 0 {
		o.reach = firstReach * max(1, math.Abs(o.value)) / violated
	}
	o.exact, o.since = o.value, o.value
}

// equal reports whether the i-th price is of an equation.
func (o *optimizer) equal(i int) bool { return o.f.rels[i%o.d.rels].equal }

func (o *optimizer) limit(i int) int64 { return o.f.rels[i%o.d.rels].limit }

// improve runs rounds of the method. target is the priced cost of the best
// plan, or infinite without one. It is false when more rounds would gain
// nothing: the bound, rounded, has reached the target, nothing is violated, or
// the gains have become small.
func (o *optimizer) improve(ctx context.Context, rounds int, target int64) (more bool) {
	if len(o.f.rels) == 0 || o.bound == infinite {
		return false
	}
	if o.d == nil {
		o.start()
	}
	upper := math.Inf(1)
	if target < infinite {
		upper = float64(target) / float64(o.best.Scale)
	}
	more = o.rounds(ctx, rounds, upper)
	if o.value > o.exact && (!more || o.reaches(o.value, upper) || o.rounded(o.value) > o.rounded(o.exact) || o.value-o.exact > .001*(upper-o.exact)) {
		o.keep()
	}
	return more && o.bound < infinite && !o.reaches(float64(o.bound)/float64(o.best.Scale), upper)
}

// rounded is a bound as a cost that plans can have.
func (o *optimizer) rounded(x float64) float64 {
	step := float64(o.f.step)
	return math.Ceil(x/step-1e-7) * step
}

func (o *optimizer) reaches(x, upper float64) bool { return o.rounded(x) >= upper }

func (o *optimizer) rounds(ctx context.Context, rounds int, upper float64) (more bool) {
	for range rounds {
		if ctx.Err() != nil {
			return true
		}
		if o.reach == 0 || o.reaches(o.value, upper) {
			return false
		}
		o.round++
		if !o.turn() {
			return false
		}
		if o.idle++; o.value-o.since > .01*(upper-o.since) && upper < math.Inf(1) || upper == math.Inf(1) && o.value-o.since > .0005*math.Abs(o.since) {
			o.idle, o.since = 0, o.value
		}
		if o.idle > maxIdle {
			return false
		}
	}
	return true
}

// How far prices go: at first as far as gains three times the bound if it were linear; twice as far after a step that gained nearly what was promised, and less
// after many that gained nothing. maxNear is after how many steps that promise hardly anything the prices are the best.
const (
	firstReach = 3
	good, fair = .8, .02
	maxNulls   = 20
	maxNear    = 3
)

// turn mixes the paths anew, and evaluates the prices that follow. It is false when the prices are the best.
func (o *optimizer) turn() bool {
	o.mix()
	promised := o.proximal() - o.value
	if promised < .0005*float64(o.f.step) {
		o.reach *= 10
		o.near++
	}
	switch value := o.evaluate(); {
	case value-o.value > max(fair*promised, 0):
		if value-o.value > good*promised {
			o.reach *= 2
		}
		o.nulls, o.value = 0, value
		copy(o.price, o.point)
	default:
		if o.nulls++; o.nulls > maxNulls {
			o.nulls = 0
			o.reach *= .7
		}
	}
	for i := range o.point {
		o.set(int32(i))
	}
	return o.near < maxNear
}

// set computes a price from the excess.
func (o *optimizer) set(i int32) {
	p := o.price[i] + o.reach*o.excess[i]
	most := float64(o.f.priceCap) / float64(o.best.Scale)
	if p < 0 && !o.equal(int(i)) {
		p = 0
	}
	o.point[i] = max(min(p, most), -most)
}

// proximal is what the mixture of paths costs with the prices that follow from it, less what these pay for their way.
func (o *optimizer) proximal() float64 {
	sum := o.cost
	for i, x := range o.excess {
		p := o.price[i]
		if q := p + o.reach*x; q >= 0 || o.equal(i) {
			sum += p*x + o.reach/2*x*x
		} else {
			sum -= p * p / (2 * o.reach)
		}
	}
	return sum
}

// evaluate gives the priced cost that no plan is below at the prices at hand, without the constant, in units of cost.
// Each chain is given its best path.
func (o *optimizer) evaluate() (sum float64) {
	for i, p := range o.point {
		if p != 0 {
			sum -= p * float64(o.limit(i))
		}
	}
	for _, c := range o.d.chains {
		p, cost := o.d.best(c, o.point)
		c.keep(p)
		sum += c.mult * cost
	}
	return sum
}

// keep rounds the best prices and computes their tables in integers, and takes them if
// their bound is better.
func (o *optimizer) keep() {
	t := o.trial
	for i, x := range o.price {
		t.Price[i/o.d.rels][i%o.d.rels] = int64(math.Round(x * float64(t.Scale)))
	}
	o.f.fill(t)
	o.exact = o.value
	if bound := o.f.root(t); bound > o.bound {
		o.bound = bound
		o.best, o.trial = o.trial, o.best
	}
}
