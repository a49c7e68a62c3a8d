package bound

import (
	"fmt"
	"slices"
)

// waves is a problem whose steps are shifted from group to group. A relay's next value does not depend on the value that it has, such as water that runs on
// from field to field, or goods that arrive a step after they were ordered. Where those who read it are looked at a step later than those who decide it, its
// value is read as soon as it is decided, and no state tells what is under way. In wave w, a group is at step w+shift; it is asleep where that is none of 1..H.
// A relay has one value there, and its moves are those of all: they take something in, and a step later give it out. Prices and tables are the same, and so are
// the plans. irrigate -n 12 -H 24 -seed 7 of examples/scaling is open after 60 s by steps.
type waves struct {
	*Factors          // with as many steps as there are waves
	of       *Factors // by steps
	relays   []*relay // by group; nil of others
	shift    []int    // by group; of a relay for what it takes in, and it gives out what it took in the wave before, by steps
	rels     []int    // by relation: its shift
	order    *order
	shown    *Tables // of the prices of which the bound was so much; nil for none yet
	bound    int64
}

// newWaves shifts the steps of a problem; nil where it has no relay of which that makes use.
func (f *Factors) newWaves() *waves {
	w := &waves{of: f, relays: make([]*relay, len(f.parts))}
	marks := f.marks()
	for id := range f.parts {
		if x := f.parts[id].relay(); x != nil && f.canRelay(id, x, marks) {
			w.relays[id] = x
		}
	}
	for slices.ContainsFunc(w.relays, func(x *relay) bool { return x != nil }) {
		misfit, most := w.align()
		switch {
		case misfit >= 0:
			w.relays[misfit] = nil // what it takes in and gives out is looked at together anyway
			continue
		case most <= f.horizon:
			w.build(most)
			return w
		}
		break
	}
	return nil
}

// align finds the shift of each group and relation, such that all that is coupled at a step is in the same wave, the greatest of which it returns. It
// returns a relay that does not fit, or -1.
func (w *waves) align() (misfit, most int) {
	f := w.of
	c := newClocks(2*len(f.parts) + len(f.rels)) // of groups, what they give out, and relations
	n := len(f.parts)
	for id := range f.parts {
		x := w.relays[id]
		if x == nil {
			c.tie(id, n+id, 0)
			x = &relay{}
		}
		x.eachUse(&f.parts[id], func(gives bool, u use) {
			place := id
			if gives {
				place += n
			}
			c.tie(place, 2*n+int(u.rel), 0)
		})
	}
	for id, x := range w.relays {
		if x != nil && !c.tie(id, n+id, 1) {
			return id, 0
		}
	}
	shift, most := c.read()
	w.shift, w.rels = shift[:n], shift[2*n:]
	return -1, most
}

// clocks are differences between the shifts of things: each is that of another plus some number.
type clocks struct{ of, more []int }

func newClocks(n int) *clocks {
	c := &clocks{make([]int, n), make([]int, n)}
	for i := range c.of {
		c.of[i] = i
	}
	return c
}

// root returns the thing that i's shift is relative to, and by how much i is later.
func (c *clocks) root(i int) (root, more int) {
	for c.of[i] != i {
		more += c.more[i]
		i = c.of[i]
	}
	return i, more
}

// tie has b later than a by some steps. It is false where something else follows from what was tied before.
func (c *clocks) tie(a, b, later int) bool {
	x, p := c.root(a)
	y, q := c.root(b)
	if x != y {
		c.of[y], c.more[y] = x, p+later-q
		return true
	}
	return q == p+later
}

// read gives the shifts, of which the least are 0, and the greatest.
func (c *clocks) read() (shift []int, most int) {
	shift = make([]int, len(c.of))
	least := map[int]int{}
	for i := range shift {
		x, more := c.root(i)
		shift[i] = more
		least[x] = min(least[x], more)
	}
	for i := range shift {
		x, _ := c.root(i)
		shift[i] -= least[x]
		most = max(most, shift[i])
	}
	return shift, most
}

// build makes the groups by waves, the shifts of which are at most so much.
func (w *waves) build(most int) {
	f := w.of
	x := *f
	r, s := *f.r, *f.s
	x.horizon, x.parts, x.r, x.s = f.horizon+most, nil, &r, &s
	r.role = slices.Clone(r.role)
	w.Factors = &x
	for i := range w.shift {
		w.shift[i] -= most
	}
	for e := range w.rels {
		w.rels[e] -= most
	}
	for id := range f.parts {
		if w.relays[id] != nil {
			x.parts = append(x.parts, w.relayed(id))
			for _, v := range f.parts[id].own {
				r.role[v] = action // it is chosen in the wave
			}
		} else {
			x.parts = append(x.parts, w.shifted(id))
		}
	}
	x.off = make([][]bool, x.horizon)
	for i := range x.off {
		x.off[i] = make([]bool, len(s.rules))
		for e := range f.rels {
			if k := f.rels[e].rule; k >= 0 {
				x.off[i][k] = w.step(i+1, w.rels[e]) == 0
			}
		}
	}
	w.order = x.newOrder()
}

// step is the step in a wave of what is shifted; 0 where that is none.
func (w *waves) step(wave, shift int) int {
	if t := wave + shift; t >= 1 && t <= w.of.horizon {
		return t
	}
	return 0
}

