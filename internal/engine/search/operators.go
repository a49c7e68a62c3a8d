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
	sets   []masked      // mask: the bits that change
	when   []conditional // of which no true bit is known
	by     []trigger
	then   [][]conditional // by bit of the triggers
	cost   int64
	action int32 // of joint
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
	word, from int32 // from: the first in operator.then
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
		for _, e := range o.Effects {
			if len(e.When) == 0 {
				sure = append(sure, e.Fact)
			} else {
				x.when = append(x.when, conditional{packFacts(e.When), packFacts([]bound.Fact{e.Fact})[0]})
			}
		}
		x.sets = packFacts(sure)
		x.index()
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

// index puts the conditionals of an operator with a true bit that each needs, one that few others need.
func (o *operator) index() {
	all, users := o.when, map[int]int{}
	places := func(c *conditional) (out []int) {
		for _, m := range c.needs {
			for w := m.value; w != 0; w &= w - 1 {
				out = append(out, 64*int(m.word)+bits.TrailingZeros64(w))
			}
		}
		return out
	}
	for i := range all {
		for _, p := range places(&all[i]) {
			users[p]++
		}
	}
	o.when = nil
	at := map[int][]conditional{}
	for _, c := range all {
		if need := places(&c); len(need) == 0 {
			o.when = append(o.when, c)
		} else {
			p := slices.MinFunc(need, func(a, b int) int { return cmp.Compare(users[a], users[b]) })
			at[p] = append(at[p], c)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(at)) {
		if n := len(o.by); n == 0 || int(o.by[n-1].word) != p/64 {
			o.by = append(o.by, trigger{word: int32(p / 64), from: int32(len(o.then))})
		}
		o.by[len(o.by)-1].mask |= 1 << (p % 64)
		o.then = append(o.then, at[p])
	}
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
	o.change(o.when, state, next)
	for i := range o.by {
		t := &o.by[i]
		for w := state[t.word] & t.mask; w != 0; w &= w - 1 {
			o.change(o.then[int(t.from)+bits.OnesCount64(t.mask&(w&-w-1))], state, next)
		}
	}
}

// change makes the changes whose conditions hold.
func (o *operator) change(list []conditional, state, next []uint64) {
changes:
	for i := range list {
		c := &list[i]
		for k := range c.needs {
			if !c.needs[k].holds(state) {
				continue changes
			}
		}
		next[c.set.word] = next[c.set.word]&^c.set.mask | c.set.value
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
