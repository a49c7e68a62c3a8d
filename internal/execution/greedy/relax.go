package greedy

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// relaxed is the relaxed planning graph of a state: layer by layer, what may be true, and which values numbers may have.
type relaxed struct {
	*task
	work    int64
	open    []int32    // by part: needs that are not reached
	since   []int32    // by part: the layer in which it is possible; never for none
	reached []int32    // by fact: its layer
	by      []int32    // by fact that is not so at first: a part that adds it
	hard    []int32    // by fact: what it takes, added up
	effort  []int32    // by part: the same of its needs
	span    [][]limits // by layer, of numbers
	times   []float64  // by layer: how often each part changes numbers in it
	derived []limits   // of derived fluents, in the last layer
	order   []int32    // possible parts
	idle    int        // layers without a new fact
	moving  []int32    // those that change numbers
	values  []float64  // of the state

	rp relaxedPlan
}

// limits are the least and the greatest value of a number.
type limits struct{ lo, hi float64 }

const never = math.MaxInt32

// After so many layers without a new fact, numbers change by twice as much in each layer as in the one before, so that there are never many layers.
const patience = 24

func newRelaxed(t *task) *relaxed {
	facts := 2*len(t.bools) + len(t.conds)
	r := &relaxed{task: t, open: make([]int32, len(t.parts)), since: make([]int32, len(t.parts)), reached: make([]int32, facts), by: make([]int32, facts),
		hard: make([]int32, facts), effort: make([]int32, len(t.parts)), derived: make([]limits, len(t.p.Fluents)), values: make([]float64, len(t.p.Fluents))}
	r.rp.init(r)
	return r
}

// at is the interval of a fluent in a layer.
func (r *relaxed) at(layer int) func(int) (float64, float64) {
	return func(f int) (float64, float64) {
		fl := &r.p.Fluents[f]
		switch {
		case fl.CPF == nil:
			return 0, 0
		case fl.Kind == ground.State && fl.Type == ground.Bool:
			b := 2 * r.place[f]
			return number(int(r.reached[b+1]) > layer), number(int(r.reached[b]) <= layer)
		case fl.Kind == ground.State:
			x := r.span[layer][r.place[f]]
			return x.lo, x.hi
		case layer == len(r.span)-1:
			return r.derived[f].lo, r.derived[f].hi
		}
		return span(fl.CPF, r.at(layer))
	}
}

// build makes the graph of the state in values, up to the layer in which the goal may hold. It is false where it never may.
func (r *relaxed) build() bool {
	for r.start(); slices.ContainsFunc(r.goal, func(f fact) bool { return r.reached[f] == never }); {
		if !r.deepen() {
			return false
		}
	}
	return true
}

// deepen adds a layer. It is false where that would be as the last one.
func (r *relaxed) deepen() bool {
	layer := len(r.span) - 1
	if r.idle++; r.idle > patience {
		r.times = append(r.times, 2*r.times[layer])
	} else {
		r.times = append(r.times, 1)
	}
	grown, more := r.next(layer)
	if more {
		r.idle = 0
	}
	return grown || more
}

// start makes the first layer.
func (r *relaxed) start() {
	r.span, r.times = append(r.span[:0], make([]limits, len(r.nums))), append(r.times[:0], 1)
	r.order, r.moving, r.idle = r.order[:0], r.moving[:0], 0
	for i, f := range r.nums {
		r.span[0][i] = limits{r.values[f], r.values[f]}
	}
	for _, f := range r.interm {
		r.derived[f] = limits{r.values[f], r.values[f]}
	}
	for i := range r.parts {
		r.open[i], r.since[i] = int32(len(r.parts[i].needs)), never
		if r.effort[i] = 1; r.open[i] == 0 {
			r.possible(int32(i), 0)
		}
	}
	for f := range r.reached {
		r.reached[f] = never
	}
	for f := range r.reached {
		if r.holds(fact(f), r.values) {
			r.reach(fact(f), 0, -1, 0)
		}
	}
	r.work += int64(len(r.parts) + 2*len(r.reached))
}

