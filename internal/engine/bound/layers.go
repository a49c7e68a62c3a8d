package bound

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

// layer holds partial joint steps: the new values of the groups that are
// decided, the old ones of the others, and what must be remembered between.
type layer struct {
	words int
	keys  []uint32 // node i at [i*words, (i+1)*words): values by group, then its carry
	hash  []uint64 // of the key
	cost  []int64  // paid so far
	bound []int64  // priced, of every plan through here
	extra []int64  // what counts beside the bound where nodes are dropped
	from  []int32  // node of the layer before
	by    []int32  // number of the move that led here
	slots []uint64 // hash index: the upper half of the hash, and below it node+1
	// lowest keeps the lowest bound of the ways to a node, else the cheapest way's. What
	// is too expensive over one way may not be over another, which uses less of rules.
	lowest bool
}

func newLayer(words int) *layer { return &layer{words: words, slots: make([]uint64, 256)} }

// empty takes all nodes out, to make room for about n others.
func (l *layer) empty(n int) {
	l.keys, l.hash, l.cost, l.bound, l.extra, l.from, l.by = l.keys[:0], l.hash[:0], l.cost[:0], l.bound[:0], l.extra[:0], l.from[:0], l.by[:0]
	l.clear(max(256, 1<<bits.Len(uint(n))))
}

// clear makes an empty hash index of n slots.
func (l *layer) clear(n int) {
	if n > cap(l.slots) {
		l.slots = make([]uint64, n)
	}
	l.slots = l.slots[:n]
	clear(l.slots)
}

func (l *layer) size() int { return len(l.cost) }

func (l *layer) key(i int) []uint32 { return l.keys[i*l.words : (i+1)*l.words] }

func (l *layer) bytes() int64 {
	return 4*int64(cap(l.keys)+cap(l.from)+cap(l.by)) + 8*int64(cap(l.hash)+cap(l.cost)+cap(l.bound)+cap(l.extra)+len(l.slots))
}

// hashKey is the exclusive or of the hashes of all values, so that it is known when one changes.
func hashKey[T uint32 | int32](key []T) (h uint64) {
	for i, v := range key {
		h ^= hashAt(i, uint32(v))
	}
	return h
}

// hashAt is the hash of a value at a place of a key.
func hashAt(i int, v uint32) uint64 {
	h := (uint64(i)<<32 | uint64(v)) * 0x9E3779B97F4A7C15
	h = (h ^ h>>32) * 0xD6E8FEB86659FD93
	return h ^ h>>32
}

