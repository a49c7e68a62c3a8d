package bound

import (
	"context"
	"math"
)

// optimizer improves prices: by a level method with deflected subgradients (Camerini, Fratta and Maffioli
// 1975; Goffin and Kiwiel 1999), and by the volume algorithm (Barahona and Anbil 2000), in turns, since
// one method alone gets stuck. They compute in floating point; the best prices are
// rounded, and their bound is computed in integers.
type optimizer struct {
	f     *Factors
	d     *dual
	best  *Tables // of the prices that were rounded last
	bound int64   // root of best
	trial *Tables

	price  []float64 // the best so far, [(t-1)*rels+rel], in units of cost
	value  float64   // their bound
	exact  float64   // the value that best was computed for
	point  []float64 // where the method stands
	dir    []float64 // the direction of its last step
	g      []float64 // the slope at the best prices
	unit   float64   // a typical cost
	method method
	turns  int // of the method at hand so far
	length int // of its turn
	delta  float64
	ref    float64
	failed int
	factor float64 // of steps of the volume algorithm
	red    int     // its steps without a gain
	idle   int     // rounds since the bound grew by a noticeable part of the gap
	since  float64 // the bound then
	round  int
}

// method is one of those that take turns.
type method uint8

const (
	level method = iota
	volume
)

// newOptimizer starts without prices.
func (f *Factors) newOptimizer(scale int64) *optimizer {
	o := &optimizer{f: f, best: f.newTables(scale), trial: f.newTables(scale)}
	f.fill(o.best)
	o.bound = f.root(o.best)
	all, _ := f.r.weights()
	for _, c := range all {
		o.unit = max(o.unit, math.Abs(float64(c)))
	}
	o.unit = max(o.unit, 1)
	o.restart()
	return o
}

// roundNodes is what a round costs, in nodes of beams: some 3 ns a move of groups that differ.
func (o *optimizer) roundNodes() int64 {
	work := len(o.f.rels)
	if o.d == nil {
		for id := range o.f.parts {
			work += o.f.parts[id].total
		}
	} else {
		work += o.d.moves
	}
	return 1 + int64(work)*int64(o.f.horizon)/100
}

// restart begins with the first turn, from the best prices.
func (o *optimizer) restart() {
	o.method, o.length, o.delta = level, firstTurn, 0
	o.idle, o.since = 0, o.value
	o.begin()
}

// The rounds of the first turn, and after how many rounds without a noticeable gain the method ends.
const (
	firstTurn   = 100
	longestTurn = 1600
	maxIdle     = 200
)

// start evaluates the first prices.
func (o *optimizer) start() {
	o.d = o.f.newDual()
	n := len(o.d.excess)
	o.price, o.point, o.dir, o.g = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	o.value = o.d.eval(o.price)
	copy(o.g, o.d.excess)
	o.exact, o.since = o.value, o.value
	o.begin()
}

// begin starts a turn of the method at the best prices.
func (o *optimizer) begin() {
	copy(o.point, o.price)
	clear(o.dir)
	if o.method == volume {
		copy(o.dir, o.g)
	}
	o.turns, o.failed, o.red, o.factor = 0, 0, 0, .1
	o.ref = o.value
}

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
		if o.reaches(o.value, upper) {
			return false
		}
		o.round++
		if !o.turn(upper) {
			return false
		}
		if o.idle++; o.value-o.since > .01*(upper-o.since) && upper < math.Inf(1) || upper == math.Inf(1) && o.value-o.since > .0005*math.Abs(o.since) {
			o.idle, o.since = 0, o.value
		}
		if o.idle > maxIdle {
			return false
		}
		if o.turns++; o.turns >= o.length {
			if o.method == volume {
				o.length = min(2*o.length, longestTurn)
			}
			o.method = level + volume - o.method
			o.begin()
		}
	}
	return true
}

