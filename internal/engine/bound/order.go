package bound

import (
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// order lays out a layered search over the groups of a step, one group a layer.
type order struct {
	f     *Factors
	group []int32 // by position
	place []int32 // by group: its position
	// At each position, over the groups from there on:
	restMin, restMax [][]int64 // of the uses of each rule
	// pending are the shared bits that an earlier group than the position
	// decides and one from there on reads: variables, ascending.
	pending [][]int32
	sources [][]source // by position: where the bits come from that are pending after it
	decided [][]read   // by position: what the group reads that is decided
	known   []uint64   // the places of these in its reads
	later   []uint     // the groups after each, where they are few
	rules   [][]int32  // by group: the rules that its moves use
	uses    [][][]rulesOf
	near    [][][]rulesOf // of uses, those that may matter: some rule may be broken with what groups before and after use at most
	tight   [][][]rulesOf // of near, those that may matter where nothing of a rule was used before
	relOf   []int32       // by rule: the relation that states it
	counted []counted
	// expected are, by position, those of rules that the group there or one before it uses, which later groups count.
	expected [][]*counted
	// critical are the rules that must be looked at for every move.
	critical   [][]int32
	impossible bool // a rule that nothing can keep
	// interchangeable are, by position, the positions up to there of groups that can be
	// swapped with that one; same are all sets of such groups.
	interchangeable [][]int32
	same            [][]int32
}

// rulesOf lists what a move uses of rules, in their order; of those on states alone, by the value that it leads to.
type rulesOf []use

// of is what is used of a rule.
func (u rulesOf) of(rule int32) int64 {
	from, to := 0, len(u)
	for from < to { // slices.BinarySearchFunc takes twice as long
		if m := (from + to) / 2; u[m].rel < rule {
			from = m + 1
		} else {
			to = m
		}
	}
	if from < len(u) && u[from].rel == rule {
		return u[from].coef
	}
	return 0
}

// newOrder lays out a search. Groups that share much stand next to each other.
func (f *Factors) newOrder() *order {
	o := &order{f: f}
	o.arrange()
	o.place = make([]int32, len(f.parts))
	for k, g := range o.group {
		o.place[g] = int32(k)
	}
	o.later = make([]uint, len(o.group))
	for k := len(o.group) - 1; k > 0; k-- {
		o.later[k-1] = o.later[k] | 1<<o.group[k]
	}
	o.relOf = make([]int32, len(f.s.rules))
	for i := range f.rels {
		if k := f.rels[i].rule; k >= 0 {
			o.relOf[k] = int32(i)
		}
	}
	o.countUses()
	o.findExpected()
	o.findTight()
	o.findCritical()
	o.findPending()
	o.findDecided()
	o.findInterchangeable()
	return o
}

// links tells for each group which others it shares bits or small rules with.
func (f *Factors) links() [][]int32 {
	out := make([][]int32, len(f.parts))
	link := func(a, b int32) {
		if a != b && !slices.Contains(out[a], b) {
			out[a], out[b] = append(out[a], b), append(out[b], a)
		}
	}
	for e := range f.rels {
		ids := f.sides(e)
		if len(ids) > 4 {
			continue
		}
		for _, a := range ids {
			for _, b := range ids {
				link(a, b)
			}
		}
	}
	return out
}

// guesses lists for each group those that it reads actions or shared bits of, which are not known before these are decided.
func (f *Factors) guesses() [][]int32 {
	out := make([][]int32, len(f.parts))
	for e := range f.rels {
		x := &f.rels[e]
		if x.rule < 0 && f.r.role[x.variable] != now {
			out[x.copier] = insert(out[x.copier], f.s.home[x.variable])
		}
	}
	return out
}

// arrange orders the groups: each next one is that which leaves the fewest
// decided groups with undecided neighbours, and guesses the fewest of others.
func (o *order) arrange() {
	links, guesses := o.f.links(), o.f.guesses()
	n := len(links)
	open := make([]int, n) // undecided neighbours
	for g := range links {
		open[g] = len(links[g])
	}
	decided := make([]bool, n)
	for len(o.group) < n {
		best, least := -1, 0
		for g := range n {
			if decided[g] {
				continue
			}
			cost := 0
			if o.f.counts(int32(g)) { // what is taken must be known
				cost = 4 * n
			}
			if open[g] > 0 {
				cost = 2 * n
			}
			for _, h := range guesses[g] {
				if !decided[h] {
					cost += n
				}
			}
			closes := 0
			for _, h := range links[g] {
				if decided[h] {
					closes++
					if open[h] == 1 {
						cost -= 2 * n
					}
				}
			}
			cost += open[g] - 2*closes
			if best < 0 || cost < least {
				best, least = g, cost
			}
		}
		decided[best] = true
		o.group = append(o.group, int32(best))
		for _, h := range links[best] {
			open[h]--
		}
	}
}

// countUses lists what each move uses of the rules, and how much the groups from each position on use.
func (o *order) countUses() {
	f := o.f
	rules, n := len(f.s.rules), len(o.group)
	o.rules, o.uses = make([][]int32, len(f.parts)), make([][][]rulesOf, len(f.parts))
	o.restMin, o.restMax = make([][]int64, n+1), make([][]int64, n+1)
	o.restMin[n], o.restMax[n] = make([]int64, rules), make([]int64, rules)
	for k := n - 1; k >= 0; k-- {
		id := o.group[k]
		o.restMin[k], o.restMax[k] = slices.Clone(o.restMin[k+1]), slices.Clone(o.restMax[k+1])
		for rule, r := range o.countGroup(id) {
			if r.moves == 0 {
				continue
			}
			if r.moves < f.parts[id].total {
				r.least, r.most = min(r.least, 0), max(r.most, 0)
			}
			o.restMin[k][rule] += r.least
			o.restMax[k][rule] += r.most
			o.rules[id] = append(o.rules[id], int32(rule))
			if f.counts(id) && f.rels[o.relOf[rule]].equal && !f.s.invariant[rule] || f.says(id, rule) {
				o.addCounted(id, int32(rule), r)
			}
		}
	}
}

// findTight lists the uses that may matter.
func (o *order) findTight() {
	o.near, o.tight = make([][][]rulesOf, len(o.uses)), make([][][]rulesOf, len(o.uses))
	for k, id := range o.group {
		o.near[id], o.tight[id] = make([][]rulesOf, len(o.uses[id])), make([][]rulesOf, len(o.uses[id]))
		for v, moves := range o.uses[id] {
			near, tight := make([]rulesOf, len(moves)), make([]rulesOf, len(moves))
			for i, uses := range moves {
				for _, u := range uses {
					e, hi := &o.f.rels[o.relOf[u.rel]], o.restMax[k+1][u.rel]
					free := e.limit - hi - u.coef
					if e.equal || u.coef < 0 || o.restMax[0][u.rel]-o.restMax[k][u.rel] > free {
						near[i] = append(near[i], u)
					}
					if e.equal || hi > e.limit || free < 0 {
						tight[i] = append(tight[i], u)
					}
				}
			}
			o.near[id][v], o.tight[id][v] = near, tight
		}
	}
}

// says reports whether a clause is about a group's state and one action or guard of another: the state says then whether that may be, before the group is decided.
func (f *Factors) says(id int32, rule int) bool {
	s := &f.s.rules[rule]
	if s.Op != factored.GE || s.K != 1 {
		return false
	}
	others := 0
	for _, t := range s.Terms {
		v := t.Lit.Var()
		switch role := f.r.role[v]; {
		case f.s.home[v] == id && (role == now || role == quantity):
		case f.s.home[v] != id && (role == action || role == quantity):
			others++
		default:
			return false
		}
	}
	return others == 1
}

// counted is a rule of which a group uses what depends on its value, such as a sum that it counts, and which is decided after those that contribute: by its value, how much more
// than the least of all values, and less than the most, it may use.
type counted struct {
	rule, group int32
	more, less  []int64
}

// addCounted notes what of a rule a group may count.
func (o *order) addCounted(id, rule int32, all extent) {
	c := counted{rule: rule, group: id}
	for _, uses := range o.uses[id] {
		least, most := all.most, all.least
		for i := range uses {
			n := int64(0)
			for _, u := range uses[i] {
				if u.rel == rule {
					n = u.coef
				}
			}
			least, most = min(least, n), max(most, n)
		}
		c.more, c.less = append(c.more, least-all.least), append(c.less, all.most-most)
	}
	o.counted = append(o.counted, c)
}

// findExpected lists what is looked up at each position.
func (o *order) findExpected() {
	o.expected = make([][]*counted, len(o.group))
	first := make([]int, len(o.relOf)) // by rule: the first position whose group uses it
	for k := len(o.group) - 1; k >= 0; k-- {
		for _, r := range o.rules[o.group[k]] {
			first[r] = k
		}
	}
	for i := range o.counted {
		c := &o.counted[i]
		for k := first[c.rule]; k < int(o.place[c.group]); k++ {
			o.expected[k] = append(o.expected[k], c)
		}
	}
}

// extent is how much the moves of a group use of a rule.
type extent struct {
	moves       int // that use it
	least, most int64
}

// countGroup does so for one group.
func (o *order) countGroup(id int32) []extent {
	f := o.f
	g := &f.parts[id]
	out, sum := make([]extent, len(f.s.rules)), make([]int64, len(f.s.rules))
	var touched []int32
	add := func(uses []use, states bool) {
		for _, u := range uses {
			if k := f.rels[u.rel].rule; k >= 0 && f.s.invariant[k] == states {
				touched = append(touched, int32(k))
				sum[k] += u.coef
			}
		}
	}
	o.uses[id] = make([][]rulesOf, len(g.values))
	for v := range g.moves {
		o.uses[id][v] = make([]rulesOf, len(g.moves[v]))
		for i := range g.moves[v] {
			m := &g.moves[v][i]
			touched = touched[:0]
			f.eachUse(g, int32(v), m, func(uses []use) { add(uses, false) })
			if g.nowUse != nil {
				add(g.nowUse[m.to], true)
			}
			slices.Sort(touched)
			for _, k := range touched {
				c := sum[k]
				if c == 0 {
					continue
				}
				o.uses[id][v][i] = append(o.uses[id][v][i], use{k, c})
				r := &out[k]
				if r.moves == 0 {
					r.least, r.most = c, c
				}
				r.moves, r.least, r.most, sum[k] = r.moves+1, min(r.least, c), max(r.most, c), 0
			}
		}
	}
	return out
}

// findPending lists which shared bits must be remembered at each position.
func (o *order) findPending() {
	f := o.f
	first, last := map[int32]int{}, map[int32]int{}
	for k, id := range o.group {
		g := &f.parts[id]
		note := func(v int32) {
			if _, ok := first[v]; !ok {
				first[v] = k
			}
			last[v] = k
		}
		for _, v := range g.reads {
			if f.s.home[v] >= 0 && !f.r.clocked(v) {
				note(v)
				if f.r.role[v] == now {
					// Known from the state until its home is decided.
					h := int(o.place[f.s.home[v]])
					first[v] = h
					last[v] = max(last[v], k)
				}
			}
		}
	}
	o.pending = make([][]int32, len(o.group)+1)
	for v := int32(1); v <= f.r.numVars; v++ {
		from, ok := first[v]
		for k := from + 1; ok && k <= last[v]; k++ {
			o.pending[k] = append(o.pending[k], v)
		}
	}
	for k, id := range o.group {
		g := &f.parts[id]
		var list []source
		for _, v := range o.pending[k+1] {
			s := source{-1, -1}
			if at := slices.Index(g.reads, v); at >= 0 && f.r.role[v] != now {
				s.read = int32(at)
			} else if f.r.role[v] == now && f.s.home[v] == id {
				s.own = int32(g.index(v))
			}
			list = append(list, s)
		}
		o.sources = append(o.sources, list)
	}
}

// source is the place of a bit in what the group that is decided reads, or in its own value before; -1 where it is not there.
type source struct{ read, own int32 }

// read is a bit that a group reads: where it is in the value of another, or a pending bit.
type read struct {
	place int
	group int32 // -1 for a pending bit
	at    int32 // place in the value, or variable
}

// findDecided lists which bits that are read are decided.
func (o *order) findDecided() {
	f := o.f
	o.decided, o.known = make([][]read, len(o.group)), make([]uint64, len(o.group))
	for k, id := range o.group {
		for i, v := range f.parts[id].reads {
			h := f.s.home[v]
			switch {
			case h < 0, f.r.clocked(v):
				continue
			case f.r.role[v] == now && int(o.place[h]) >= k:
				o.decided[k] = append(o.decided[k], read{i, h, int32(f.parts[h].index(v))})
			case o.isPending(k, v):
				o.decided[k] = append(o.decided[k], read{i, -1, v})
			default:
				continue
			}
			o.known[k] |= 1 << i
		}
	}
}

// findCritical lists for each position the rules that a group could break by
// using nothing of them: it was counted on to use less, or more of an equation.
func (o *order) findCritical() {
	f := o.f
	o.critical = make([][]int32, len(o.group))
	for k, id := range o.group {
		for _, i := range o.rules[id] {
			if o.restMin[k][i] < o.restMin[k+1][i] || f.rels[o.relOf[i]].equal && o.restMax[k][i] > o.restMax[k+1][i] {
				o.critical[k] = append(o.critical[k], i)
			}
		}
	}
	for i := range f.s.rules {
		e := &f.rels[o.relOf[i]]
		o.impossible = o.impossible || o.restMin[0][i] > e.limit || e.equal && o.restMax[0][i] < e.limit
	}
}

// findInterchangeable lists which groups can be swapped.
func (o *order) findInterchangeable() {
	class := o.f.classes()
	sets := map[int32]int{}
	o.interchangeable = make([][]int32, len(o.group))
	for k, id := range o.group {
		c := class[id]
		if c < 0 {
			continue
		}
		n, ok := sets[c]
		if !ok {
			n = len(o.same)
			sets[c] = n
			o.same = append(o.same, nil)
		}
		o.same[n] = append(o.same[n], id)
		o.interchangeable[k] = slices.Clone(o.same[n])
	}
}

// settle sorts the new values of the groups that can be swapped with the one at
// position k and are decided; actual, if not nil, follows.
func (o *order) settle(k int, values []uint32, actual []int32) {
	o.sort(o.interchangeable[k], values, actual, true)
}

// canonical sorts the values of all groups that can be swapped.
func (o *order) canonical(values []uint32, actual []int32) {
	for _, set := range o.same {
		o.sort(set, values, actual, false)
	}
}

// sort orders the values in some slots; with last, all but the last are in order
// already.
func (o *order) sort(slots []int32, values []uint32, actual []int32, last bool) {
	from := 1
	if last {
		from = len(slots) - 1
	}
	for i := max(from, 1); i < len(slots); i++ {
		for j := i; j > 0 && values[slots[j]] < values[slots[j-1]]; j-- {
			a, b := slots[j], slots[j-1]
			values[a], values[b] = values[b], values[a]
			if actual != nil {
				actual[a], actual[b] = actual[b], actual[a]
			}
		}
	}
}
