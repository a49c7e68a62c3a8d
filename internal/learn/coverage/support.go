package coverage

import (
	"slices"

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
}

// Exception has cases that are not supported though tables settle some outputs.
type Exception struct {
	Outputs []int       // in increasing order
	Cubes   [][]Literal // each in increasing order
}

// has reports whether a row is in one of the cubes.
func (e *Exception) has(row []uint64) bool {
cubes:
	for _, cube := range e.Cubes {
		for _, l := range cube {
			if int(row[l/2/64]>>(l/2%64)&1) != l%2 {
				continue cubes
			}
		}
		return true
	}
	return false
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
	known := s.Known(row)
	except := make([]bool, s.Outputs)
	for i := range s.Except {
		if e := &s.Except[i]; known && e.has(row) {
			for _, o := range e.Outputs {
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
