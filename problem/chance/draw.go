package chance

import (
	"math/big"
	"math/rand/v2"
	"slices"
)

// Distribution is what the outputs of a group can be after a step. The probability of Values[i]
// is Weights[i] / Total. The values are different from each other; those of outcomes listed
// earlier come first.
type Distribution struct {
	Values  [][]int64 // of each output of the group
	Weights []int64
	Total   int64
	// Places has for each outcome of the context the number of its values; -1 for one that is blocked and does not happen.
	// It is empty where no context holds.
	Places []int
	// Outside has a bit for each end of the ranges that an outcome of the context would leave, so that Group.Blocked says what happens: 2j for the lower end of
	// output j and 2j + 1 for the upper one. Outputs from 31 on share those of output 31.
	Outside uint64

	flat  []int64
	moved []move
}

// move is an outcome in a state: its values, unless it is blocked.
type move struct {
	weight  int64
	blocked bool
}

// reset empties d and makes room for n values of k outputs.
func (d *Distribution) reset(n, k int) {
	if cap(d.flat) < n*k {
		d.flat = make([]int64, n*k)
	}
	d.flat = d.flat[:n*k]
	d.Values, d.Weights, d.Places, d.moved, d.Total = d.Values[:0], d.Weights[:0], d.Places[:0], d.moved[:0], 0
	d.Outside = 0
}

// add gives a weight to values, which are kept, and returns their number.
func (d *Distribution) add(values []int64, weight int64) int {
	if weight == 0 {
		return -1
	}
	d.Total += weight
	for i, v := range d.Values {
		if slices.Equal(v, values) {
			d.Weights[i] += weight
			return i
		}
	}
	d.Values, d.Weights = append(d.Values, values), append(d.Weights, weight)
	return len(d.Values) - 1
}

// Likely returns the number of the most likely values, the first of equals.
func (d *Distribution) Likely() int {
	best := 0
	for i, w := range d.Weights {
		if w > d.Weights[best] {
			best = i
		}
	}
	return best
}

// Draw returns the number of values drawn at random.
func (d *Distribution) Draw(rng *rand.Rand) int {
	x := rng.Int64N(d.Total)
	for i, w := range d.Weights {
		if x -= w; x < 0 {
			return i
		}
	}
	return len(d.Weights) - 1
}

// Outcomes sets d to what the outputs of the group can be after a step. now has the values of all variables
// before it, and predicted those that the deterministic transition gives to the outputs at
// least; it may be nil where Predicts is false.
func (g *Group) Outcomes(d *Distribution, now, predicted []int64) {
	k := len(g.Outputs)
	c := g.Context(now)
	if c < 0 {
		d.reset(1, k)
		for j, v := range g.Outputs {
			d.flat[j] = predicted[v]
		}
		d.add(d.flat, 1)
		return
	}
	outcomes := g.Contexts[c].Outcomes
	d.reset(len(outcomes)+1, k)
	free := int64(0)
	for i := range outcomes {
		o := &outcomes[i]
		blocked := false
		for j, e := range o.Effects {
			x, inside := g.apply(e, g.Outputs[j], now, predicted)
			if d.flat[i*k+j] = x; !inside {
				blocked = true
				d.Outside |= end(g.p.Variables[g.Outputs[j]].Hi == x, j)
			}
		}
		g.follow(d.flat[i*k : (i+1)*k])
		d.moved = append(d.moved, move{o.Weight, blocked && g.Blocked != Clamp})
		if !d.moved[i].blocked {
			free += o.Weight
		}
	}
	d.share(g, now, free, g.Contexts[c].Total)
}

// end is the bit of an end of the range of output j.
func end(upper bool, j int) uint64 {
	bit := uint64(1) << (2 * min(j, 31))
	if upper {
		bit <<= 1
	}
	return bit
}

// apply returns the value that an effect gives to a variable, and whether it is in its range; if
// not, it is the end of the range.
func (g *Group) apply(e Effect, v int, now, predicted []int64) (x int64, inside bool) {
	switch e.Kind {
	case Add:
		x = now[v]
		if e.Sum > 0 {
			x = g.Sums[e.Sum-1].value(now)
		}
		x += e.By
	case Set:
		x = e.By
	case Predict:
		x = predicted[v] + e.By
	}
	lo, hi := g.p.Variables[v].Lo, g.p.Variables[v].Hi
	return min(max(x, lo), hi), lo <= x && x <= hi
}

