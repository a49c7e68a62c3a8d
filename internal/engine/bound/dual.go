package bound

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
)

// dual evaluates the bound in floating point, for the search of good
// prices. What it finds is computed anew in integers before it counts.
type dual struct {
	f      *Factors
	chains []*chain
	rels   int
	moves  int       // of a step at most, of groups that differ
	uses   []float64 // [(t-1)*rels+rel]: 0 but while a path is followed
}

// chain is a group, or several equal ones.
type chain struct {
	part *part
	ids  []int32 // of the groups
	mult float64 // how many they are
	val  [][]float64
	priced[float64]
	paths
}

// newDual lays out the moves.
func (f *Factors) newDual() *dual {
	d := &dual{f: f, rels: len(f.rels), uses: make([]float64, f.horizon*len(f.rels))}
	known := map[string]*chain{}
	for id := range f.parts {
		g := &f.parts[id]
		key := g.key()
		if old := known[key]; old != nil {
			old.ids = append(old.ids, int32(id))
			old.mult++
			continue
		}
		c := &chain{part: g, ids: []int32{int32(id)}, mult: 1}
		known[key] = c
		d.chains = append(d.chains, c)
		most := 0
		for _, a := range g.arcs {
			most = max(most, len(a.to))
			c.val = append(c.val, make([]float64, len(g.values)))
		}
		c.val = append(c.val, make([]float64, len(g.values)))
		d.moves += most
	}
	return d
}

// key identifies equal groups. It is a hash: a collision makes worse prices, no wrong bound.
func (g *part) key() string {
	h := fnv.New128a()
	fmt.Fprint(h, g.starts, g.allowed, g.nowUse, g.afterUse, g.sigs)
	seen := map[*arcs]int{}
	for _, a := range g.arcs {
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

// best gives the cheapest path of a chain, and what it costs with prices, in units of cost.
func (d *dual) best(c *chain, price []float64) (p *path, cost float64) {
	build(c.part, c.val, func(t int) []float64 { return price[t*d.rels : (t+1)*d.rels] }, 1, math.Inf(1), &c.priced)
	cost, from := math.Inf(1), int32(0)
	for _, v := range c.part.starts {
		if x := c.val[0][v]; x < cost {
			cost, from = x, v
		}
	}
	return d.follow(c, price, from), cost
}

// follow gives the cheapest path of a chain from a value on.
func (d *dual) follow(c *chain, price []float64, v int32) *path {
	p := &path{}
	for t := range d.f.horizon {
		c.at(c.part, price[t*d.rels:(t+1)*d.rels])
		a, then := c.part.arcs[t], c.val[t+1]
		best, at := math.Inf(1), int32(-1)
		for i := a.from[v]; i < a.from[v+1]; i++ {
			x := a.cost[i] + c.sig[a.sig[i]] + then[a.to[i]]
			if len(c.after) > 0 {
				x += c.after[a.to[i]]
			}
			if x < best {
				best, at = x, i
			}
		}
		count := func(uses []use) {
			for _, u := range uses {
				i := int32(t*d.rels) + u.rel
				p.at = append(p.at, i)
				d.uses[i] += float64(u.coef)
			}
		}
		if c.part.nowUse != nil {
			count(c.part.nowUse[v])
		}
		count(c.part.sigs[a.sig[at]])
		p.cost += a.cost[at]
		p.arcs = append(p.arcs, at)
		v = a.to[at]
		if c.part.afterUse != nil {
			count(c.part.afterUse[v])
		}
	}
	d.gather(p)
	return p
}

// gather gives a path what was counted of each relation, in ascending order.
func (d *dual) gather(p *path) {
	slices.Sort(p.at)
	n := 0
	for _, i := range p.at {
		if u := d.uses[i]; u != 0 {
			p.at[n] = i
			n++
			p.uses = append(p.uses, u)
			d.uses[i] = 0
		}
	}
	p.at = p.at[:n]
}
