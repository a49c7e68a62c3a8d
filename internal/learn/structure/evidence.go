package structure

import (
	"cmp"
	"math/bits"
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
	if len(main) == 0 || len(main) > alternativeInputs {
		return nil
	}
	s := &search{t: l.t, x: l.x, rows: rows, out: o, banned: make([]bool, l.t.Inputs)}
	if short {
		s.noise = l.noise
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
		in := t.Input(r)
		var cell uint64
		for i, b := range inputs {
			cell |= in[b/64] >> (b % 64) & 1 << i
		}
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
	slices.SortFunc(cases, func(a, b Case) int { return cmp.Compare(a.Cell, b.Cell) })
	return cases
}

// Unseen lists the pairs of literals of inputs that no row has together, the lesser
// first; a literal that no row has is paired with itself, and with no other. Literal
// 2i is input i being 0, and 2i+1 its being 1.
func (t *Table) Unseen() [][2]int {
	rows := t.Rows()
	words := (rows + 63) / 64
	cols := make([]uint64, 2*t.Inputs*words)
	w := (t.Inputs + 63) / 64
	for r := range rows {
		for b := range t.Inputs {
			if t.inKnown != nil && t.inKnown[r*w+b/64]>>(b%64)&1 == 0 {
				continue
			}
			lit := 2*b + t.bit(int32(r), b)
			cols[lit*words+r/64] |= 1 << (r % 64)
		}
	}
	col := func(lit int) []uint64 { return cols[lit*words : (lit+1)*words] }
	together := func(a, b []uint64) bool {
		for i := range a {
			if a[i]&b[i] != 0 {
				return true
			}
		}
		return false
	}
	var pairs [][2]int
	never := make([]bool, 2*t.Inputs)
	for lit := range never {
		if never[lit] = !slices.ContainsFunc(col(lit), func(x uint64) bool { return bits.OnesCount64(x) > 0 }); never[lit] {
			pairs = append(pairs, [2]int{lit, lit})
		}
	}
	for a := range never {
		for b := a + 2 - a%2; b < len(never) && !never[a]; b++ {
			if !never[b] && !together(col(a), col(b)) {
				pairs = append(pairs, [2]int{a, b})
			}
		}
	}
	return pairs
}
