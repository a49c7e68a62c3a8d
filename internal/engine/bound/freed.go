package bound

import (
	"slices"
)

// maxFree bounds the groups that are free at a time.
const maxFree = 6

// freed is the dynamic program over the joint values of the groups that are free.
type freed struct {
	*reoptimizer
	radix     []int32
	layers    [][]joint
	place     []int32 // by joint value: its place in the layer at hand, if it is there
	rest      []int64 // [t-1]: what the moves of the others cost from step t on, with prices
	before    []int64 // [t-1]: what they cost before step t, without
	rules     []int32 // that the free groups use
	equations []int32 // rules that are
	critical  []int32 // rules that the free groups must use at the step at hand
	key       int32   // the equation by which the last group's moves are looked up; -1 for none

	// Of the step at hand:
	moves []*choices // by free group: those that agree with the others
	pairs [maxFree][maxFree][]pair
	now   [maxFree]int32
	chose [maxFree]int32
	at    int32
	t     int
}

// joint is a joint value of the free groups on its way.
type joint struct {
	index int32
	cost  int64
	from  int32 // place in the layer before
	moves [maxFree]int32
}

// solve finds the best moves of the free groups and makes them the plan's, if they are as
// good. It reports whether the plan has changed.
func (r *reoptimizer) solve() bool {
	d := &freed{reoptimizer: r, rest: make([]int64, r.f.horizon+1), before: make([]int64, r.f.horizon+1), key: -1}
	d.prepare()
	start := joint{from: -1}
	for i, id := range r.free {
		start.index += d.radix[i] * r.plan.values[0][id]
	}
	d.layers = [][]joint{{start}}
	for t := range r.f.horizon {
		d.t = t
		d.list()
		d.layers = append(d.layers, nil)
		for n := range d.layers[t] {
			j := d.layers[t][n]
			d.split(j.index)
			d.at = int32(n)
			if d.keepsValues() {
				d.choose(0, j.cost)
			}
		}
		r.work += int64(len(d.layers[t+1])) + 10
		if len(d.layers[t+1]) == 0 {
			return false
		}
	}
	return d.take()
}

// prepare computes what does not depend on the step.
func (d *freed) prepare() {
	f, r := d.f, d.reoptimizer
	size := int32(1)
	for _, id := range r.free {
		d.radix = append(d.radix, size)
		size *= int32(len(f.parts[id].values))
	}
	for id := range f.parts {
		if r.isFree[id] {
			continue
		}
		for t, x := range r.rest(int32(id)) {
			d.rest[t] += x
		}
		for t := range f.horizon {
			d.before[t+1] += f.parts[id].moves[r.plan.values[t][id]][r.plan.moves[t][id]].cost
		}
	}
	for t := range f.horizon {
		d.before[t+1] += d.before[t]
	}
	d.place = make([]int32, size)
	for i := range r.free {
		for j := range r.free {
			if i != j {
				d.pairs[i][j] = r.pairs(r.free[i], r.free[j])
			}
		}
	}
	for _, id := range r.free {
		for _, k := range r.rulesOf[id] {
			d.rules = insert(d.rules, k)
			if f.rels[r.ofRule[k]].equal {
				d.equations = insert(d.equations, k)
			}
		}
	}
	last := r.free[len(r.free)-1]
	for _, k := range r.rulesOf[last] {
		if f.rels[r.ofRule[k]].equal && !f.s.invariant[k] {
			d.key = k
		}
	}
}

// split takes a joint value apart.
func (d *freed) split(index int32) {
	for i := len(d.free) - 1; i >= 0; i-- {
		d.now[i] = index / d.radix[i]
		index %= d.radix[i]
	}
}

// list lists the moves that agree with what the other groups do, and what these leave of rules.
func (d *freed) list() {
	f, t := d.f, d.t
	for _, k := range d.rules {
		d.room[k] = f.rels[d.ofRule[k]].limit - d.used[t][k]
		for _, id := range d.free {
			for _, u := range d.uses[id][d.plan.values[t][id]][d.plan.moves[t][id]] {
				if u.rel == k {
					d.room[k] += u.coef
				}
			}
		}
	}
	d.critical = d.critical[:0]
	for _, k := range d.rules {
		if d.room[k] < 0 {
			d.critical = append(d.critical, k)
		}
	}
	d.moves = d.moves[:0]
	for i, id := range d.free {
		g := &f.parts[id]
		must, bits := d.agreed(id, g)
		key := int32(-1)
		if i == len(d.free)-1 {
			key = d.key
		}
		d.moves = append(d.moves, d.choices(listed{id, key, must | g.known[t], bits | g.fixed[t]}))
	}
}

// keepsValues reports whether the values that the fixed groups read are what they were.
func (d *freed) keepsValues() bool {
	for i, id := range d.free {
		g := &d.f.parts[id]
		for n, w := range g.own {
			if slices.ContainsFunc(d.watchers[w], func(x int32) bool { return !d.isFree[x] }) &&
				(g.values[d.now[i]][n/64]>>(n%64)&1 == 1) != (d.plan.bits[d.t][w] > 0) {
				return false
			}
		}
	}
	return true
}

