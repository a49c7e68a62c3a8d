package bound

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
)

// dual evaluates the bound and its slope in floating point, for the search of good
// prices. What it finds is computed anew in integers before it counts.
type dual struct {
	f      *Factors
	chains []*chain
	rels   int
	moves  int       // of a step at most, of groups that differ
	excess []float64 // [(t-1)*rels+rel]: uses minus limit along the best paths of the last evaluation
}

// chain is a group, or several equal ones, with its moves in arrays.
type chain struct {
	part     *part
	mult     float64
	arcs     []*arcs // by step
	sigs     [][]use // what moves use of relations by what they read: the moves that use the same share one
	val      [][]float64
	sigPrice []float64
	now      []float64
	after    []float64
}

// arcs are the moves that are possible at a step, those from value v at from[v]..from[v+1]. Of moves between
// the same values that use the same the cheapest is kept.
type arcs struct {
	from []int32
	to   []int32
	sig  []int32
	cost []float64
}

// newDual lays out the moves.
func (f *Factors) newDual() *dual {
	d := &dual{f: f, rels: len(f.rels), excess: make([]float64, f.horizon*len(f.rels))}
	known := map[string]*chain{}
	for id := range f.parts {
		c := f.newChain(&f.parts[id])
		key := c.key()
		if old := known[key]; old != nil {
			old.mult++
			continue
		}
		known[key] = c
		d.chains = append(d.chains, c)
		most := 0
		for _, a := range c.arcs {
			most = max(most, len(a.to))
		}
		d.moves += most
	}
	return d
}

// key identifies equal chains. It is a hash: a collision makes worse prices, no wrong bound.
func (c *chain) key() string {
	h := fnv.New128a()
	fmt.Fprint(h, c.part.starts, c.part.allowed, c.part.nowUse, c.part.afterUse, c.sigs)
	seen := map[*arcs]int{}
	for _, a := range c.arcs {
		n, ok := seen[a]
		if !ok {
			n = len(seen)
			seen[a] = n
			var b []byte
			for _, xs := range [][]int32{a.from, a.to, a.sig} {
				for _, x := range xs {
					b = binary.LittleEndian.AppendUint32(b, uint32(x))
				}
			}
			for _, x := range a.cost {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
			}
			h.Write(b)
		}
		fmt.Fprint(h, n, ",")
	}
	return string(h.Sum(nil))
}

func (f *Factors) newChain(g *part) *chain {
	c := &chain{part: g, mult: 1}
	l := layout{c: c, sigs: map[string]int32{}, ofReads: map[uint64]int32{}}
	seasons := map[[2]uint64]*arcs{}
	for t := range f.horizon {
		season := [2]uint64{g.known[t], g.fixed[t]}
		if seasons[season] == nil {
			seasons[season] = l.arcs(season[0], season[1])
		}
		c.arcs = append(c.arcs, seasons[season])
	}
	for range f.horizon + 1 {
		c.val = append(c.val, make([]float64, len(g.values)))
	}
	c.sigPrice = make([]float64, len(c.sigs))
	return c
}

// layout makes the arrays of a chain.
type layout struct {
	c       *chain
	sigs    map[string]int32
	ofReads map[uint64]int32
}

// arcs are the moves that read fixed in the places known.
func (l *layout) arcs(known, fixed uint64) *arcs {
	a := &arcs{}
	for v := range l.c.part.moves {
		a.from = append(a.from, int32(len(a.to)))
		at := map[[2]int32]int{}
		for i := range l.c.part.moves[v] {
			m := &l.c.part.moves[v][i]
			if m.reads&known != fixed {
				continue
			}
			key := [2]int32{m.to, l.sig(m.reads)}
			if k, ok := at[key]; ok {
				a.cost[k] = min(a.cost[k], float64(m.cost))
				continue
			}
			at[key] = len(a.to)
			a.to, a.sig, a.cost = append(a.to, m.to), append(a.sig, key[1]), append(a.cost, float64(m.cost))
		}
	}
	a.from = append(a.from, int32(len(a.to)))
	return a
}

