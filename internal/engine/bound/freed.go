package bound

import "slices"

// maxFree bounds the groups that are free at a time.
const maxFree = 16

// freed is the dynamic program over the joint values of the groups that are free.
type freed struct {
	*reoptimizer
	radix     []int64
	layers    [][]joint
	place     map[int64]int32 // by joint value: its place in the layer at hand
	rest      []int64         // [t-1]: what the moves of the others cost from step t on, with prices
	before    []int64         // [t-1]: what they cost before step t, without
	rules     []int32         // that the free groups use
	equations []int32         // rules that are
	critical  []int32         // rules that the free groups must use at the step at hand
	pairs     [maxFree][maxFree][]pair
	near      [maxFree][]int      // by free group: those before it that share bits of moves with it
	reads     [maxFree][]followed // by free group: the states of others that it reads
	followers []follower
	key       int32 // the equation by which the last group's moves are looked up; -1 for none

	// Of the step at hand:
	moves []*choices // by free group: those that agree with the others
	price [maxFree]priced[int64]
	lists [maxFree]map[situation][]graded // by free group
	slack int64                           // what the best joint value may lose
	now   [maxFree]int32
	from  [maxFree][]graded // the moves of the joint value at hand
	chose [maxFree]int32
	at    [maxFree]situation
	node  int32 // place of the joint value at hand
	t     int
}

// joint is a joint value of the free groups on its way.
type joint struct {
	index int64
	cost  int64
	slack int64 // what may be lost from here on
	from  int32 // place in the layer before
	moves [maxFree]int32
}

// situation is a group's value, what it reads of the states of others, and what is left of the rule by which its moves are looked up.
type situation struct {
	value int32
	reads uint64
	room  int64
}

// graded is a move and what it loses: how much more it costs, with prices, than the table of its group says.
type graded struct {
	move int32
	loss int64
}

// solve finds the best moves of the free groups and makes them the plan's, if they are as
// good. It reports whether the plan has changed, and whether there was room for all joint values.
func (r *reoptimizer) solve() (changed, whole bool) {
	d := &freed{reoptimizer: r, rest: make([]int64, r.f.horizon+1), before: make([]int64, r.f.horizon+1), key: -1}
	d.prepare()
	most := r.work + workPerValue*int64(r.size)
	start := joint{from: -1, slack: r.plan.cost*r.t.Scale + r.t.Tail[0] - d.rest[0]}
	for i, id := range r.free {
		start.index += d.radix[i] * int64(r.plan.values[0][id])
		start.slack -= d.left(id, 0, r.plan.values[0][id])
	}
	d.layers = [][]joint{{start}}
	for t := range r.f.horizon {
		d.t = t
		d.prepareStep()
		d.layers = append(d.layers, nil)
		for n := range d.layers[t] {
			j := d.layers[t][n]
			d.split(j.index)
			d.node = int32(n)
			if more, ok := d.follow(); ok && d.look() {
				d.choose(0, j.cost+more, j.slack)
			}
			if len(d.layers[t+1]) > r.size || r.work > most {
				return false, false
			}
		}
		r.work += int64(len(d.layers[t+1])) + 10
		if len(d.layers[t+1]) == 0 {
			return false, true
		}
	}
	return d.take(), true
}

