package coverage

import (
	"slices"
	"sync"

	"github.com/fdplan/fdplan/internal/learn/structure"
)

// Literal is twice an input, plus 1 where the input is 1.
type Literal = int

// Support records, for each output, the cases that the training rows settle. A case
// is supported where
//
//   - it does not have a combination of input values that no row had (Unseen),
//   - for each table of the output, some row had the case's values of the table's
//     inputs, and the rows that did agree on the output, all tables on the same value, and
//   - it is in no cube of the output's exceptions.
//
// The first table of an output is over the inputs that its function reads, the others
// are over inputs that explain the rows as well. With classes, all functions of an output's
// class that agree with the rows have the same value in a case that is supported; see SupportOf.
type Support struct {
	Inputs, Outputs int // bits of a row
	// Unseen lists combinations of up to three literals that no row had, each in increasing
	// order with the last repeated, in increasing order.
	Unseen [][3]Literal
	Tables [][]Table // by output; without one the output is never supported
	// Variables is the number of variables of a row, 0 without classes.
	Variables int
	Classes   []Class // by output; nil for none
	Except    []Exception

	skipped []bool // outputs that are not asked for; nil for none

	indexed sync.Once
	index   []cubeIndex // by exception
}

// Exception has cases that are not supported though tables settle some outputs.
type Exception struct {
	Outputs []int       // in increasing order
	Cubes   [][]Literal // each in increasing order
}

// cubeIndex tells 64 cubes at a time whether a row is in one of them: by word of the cubes and literal, the cubes that have
// the literal.
type cubeIndex [][]uint64

// newCubeIndex indexes cubes over so many inputs.
func newCubeIndex(cubes [][]Literal, inputs int) cubeIndex {
	x := make(cubeIndex, (len(cubes)+63)/64)
	for i, cube := range cubes {
		if i%64 == 0 {
			x[i/64] = make([]uint64, 2*inputs+1)
		}
		x[i/64][2*inputs] |= 1 << (i % 64) // all that there are
		for _, l := range cube {
			x[i/64][l] |= 1 << (i % 64)
		}
	}
	return x
}

// has reports whether a row is in one of the cubes.
func (x cubeIndex) has(row []uint64) bool {
	return slices.ContainsFunc(x, func(having []uint64) bool {
		in := having[len(having)-1]
		for l := 0; l < len(having)-1 && in != 0; l += 2 {
			in &^= having[l+1-int(row[l/128]>>(l/2%64)&1)]
		}
		return in != 0
	})
}

// Table has the values of some inputs for which the rows settle an output.
type Table struct {
	Inputs []int // in increasing order, at most 64
	// On and Off are the cells in which the output is 1 and 0, in increasing order:
	// bit i of a cell is the value of input Inputs[i].
	On, Off []uint64
}

// Known reports whether a row has no unseen combination of input values.
func (s *Support) Known(row []uint64) bool {
	holds := func(l Literal) bool { return int(row[l/2/64]>>(l/2%64)&1) == l%2 }
	return !slices.ContainsFunc(s.Unseen, func(p [3]Literal) bool { return holds(p[0]) && holds(p[1]) && holds(p[2]) })
}

// Settles reports whether all tables of an output have the value for a row.
func (s *Support) Settles(output int, row []uint64, value bool) bool {
	for i := range s.Tables[output] {
		t := &s.Tables[output][i]
		cells := t.Off
		if value {
			cells = t.On
		}
		if _, ok := slices.BinarySearch(cells, structure.Cell(row, t.Inputs)); !ok {
			return false
		}
	}
	return len(s.Tables[output]) > 0
}

// Open lists the outputs of a row that are asked for and not supported with the values given,
// those of the network; nil where all are.
func (s *Support) Open(row, outputs []uint64) []int {
	s.indexed.Do(func() {
		for i := range s.Except {
			s.index = append(s.index, newCubeIndex(s.Except[i].Cubes, s.Inputs))
		}
	})
	known := s.Known(row)
	except := make([]bool, s.Outputs)
	for i := range s.Except {
		if known && s.index[i].has(row) {
			for _, o := range s.Except[i].Outputs {
				except[o] = true
			}
		}
	}
	var open []int
	for o := range s.Outputs {
		if !s.Asks(o) {
			continue
		}
		if !known || except[o] || !s.Settles(o, row, outputs[o/64]>>(o%64)&1 == 1) {
			open = append(open, o)
		}
	}
	return open
}
