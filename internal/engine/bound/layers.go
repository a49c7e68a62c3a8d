package bound

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/factored"
)

// layer holds partial joint steps: the new values of the groups that are
// decided, the old ones of the others, and what must be remembered between.
type layer struct {
	words int
	keys  []uint32 // node i at [i*words, (i+1)*words): values by group, then its carry
	cost  []int64  // paid so far
	bound []int64  // priced, of every plan through here
	from  []int32  // node of the layer before
	by    []int32  // number of the move that led here
	slots []uint32 // hash index: node+1
}

func newLayer(words int) *layer { return &layer{words: words, slots: make([]uint32, 256)} }

func (l *layer) size() int { return len(l.cost) }

func (l *layer) key(i int) []uint32 { return l.keys[i*l.words : (i+1)*l.words] }

func (l *layer) bytes() int64 {
	return 4*int64(cap(l.keys)+cap(l.from)+cap(l.by)+len(l.slots)) + 8*int64(cap(l.cost)+cap(l.bound))
}

func hashKey(key []uint32) uint64 {
	h := uint64(0x9E3779B97F4A7C15)
	for _, k := range key {
		h = (h ^ uint64(k)) * 0xD6E8FEB86659FD93
		h ^= h >> 32
	}
	return h
}

// add puts a node in, or makes an equal one cheaper.
func (l *layer) add(key []uint32, cost, bound int64, from, by int32) {
	mask := uint64(len(l.slots) - 1)
	for i := hashKey(key) & mask; ; i = (i + 1) & mask {
		s := l.slots[i]
		if s == 0 {
			l.slots[i] = uint32(len(l.cost)) + 1
			break
		}
		if slices.Equal(l.key(int(s-1)), key) {
			if cost < l.cost[s-1] {
				l.cost[s-1], l.bound[s-1], l.from[s-1], l.by[s-1] = cost, bound, from, by
			}
			return
		}
	}
	l.keys = append(l.keys, key...)
	l.cost, l.bound = append(l.cost, cost), append(l.bound, bound)
	l.from, l.by = append(l.from, from), append(l.by, by)
	if 4*len(l.cost) > 3*len(l.slots) {
		l.index(2 * len(l.slots))
	}
}

// index builds the hash index anew.
func (l *layer) index(n int) {
	l.slots = make([]uint32, n)
	mask := uint64(n - 1)
	for k := range l.cost {
		i := hashKey(l.key(k)) & mask
		for l.slots[i] != 0 {
			i = (i + 1) & mask
		}
		l.slots[i] = uint32(k) + 1
	}
}

// thin keeps width nodes with the lowest bounds and returns the least bound that it dropped.
// Which of equal bounds are kept is left to their hash, so that they differ.
func (l *layer) thin(width int) (dropped int64) {
	dropped = infinite
	if l.size() <= width {
		return dropped
	}
	idx := make([]int32, l.size())
	hash := make([]uint64, l.size())
	for i := range idx {
		idx[i], hash[i] = int32(i), hashKey(l.key(i))
	}
	slices.SortFunc(idx, func(a, b int32) int {
		return cmp.Or(cmp.Compare(l.bound[a], l.bound[b]), cmp.Compare(l.cost[b], l.cost[a]), cmp.Compare(hash[a], hash[b]), cmp.Compare(a, b))
	})
	dropped = l.bound[idx[width]]
	n := newLayer(l.words)
	for _, i := range idx[:width] {
		n.keys = append(n.keys, l.key(int(i))...)
		n.cost, n.bound = append(n.cost, l.cost[i]), append(n.bound, l.bound[i])
		n.from, n.by = append(n.from, l.from[i]), append(n.by, l.by[i])
	}
	*l = *n
	return dropped
}

// step is how the nodes of a layer came about, kept for the plan.
type step struct{ from, by []int32 }

// carries number what is remembered between the groups of a step: the values
// of pending bits, then pairs of a rule and the sum of its uses.
type carries struct {
	ids  map[string]uint32
	data [][]int32
}

