package bound

import (
	"context"
	"slices"
)

// expand decides the group at position k of step t in every node. It is false where
// the context ended or there was no room: the layer is incomplete then.
func (b *beam) expand(ctx context.Context, t, k int) bool {
	f, o := b.f, b.o
	id := o.group[k]
	if v, i := b.only(t, k); i >= 0 {
		b.follow(t, id, v, i)
		b.finish(t, k)
		return true
	}
	g := &f.parts[id]
	b.price.at(g, b.t.Price[t-1])
	for i := range o.counted {
		b.more[o.counted[i].rule], b.less[o.counted[i].rule] = 0, 0
	}
	old := b.turn()
	here, then := b.t.At[id][t-1], b.t.At[id][t]
	b.lost.at(b, t, k)
	for n := range old.cost {
		if n%1024 == 1023 && (ctx.Err() != nil || b.most > 0 && b.held+old.bytes()+b.layer.bytes() > b.most) {
			return false
		}
		key := old.key(n)
		v := key[id]
		b.open(k, key)
		known, fixed := b.forced(k, key)
		if g.awake != nil {
			known, fixed = known&g.awake[t-1], fixed&g.awake[t-1]
		}
		base := old.bound[n] - here[v]
		if len(b.price.now) > 0 {
			base += b.price.now[v]
		}
		base += b.lost.before(b)
		b.expectCounts(k, key)
		kept := old.hash[n] ^ hashAt(int(id), v) ^ hashAt(len(key)-1, key[len(key)-1])
		for _, i := range g.arcs[t-1].best[v] {
			m := &g.moves[v][i]
			if m.reads&known != fixed || then[m.to] >= infinite {
				continue
			}
			bound := base + m.cost*b.t.Scale + then[m.to] + b.price.sig[m.sig]
			if len(b.lost.rules) > 0 {
				bound += b.lost.after(o.uses[id][v][i])
			}
			if len(b.price.after) > 0 {
				bound += b.price.after[m.to]
			}
			if !b.allows(bound) || !b.keepsRules(k, o.near[id][v][i], o.tight[id][v][i]) {
				continue
			}
			b.reach(t, k, n, int(i), bound, kept)
		}
		b.shut()
	}
	b.finish(t, k)
	b.nodes += int64(b.layer.size())
	b.spared += b.width - b.layer.size()
	return true
}

// finish closes the layer after position k of step t.
func (b *beam) finish(t, k int) {
	if k == len(b.o.group)-1 {
		b.dominate(t)
	}
	b.close()
}

// only is the value and the move of a group that has no other at step t and that nothing depends on, such as of a clock; the move is -1 for none.
func (b *beam) only(t, k int) (v uint32, move int) {
	o, id := b.o, b.o.group[k]
	if b.rest != nil || len(o.rules[id]) > 0 || o.known[k] != 0 || len(o.interchangeable[k]) > 1 || !slices.Equal(o.pending[k], o.pending[k+1]) {
		return 0, -1
	}
	g, values := &b.f.parts[id], 0
	for w, ok := range g.allowed[t-1] {
		if ok {
			v = uint32(w)
			values++
		}
	}
	if values != 1 {
		return 0, -1
	}
	if best := g.arcs[t-1].best[v]; len(best) == 1 {
		return v, int(best[0])
	}
	return 0, -1
}

// follow moves a group in all nodes, which has value v there and one move: their bounds stay. The hash index is not valid afterwards.
func (b *beam) follow(t int, id int32, v uint32, move int) {
	l, m := b.layer, &b.f.parts[id].moves[v][move]
	more := int64(0)
	if b.guide != nil {
		more = b.guide.of(t, id, b.f.parts[id].arcs[t-1].of[v][move])
	}
	change := hashAt(int(id), v) ^ hashAt(int(id), uint32(m.to))
	for n := range l.cost {
		l.key(n)[id] = uint32(m.to)
		l.hash[n] ^= change
		l.cost[n] += m.cost
		l.extra[n] += more
		l.from[n], l.by[n] = int32(n), int32(move)
	}
}

// reach adds the node that a move of the group at position k leads to from node n of the layer before, unless it is of no use. kept is the hash of the other
// groups' values.
func (b *beam) reach(t, k, n, i int, bound int64, kept uint64) {
	o, old := b.o, b.spare
	id, key, last := o.group[k], old.key(n), len(b.key)-1
	g, v := &b.f.parts[id], key[id]
	m := &g.moves[v][i]
	cost, extra := old.cost[n]+m.cost, old.extra[n]
	if b.guide != nil {
		extra += b.guide.of(t, id, g.arcs[t-1].of[v][i])
	}
	copy(b.key, key)
	b.key[id] = uint32(m.to)
	o.settle(k, b.key, nil)
	if b.rest != nil {
		var dear bool
		if extra, dear = b.dear(t, k, cost, bound); dear {
			return
		}
	}
	b.key[last] = b.carried(k, id, v, i, m)
	hash := kept ^ hashAt(int(id), uint32(m.to)) ^ hashAt(last, b.key[last])
	if len(o.interchangeable[k]) > 1 {
		hash = hashKey(b.key)
	}
	b.layer.add(b.key, hash, cost, bound, extra, int32(n), int32(i))
}

