package train

import (
	"slices"

	"github.com/fdplan/fdplan/internal/data/distinct"
	"github.com/fdplan/fdplan/problem/bnn"
)

// Builder collects rows. It keeps each distinct row once.
type Builder struct {
	inputs, outputs int
	set             *distinct.Set // of rows: the packed inputs, then the packed outputs
	rows            []merged      // by row of set
	row             []uint64      // the one that is added
}

// merged counts the rows that are equal. Rows that contradict each other have votes.
type merged struct {
	count, weight int32
	votes         int64
}

// NewBuilder returns a builder for rows with these numbers of bits.
func NewBuilder(inputs, outputs int) *Builder {
	width := bnn.Words(inputs) + bnn.Words(outputs)
	return &Builder{inputs: inputs, outputs: outputs, set: distinct.New(width), row: make([]uint64, width)}
}

// Add adds one row; the bits are copied.
func (b *Builder) Add(in, out []bool) { b.AddRow(&Row{In: in, Out: out, Count: 1}) }

// AddRow adds rows that are alike. Where rows contradict each other, one with a weight has that many votes; see Examples.Weight.
func (b *Builder) AddRow(r *Row) {
	clear(b.row)
	bnn.PackInto(b.row, r.In)
	bnn.PackInto(b.row[bnn.Words(b.inputs):], r.Out)
	i, added := b.set.Add(b.row)
	if added {
		b.rows = append(b.rows, merged{})
	}
	m := &b.rows[i]
	m.count += int32(r.Count)
	m.weight = max(m.weight, r.Weight)
	m.votes += int64(r.Count) * max(1, int64(r.Weight))
}

// Examples merges the added rows; the order of adding does not matter. The builder is empty
// afterwards.
func (b *Builder) Examples() *Examples {
	e := &Examples{Inputs: b.inputs, Outputs: b.outputs}
	order := b.set.Order()
	wi := bnn.Words(b.inputs)
	inputs := func(k int) []uint64 { return b.set.At(int(order[k]))[:wi] }
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
		e.Out = append(e.Out, b.set.At(int(order[best]))[wi:]...)
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