// share gives the outcomes their weights and divides those of blocked ones.
func (d *Distribution) share(g *Group, now []int64, free, total int64) {
	k := len(g.Outputs)
	at := func(i int) []int64 { return d.flat[i*k : (i+1)*k : (i+1)*k] }
	lost := total - free
	// The outcomes that get the lost weight, in proportion to theirs: all that are free but one.
	but := -1
	if g.Blocked == Rest {
		for i, m := range d.moved {
			if but < 0 || m.weight > d.moved[but].weight {
				but = i
			}
		}
		if d.moved[but].blocked || d.moved[but].weight == free {
			but = -1
		}
	}
	gain := free
	if but >= 0 {
		gain -= d.moved[but].weight
	}
	if lost == 0 || g.Blocked == Keep || free == 0 {
		gain = 0
	}
	for i, m := range d.moved {
		place := -1
		switch {
		case m.blocked:
		case gain == 0:
			place = d.add(at(i), m.weight)
		case i == but:
			place = d.add(at(i), m.weight*gain)
		default:
			place = d.add(at(i), m.weight*(gain+lost))
		}
		d.Places = append(d.Places, place)
	}
	if gain == 0 && lost > 0 {
		own := at(len(d.moved))
		for j, v := range g.Outputs {
			own[j] = now[v]
		}
		g.follow(own)
		place := d.add(own, lost)
		for i, m := range d.moved {
			if m.blocked {
				d.Places[i] = place
			}
		}
	}
}

// Joint is one possible next state: the outputs of all groups, drawn independently.
type Joint struct {
	Values  []int64 // of the outputs of all groups, in order
	Weights []int64 // of each group
	Totals  []int64
}

// P returns the probability.
func (j *Joint) P() float64 {
	p := 1.0
	for i, w := range j.Weights {
		p *= float64(w) / float64(j.Totals[i])
	}
	return p
}

// Fraction returns the probability exactly.
func (j *Joint) Fraction() *big.Rat {
	p := big.NewRat(1, 1)
	for i, w := range j.Weights {
		p.Mul(p, big.NewRat(w, j.Totals[i]))
	}
	return p
}

// Outputs lists the variables that are drawn, group by group.
func (m *Model) Outputs() []int {
	var all []int
	for i := range m.Groups {
		all = append(all, m.Groups[i].Outputs...)
	}
	return all
}

// Outcomes calls visit with each possible joint value of all outputs after a step, which the next one
// overwrites. now and predicted are as for Group.Outcomes.
func (m *Model) Outcomes(now, predicted []int64, visit func(*Joint)) {
	d := make([]Distribution, len(m.Groups))
	for i := range m.Groups {
		m.Groups[i].Outcomes(&d[i], now, predicted)
	}
	var j Joint
	var rec func(i int)
	rec = func(i int) {
		if i == len(d) {
			visit(&j)
			return
		}
		n := len(j.Values)
		for k, w := range d[i].Weights {
			j.Values = append(j.Values, d[i].Values[k]...)
			j.Weights, j.Totals = append(j.Weights, w), append(j.Totals, d[i].Total)
			rec(i + 1)
			j.Values, j.Weights, j.Totals = j.Values[:n], j.Weights[:i], j.Totals[:i]
		}
	}
	rec(0)
}

// Likely sets next, the values of all variables, to the most likely values of the outputs.
func (m *Model) Likely(next, now, predicted []int64) {
	m.choose(next, now, predicted, (*Distribution).Likely)
}

// Sample sets next, the values of all variables, to values of the outputs that are drawn.
func (m *Model) Sample(next, now, predicted []int64, rng *rand.Rand) {
	m.choose(next, now, predicted, func(d *Distribution) int { return d.Draw(rng) })
}

// choose sets the outputs in next to one of their possible values.
func (m *Model) choose(next, now, predicted []int64, pick func(*Distribution) int) {
	var d Distribution
	for i := range m.Groups {
		g := &m.Groups[i]
		g.Outcomes(&d, now, predicted)
		for j, x := range d.Values[pick(&d)] {
			next[g.Outputs[j]] = x
		}
	}
}

// Probability is that of seeing some next values of the outputs in a record, with its noise.
// now, predicted and next have the values of all variables.
func (g *Group) Probability(now, predicted, next []int64) float64 {
	var d Distribution
	g.Outcomes(&d, now, predicted)
	sum := 0.0
	for i, values := range d.Values {
		p := float64(d.Weights[i]) / float64(d.Total)
		for j, v := range g.Outputs {
			rate := g.Noise[j].Rate()
			if values[j] == next[v] {
				p *= 1 - rate + rate/float64(g.p.Variables[v].Hi-g.p.Variables[v].Lo+1)
			} else {
				p *= rate / float64(g.p.Variables[v].Hi-g.p.Variables[v].Lo+1)
			}
		}
		sum += p
	}
	return sum
}