// allows reports whether a bound is within the limit.
func (b *beam) allows(bound int64) bool {
	if bound > b.limit {
		b.pruned = min(b.pruned, bound)
		return false
	}
	return true
}

// expectCounts notes what groups after position k use of rules, as far as it depends on their values.
func (b *beam) expectCounts(k int, key []uint32) {
	list := b.o.expected[k]
	for _, c := range list {
		b.more[c.rule], b.less[c.rule] = 0, 0
	}
	for _, c := range list {
		v := key[c.group]
		b.more[c.rule] += c.more[v]
		b.less[c.rule] += c.less[v]
	}
}

// open reads a node's carry.
func (b *beam) open(k int, key []uint32) {
	o := b.o
	data := b.carry.data[key[len(key)-1]]
	words := (len(o.pending[k]) + 31) / 32
	for i, v := range o.pending[k] {
		b.bits[v] = int8(data[i/32] >> (i % 32) & 1)
	}
	for i := words; i < len(data); i += 2 {
		b.sums[data[i]] = int64(data[i+1])
		b.touched = append(b.touched, data[i])
	}
}

// shut clears what open set.
func (b *beam) shut() {
	for _, k := range b.touched {
		b.sums[k] = 0
	}
	b.touched = b.touched[:0]
}

// forced returns the places in the reads of the group at a position whose bits are decided, and their values.
func (b *beam) forced(k int, key []uint32) (known, fixed uint64) {
	o := b.o
	for i := range o.decided[k] {
		d := &o.decided[k][i]
		if d.group < 0 {
			fixed |= uint64(b.bits[d.at]&1) << d.place
		} else {
			fixed |= b.f.parts[d.group].values[key[d.group]][d.at/64] >> (d.at % 64) & 1 << d.place
		}
	}
	return o.known[k], fixed
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
func (b *beam) keepsRules(k int, uses, tight rulesOf) bool {
	for _, u := range tight {
		if !b.inReach(k, u.rel, b.sums[u.rel]+u.coef) {
			return false
		}
	}
	for _, rules := range [][]int32{b.touched, b.o.critical[k]} {
		for _, r := range rules {
			if !b.inReach(k, r, b.sums[r]+uses.of(r)) {
				return false
			}
		}
	}
	return true
}

// inReach reports whether the groups after position k can still keep a rule of which so much is used.
func (b *beam) inReach(k int, rule int32, sum int64) bool {
	if b.off != nil && b.off[rule] {
		return true
	}
	e := &b.f.rels[b.o.relOf[rule]]
	return sum+b.o.restMin[k+1][rule]+b.more[rule] <= e.limit && (!e.equal || sum+b.o.restMax[k+1][rule]-b.less[rule] >= e.limit)
}

// carried numbers what must be remembered after a move at position k.
func (b *beam) carried(k int, id int32, v uint32, i int, m *move) uint32 {
	f, o := b.f, b.o
	g := &f.parts[id]
	pending := o.pending[k+1]
	uses, tight := o.near[id][v][i], o.tight[id][v][i]
	if len(pending) == 0 && len(tight) == 0 && len(b.touched) == 0 {
		return 0
	}
	x := b.next[:0]
	for range (len(pending) + 31) / 32 {
		x = append(x, 0)
	}
	for n, w := range pending {
		var bit bool
		switch s := o.sources[k][n]; {
		case s.read >= 0:
			bit = m.reads>>s.read&1 == 1
		case s.own >= 0:
			bit = g.values[v][s.own/64]>>(s.own%64)&1 == 1
		default:
			bit = b.bits[w] == 1
		}
		if bit {
			x[n/32] |= 1 << (n % 32)
		}
	}
	for t := b.touched; len(t) > 0 || len(tight) > 0; {
		var rule int32
		if len(tight) == 0 || len(t) > 0 && t[0] <= tight[0].rel {
			rule, t = t[0], t[1:]
		} else {
			rule = tight[0].rel
		}
		if len(tight) > 0 && tight[0].rel == rule {
			tight = tight[1:]
		}
		sum := b.sums[rule] + uses.of(rule)
		if sum = o.remembered(k+1, rule, sum); sum != 0 {
			x = append(x, rule, int32(sum))
		}
	}
	b.next = x
	if len(x) == 0 {
		return 0
	}
	return b.carry.number(x)
}

// remembered is what must be known of the sum of a rule when the groups from position k on are to be decided.
func (o *order) remembered(k int, rule int32, sum int64) int64 {
	e := &o.f.rels[o.relOf[rule]]
	lo, hi := o.restMin[k][rule], o.restMax[k][rule]
	switch {
	case lo == 0 && hi == 0:
		return 0 // nobody is left to use it
	case !e.equal && sum+hi <= e.limit:
		return min(0, e.limit-hi) // it holds whatever comes
	}
	return sum
}
