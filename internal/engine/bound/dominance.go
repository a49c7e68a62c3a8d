package bound

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// Where a group has one value in place of another, it may often do what it would have done, or as well: a full store does what a
// half full one does. A state is dominated then by another one of the same step that differs in this value, if that cost so much less, or
// no more than the value is better by (Torralba, From qualitative to quantitative dominance pruning for optimal planning, IJCAI 2017).

// substitute is a value in place of another: each plan of the group from there, with all that it uses, is worth one from here that costs
// at most so much more, and uses no more of inequalities and as much of equations. It is better if not so the other way around with as much less.
type substitute struct {
	value  uint32
	more   int64
	better bool
}

// dominance lists the substitutes of each value: [group][t-1][value], t = 1..H+1. Groups without any have nil.
type dominance [][][][]substitute

// What is spent, in pairs of moves of groups that differ, and how many substitutes a value has: those that are nearest in worth.
const (
	mostPairs       = 20_000_000
	mostSubstitutes = 12
)

// newDominance compares the values of groups. It is nil where none has a substitute.
func (f *Factors) newDominance() dominance {
	marks := f.marks()
	known := map[string][][][]substitute{}
	out, some, spent := make(dominance, len(f.parts)), false, 0
	for id := range f.parts {
		g := &f.parts[id]
		work := len(g.sigs) * len(g.sigs)
		for _, a := range g.arcs {
			work += len(a.to) * len(a.to)
		}
		if len(g.values) < 2 || spent+work > mostPairs {
			continue
		}
		ends := g.last != nil && len(marks[id]) == 0 // where it may end does not depend on others
		key := fmt.Sprint(g.key(), ends)
		x, ok := known[key]
		if !ok {
			x = f.compare(g, ends)
			known[key], spent = x, spent+work
		}
		out[id] = x
		some = some || x != nil
	}
	if !some {
		return nil
	}
	return out
}

// compare finds the substitutes of the values of a group, those of the last step first; nil for none. ends is whether values
// may be substitutes where a plan ends.
func (f *Factors) compare(g *part, ends bool) [][][]substitute {
	sigs := f.compareUses(g.sigs)
	values := make([][]bool, len(g.values))
	for a := range values {
		values[a] = make([]bool, len(g.values))
		for b := range values[a] {
			values[a][b] = (g.nowUse == nil || f.noMore(g.nowUse[a], g.nowUse[b])) && (g.afterUse == nil || f.noMore(g.afterUse[a], g.afterUse[b]))
		}
	}
	then, here := square(len(values)), square(len(values))
	out, some := make([][][]substitute, f.horizon+1), false
	for t := f.horizon; t >= 0; t-- {
		for a := range here {
			for b := range here {
				switch {
				case a == b:
					here[a][b] = 0
				case !g.allowed[t][a] || !g.allowed[t][b] || !values[a][b] || t == f.horizon && !ends:
					here[a][b] = infinite
				case t == f.horizon:
					here[a][b] = 0
				default:
					here[a][b] = g.arcs[t].more(a, b, sigs, then)
				}
			}
		}
		out[t] = substitutes(here)
		for _, list := range out[t] {
			some = some || list != nil && t > 0
		}
		here, then = then, here
	}
	if !some {
		return nil
	}
	return out
}

func square(n int) [][]int64 {
	x := make([][]int64, n)
	for i := range x {
		x[i] = make([]int64, n)
	}
	return x
}

// more is how much more a plan from value b costs at most than one from a. sigs tells which moves use no more, and then is the same
// for the values that follow.
func (m *arcs) more(a, b int, sigs [][]bool, then [][]int64) int64 {
	worst := int64(-infinite)
	for i := m.from[a]; i < m.from[a+1]; i++ {
		best := int64(infinite)
		for j := m.from[b]; j < m.from[b+1] && best > worst; j++ {
			if x := then[m.to[i]][m.to[j]]; x < infinite && sigs[m.sig[i]][m.sig[j]] {
				best = min(best, x+int64(m.cost[j])-int64(m.cost[i]))
			}
		}
		if worst = max(worst, best); worst == infinite {
			break
		}
	}
	return worst
}