// reach notes a fact of a layer.
func (r *relaxed) reach(f fact, layer int, by int32, hard int32) {
	if int(r.reached[f]) == layer && hard < r.hard[f] {
		r.by[f], r.hard[f] = by, hard
	}
	if r.reached[f] != never {
		return
	}
	r.reached[f], r.by[f], r.hard[f] = int32(layer), by, hard
	r.work += int64(len(r.users[f]))
	for _, i := range r.users[f] {
		r.effort[i] = min(r.effort[i]+hard, never/4)
		if r.open[i]--; r.open[i] == 0 {
			r.possible(i, layer)
		}
	}
}

func (r *relaxed) possible(part int32, layer int) {
	r.since[part] = int32(layer)
	r.order = append(r.order, part)
	if len(r.parts[part].nums) > 0 {
		r.moving = append(r.moving, part)
	}
}

// next makes the layer after one. It reports whether a number grew, and whether a fact is new.
func (r *relaxed) next(layer int) (grown, more bool) {
	now, last := slices.Clone(r.span[layer]), r.at(layer)
	for _, i := range r.moving {
		if int(r.since[i]) <= layer {
			for _, e := range r.parts[i].nums {
				r.widen(&now[r.place[e.Fluent]], r.change(mover{i, e}, last), r.times[layer])
			}
		}
	}
	for i, f := range r.nums {
		lo, hi := r.within(f)
		now[i] = limits{max(lo, now[i].lo), min(hi, now[i].hi)}
		grown = grown || now[i] != r.span[layer][i]
	}
	r.work += int64(8*len(r.moving) + len(now))
	r.span = append(r.span, now)
	before := len(r.order)
	for k := before - 1; k >= 0 && int(r.since[r.order[k]]) == layer; k-- {
		i := r.order[k]
		for _, f := range r.parts[i].adds {
			more = more || r.reached[f] == never
			r.reach(f, layer+1, i, r.effort[i])
		}
		r.work += int64(len(r.parts[i].adds))
	}
	if !grown && !more {
		return false, false
	}
	for _, f := range r.interm {
		r.derived[f].lo, r.derived[f].hi = span(r.p.Fluents[f].CPF, r.at(layer+1))
	}
	for n, c := range r.conds {
		f := fact(2*len(r.bools) + n)
		if r.reached[f] != never {
			continue
		}
		r.work += 4
		if _, hi := span(c, r.at(layer+1)); hi > 0 {
			more = true
			r.reach(f, layer+1, -1, int32(layer+1))
		}
	}
	return grown, more
}

// move is what an effect does to a number: it is set to values, or changed by them.
type move struct {
	limits
	set bool
}

// change is what a mover does where fluents have some values.
func (r *relaxed) change(m mover, of func(int) (float64, float64)) move {
	lo, hi := span(m.effect.Value, of)
	switch m.effect.Op {
	case "increase":
		return move{limits{lo, hi}, false}
	case "decrease":
		return move{limits{-hi, -lo}, false}
	case "assign":
		return move{limits{lo, hi}, true}
	}
	l, h := of(m.effect.Fluent)
	if m.effect.Op == "scale-down" {
		if lo <= 0 && hi >= 0 {
			return move{limits{-huge, huge}, true}
		}
		lo, hi = 1/hi, 1/lo
	}
	return move{limits{min(lo*l, lo*h, hi*l, hi*h), max(lo*l, lo*h, hi*l, hi*h)}, true}
}

// widen adds what a move leads to.
func (r *relaxed) widen(x *limits, m move, times float64) {
	if m.set {
		x.lo, x.hi = min(x.lo, m.lo), max(x.hi, m.hi)
	} else {
		x.lo, x.hi = max(-huge, x.lo+times*min(0, m.lo)), min(huge, x.hi+times*max(0, m.hi))
	}
}
