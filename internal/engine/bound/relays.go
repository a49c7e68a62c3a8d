package bound

// relay is a group of which each move is one of outs and one of ins.
type relay struct {
	first     int32  // the value at step 1
	in        uint64 // what of its reads goes with the next value
	outs, ins []half
	list      [][2]int32 // by move in waves: which of outs and of ins; -1 for none
}

// half is what is read with a value, or with a next value.
type half struct {
	value int32
	reads uint64
	cost  int64
}

// Bounds on relays: of moves, and of bits that are read.
const (
	maxRelayMoves = 4096
	maxRelayReads = 40
)

// relay is how a group is one; nil where its next value depends on the one that it has.
func (g *local) relay() *relay {
	if len(g.values) < 2 || len(g.starts) != 1 || g.total > maxRelayMoves || len(g.reads)+len(g.own) > maxRelayReads {
		return nil
	}
	x := &relay{first: g.starts[0]}
	if !x.divide(g) || !x.isProduct(g) {
		return nil
	}
	return x
}

// canRelay reports whether a relay may be one by waves: conditions on states do not concern it and others, and both what it takes in and what it
// gives out are coupled with others.
func (f *Factors) canRelay(id int, x *relay, marks [][]mark) bool {
	g := &f.parts[id]
	for _, uses := range g.nowUse {
		for _, u := range uses {
			if k := f.rels[u.rel].rule; k >= 0 && f.s.invariant[k] {
				return false
			}
		}
	}
	takes, gives := false, false
	x.eachUse(g, func(out bool, _ use) { takes, gives = takes || !out, gives || out })
	return takes && gives && len(marks[id]) == 0
}

// eachUse visits all that a group may use of relations, with what it gives out or takes in.
func (x *relay) eachUse(g *part, visit func(gives bool, u use)) {
	all := func(gives bool, list ...[]use) {
		for _, uses := range list {
			for _, u := range uses {
				visit(gives, u)
			}
		}
	}
	all(true, g.nowUse...)
	all(false, g.afterUse...)
	for p, uses := range g.readUse {
		all(x.in>>p&1 == 0, uses)
	}
}

// divide finds what of a group's reads depends on the next value, directly or over other reads; false where the value does.
func (x *relay) divide(g *local) bool {
	var moves []half // of all values, with the next one
	var from []int32
	for v := range g.moves {
		for _, m := range g.moves[v] {
			moves, from = append(moves, half{m.to, m.reads, 0}), append(from, int32(v))
		}
	}
	// What a move is told by: its value, the next one, and each bit.
	aspects := []func(i int) int32{func(i int) int32 { return from[i] }, func(i int) int32 { return moves[i].value }}
	for p := range g.reads {
		aspects = append(aspects, func(i int) int32 { return int32(moves[i].reads >> p & 1) })
	}
	found := []int{1}
	seen := make([]bool, len(aspects))
	for len(found) > 0 {
		a := found[0]
		found = found[1:]
		for b := range aspects {
			if b == 1 || seen[b] || independent(len(moves), aspects[a], aspects[b]) {
				continue
			}
			if b == 0 {
				return false
			}
			seen[b] = true
			x.in |= 1 << (b - 2)
			found = append(found, b)
		}
	}
	return true
}

// independent reports whether each value of a comes with each of b.
func independent(n int, a, b func(i int) int32) bool {
	as, bs, both := map[int32]bool{}, map[int32]bool{}, map[[2]int32]bool{}
	for i := range n {
		as[a(i)], bs[b(i)], both[[2]int32{a(i), b(i)}] = true, true, true
	}
	return len(both) == len(as)*len(bs)
}

// isProduct lists the halves, and reports whether each one comes with each other, at a cost that is a sum.
func (x *relay) isProduct(g *local) bool {
	outs, ins, costs := map[half]int{}, map[half]int{}, map[[2]int]int64{}
	number := func(known map[half]int, list *[]half, h half) int {
		n, ok := known[h]
		if !ok {
			n = len(*list)
			known[h], *list = n, append(*list, h)
		}
		return n
	}
	for v := range g.moves {
		for _, m := range g.moves[v] {
			o := number(outs, &x.outs, half{int32(v), m.reads &^ x.in, 0})
			i := number(ins, &x.ins, half{m.to, m.reads & x.in, 0})
			costs[[2]int{o, i}] = m.cost
		}
	}
	if len(costs) != len(x.outs)*len(x.ins) {
		return false
	}
	for o := range x.outs {
		x.outs[o].cost = costs[[2]int{o, 0}]
	}
	for i := range x.ins {
		x.ins[i].cost = costs[[2]int{0, i}] - costs[[2]int{0, 0}]
	}
	for k, cost := range costs {
		if cost != x.outs[k[0]].cost+x.ins[k[1]].cost {
			return false
		}
	}
	return true
}

// combine lists the moves: each half of what is taken in with each that gives out that value, and each alone.
func (x *relay) combine(g, by *part) {
	known := map[string]int32{}
	var moves []move
	add := func(out, in int32) {
		m, uses := move{}, []use(nil)
		if out >= 0 {
			h := x.outs[out]
			m.reads, m.cost = h.reads|g.values[h.value][0]<<len(g.reads), h.cost
			uses = g.usesOf(h.reads)
			if g.nowUse != nil {
				uses = addUses(uses, g.nowUse[h.value])
			}
		}
		if in >= 0 {
			h := x.ins[in]
			m.reads, m.cost = m.reads|h.reads, m.cost+h.cost
			uses = addUses(uses, g.usesOf(h.reads))
			if g.afterUse != nil {
				uses = addUses(uses, g.afterUse[h.value])
			}
		}
		m.sig = by.sigOf(uses, known)
		moves, x.list = append(moves, m), append(x.list, [2]int32{out, in})
	}
	add(-1, -1)
	for o := range x.outs {
		add(int32(o), -1)
	}
	for i := range x.ins {
		add(-1, int32(i))
		for o := range x.outs {
			if x.outs[o].value == x.ins[i].value {
				add(int32(o), int32(i))
			}
		}
	}
	by.moves, by.total = [][]move{moves}, len(moves)
}

// hour is what a relay may do in a wave: what it takes in is of one step, and what it gives out of the next.
type hour struct {
	takes, gives       bool
	knownIn, fixedIn   uint64
	knownOut, fixedOut uint64
	allowed            []bool // values after the one and at the other
}

// hour is that of step t.
func (x *relay) hour(g *part, t int) hour {
	h := hour{takes: t >= 1 && t <= len(g.known), gives: t >= 0 && t < len(g.known)}
	if h.takes {
		h.knownIn, h.fixedIn = g.known[t-1]&x.in, g.fixed[t-1]&x.in
	}
	if h.gives {
		h.knownOut, h.fixedOut = g.known[t]&^x.in, g.fixed[t]&^x.in
	}
	if h.takes || h.gives {
		h.allowed = g.allowed[t]
	}
	return h
}

// possible reports whether halves may come together in a wave.
func (x *relay) possible(h hour, out, in int32) bool {
	if out >= 0 != h.gives || in >= 0 != h.takes {
		return false
	}
	if in >= 0 && (!h.allowed[x.ins[in].value] || x.ins[in].reads&h.knownIn != h.fixedIn) {
		return false
	}
	return out < 0 || h.allowed[x.outs[out].value] && x.outs[out].reads&h.knownOut == h.fixedOut && (in >= 0 || x.outs[out].value == x.first)
}
