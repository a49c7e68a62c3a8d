// Package cubes holds sets of rows of a truth table, and covers them with few cubes.
package cubes

import "slices"

// Cube is a set of rows: those whose bits in Care equal Value.
type Cube struct{ Care, Value uint64 }

// Has reports whether a row is in the cube.
func (c Cube) Has(row uint64) bool { return (row^c.Value)&c.Care == 0 }

// Set is a set of the rows of a truth table. Input i of a row is its bit i.
type Set struct {
	inputs int
	words  []uint64 // a bit for each row
}

// New returns the empty set of rows of so many inputs, at most 30.
func New(inputs int) Set { return Set{inputs, make([]uint64, max(1, 1<<inputs/64))} }

// Add puts a row into the set.
func (s Set) Add(row uint64) { s.words[row/64] |= 1 << (row % 64) }

// Not is the complement.
func (s Set) Not() Set {
	out := New(s.inputs)
	for i, w := range s.words {
		out.words[i] = ^w & ones(s.inputs)
	}
	return out
}

// And is the intersection with a set of rows of as many inputs.
func (s Set) And(t Set) Set { return s.combine(t, func(a, b uint64) uint64 { return a & b }) }

// Or is the union with a set of rows of as many inputs.
func (s Set) Or(t Set) Set { return s.combine(t, func(a, b uint64) uint64 { return a | b }) }

// Without is the difference to a set of rows of as many inputs.
func (s Set) Without(t Set) Set { return s.combine(t, func(a, b uint64) uint64 { return a &^ b }) }

func (s Set) combine(t Set, f func(a, b uint64) uint64) Set {
	out := New(s.inputs)
	for i := range s.words {
		out.words[i] = f(s.words[i], t.words[i])
	}
	return out
}

func (s Set) isEmpty() bool {
	return !slices.ContainsFunc(s.words, func(w uint64) bool { return w != 0 })
}

func (s Set) isFull() bool {
	return !slices.ContainsFunc(s.words, func(w uint64) bool { return w != ones(s.inputs) })
}

// ones is a word of a full set.
func ones(inputs int) uint64 {
	if inputs >= 6 {
		return ^uint64(0)
	}
	return 1<<(1<<inputs) - 1
}

// half is the part in which the last input is 0 or 1.
func (s Set) half(one bool) Set {
	if n := len(s.words) / 2; n > 0 {
		if one {
			return Set{s.inputs - 1, s.words[n:]}
		}
		return Set{s.inputs - 1, s.words[:n]}
	}
	w := s.words[0]
	if one {
		w >>= 1 << (s.inputs - 1)
	}
	return Set{s.inputs - 1, []uint64{w & ones(s.inputs-1)}}
}

// join puts halves together.
func join(zero, one Set) Set {
	if zero.inputs >= 6 {
		return Set{zero.inputs + 1, slices.Concat(zero.words, one.words)}
	}
	return Set{zero.inputs + 1, []uint64{zero.words[0] | one.words[0]<<(1<<zero.inputs)}}
}

// Cover returns cubes that have all rows of least and none outside most, none of
// which can be left out (Minato, Fast Generation of Irredundant Sum-of-Products Forms from
// Binary Decision Diagrams, 1992). It is false where they are more than limit; a
// negative one is none.
func Cover(least, most Set, limit int) ([]Cube, bool) {
	c := coverer{limit: limit}
	cubes, _ := c.cover(least, most)
	return cubes, !c.over
}

type coverer struct {
	count, limit int
	over         bool
}

// cover returns the rows that the cubes have too.
func (x *coverer) cover(least, most Set) ([]Cube, Set) {
	if x.over || least.isEmpty() {
		return nil, New(least.inputs)
	}
	if most.isFull() {
		x.count++
		x.over = x.limit >= 0 && x.count > x.limit
		return []Cube{{}}, most
	}
	l0, l1, m0, m1 := least.half(false), least.half(true), most.half(false), most.half(true)
	// Rows that only a cube with the last input 0, or only one with it 1, can have.
	c0, f0 := x.cover(l0.Without(m1), m0)
	c1, f1 := x.cover(l1.Without(m0), m1)
	rest := l0.Without(f0).Or(l1.Without(f1))
	both, f := x.cover(rest, m0.And(m1))
	bit := uint64(1) << (least.inputs - 1)
	for i := range c0 {
		c0[i].Care |= bit
	}
	for i := range c1 {
		c1[i].Care, c1[i].Value = c1[i].Care|bit, c1[i].Value|bit
	}
	return append(append(c0, c1...), both...), join(f0.Or(f), f1.Or(f))
}