// sig numbers what is used by reading.
func (l *layout) sig(reads uint64) int32 {
	if n, ok := l.ofReads[reads]; ok {
		return n
	}
	sums := map[int32]int64{}
	for b, r := 0, reads; r != 0; b, r = b+1, r>>1 {
		if r&1 != 0 {
			for _, u := range l.c.part.readUse[b] {
				sums[u.rel] += u.coef
			}
		}
	}
	var uses []use
	for _, e := range slices.Sorted(maps.Keys(sums)) {
		if sums[e] != 0 {
			uses = append(uses, use{e, sums[e]})
		}
	}
	key := fmt.Sprint(uses)
	n, ok := l.sigs[key]
	if !ok {
		n = int32(len(l.c.sigs))
		l.sigs[key] = n
		l.c.sigs = append(l.c.sigs, uses)
	}
	l.ofReads[reads] = n
	return n
}

// priceStep sets what moves and values cost at a step's prices.
func (c *chain) priceStep(price []float64) {
	sum := func(uses []use) (x float64) {
		for _, u := range uses {
			x += float64(u.coef) * price[u.rel]
		}
		return x
	}
	for i, uses := range c.sigs {
		c.sigPrice[i] = sum(uses)
	}
	fill := func(uses [][]use, to []float64) []float64 {
		to = to[:0]
		for _, u := range uses {
			to = append(to, sum(u))
		}
		return to
	}
	c.now, c.after = fill(c.part.nowUse, c.now), fill(c.part.afterUse, c.after)
}

// build fills the chain's table backwards.
func (d *dual) build(c *chain, price []float64) {
	h, g := d.f.horizon, c.part
	for v := range c.val[h] {
		c.val[h][v] = math.Inf(1)
		if g.allowed[h][v] {
			c.val[h][v] = 0
		}
	}
	for t := h - 1; t >= 0; t-- {
		c.priceStep(price[t*d.rels : (t+1)*d.rels])
		a, here, then := c.arcs[t], c.val[t], c.val[t+1]
		if len(c.after) > 0 { // what is paid for the value that follows
			for v := range then {
				then[v] += c.after[v]
			}
		}
		for v := range here {
			best := math.Inf(1)
			if g.allowed[t][v] {
				from, to := a.from[v], a.from[v+1]
				tos, sigs, costs := a.to[from:to], a.sig[from:to], a.cost[from:to]
				for i, w := range tos {
					if x := costs[i] + c.sigPrice[sigs[i]] + then[w]; x < best {
						best = x
					}
				}
				if len(c.now) > 0 {
					best += c.now[v]
				}
			}
			here[v] = best
		}
		if len(c.after) > 0 {
			for v := range then {
				then[v] -= c.after[v]
			}
		}
	}
}

// follow adds the uses along the chain's best path to the excess.
func (d *dual) follow(c *chain, price []float64, v int32) {
	for t := range d.f.horizon {
		c.priceStep(price[t*d.rels : (t+1)*d.rels])
		a, then := c.arcs[t], c.val[t+1]
		best, at := math.Inf(1), int32(-1)
		for i := a.from[v]; i < a.from[v+1]; i++ {
			x := a.cost[i] + c.sigPrice[a.sig[i]] + then[a.to[i]]
			if len(c.after) > 0 {
				x += c.after[a.to[i]]
			}
			if x < best {
				best, at = x, i
			}
		}
		excess := d.excess[t*d.rels : (t+1)*d.rels]
		count := func(uses []use) {
			for _, u := range uses {
				excess[u.rel] += c.mult * float64(u.coef)
			}
		}
		if c.part.nowUse != nil {
			count(c.part.nowUse[v])
		}
		count(c.sigs[a.sig[at]])
		v = a.to[at]
		if c.part.afterUse != nil {
			count(c.part.afterUse[v])
		}
	}
}

// eval gives the priced cost that no plan is below, without the constant, in units of cost, and
// the excess; infinity if a group has no path.
func (d *dual) eval(price []float64) float64 {
	var sum float64
	for t := range d.f.horizon {
		for e := range d.rels {
			limit := float64(d.f.rels[e].limit)
			d.excess[t*d.rels+e] = -limit
			sum -= price[t*d.rels+e] * limit
		}
	}
	for _, c := range d.chains {
		d.build(c, price)
		best, from := math.Inf(1), int32(-1)
		for _, v := range c.part.starts {
			if x := c.val[0][v]; x < best {
				best, from = x, v
			}
		}
		if from < 0 {
			return math.Inf(1)
		}
		sum += c.mult * best
		d.follow(c, price, from)
	}
	return sum
}
