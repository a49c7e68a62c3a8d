package structure

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/sorting"
)

const (
	// alternativeBits is how much longer than the best description another may be
	// to count as an alternative to it.
	alternativeBits = 60
	// alternativeInputs is the most inputs of an output for which alternatives are
	// looked for.
	alternativeInputs = 16
	// smallInputs is the most inputs of which all sets of three are tried as alternatives
	// where rows are few.
	smallInputs = 40
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
	if !short && l.t.few() && l.t.Inputs <= smallInputs {
		found = slices.DeleteFunc(s.small(), func(f []int) bool { return slices.Equal(f, main) })
	}
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
			cases = append(cases, Case{Cell: cell})
		}
		if t.Output(r, output) {
			cases[k].Ones++
		} else {
			cases[k].Zeros++
		}
	}
	sorting.Stable(cases, func(a, b Case) int { return cmp.Compare(a.Cell, b.Cell) })
	return cases
}

// few reports whether rows are so few that chance may have made a wrong set of inputs look right.
func (t *Table) few() bool {
	const rows, inputs = 600, 200
	return t.Rows() < rows && t.Inputs <= inputs
}

// apart lists, for pairs of rows with different outputs, the inputs in which they differ, as
// bits of words: those of the pairs that differ least. A set of inputs without any of them
// is contradicted.
func (s *search) apart() []uint64 {
	const most = 500
	var all []uint64
	for i, a := range s.rows {
		for _, b := range s.rows[i+1:] {
			if s.t.Output(int(a), s.out) != s.t.Output(int(b), s.out) {
				all = append(all, s.t.Input(int(a))[0]^s.t.Input(int(b))[0])
			}
		}
	}
	slices.SortFunc(all, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(bits.OnesCount64(a), bits.OnesCount64(b)), cmp.Compare(a, b))
	})
	all = slices.Compact(all)
	return all[:min(most, len(all))]
}

// small lists the least sets of at most three inputs that leave no row contradicted.
func (s *search) small() [][]int {
	var found [][]int
	has := func(set []int) bool {
		return slices.ContainsFunc(found, func(f []int) bool {
			return !slices.ContainsFunc(f, func(b int) bool { return !slices.Contains(set, b) })
		})
	}
	apart := s.apart()
	try := func(set ...int) {
		var mask uint64
		for _, b := range set {
			mask |= 1 << b
		}
		if slices.ContainsFunc(apart, func(m uint64) bool { return m&mask == 0 }) {
			return
		}
		if _, errors := s.t.cells(s.rows, s.out, set); errors == 0 && !has(set) {
			found = append(found, set)
		}
	}
	n := s.t.Inputs
	try()
	for a := range n {
		try(a)
	}
	for a := range n {
		for b := a + 1; b < n; b++ {
			try(a, b)
		}
	}
	for a := range n {
		for b := a + 1; b < n; b++ {
			for c := b + 1; c < n; c++ {
				try(a, b, c)
			}
		}
	}
	return found
}
