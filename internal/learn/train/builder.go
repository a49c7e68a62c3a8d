package train

import (
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
)

// Builder collects rows. It keeps each distinct row once.
type Builder struct {
	inputs, outputs int
	words           []uint64 // row by row: the packed inputs, then the packed outputs
	rows            []merged
	// index is a hash table with open addressing: the number of a row plus 1, or 0. At most
	// half of it is in use.
	index []int32
	row   []uint64 // the one that is added
}

// merged counts the rows that are equal. Rows that contradict each other have votes.
type merged struct {
	count, weight int32
	votes         int64
}

// NewBuilder returns a builder for rows with these numbers of bits.
func NewBuilder(inputs, outputs int) *Builder {
	return &Builder{
		inputs: inputs, outputs: outputs, index: make([]int32, 1<<10),
		row: make([]uint64, bnn.Words(inputs)+bnn.Words(outputs)),
	}
}

// Add adds one row; the bits are copied.
func (b *Builder) Add(in, out []bool) { b.AddWeighted(in, out, 0) }

// AddWeighted adds one row that matters more than others: see Examples.Weight. If rows
// contradict each other it has that many votes.
func (b *Builder) AddWeighted(in, out []bool, weight int32) {
	clear(b.row)
	packInto(b.row, in)
	packInto(b.row[bnn.Words(b.inputs):], out)
	m := b.find()
	m.count++
	m.weight = max(m.weight, weight)
	m.votes += max(1, int64(weight))
}

// find returns the counts of row, which it adds if there is none yet.
func (b *Builder) find() *merged {
	at := b.slot(b.row)
	if b.index[at] != 0 {
		return &b.rows[b.index[at]-1]
	}
	b.words = append(b.words, b.row...)
	b.rows = append(b.rows, merged{})
	b.index[at] = int32(len(b.rows))
	if 2*len(b.rows) > len(b.index) {
		b.index = make([]int32, 2*len(b.index))
		for i := range b.rows {
			b.index[b.slot(b.at(i))] = int32(i + 1)
		}
	}
	return &b.rows[len(b.rows)-1]
}

// at returns the words of row i.
func (b *Builder) at(i int) []uint64 { return b.words[i*len(b.row) : (i+1)*len(b.row)] }

// slot returns where the table has a row, or would have it.
func (b *Builder) slot(row []uint64) int {
	var h uint64
	for _, w := range row {
		h = (h ^ w) * 0x9e37_79b9_7f4a_7c15
		h ^= h >> 32
	}
	at := int(h) & (len(b.index) - 1)
	for b.index[at] != 0 && !slices.Equal(b.at(int(b.index[at]-1)), row) {
		at = (at + 1) & (len(b.index) - 1)
	}
	return at
}

func pack(bits []bool) []uint64 {
	words := make([]uint64, bnn.Words(len(bits)))
	packInto(words, bits)
	return words
}

// packInto sets the bits in words, which are 0.
func packInto(words []uint64, bits []bool) {
	for i, x := range bits {
		if x {
			words[i/64] |= 1 << (i % 64)
		}
	}
}

// Examples merges the added rows; the order of adding does not matter. The builder is empty
// afterwards.
func (b *Builder) Examples() *Examples {
	e := &Examples{Inputs: b.inputs, Outputs: b.outputs}
	order := make([]int32, len(b.rows))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int { return slices.Compare(b.at(int(x)), b.at(int(y))) })
	wi := bnn.Words(b.inputs)
	inputs := func(k int) []uint64 { return b.at(int(order[k]))[:wi] }
	for i := 0; i < len(order); {
		best, all, j := i, 0, i
		for ; j < len(order) && slices.Equal(inputs(j), inputs(i)); j++ {
			all += int(b.rows[order[j]].count)
			if b.rows[order[j]].votes > b.rows[order[best]].votes {
				best = j
			}
		}
		m := b.rows[order[best]]
		if j > i+1 {
			e.Conflicts.Inputs++
			e.Conflicts.Dropped += all - int(m.count)
		}
		e.In = append(e.In, inputs(best)...)
		e.Out = append(e.Out, b.at(int(order[best]))[wi:]...)
		e.Count = append(e.Count, m.count)
		e.Weight = append(e.Weight, m.weight)
		i = j
	}
	if !slices.ContainsFunc(e.Weight, func(w int32) bool { return w != 0 }) {
		e.Weight = nil
	}
	*b = *NewBuilder(b.inputs, b.outputs)
	return e
}