// add puts a node in, or makes an equal one cheaper.
func (l *layer) add(key []uint32, hash uint64, cost, bound, extra int64, from, by int32) {
	mask := uint64(len(l.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := l.slots[i]
		if s == 0 {
			l.slots[i] = slotOf(hash, len(l.cost))
			break
		}
		if s>>32 != hash>>32 {
			continue
		}
		if n := uint32(s) - 1; slices.Equal(l.key(int(n)), key) {
			if low := l.bound[n]; l.lowest && low < bound {
				bound = low
			} else if l.lowest {
				l.bound[n] = bound
			}
			if cost < l.cost[n] {
				l.cost[n], l.bound[n], l.extra[n], l.from[n], l.by[n] = cost, bound, extra, from, by
			}
			return
		}
	}
	l.keys, l.hash = append(l.keys, key...), append(l.hash, hash)
	l.cost, l.bound, l.extra = append(l.cost, cost), append(l.bound, bound), append(l.extra, extra)
	l.from, l.by = append(l.from, from), append(l.by, by)
	if 4*len(l.cost) > 3*len(l.slots) {
		l.index(2 * len(l.slots))
	}
}

// slotOf is what the hash index has of a node.
func slotOf(hash uint64, node int) uint64 { return hash>>32<<32 | uint64(node+1) }

// find is the place of a node with a key of this hash, -1 for none.
func (l *layer) find(key []uint32, hash uint64) int {
	mask := uint64(len(l.slots) - 1)
	for i := hash & mask; l.slots[i] != 0; i = (i + 1) & mask {
		if at := int(uint32(l.slots[i]) - 1); l.slots[i]>>32 == hash>>32 && slices.Equal(l.key(at), key) {
			return at
		}
	}
	return -1
}

// index builds the hash index anew.
func (l *layer) index(n int) {
	l.clear(n)
	for k, hash := range l.hash {
		insertSlot(l.slots, hash, k)
	}
}

// insertSlot adds a node that is not there to a hash index.
func insertSlot(slots []uint64, hash uint64, node int) {
	mask := uint64(len(slots) - 1)
	i := hash & mask
	for slots[i] != 0 {
		i = (i + 1) & mask
	}
	slots[i] = slotOf(hash, node)
}

// thin keeps width nodes with the lowest bounds, in into, and returns the least bound that it dropped; all stay in l where
// they are not more. Which of equal bounds are kept is left to their hash, so that they differ.
func (l *layer) thin(width int, into *layer) (kept *layer, dropped int64) {
	if l.size() <= width {
		return l, infinite
	}
	idx := integer.Below[int32](l.size())
	selectFirst(idx, width, func(a, b int32) int {
		return cmp.Or(cmp.Compare(l.bound[a]+l.extra[a], l.bound[b]+l.extra[b]), cmp.Compare(l.cost[b], l.cost[a]), cmp.Compare(l.hash[a], l.hash[b]), cmp.Compare(a, b))
	})
	into.empty(0)
	for _, i := range idx[:width] {
		into.keys, into.hash = append(into.keys, l.key(int(i))...), append(into.hash, l.hash[i])
		into.cost, into.bound, into.extra = append(into.cost, l.cost[i]), append(into.bound, l.bound[i]), append(into.extra, l.extra[i])
		into.from, into.by = append(into.from, l.from[i]), append(into.by, l.by[i])
	}
	dropped = infinite
	for _, i := range idx[width:] {
		dropped = min(dropped, l.bound[i])
	}
	return into, dropped
}

// selectFirst puts the least n of a list first, in some order (Hoare, CACM 4, 1961).
func selectFirst(list []int32, n int, compare func(a, b int32) int) {
	for lo, hi := 0, len(list)-1; lo < hi; {
		a, pivot, c := list[lo], list[(lo+hi)/2], list[hi]
		if compare(pivot, a) < 0 {
			a, pivot = pivot, a
		}
		if compare(c, pivot) < 0 {
			if pivot = c; compare(pivot, a) < 0 {
				pivot = a
			}
		}
		i, j := lo, hi // pivot is the median of three
		for i <= j {
			for compare(list[i], pivot) < 0 {
				i++
			}
			for compare(pivot, list[j]) < 0 {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i++
				j--
			}
		}
		switch {
		case n-1 <= j:
			hi = j
		case n-1 >= i:
			lo = i
		default:
			return
		}
	}
}

// origins is how the nodes of a layer came about, kept for the plan.
type origins struct{ from, by []int32 }

// carries number what is remembered between the groups of a step: the values
// of pending bits, then pairs of a rule and the sum of its uses.
type carries struct {
	slots []uint64 // hash index, as of a layer
	data  [][]int32
}

func newCarries() carries { return carries{slots: make([]uint64, 256)} }

// number is the number of what is remembered, a new one if it was not there.
func (c *carries) number(x []int32) uint32 {
	hash := hashKey(x)
	mask := uint64(len(c.slots) - 1)
	at := hash & mask
	for ; c.slots[at] != 0; at = (at + 1) & mask {
		if s := c.slots[at]; s>>32 == hash>>32 && slices.Equal(c.data[uint32(s)-1], x) {
			return uint32(s) - 1
		}
	}
	c.slots[at] = slotOf(hash, len(c.data))
	c.data = append(c.data, slices.Clone(x))
	if 4*len(c.data) > 3*len(c.slots) {
		c.slots = make([]uint64, 2*len(c.slots))
		for id, x := range c.data {
			insertSlot(c.slots, hashKey(x), id)
		}
	}
	return uint32(len(c.data) - 1)
}
