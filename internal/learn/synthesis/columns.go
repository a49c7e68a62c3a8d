package synthesis

import "math/bits"

// columns holds cells bit by bit: for each input the cells in which it is surely
// 1, and surely 0.
type columns struct {
	n, words  int // cells, and words of a column
	one, zero [][]uint64
}

func newColumns(inputs int, cells []cell) *columns {
	c := &columns{n: len(cells), words: (len(cells) + 63) / 64}
	store := make([]uint64, 2*inputs*c.words)
	for i := range 2 * inputs {
		col := store[i*c.words : (i+1)*c.words]
		if i < inputs {
			c.one = append(c.one, col)
		} else {
			c.zero = append(c.zero, col)
		}
	}
	for k, cell := range cells {
		w, bit := k/64, uint64(1)<<(k%64)
		for x := cell.one; x != 0; x &= x - 1 {
			c.one[bits.TrailingZeros64(x)][w] |= bit
		}
		for x := cell.zero; x != 0; x &= x - 1 {
			c.zero[bits.TrailingZeros64(x)][w] |= bit
		}
	}
	return c
}

// valid is the mask of the cells in word w.
func (c *columns) valid(w int) uint64 {
	if w == c.words-1 && c.n%64 != 0 {
		return 1<<(c.n%64) - 1
	}
	return ^uint64(0)
}

// tally is a bit-sliced count for each cell: plane b holds the bits of weight
// 2^b.
type tally struct {
	planes, words int
	bits          []uint64 // plane by plane
}

// room makes space for counts up to most.
func (t *tally) room(words, most int) {
	t.words, t.planes = words, bits.Len(uint(most))
	if n := t.planes * words; cap(t.bits) < n {
		t.bits = make([]uint64, n)
	} else {
		t.bits = t.bits[:n]
		clear(t.bits)
	}
}

// add counts one more where col is set.
func (t *tally) add(col []uint64) {
	for w, carry := range col {
		for at := w; carry != 0; at += t.words {
			carry, t.bits[at] = carry&t.bits[at], carry^t.bits[at]
		}
	}
}

// less is t with one less where col is set; nil for no change.
func (t *tally) less(from *tally, col []uint64) {
	copy(t.bits, from.bits)
	if col == nil {
		return
	}
	for w, borrow := range col {
		for at := w; borrow != 0; at += t.words {
			borrow, t.bits[at] = borrow&^t.bits[at], borrow^t.bits[at]
		}
	}
}

// least returns the least count of the cells of c, and in alive the cells that have it.
func (t *tally) least(c *columns, alive []uint64) int {
	for w := range alive {
		alive[w] = c.valid(w)
	}
	m := 0
	for b := t.planes - 1; b >= 0; b-- {
		plane := t.bits[b*t.words : (b+1)*t.words]
		some := uint64(0)
		for w, x := range plane {
			some |= alive[w] &^ x
		}
		if some == 0 {
			m |= 1 << b
			continue
		}
		for w, x := range plane {
			alive[w] &^= x
		}
	}
	return m
}

// reach returns the cells of word w whose count is at least p.
func (t *tally) reach(w, p int) uint64 {
	if p <= 0 {
		return ^uint64(0)
	}
	k := 1<<t.planes - p
	if k < 0 {
		return 0
	}
	carry := uint64(0)
	for b := range t.planes {
		if x := t.bits[b*t.words+w]; k>>b&1 == 1 {
			carry |= x
		} else {
			carry &= x
		}
	}
	return carry
}