// turn takes a step and evaluates it. It is false when nothing is violated.
func (o *optimizer) turn(upper float64) bool {
	switch {
	case o.turns == 0 && o.method == level:
		copy(o.dir, o.g)
		most := .05 * max(math.Abs(o.value), o.unit)
		if upper < math.Inf(1) {
			most = (upper - o.value) / 2
		}
		if o.delta = min(4*o.delta, most); o.delta == 0 {
			o.delta = most
		}
		if o.project(o.dir) == 0 {
			return false
		}
		o.step(o.point, o.dir, min(upper, o.value+o.delta)-o.value)
	case o.method == volume:
		o.aim(upper)
	}
	value := o.d.eval(o.point)
	gained := value > o.value
	if value == math.Inf(1) {
		o.value = value
		copy(o.price, o.point)
		return false
	}
	if gained {
		o.value = value
		copy(o.price, o.point)
		copy(o.g, o.d.excess)
	}
	if o.method == level {
		return o.levelStep(value, upper)
	}
	o.volumeStep(gained)
	return true
}

// project leaves out what a price at 0 cannot follow, and gives the square of the length.
func (o *optimizer) project(dir []float64) (norm float64) {
	for i, x := range dir {
		if x < 0 && o.point[i] <= 0 && !o.f.rels[i%o.d.rels].equal {
			dir[i] = 0
			continue
		}
		norm += x * x
	}
	return norm
}

// step moves prices along a direction so far that a linear bound would gain so much.
func (o *optimizer) step(from, dir []float64, gain float64) {
	var norm float64
	for i, x := range dir {
		if x > 0 || from[i] > 0 || o.f.rels[i%o.d.rels].equal {
			norm += x * x
		}
	}
	if norm == 0 {
		return
	}
	most := float64(o.f.priceCap) / float64(o.best.Scale)
	for i, x := range dir {
		p := from[i] + gain/norm*x
		if !o.f.rels[i%o.d.rels].equal {
			p = max(p, 0)
		}
		o.point[i] = max(min(p, most), -most)
	}
}

// levelStep aims at a level above the best bound, which rises while it is reached.
func (o *optimizer) levelStep(value, upper float64) bool {
	switch {
	case o.value >= o.ref+o.delta/2:
		o.ref, o.failed = o.value, 0
		o.delta = min(1.5*o.delta, upper-o.value)
	default:
		if o.failed++; o.failed > 40 {
			o.delta, o.ref, o.failed = o.delta/2, o.value, 0
			clear(o.dir)
			copy(o.point, o.price)
			copy(o.d.excess, o.g)
			value = o.value
			if o.delta < .005*float64(o.f.step) {
				o.turns = o.length // the other method's turn
				return true
			}
		}
	}
	g := o.d.excess
	if o.project(g) == 0 {
		return value < o.value // another point may be better
	}
	var along, norm float64
	for i, x := range g {
		along += x * o.dir[i]
		norm += o.dir[i] * o.dir[i]
	}
	keep := 0.
	if norm > 0 {
		keep = max(0, -1.5*along/norm)
	}
	for i, x := range g {
		o.dir[i] = x + keep*o.dir[i]
	}
	o.step(o.point, o.dir, min(upper, o.value+o.delta)-value)
	return true
}

// aim steps from the best prices along the average of the slopes.
func (o *optimizer) aim(upper float64) {
	target := o.value + .05*max(math.Abs(o.value), o.unit)
	target = min(target, upper)
	o.step(o.price, o.dir, o.factor*(target-o.value))
}

// volumeStep adds the slope to the average, and lengthens or shortens the steps.
func (o *optimizer) volumeStep(gained bool) {
	g := o.d.excess
	var gg, gd, dd float64
	for i, x := range g {
		gg, gd, dd = gg+x*x, gd+x*o.dir[i], dd+o.dir[i]*o.dir[i]
	}
	if gained {
		o.red = 0
		if gd > 0 {
			o.factor = min(2*o.factor, 2)
		} else {
			o.factor = min(1.1*o.factor, 2)
		}
	} else if o.red++; o.red >= 20 {
		o.red, o.factor = 0, .66*o.factor
	}
	alpha := .1
	if x := gg - 2*gd + dd; x > 0 { // the shortest average
		alpha = max(.01, min(.1, (dd-gd)/x))
	}
	for i, x := range g {
		o.dir[i] = alpha*x + (1-alpha)*o.dir[i]
	}
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
