package measure

import (
	"cmp"
	"math/bits"
	"slices"
)

// Bits returns how many rows are wrong in each output bit. Where nothing is predicted, all bits are
// wrong.
func (c *Counter) Bits() []int { return c.bits }

// Pair is an input for which something was predicted, with one of the outputs that were seen.
type Pair struct {
	In, Out, Predicted []uint64 // packed
	Rows               int

	outside []bool // by output bit: its variable has a value outside; nil for none
}

// WrongIn reports whether an output bit that counts is wrong.
func (p *Pair) WrongIn(counts func(output int) bool) bool {
	for w, x := range p.Out {
		for x ^= p.Predicted[w]; x != 0; x &= x - 1 {
			if counts(64*w + bits.TrailingZeros64(x)) {
				return true
			}
		}
	}
	for b, outside := range p.outside {
		if outside && counts(b) {
			return true
		}
	}
	return false
}

// EachPair calls do for each different pair of an input and outputs.
func (c *Counter) EachPair(do func(Pair)) {
	wi := len(c.in)
	for i, n := range c.counts {
		row := c.pairs.At(i)
		if row[wi] != 0 {
			continue
		}
		input, _ := c.seen.Add(row[:wi])
		p := Pair{In: row[:wi], Out: row[wi+1 : len(row)-1], Predicted: c.answer(input), Rows: n}
		if id := row[len(row)-1]; id != 0 {
			p.outside = make([]bool, c.outputs)
			for k := range c.fluents {
				f := &c.fluents[k]
				for _, b := range f.bits {
					p.outside[b] = c.isOutside(id, f)
				}
			}
		}
		do(p)
	}
}

// Cell counts the rows with a pair of values of a fluent.
type Cell struct {
	Truth, Predicted int64 // the numbers of values: levels of a quantity
	Rows             int
}

// Confusion lists the pairs of values of fluent k that occur, by truth and then by what is predicted.
// Rows with values outside are left out.
func (c *Counter) Confusion(k int) []Cell {
	f := &c.fluents[k]
	counts := map[[2]uint64]int{}
	c.EachPair(func(p Pair) {
		if p.outside == nil || !p.outside[f.bits[0]] {
			counts[[2]uint64{number(p.Out, f.bits), number(p.Predicted, f.bits)}] += p.Rows
		}
	})
	var cells []Cell
	for at, n := range counts {
		cells = append(cells, Cell{f.level(at[0]), f.level(at[1]), n})
	}
	slices.SortStableFunc(cells, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(a.Truth, b.Truth), cmp.Compare(a.Predicted, b.Predicted))
	})
	return cells
}

// isOutside reports whether a fluent is among the values outside with an identity.
func (c *Counter) isOutside(id uint64, f *fluent) bool {
	for ; id != 0; id = c.outside[id-1].before {
		if c.outside[id-1].v == f.v {
			return true
		}
	}
	return false
}