func (c *carries) number(x []int32, scratch *[]byte) uint32 {
	b := (*scratch)[:0]
	for _, v := range x {
		b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	*scratch = b
	id, ok := c.ids[string(b)]
	if !ok {
		id = uint32(len(c.data))
		c.ids[string(b)] = id
		c.data = append(c.data, slices.Clone(x))
	}
	return id
}

// beam is one run through all layers.
type beam struct {
	f     *Factors
	o     *order
	t     *Tables
	limit int64 // nodes with a higher bound are left out
	width int
	most  int64 // bytes

	layer   *layer
	history []step
	held    int64 // bytes of history
	carry   carries
	dropped int64 // the least bound that was dropped for lack of room
	nodes   int64

	bits    []int8  // by variable: the pending bits of the node at hand
	sums    []int64 // by rule
	touched []int32 // rules whose sums are not 0
	newSums []int64 // by quiet rule: uses of the new values
	newOf   []int32
	key     []uint32
	next    []int32
	bytes   []byte
	price   priced
	final   *propagate.State
}

func (f *Factors) newBeam(o *order, t *Tables, limit int64, width int, most int64) *beam {
	return &beam{
		f: f, o: o, t: t, limit: limit, width: width, most: most, dropped: infinite,
		carry: carries{ids: map[string]uint32{}},
		bits:  make([]int8, f.r.numVars+1), sums: make([]int64, len(f.s.rules)), newSums: make([]int64, len(f.s.rules)),
		key: make([]uint32, len(f.parts)+1), final: f.r.final.NewState(),
	}
}

// outcome of a beam.
type outcome uint8

const (
	ended  outcome = iota // it went through
	cut                   // the context ended
	noRoom                // the memory did
)

// run goes through all layers from the initial nodes. When it gives a trace, it
// is the best plan below the limit unless something was dropped.
func (b *beam) run(ctx context.Context, starts [][]uint32) (*factored.Trace, int64, outcome) {
	f := b.f
	b.carry.number(nil, &b.bytes)
	b.layer = newLayer(len(b.key))
	for i, s := range starts {
		bound := -b.t.Tail[0]
		for id, v := range s {
			if bound += b.t.At[id][0][v]; bound >= infinite/2 {
				bound = infinite
				break
			}
		}
		if bound <= b.limit && !b.o.impossible {
			copy(b.key, s)
			b.key[len(s)] = 0
			b.o.canonical(b.key, nil)
			b.layer.add(b.key, 0, bound, -1, int32(i))
		}
	}
	b.close()
	for t := 1; t <= f.horizon; t++ {
		for k := range b.o.group {
			whole := b.expand(ctx, t, k)
			if ctx.Err() != nil {
				return nil, 0, cut
			}
			if !whole || b.most > 0 && b.held+b.layer.bytes() > b.most {
				return nil, 0, noRoom
			}
			if b.layer.size() == 0 {
				return nil, 0, ended
			}
		}
	}
	best := -1
	for i := range b.layer.cost {
		if (best < 0 || b.layer.cost[i] < b.layer.cost[best]) && b.isFinal(b.layer.key(i)) {
			best = i
		}
	}
	if best < 0 {
		return nil, 0, ended
	}
	return b.trace(starts, best), b.layer.cost[best], ended
}

// close thins the layer and notes how it came about.
func (b *beam) close() {
	b.dropped = min(b.dropped, b.layer.thin(b.width))
	b.history = append(b.history, step{b.layer.from, b.layer.by})
	b.held += 8 * int64(cap(b.layer.from))
	b.nodes += int64(b.layer.size())
}

// isFinal reports whether a plan may end with these values.
func (b *beam) isFinal(key []uint32) bool {
	st := b.final
	if !st.Consistent() {
		return false
	}
	st.Reset()
	r := b.f.r
	for id := range b.f.parts {
		g := &b.f.parts[id]
		if len(g.own) > 0 && !assign(st, lits(g.own), g.values[key[id]]) {
			return false
		}
	}
	var aux []model.Lit
	p := r.task.Problem
	for i := range p.NumBits() {
		v := r.nowVar[i]
		switch p.Kind(factored.Bit(i)) {
		case factored.State:
			if x := r.fixed[v]; x != 0 && !st.Assign(model.Lit(v)*model.Lit(x)) {
				return false
			}
		case factored.Auxiliary:
			aux = append(aux, model.Lit(v))
		}
	}
	return st.Satisfiable(aux)
}

// trace follows a node of the last layer back.
func (b *beam) trace(starts [][]uint32, at int) *factored.Trace {
	f := b.f
	p := f.r.task.Problem
	n := len(b.o.group)
	moves := make([]int32, f.horizon*n)
	i := int32(at)
	for k := len(moves); k > 0; k-- {
		moves[k-1] = b.history[k].by[i]
		i = b.history[k].from[i]
	}
	values := slices.Clone(starts[b.history[0].by[i]])
	actual := make([]int32, len(values)) // by slot of the key: the group that it stands for
	for id := range actual {
		actual[id] = int32(id)
	}
	b.o.canonical(values, actual)
	tr := &factored.Trace{}
	for t := 1; t <= f.horizon+1; t++ {
		val := make(factored.Valuation, p.NumBits())
		for bit := range val {
			v := f.r.nowVar[bit]
			switch kind := p.Kind(factored.Bit(bit)); {
			case kind == factored.Auxiliary, kind == factored.Action && t > f.horizon:
			default:
				val[bit] = f.r.valueAt(t, v) > 0
			}
		}
		for slot := range f.parts {
			g := &f.parts[actual[slot]]
			for i, v := range g.own {
				val[f.r.bit[v]] = g.values[values[slot]][i/64]>>(i%64)&1 == 1
			}
		}
		for k := 0; t <= f.horizon && k < n; k++ {
			slot := b.o.group[k]
			g := &f.parts[actual[slot]]
			m := &g.moves[values[slot]][moves[(t-1)*n+k]]
			for i, v := range g.reads {
				if f.r.role[v] == action {
					val[f.r.bit[v]] = m.reads>>i&1 == 1
				}
			}
			values[slot] = uint32(m.to)
			b.o.settle(k, values, actual)
		}
		tr.Steps = append(tr.Steps, val)
	}
	return tr
}

// expand decides the group at position k of step t in every node. It is false where
// the context ended or there was no room: the layer is incomplete then.
func (b *beam) expand(ctx context.Context, t, k int) bool {
	f, o := b.f, b.o
	id := o.group[k]
	g := &f.parts[id]
	g.price(b.t.Price[t-1], &b.price)
	old := b.layer
	b.layer = newLayer(old.words)
	here, then := b.t.At[id][t-1], b.t.At[id][t]
	for n := range old.cost {
		if n%1024 == 1023 && (ctx.Err() != nil || b.most > 0 && b.held+old.bytes()+b.layer.bytes() > b.most) {
			return false
		}
		key := old.key(n)
		v := key[id]
		b.open(k, key)
		known, fixed := b.forced(g, k, key)
		known |= g.known[t-1]
		fixed |= g.fixed[t-1]
		base := old.bound[n] - here[v]
		if b.price.now != nil {
			base += b.price.now[v]
		}
		for i := range g.moves[v] {
			m := &g.moves[v][i]
			if m.reads&known != fixed || then[m.to] >= infinite {
				continue
			}
			bound := base + m.cost*b.t.Scale + then[m.to] + b.price.readCost(m.reads)
			if b.price.after != nil {
				bound += b.price.after[m.to]
			}
			if bound > b.limit || !b.keepsRules(k, id, v, i, m) {
				continue
			}
			copy(b.key, key)
			b.key[id] = uint32(m.to)
			b.key[len(f.parts)] = b.carried(k, id, v, i, m)
			b.o.settle(k, b.key, nil)
			b.layer.add(b.key, old.cost[n]+m.cost, bound, int32(n), int32(i))
		}
		b.shut()
	}
	b.close()
	return true
}

// open reads a node's carry.
func (b *beam) open(k int, key []uint32) {
	o := b.o
	data := b.carry.data[key[len(key)-1]]
	words := (len(o.pending[k]) + 31) / 32
	for i, v := range o.pending[k] {
		b.bits[v] = int8(data[i/32] >> (i % 32) & 1)
	}
	if words > 0 || len(data) > 0 {
		for i := words; i < len(data); i += 2 {
			b.sums[data[i]] = int64(data[i+1])
			b.touched = append(b.touched, data[i])
		}
	}
	if !b.f.hasQuiet {
		return
	}
	for _, id := range o.group[:k] {
		if uses := b.f.parts[id].nowUse; uses != nil {
			b.addQuiet(uses[key[id]])
		}
	}
}

// addQuiet counts the uses of rules on states by a new value.
func (b *beam) addQuiet(uses []use) {
	for _, u := range uses {
		if k := b.f.rels[u.rel].rule; k >= 0 && b.f.s.quiet[k] {
			b.newSums[k] += u.coef
			b.newOf = append(b.newOf, int32(k))
		}
	}
}

// shut clears what open set.
func (b *beam) shut() {
	for _, k := range b.touched {
		b.sums[k] = 0
	}
	for _, k := range b.newOf {
		b.newSums[k] = 0
	}
	b.touched, b.newOf = b.touched[:0], b.newOf[:0]
}

// forced returns the places in a group's reads whose bits are decided, and their values.
func (b *beam) forced(g *part, k int, key []uint32) (known, fixed uint64) {
	f, o := b.f, b.o
	for i, v := range g.reads {
		h := f.s.home[v]
		if h < 0 {
			continue
		}
		var bit bool
		switch {
		case f.r.role[v] == now && int(o.place[h]) >= k:
			at := f.parts[h].index(v)
			bit = f.parts[h].values[key[h]][at/64]>>(at%64)&1 == 1
		case o.isPending(k, v):
			bit = b.bits[v] == 1
		default:
			continue
		}
		known |= 1 << i
		if bit {
			fixed |= 1 << i
		}
	}
	return known, fixed
}

// index is the place of a state bit among a group's own.
func (g *part) index(v int32) int {
	for i, w := range g.own {
		if w == v {
			return i
		}
	}
	return -1
}

func (o *order) isPending(k int, v int32) bool {
	_, ok := slices.BinarySearch(o.pending[k], v)
	return ok
}

// keepsRules reports whether a move leaves every rule in reach.
func (b *beam) keepsRules(k int, id int32, v uint32, i int, m *move) bool {
	f, o := b.f, b.o
	uses := o.uses[id][v][i]
	ok := true
	for _, u := range uses {
		b.sums[u.rel] += u.coef
	}
	for _, u := range uses {
		ok = ok && b.inReach(k, u.rel)
	}
	for _, c := range o.critical[k] {
		ok = ok && b.inReach(k, c)
	}
	for _, u := range uses {
		b.sums[u.rel] -= u.coef
	}
	if !ok || !f.hasQuiet {
		return ok
	}
	return b.keepsQuiet(k, id, m)
}

// inReach reports whether the groups after position k can still keep a rule.
func (b *beam) inReach(k int, rule int32) bool {
	e := &b.f.rels[b.o.relOf[rule]]
	s := b.sums[rule]
	return s+b.o.restMin[k+1][rule] <= e.limit && (!e.equal || s+b.o.restMax[k+1][rule] >= e.limit)
}

// keepsQuiet reports whether a new value leaves every rule on states in reach.
func (b *beam) keepsQuiet(k int, id int32, m *move) bool {
	f, o := b.f, b.o
	var uses []use
	if w := f.parts[id].nowUse; w != nil {
		uses = w[m.to]
	}
	sign := int64(1)
	add := func() {
		for _, u := range uses {
			if rule := f.rels[u.rel].rule; rule >= 0 && f.s.quiet[rule] {
				b.newSums[rule] += sign * u.coef
			}
		}
	}
	add()
	ok := true
	for _, rule := range o.quietRules[id] {
		e := &f.rels[o.relOf[rule]]
		s := b.newSums[rule]
		if s+o.quietMin[k+1][rule] > e.limit || e.equal && s+o.quietMax[k+1][rule] < e.limit {
			ok = false
			break
		}
	}
	sign = -1
	add()
	return ok
}

// carried numbers what must be remembered after a move at position k.
func (b *beam) carried(k int, id int32, v uint32, i int, m *move) uint32 {
	f, o := b.f, b.o
	g := &f.parts[id]
	pending := o.pending[k+1]
	uses := o.uses[id][v][i]
	if len(pending) == 0 && len(uses) == 0 && len(b.touched) == 0 {
		return 0
	}
	x := b.next[:0]
	for range (len(pending) + 31) / 32 {
		x = append(x, 0)
	}
	for n, w := range pending {
		var bit bool
		if at := slices.Index(g.reads, w); at >= 0 && f.s.home[w] >= 0 && f.r.role[w] != now {
			bit = m.reads>>at&1 == 1
		} else if f.r.role[w] == now && f.s.home[w] == id {
			at := g.index(w)
			bit = g.values[v][at/64]>>(at%64)&1 == 1
		} else {
			bit = b.bits[w] == 1
		}
		if bit {
			x[n/32] |= 1 << (n % 32)
		}
	}
	had := len(b.touched)
	for _, u := range uses {
		if b.sums[u.rel] == 0 && !slices.Contains(b.touched, u.rel) {
			b.touched = append(b.touched, u.rel)
		}
		b.sums[u.rel] += u.coef
	}
	slices.Sort(b.touched[had:])
	ordered := slices.Clone(b.touched)
	slices.Sort(ordered)
	for _, rule := range ordered {
		e := &f.rels[o.relOf[rule]]
		lo, hi := o.restMin[k+1][rule], o.restMax[k+1][rule]
		s := b.sums[rule]
		switch {
		case lo == 0 && hi == 0:
			s = 0 // nobody is left to use it
		case !e.equal && s+hi <= e.limit:
			s = min(0, e.limit-hi) // it holds whatever comes
		}
		if s != 0 {
			x = append(x, rule, int32(s))
		}
	}
	for _, u := range uses {
		b.sums[u.rel] -= u.coef
	}
	b.touched = b.touched[:had]
	b.next = x
	if len(x) == 0 {
		return 0
	}
	return b.carry.number(x, &b.bytes)
}

// tooBig reports whether sums of rules may leave 32 bits.
func (f *Factors) tooBig() bool {
	for i := range f.s.rules {
		var sum int64
		for _, t := range f.s.rules[i].Terms {
			sum += t.Coef
		}
		if sum+max(f.s.rules[i].K, -f.s.rules[i].K) > math.MaxInt32/2 {
			return true
		}
	}
	return false
}
