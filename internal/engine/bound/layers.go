package bound

import (
	"cmp"
	"math/bits"
	"slices"
)

// layer holds partial joint steps: the new values of the groups that are
// decided, the old ones of the others, and what must be remembered between.
type layer struct {
	words int
	keys  []uint32 // node i at [i*words, (i+1)*words): values by group, then its carry
	cost  []int64  // paid so far
	bound []int64  // priced, of every plan through here
	extra []int64  // what counts beside the bound where nodes are dropped
	from  []int32  // node of the layer before
	by    []int32  // number of the move that led here
	slots []uint32 // hash index: node+1
	// lowest keeps the lowest bound of the ways to a node, else the cheapest way's. What
	// is too expensive over one way may not be over another, which uses less of rules.
	lowest bool
}

func newLayer(words int) *layer { return &layer{words: words, slots: make([]uint32, 256)} }

// empty takes all nodes out, to make room for about n others.
func (l *layer) empty(n int) {
	l.keys, l.cost, l.bound, l.extra, l.from, l.by = l.keys[:0], l.cost[:0], l.bound[:0], l.extra[:0], l.from[:0], l.by[:0]
	l.clear(max(256, 1<<bits.Len(uint(n))))
}

// clear makes an empty hash index of n slots.
func (l *layer) clear(n int) {
	if n > cap(l.slots) {
		l.slots = make([]uint32, n)
	}
	l.slots = l.slots[:n]
	clear(l.slots)
}

func (l *layer) size() int { return len(l.cost) }

func (l *layer) key(i int) []uint32 { return l.keys[i*l.words : (i+1)*l.words] }

func (l *layer) bytes() int64 {
	return 4*int64(cap(l.keys)+cap(l.from)+cap(l.by)+len(l.slots)) + 8*int64(cap(l.cost)+cap(l.bound)+cap(l.extra))
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
func (l *layer) add(key []uint32, cost, bound, extra int64, from, by int32) {
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
				l.cost[s-1], l.bound[s-1], l.extra[s-1], l.from[s-1], l.by[s-1] = cost, bound, extra, from, by
			}
			return
		}
	}
	l.keys = append(l.keys, key...)
	l.cost, l.bound, l.extra = append(l.cost, cost), append(l.bound, bound), append(l.extra, extra)
	l.from, l.by = append(l.from, from), append(l.by, by)
	if 4*len(l.cost) > 3*len(l.slots) {
		l.index(2 * len(l.slots))
	}
}

// find is the place of a node with a key, -1 for none.
func (l *layer) find(key []uint32) int {
	mask := uint64(len(l.slots) - 1)
	for i := hashKey(key) & mask; l.slots[i] != 0; i = (i + 1) & mask {
		if at := int(l.slots[i] - 1); slices.Equal(l.key(at), key) {
			return at
		}
	}
	return -1
}

// index builds the hash index anew.
func (l *layer) index(n int) {
	l.clear(n)
	mask := uint64(n - 1)
	for k := range l.cost {
		i := hashKey(l.key(k)) & mask
		for l.slots[i] != 0 {
			i = (i + 1) & mask
		}
		l.slots[i] = uint32(k) + 1
	}
}

// thin keeps width nodes with the lowest bounds, in into, and returns the least bound that it dropped; all stay in l where
// they are not more. Which of equal bounds are kept is left to their hash, so that they differ.
func (l *layer) thin(width int, into *layer) (kept *layer, dropped int64) {
	if l.size() <= width {
		return l, infinite
	}
	idx := make([]int32, l.size())
	hash := make([]uint64, l.size())
	for i := range idx {
		idx[i], hash[i] = int32(i), hashKey(l.key(i))
	}
	slices.SortFunc(idx, func(a, b int32) int {
		return cmp.Or(cmp.Compare(l.bound[a]+l.extra[a], l.bound[b]+l.extra[b]), cmp.Compare(l.cost[b], l.cost[a]), cmp.Compare(hash[a], hash[b]), cmp.Compare(a, b))
	})
	into.empty(0)
	for _, i := range idx[:width] {
		into.keys = append(into.keys, l.key(int(i))...)
		into.cost, into.bound, into.extra = append(into.cost, l.cost[i]), append(into.bound, l.bound[i]), append(into.extra, l.extra[i])
		into.from, into.by = append(into.from, l.from[i]), append(into.by, l.by[i])
	}
	dropped = infinite
	for _, i := range idx[width:] {
		dropped = min(dropped, l.bound[i])
	}
	return into, dropped
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
