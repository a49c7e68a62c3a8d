package search

import "math/bits"

// registry is a state registry: it numbers distinct keys of a fixed number of words 0, 1, 2, … in the
// order in which they come: an open-addressing hash set over one slab without
// pointers.
type registry struct {
	words int
	keys  []uint64 // key i at [i*words, (i+1)*words)
	slots []uint32 // number+1 of a key, 0 for empty; length a power of two
	count int
}

func newRegistry(words int) *registry {
	return &registry{words: max(words, 1), slots: make([]uint32, 1024)}
}

func (t *registry) key(i uint32) []uint64 {
	return t.keys[int(i)*t.words : (int(i)+1)*t.words]
}

// bytes is the memory that the table holds.
func (t *registry) bytes() int64 { return 8*int64(cap(t.keys)) + 4*int64(len(t.slots)) }

func hash(key []uint64) uint64 {
	h := uint64(0x9E3779B97F4A7C15)
	for _, k := range key {
		hi, lo := bits.Mul64(h^k, 0xD6E8FEB86659FD93)
		h = hi ^ lo ^ k<<1
	}
	return h ^ h>>29
}

// find returns the number of key and whether it was there.
func (t *registry) find(key []uint64) (uint32, bool) {
	mask := uint64(len(t.slots) - 1)
probe:
	for i := hash(key) & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == 0 {
			return 0, false
		}
		for w, x := range t.key(s - 1) {
			if x != key[w] {
				continue probe
			}
		}
		return s - 1, true
	}
}

// add returns the number of key, a new one if it was not there.
func (t *registry) add(key []uint64) uint32 {
	if id, ok := t.find(key); ok {
		return id
	}
	id := uint32(t.count)
	t.count++
	t.keys = append(t.keys, key[:t.words]...)
	if 4*t.count > 3*len(t.slots) {
		t.grow()
	} else {
		t.place(id)
	}
	return id
}

func (t *registry) place(id uint32) {
	mask := uint64(len(t.slots) - 1)
	i := hash(t.key(id)) & mask
	for t.slots[i] != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = id + 1
}

func (t *registry) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	for id := range t.count {
		t.place(uint32(id))
	}
}