// choose chooses the moves of the free groups from the i-th on.
func (d *freed) choose(i int, cost int64) {
	f := d.f
	if i == len(d.free) {
		d.reach(cost)
		return
	}
	id, v := d.free[i], d.now[i]
	if !f.parts[id].allowed[d.t][v] {
		return
	}
	moves := d.moves[i].all[v]
	if i == len(d.free)-1 && d.key >= 0 {
		moves = d.moves[i].byUse[v][d.room[d.key]]
	}
	d.work += int64(1 + len(moves)/16)
	for _, n := range moves {
		m := &f.parts[id].moves[v][n]
		d.chose[i] = n
		if !d.agree(i, m) {
			continue
		}
		uses := d.uses[id][v][n]
		for _, u := range uses {
			d.room[u.rel] -= u.coef
		}
		d.choose(i+1, cost+m.cost)
		for _, u := range uses {
			d.room[u.rel] += u.coef
		}
	}
}

// agree reports whether the i-th move agrees with those before it in what they share.
func (d *freed) agree(i int, m *move) bool {
	for j := range i {
		n := &d.f.parts[d.free[j]].moves[d.now[j]][d.chose[j]]
		if !d.sees(i, m, j, n) || !d.sees(j, n, i, m) {
			return false
		}
	}
	return true
}

// sees reports whether what group i reads of group j is what it is.
func (d *freed) sees(i int, m *move, j int, n *move) bool {
	f := d.f
	h := &f.parts[d.free[j]]
	for _, s := range d.pairs[i][j] {
		got := m.reads>>s.reader&1 == 1
		var is bool
		if s.state {
			is = h.values[d.now[j]][s.home/64]>>(s.home%64)&1 == 1
		} else {
			is = n.reads>>s.home&1 == 1
		}
		if got != is {
			return false
		}
	}
	return true
}

// reach notes the joint value that the chosen moves lead to, if rules allow it and it may lead to as
// good a plan.
func (d *freed) reach(cost int64) {
	f, t := d.f, d.t
	d.work += int64(1 + len(d.equations) + len(d.rules)/16)
	if !d.keepsRules() {
		return
	}
	lowest := (cost+d.before[t+1])*d.reoptimizer.t.Scale + d.rest[t+1] - d.reoptimizer.t.Tail[t+1]
	index := int32(0)
	for i, id := range d.free {
		to := f.parts[id].moves[d.now[i]][d.chose[i]].to
		index += d.radix[i] * to
		left := d.left(id, t+1, to)
		if left >= infinite {
			return
		}
		lowest += left
	}
	if lowest > d.plan.cost*d.reoptimizer.t.Scale {
		return
	}
	next := d.layers[t+1]
	n := d.place[index]
	j := joint{index, cost, d.at, d.chose}
	switch {
	case int(n) >= len(next) || next[n].index != index:
		d.place[index] = int32(len(next))
		d.layers[t+1] = append(next, j)
	case cost < next[n].cost, cost == next[n].cost && d.rng.IntN(2) == 0:
		next[n] = j
	}
}

// keepsRules reports whether the chosen moves keep the rules: those that they use, and the equations.
func (d *freed) keepsRules() bool {
	for _, k := range d.equations {
		if d.room[k] != 0 {
			return false
		}
	}
	for _, k := range d.critical {
		if d.room[k] < 0 {
			return false
		}
	}
	for i, id := range d.free {
		for _, u := range d.uses[id][d.now[i]][d.chose[i]] {
			if d.room[u.rel] < 0 {
				return false
			}
		}
	}
	return true
}

// take makes the best way the plan's; false if it is not as good, or changes nothing.
func (d *freed) take() bool {
	f, h := d.f, d.f.horizon
	last := d.layers[h]
	best := -1
	for n := range last {
		if best < 0 || last[n].cost < last[best].cost {
			best = n
		}
	}
	if last[best].cost+d.before[h] > d.plan.cost || !d.mayEnd(last[best].index) {
		return false
	}
	changed := false
	at := int32(best)
	for t := h - 1; t >= 0; t-- {
		j := d.layers[t+1][at]
		d.split(j.index)
		for i, id := range d.free {
			d.plan.values[t+1][id] = d.now[i]
		}
		for i, id := range d.free {
			changed = changed || d.plan.moves[t][id] != j.moves[i]
			d.plan.moves[t][id] = j.moves[i]
		}
		at = j.from
	}
	d.plan.cost = last[best].cost + d.before[h]
	for t := range h {
		for _, id := range d.free {
			g := &f.parts[id]
			v := d.plan.values[t][id]
			m := &g.moves[v][d.plan.moves[t][id]]
			for i, w := range g.own {
				d.plan.bits[t][w] = sign(g.values[v][i/64]>>(i%64)&1 == 1)
			}
			for i, w := range g.reads {
				d.plan.bits[t][w] = sign(m.reads>>i&1 == 1)
			}
		}
	}
	d.count()
	return changed
}

func sign(b bool) int8 {
	if b {
		return 1
	}
	return -1
}

// mayEnd reports whether a plan may end with the joint value.
func (d *freed) mayEnd(index int32) bool {
	d.split(index)
	return d.f.ends(d.final, func(id int) uint32 {
		if i := slices.Index(d.free, int32(id)); i >= 0 {
			return uint32(d.now[i])
		}
		return uint32(d.plan.values[d.f.horizon][id])
	})
}
