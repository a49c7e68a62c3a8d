package search

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/bound"
)

// generator is a successor generator over operators: what a joint action needs and does, read from the compiled step. Operators stand with the
// true fact that they need and that the fewest need.
type generator struct {
	joint  []uint64 // packed joint actions
	words  int      // of a joint action
	ops    []operator
	at     [][]int32 // by true state bit: operators
	always []int32   // operators without a fact that is true
	fixed  []masked  // what every state keeps
}

// operator is one on packed states.
type operator struct {
	needs  []masked
	sets   []masked // mask: the bits that change
	when   changes
	cost   int64
	action int32 // of joint
}

// changes are conditionals by the true bits that they need.
type changes struct {
	always []conditional // of which no such bit is known
	by     []trigger
	then   []changes // by bit of the triggers
}

// masked is about the bits of one word.
type masked struct {
	word        int32
	mask, value uint64
}

// conditional is a change where bits have some values before.
type conditional struct {
	needs []masked
	set   masked
}

// trigger are bits of one word that conditionals need true: a state has few of these, so that the others are not looked at.
type trigger struct {
	word, from int32 // from: the first in changes.then
	mask       uint64
}

func (m *masked) holds(state []uint64) bool { return state[m.word]&m.mask == m.value }

// newGenerator packs operators.
func (s *relation) newGenerator(ops []bound.Operator, joint [][]int) *generator {
	g := &generator{words: s.ActionWords(), at: make([][]int32, len(s.Now))}
	for _, places := range joint {
		key := make([]uint64, g.words)
		for _, i := range places {
			key[i/64] |= 1 << (i % 64)
		}
		g.joint = append(g.joint, key...)
	}
	for i, m := range s.fixedMask {
		if m != 0 {
			g.fixed = append(g.fixed, masked{int32(i), m, s.fixedValue[i]})
		}
	}
	users := make([]int, len(s.Now)) // of each true fact
	for _, o := range ops {
		for _, f := range o.Needs {
			if f.On {
				users[f.Place]++
			}
		}
	}
	for _, o := range ops {
		cost := s.mostReward - o.Reward
		if len(o.Effects) == 0 && cost > 0 {
			continue // it stays, at a cost
		}
		x := operator{needs: packFacts(o.Needs), cost: cost, action: int32(o.Action)}
		var sure []bound.Fact
		var when []conditional
		for _, e := range o.Effects {
			if len(e.When) == 0 {
				sure = append(sure, e.Fact)
			} else {
				when = append(when, conditional{packFacts(e.When), packFacts([]bound.Fact{e.Fact})[0]})
			}
		}
		x.sets = packFacts(sure)
		x.when = newChanges(when, true)
		id := int32(len(g.ops))
		g.ops = append(g.ops, x)
		needs := slices.DeleteFunc(slices.Clone(o.Needs), func(f bound.Fact) bool { return !f.On })
		if len(needs) == 0 {
			g.always = append(g.always, id)
			continue
		}
		best := slices.MinFunc(needs, func(a, b bound.Fact) int {
			return cmp.Or(cmp.Compare(users[a.Place], users[b.Place]), cmp.Compare(len(g.at[a.Place]), len(g.at[b.Place])))
		})
		g.at[best.Place] = append(g.at[best.Place], id)
	}
	return g
}

// places are the bits that a conditional needs true.
func (c *conditional) places() (out []int) {
	for _, m := range c.needs {
		for w := m.value; w != 0; w &= w - 1 {
			out = append(out, 64*int(m.word)+bits.TrailingZeros64(w))
		}
	}
	return out
}

// newChanges puts conditionals with a true bit that each needs: first one that many share, of which a state has few, and below it one that few share.
func newChanges(all []conditional, shared bool) (c changes) {
	users := map[int]int{}
	for i := range all {
		for _, p := range all[i].places() {
			users[p]++
		}
	}
	at := map[int][]conditional{}
	for _, x := range all {
		need := x.places()
		if len(need) == 0 {
			c.always = append(c.always, x)
			continue
		}
		p := slices.MinFunc(need, func(a, b int) int {
			if shared {
				a, b = b, a
			}
			return cmp.Or(cmp.Compare(users[a], users[b]), cmp.Compare(a, b))
		})
		at[p] = append(at[p], x.without(p))
	}
	for _, p := range slices.Sorted(maps.Keys(at)) {
		if n := len(c.by); n == 0 || int(c.by[n-1].word) != p/64 {
			c.by = append(c.by, trigger{word: int32(p / 64), from: int32(len(c.then))})
		}
		c.by[len(c.by)-1].mask |= 1 << (p % 64)
		var then changes
		if shared {
			then = newChanges(at[p], false)
		} else {
			then.always = at[p]
		}
		c.then = append(c.then, then)
	}
	return c
}

