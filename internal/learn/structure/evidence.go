package structure

import (
	"cmp"
	"slices"
)

const (
	// alternativeBits is how much longer than the best description another may be
	// to count as an alternative to it.
	alternativeBits = 60
	// alternativeInputs is the most inputs of an output for which alternatives are
	// looked for.
	alternativeInputs = 16
)

// alternatives finds other sets of inputs that explain an output about as well as
// those chosen: each input in turn is banned, and the rest is completed by others,
// or a set without it is looked for from the start.
func (l *learner) alternatives(o int, rows []int32, short bool, main []int) [][]int {
	if len(main) > alternativeInputs {
		return nil
	}
	s := &search{t: l.t, x: l.x, rows: rows, out: o, banned: make([]bool, l.t.Inputs), pairs: true}
	if short {
		// What a banned input explained looks like noise: to look ahead for it takes long, and
		// finds nothing where a copy or a derived input does not show by itself.
		s.noise = -1
	}
	best := s.choice(main)
	var found [][]int
	take := func(c choice) {
		set := slices.Sorted(slices.Values(c.inputs))
		good := c.score <= best.score+alternativeBits && (short || c.errors <= best.errors)
		if good && !slices.Equal(set, main) && !slices.ContainsFunc(found, func(f []int) bool { return slices.Equal(f, set) }) {
			found = append(found, set)
		}
	}
	for i, b := range main {
		s.banned[b] = true
		rest := slices.Delete(slices.Clone(main), i, i+1)
		if short {
			take(s.shortest(s.pathFrom(rest, false, true)))
		} else {
			take(s.dropConsistent(s.pathFrom(rest, false, false)))
			take(s.dropConsistent(s.path(false, false)))
		}
		s.banned[b] = false
	}
	return found
}

// Case is a joint value of some inputs, bit i for the i-th of them, with the rows
// that have it, by the value of an output.
type Case struct {
	Cell        uint64
	Zeros, Ones int
	Row         int // the first of them
}

// Cases lists the joint values of at most 64 inputs that rows have, in increasing
// order. Rows in which one of the inputs or the output is not known are left out.
func (t *Table) Cases(output int, inputs []int) []Case {
	at := map[uint64]int{}
	var cases []Case
	for r := range t.Rows() {
		if !t.Knows(r, output) || t.filled(int32(r), inputs) {
			continue
		}
		cell := Cell(t.Input(r), inputs)
		k, ok := at[cell]
		if !ok {
			k = len(cases)
			at[cell] = k
			cases = append(cases, Case{Cell: cell, Row: r})
		}
		if t.Output(r, output) {
			cases[k].Ones++
		} else {
			cases[k].Zeros++
		}
	}
	slices.SortStableFunc(cases, func(a, b Case) int { return cmp.Compare(a.Cell, b.Cell) })
	return cases
}