// substitutes lists for each value those that can stand for it.
func substitutes(more [][]int64) [][]substitute {
	out := make([][]substitute, len(more))
	for a := range more {
		for b, x := range more[a] {
			if a != b && x < infinite && x > -infinite {
				out[a] = append(out[a], substitute{uint32(b), x, more[b][a] > -x})
			}
		}
		slices.SortStableFunc(out[a], func(x, y substitute) int { return cmp.Compare(max(x.more, -x.more), max(y.more, -y.more)) })
		out[a] = out[a][:min(len(out[a]), mostSubstitutes)]
	}
	return out
}

// compareUses tells of each of some uses which others are no more.
func (f *Factors) compareUses(uses [][]use) [][]bool {
	out := make([][]bool, len(uses))
	for i := range uses {
		out[i] = make([]bool, len(uses))
		for j := range uses {
			out[i][j] = f.noMore(uses[i], uses[j])
		}
	}
	return out
}

// noMore reports whether b uses no more of inequalities than a, and as much of equations.
func (f *Factors) noMore(a, b []use) bool {
	for _, u := range slices.Concat(a, b) {
		if x, y := usedOf(a, u.rel), usedOf(b, u.rel); y > x || y < x && f.rels[u.rel].equal {
			return false
		}
	}
	return true
}

// usedOf is how much is used of a relation.
func usedOf(uses []use, rel int32) (sum int64) {
	for _, u := range uses {
		if u.rel == rel {
			sum += u.coef
		}
	}
	return sum
}

// How many nodes are compared before a beam without dominated ones, or hardly any, does no more of it.
const (
	compared   = 20_000
	fewRemoved = 50 // one of so many
)

// dominate takes the nodes after step t out of the layer that others dominate.
func (b *beam) dominate(t int) {
	if b.better == nil || b.looked > compared && b.removed*fewRemoved < b.looked {
		return
	}
	l := b.layer
	l.index(max(256, 2<<bits.Len(uint(l.size()))))
	gone := make([]bool, l.size())
	for i := range gone {
		gone[i] = b.dominated(t, i)
	}
	n := l.without(gone)
	b.looked, b.removed = b.looked+int64(len(gone)), b.removed+int64(n)
}

// dominated reports whether another node is as good as node i. Of those that are as good as each other the first one is not dominated.
func (b *beam) dominated(t, i int) bool {
	l, key := b.layer, b.key
	for id := range b.f.parts {
		if b.better[id] == nil {
			continue
		}
		v := l.key(i)[id]
		for _, s := range b.better[id][t][v] {
			copy(key, l.key(i))
			key[id] = s.value
			hash := l.hash[i] ^ hashAt(id, v) ^ hashAt(id, s.value)
			if len(b.o.same) > 0 {
				b.o.canonical(key, nil)
				hash = hashKey(key)
			}
			at := l.find(key, hash)
			if at < 0 {
				continue
			}
			if cost := l.cost[at] + s.more; cost < l.cost[i] || cost == l.cost[i] && (s.better || at < i) {
				return true
			}
		}
	}
	return false
}

// without takes nodes out, and returns how many. The hash index is not valid afterwards.
func (l *layer) without(gone []bool) int {
	n := 0
	for i, is := range gone {
		if is {
			continue
		}
		copy(l.key(n), l.key(i))
		l.hash[n], l.cost[n], l.bound[n], l.extra[n], l.from[n], l.by[n] = l.hash[i], l.cost[i], l.bound[i], l.extra[i], l.from[i], l.by[i]
		n++
	}
	l.keys, l.hash, l.cost, l.bound = l.keys[:n*l.words], l.hash[:n], l.cost[:n], l.bound[:n]
	l.extra, l.from, l.by = l.extra[:n], l.from[:n], l.by[:n]
	return len(gone) - n
}