// shifted is a group that is no relay, by waves: asleep, it stays at its value at no cost.
func (w *waves) shifted(id int) part {
	f, h := w.of, w.of.horizon
	x := f.parts[id]
	l, none := *x.local, int32(len(x.sigs))
	x.local, x.sigs = &l, append(slices.Clone(x.sigs), nil)
	l.moves = slices.Clone(l.moves)
	for v := range l.moves {
		l.moves[v] = append(slices.Clone(l.moves[v]), move{to: int32(v), sig: none})
	}
	sleep := x.list(func(v, i int) bool { return i == len(l.moves[v])-1 })
	x.arcs, x.allowed, x.known, x.fixed = nil, nil, nil, nil
	for wave := 1; wave <= w.horizon+1; wave++ {
		x.allowed = append(x.allowed, f.parts[id].allowed[min(max(wave+w.shift[id], 1), h+1)-1])
		if wave > w.horizon {
			break
		}
		a, known, fixed, awake := sleep, uint64(0), uint64(0), uint64(0)
		if t := w.step(wave, w.shift[id]); t > 0 {
			a, known, fixed, awake = f.parts[id].arcs[t-1], f.parts[id].known[t-1], f.parts[id].fixed[t-1], ^uint64(0)
		}
		x.arcs, x.known, x.fixed, x.awake = append(x.arcs, a), append(x.known, known), append(x.fixed, fixed), append(x.awake, awake)
	}
	return x
}

// relayed is a relay by waves, with its value among what it reads.
func (w *waves) relayed(id int) part {
	g, y := &w.of.parts[id], w.relays[id]
	x := part{local: &local{group: &group{units: g.units, reads: slices.Concat(g.reads, g.own), rows: g.rows, hides: g.hides}, values: [][]uint64{nil}, starts: []int32{0}, last: []bool{true}}}
	y.combine(g, &x)
	x.allowed = append(x.allowed, []bool{true})
	lists := map[string]*arcs{}
	for wave := 1; wave <= w.horizon; wave++ {
		h := y.hour(g, wave+w.shift[id])
		awake := uint64(0)
		if h.takes {
			awake |= y.in
		}
		if h.gives {
			awake |= ^y.in
		}
		key := fmt.Sprint(h)
		if lists[key] == nil {
			lists[key] = x.list(func(_, i int) bool { return y.possible(h, y.list[i][0], y.list[i][1]) })
		}
		x.arcs, x.awake, x.allowed = append(x.arcs, lists[key]), append(x.awake, awake), append(x.allowed, []bool{true})
	}
	return x
}

// begin is a list of first values by waves.
func (w *waves) begin(starts [][]uint32) (out [][]uint32) {
	for _, s := range starts {
		s = slices.Clone(s)
		for id, x := range w.relays {
			if x != nil {
				s[id] = 0
			}
		}
		out = append(out, s)
	}
	return out
}

// best are the tables for an optimizer's best prices.
func (w *waves) best(o *optimizer) *Tables {
	if w.shown == nil || w.bound != o.bound {
		w.shown, w.bound = w.tables(o.best), o.bound
	}
	return w.shown
}

// tables are those for the same prices.
func (w *waves) tables(t *Tables) *Tables {
	x := w.newTables(t.Scale)
	for i, prices := range x.Price {
		for e := range prices {
			if step := w.step(i+1, w.rels[e]); step > 0 {
				prices[e] = t.Price[step-1][e]
			}
		}
	}
	w.fill(x)
	return x
}

// guide is a guide by waves. Relays count nothing.
func (w *waves) guide(g *guide) *guide {
	if g == nil {
		return nil
	}
	x := &guide{most: g.most, flow: make([][][]float32, w.horizon)}
	for i := range x.flow {
		x.flow[i] = make([][]float32, len(w.parts))
		for id := range w.parts {
			if t := w.step(i+1, w.shift[id]); t > 0 && w.relays[id] == nil {
				x.flow[i][id] = g.flow[t-1][id]
			}
		}
	}
	return x
}

// bySteps is the same plan by steps.
func (w *waves) bySteps(x *itinerary) *itinerary {
	f := w.of
	out := &itinerary{cost: x.cost}
	for t := 1; t <= f.horizon+1; t++ {
		values, moves := make([]int32, len(f.parts)), make([]int32, len(f.parts))
		for id := range f.parts {
			g, y, wave := &f.parts[id], w.relays[id], t-w.shift[id]
			if y == nil {
				values[id] = x.values[wave-1][id]
				if t <= f.horizon {
					moves[id] = x.moves[wave-1][id]
				}
				continue
			}
			if values[id] = y.first; t > 1 {
				values[id] = y.ins[y.list[x.moves[wave-2][id]][1]].value
			}
			if t <= f.horizon {
				in, reads := y.ins[y.list[x.moves[wave-1][id]][1]], y.outs[y.list[x.moves[wave-2][id]][0]].reads
				moves[id] = int32(slices.IndexFunc(g.moves[values[id]], func(m move) bool { return m.to == in.value && m.reads == in.reads|reads }))
			}
		}
		out.values = append(out.values, values)
		if t <= f.horizon {
			out.moves = append(out.moves, moves)
		}
	}
	return out
}