// without is a conditional where a bit is true.
func (c conditional) without(place int) conditional {
	var needs []masked
	for _, m := range c.needs {
		if int(m.word) == place/64 {
			m.mask &^= 1 << (place % 64)
			m.value &= m.mask
		}
		if m.mask != 0 {
			needs = append(needs, m)
		}
	}
	return conditional{needs, c.set}
}

// packFacts joins facts by word.
func packFacts(facts []bound.Fact) (out []masked) {
	for _, f := range facts {
		word, bit := f.Place/64, uint64(1)<<(f.Place%64)
		i := slices.IndexFunc(out, func(m masked) bool { return m.word == word })
		if i < 0 {
			i = len(out)
			out = append(out, masked{word: word})
		}
		out[i].mask |= bit
		if f.On {
			out[i].value |= bit
		}
	}
	return out
}

// each calls f for every operator that is possible in a state, with the state after it, which f must not keep.
func (g *generator) each(state, next []uint64, f func(o *operator)) {
	try := func(list []int32) {
	ops:
		for _, i := range list {
			o := &g.ops[i]
			for k := range o.needs {
				if !o.needs[k].holds(state) {
					continue ops
				}
			}
			o.apply(state, next)
			for k := range g.fixed {
				if !g.fixed[k].holds(next) {
					continue ops
				}
			}
			f(o)
		}
	}
	try(g.always)
	for w, word := range state {
		for ; word != 0; word &= word - 1 {
			if list := g.at[64*w+bits.TrailingZeros64(word)]; len(list) > 0 {
				try(list)
			}
		}
	}
}

// apply writes the state after an operator.
func (o *operator) apply(state, next []uint64) {
	copy(next, state)
	for _, m := range o.sets {
		next[m.word] = next[m.word]&^m.mask | m.value
	}
	o.when.make(state, next)
}

// make makes the changes whose conditions hold.
func (c *changes) make(state, next []uint64) {
changes:
	for i := range c.always {
		x := &c.always[i]
		for k := range x.needs {
			if !x.needs[k].holds(state) {
				continue changes
			}
		}
		next[x.set.word] = next[x.set.word]&^x.set.mask | x.set.value
	}
	for i := range c.by {
		t := &c.by[i]
		for w := state[t.word] & t.mask; w != 0; w &= w - 1 {
			c.then[int(t.from)+bits.OnesCount64(t.mask&(w&-w-1))].make(state, next)
		}
	}
}

// use has operators expand states.
func (c *cheapest) use(g *generator) {
	c.gen, c.after = g, make([]uint64, c.states.words)
	for i := 0; i < len(g.joint); i += g.words {
		c.actions.add(g.joint[i : i+g.words])
	}
	c.most = 1
	for i := range g.ops {
		c.most = max(c.most, g.ops[i].cost)
	}
}

// Units of work: what the cutter looks at, and a successor.
const (
	successorWork = 100
	blockWork     = 1 << 22 // before the context is looked at
)

// work measures what the search has done, in about 2 ns.
func (c *cheapest) work() int64 {
	n := c.tried * successorWork
	if c.cutter != nil {
		n += c.cutter.Work
	}
	return n
}

// expand notes the ways to the successors of a state, by operators.
func (c *cheapest) expand(id uint32) {
	from := *c.to.at(id)
	c.gen.each(c.states.key(id), c.after, func(o *operator) {
		c.tried++
		if to := c.states.add(c.after); to != id {
			c.reach(to, from, id, o.cost, func() uint32 { return uint32(o.action) })
		} else if o.cost == 0 && c.to.at(id).rest < 0 {
			c.to.at(id).rest = o.action
		}
	})
}
