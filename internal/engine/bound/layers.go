package bound

import (
	"cmp"
	"slices"
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
	// lowest keeps the lowest bound of the ways to a node, else the cheapest way's. What
	// is too expensive over one way may not be over another, which uses less of rules.
	lowest bool
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
			if low := l.bound[s-1]; l.lowest && low < bound {
				bound = low
			} else if l.lowest {
				l.bound[s-1] = bound
			}
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

// origins is how the nodes of a layer came about, kept for the plan.
type origins struct{ from, by []int32 }

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