// prepare computes what does not depend on the step.
func (d *freed) prepare() {
	f, r := d.f, d.reoptimizer
	size := int64(1)
	for _, id := range r.free {
		d.radix = append(d.radix, size)
		size *= int64(len(f.parts[id].values))
	}
	for id := range f.parts {
		if r.isFree[id] {
			continue
		}
		rest := r.rest(int32(id))
		if reads := d.statesOf(int32(id)); len(reads) > 0 {
			d.followers = append(d.followers, follower{int32(id), reads, make([]map[uint64]int32, f.horizon)})
			rest = d.pinned(int32(id))
		}
		for t, x := range rest {
			d.rest[t] += x
		}
		for t := range f.horizon {
			d.before[t+1] += f.parts[id].moves[r.plan.values[t][id]][r.plan.moves[t][id]].cost
		}
	}
	for t := range f.horizon {
		d.before[t+1] += d.before[t]
	}
	d.place = map[int64]int32{}
	for i := range r.free {
		d.reads[i] = d.statesOf(r.free[i])
		for j := range i {
			d.pairs[i][j], d.pairs[j][i] = r.pairs(r.free[i], r.free[j]), r.pairs(r.free[j], r.free[i])
			if len(d.pairs[i][j])+len(d.pairs[j][i]) > 0 {
				d.near[i] = append(d.near[i], j)
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
func (d *freed) split(index int64) {
	for i := len(d.free) - 1; i >= 0; i-- {
		d.now[i] = int32(index / d.radix[i])
		index %= d.radix[i]
	}
}

// prepareStep lists the moves that agree with what the other groups do, and what these leave of rules.
func (d *freed) prepareStep() {
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
	d.moves, d.slack = d.moves[:0], 0
	clear(d.place)
	for n := range d.layers[t] {
		d.slack = max(d.slack, d.layers[t][n].slack)
	}
	for i, id := range d.free {
		g := &f.parts[id]
		d.price[i].at(g, d.reoptimizer.t.Price[t])
		d.lists[i] = map[situation][]graded{}
		must, bits := d.agreed(id, g)
		key := int32(-1)
		if i == len(d.free)-1 {
			key = d.key
		}
		d.moves = append(d.moves, d.choices(listed{id, key, must | g.known[t], bits | g.fixed[t]}))
	}
}

// look lists the moves of the free groups at the joint value at hand. It is false where one has none.
func (d *freed) look() bool {
	for i, id := range d.free {
		v := d.now[i]
		if !d.f.parts[id].allowed[d.t][v] {
			return false
		}
		if d.at[i] = (situation{v, d.read(d.reads[i], 0), 0}); i == len(d.free)-1 && d.key >= 0 {
			break // its moves depend on what the others take
		}
		if d.from[i] = d.list(i, d.moves[i].all[v]); len(d.from[i]) == 0 {
			return false
		}
	}
	return true
}

// list grades moves of the i-th free group, once in each situation.
func (d *freed) list(i int, moves []int32) []graded {
	list, ok := d.lists[i][d.at[i]]
	if !ok {
		list = d.grade(i, moves)
		d.lists[i][d.at[i]] = list
	}
	return list
}

// grade lists those moves of the i-th free group that fit the states of the others and lose no more than any joint value may.
func (d *freed) grade(i int, moves []int32) []graded {
	g, p, tables, v := &d.f.parts[d.free[i]], &d.price[i], d.reoptimizer.t, d.now[i]
	here, then := tables.At[d.free[i]][d.t][v], tables.At[d.free[i]][d.t+1]
	var known uint64
	for _, r := range d.reads[i] {
		known |= 1 << r.place
	}
	fixed := d.at[i].reads
	if len(p.now) > 0 {
		here -= p.now[v]
	}
	out := []graded{}
	for _, n := range moves {
		m := &g.moves[v][n]
		if m.reads&known != fixed {
			continue
		}
		loss := m.cost*tables.Scale + p.sig[m.sig] + then[m.to] - here
		if len(p.after) > 0 {
			loss += p.after[m.to]
		}
		if loss <= d.slack {
			out = append(out, graded{n, loss})
		}
	}
	d.work += int64(1 + len(moves)/4)
	return out
}

// choose chooses the moves of the free groups from the i-th on, which may lose so much together.
func (d *freed) choose(i int, cost, slack int64) {
	f := d.f
	if i == len(d.free) {
		d.reach(cost)
		return
	}
	id, v, moves := d.free[i], d.now[i], d.from[i]
	if i == len(d.free)-1 && d.key >= 0 {
		d.at[i].room = d.room[d.key]
		moves = d.list(i, d.moves[i].byUse[v][d.at[i].room])
	}
	d.work += int64(1 + len(moves)/2)
	for _, x := range moves {
		m := &f.parts[id].moves[v][x.move]
		d.chose[i] = x.move
		if x.loss > slack || !d.agree(i, m) {
			continue
		}
		room := true
		uses := d.uses[id][v][x.move]
		for _, u := range uses {
			d.room[u.rel] -= u.coef
			room = room && (d.room[u.rel] >= 0 || !d.spent[u.rel])
		}
		if room {
			d.choose(i+1, cost+m.cost, slack-x.loss)
		}
		for _, u := range uses {
			d.room[u.rel] += u.coef
		}
	}
}

// agree reports whether the i-th move agrees with those before it in what they share.
func (d *freed) agree(i int, m *move) bool {
	for _, j := range d.near[i] {
		n := &d.f.parts[d.free[j]].moves[d.now[j]][d.chose[j]]
		for _, s := range d.pairs[i][j] {
			if m.reads>>s.reader&1 != n.reads>>s.home&1 {
				return false
			}
		}
		for _, s := range d.pairs[j][i] {
			if n.reads>>s.reader&1 != m.reads>>s.home&1 {
				return false
			}
		}
	}
	return true
}

// reach notes the joint value that the chosen moves lead to, if rules allow it and it may lead to as
// good a plan.
func (d *freed) reach(cost int64) {
	f, t := d.f, d.t
	d.work += int64(3 + len(d.equations) + len(d.rules)/16)
	if !d.keepsRules() {
		return
	}
	lowest := (cost+d.before[t+1])*d.reoptimizer.t.Scale + d.rest[t+1] - d.reoptimizer.t.Tail[t+1]
	index := int64(0)
	for i, id := range d.free {
		to := f.parts[id].moves[d.now[i]][d.chose[i]].to
		index += d.radix[i] * int64(to)
		left := d.left(id, t+1, to)
		if left >= infinite {
			return
		}
		lowest += left
	}
	slack := d.plan.cost*d.reoptimizer.t.Scale - lowest
	if slack < 0 {
		return
	}
	next := d.layers[t+1]
	n, known := d.place[index]
	j := joint{index, cost, slack, d.node, d.chose}
	switch {
	case !known:
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
		d.t = t
		for i, id := range d.free {
			d.now[i] = d.plan.values[t][id]
		}
		for k := range d.followers {
			x := &d.followers[k]
			d.plan.moves[t][x.id] = d.following(x)
		}
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
func (d *freed) mayEnd(index int64) bool {
	d.split(index)
	return d.f.ends(d.final, func(id int) uint32 {
		if i := slices.Index(d.free, int32(id)); i >= 0 {
			return uint32(d.now[i])
		}
		return uint32(d.plan.values[d.f.horizon][id])
	})
}
