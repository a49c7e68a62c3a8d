package structure

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/learn/rules"
	"github.com/fdplan/fdplan/problem/bnn"
)

// Table holds observed rows of input and output bits, packed row by row as
// package bnn packs them. Rows may be equal, and may contradict each other.
type Table struct {
	Inputs, Outputs int // bits of a row
	// Groups lists the input bits of each variable of two bits or more, most
	// significant first.
	Groups [][]int
	// Signed says which of these are integers in two's complement. Nil where none is.
	Signed []bool
	// Rank gives the preference of an input among inputs of the same gain: the
	// least is taken. Nil for the order of the inputs.
	Rank func(output, input int) int
	// Sets lists inputs of one kind, such as the bits of one fluent for all objects of a type.
	Sets [][]int
	// Own is the input that an output may be a changed copy of, -1 for none. Nil for none at
	// all.
	Own func(output int) int
	// Exclusive reports whether the rules of the system forbid that two inputs have two values
	// at once. Nil where no rules are known. Literal 2i is input i being 0, and 2i+1 its
	// being 1.
	Exclusive func(a, b int) bool
	// Symmetries lists groups of permutations, the identity apart, that may leave the functions
	// as they are: the data decide. In a group the permutations that lead from one output to most
	// others come first.
	Symmetries [][]Permutation
	// Contradictory reports that some rows have the same known inputs and
	// different outputs; set by Close.
	Contradictory bool
	// Missing is the number of input cells that were unknown; set by Close.
	Missing int
	// Repeated is the number of rows with the same known inputs and outputs as another;
	// set by Close.
	Repeated int

	group   []int // by input, its place in Groups, -1 for none
	copies  []int // by input, the output that Own says is a copy of it, -1 for none; set by Close
	alone   bool  // a single output is stored; see pooled
	among   int   // the inputs were chosen from so many; 0 for all. See screen
	in, out []uint64
	times   []int32 // by row, how many it stands for; 1 after its end. Nil after Close
	// The cells that are known, where some are not; nil otherwise.
	inKnown, outKnown []uint64
}

// ErrEmpty is wrapped where a table has no row.
var ErrEmpty = errors.New("there are no rows to learn from")

// NewTable returns an empty table.
func NewTable(inputs, outputs int, groups [][]int) *Table {
	t := &Table{Inputs: inputs, Outputs: outputs, Groups: groups, group: none(inputs)}
	for i, g := range groups {
		for _, b := range g {
			t.group[b] = i
		}
	}
	return t
}

// none is a list of places that are absent.
func none(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = -1
	}
	return list
}

// Rows is the number of rows.
func (t *Table) Rows() int { return len(t.in) / bnn.Words(t.Inputs) }

// all lists the rows.
func (t *Table) all() []int32 {
	rows := integer.Below[int32](t.Rows())
	return rows
}

// AddTimes is Add for so many equal rows, which are kept as one until Close needs to know how often each
// was seen.
func (t *Table) AddTimes(in, out, inKnown, outKnown []uint64, times int) {
	for len(t.times) < t.Rows() {
		t.times = append(t.times, 1)
	}
	t.Add(in, out, inKnown, outKnown)
	t.times = append(t.times, int32(times))
}

// Add takes a row, the bits packed. The masks have a one for each bit that is
// known; nil where all are.
func (t *Table) Add(in, out, inKnown, outKnown []uint64) {
	wi, wo := bnn.Words(t.Inputs), bnn.Words(t.Outputs)
	t.inKnown = appendMask(t.inKnown, inKnown, t.Rows(), wi)
	t.outKnown = appendMask(t.outKnown, outKnown, t.Rows(), wo)
	t.in = append(t.in, in[:wi]...)
	t.out = append(t.out, out[:wo]...)
}

// appendMask adds a row of known bits to masks that begin with the first row
// in which a bit is unknown.
func appendMask(masks, row []uint64, rows, words int) []uint64 {
	if row == nil && masks == nil {
		return nil
	}
	for len(masks) < rows*words {
		masks = append(masks, ^uint64(0))
	}
	if row == nil {
		for range words {
			masks = append(masks, ^uint64(0))
		}
		return masks
	}
	return append(masks, row[:words]...)
}

// Close ends the adding of rows. Unknown inputs take the value that the
// variable has most often. Rows without contradictions are made distinct:
// repetition then says nothing.
func (t *Table) Close() error {
	if t.Inputs < 1 || t.Outputs < 1 {
		return fmt.Errorf("rows of %d input bits and %d output bits, expected at least 1 of each", t.Inputs, t.Outputs)
	}
	if t.Rows() == 0 {
		return ErrEmpty
	}
	t.copies = none(t.Inputs)
	for o := range t.Outputs {
		if t.Own != nil && t.Own(o) >= 0 {
			t.copies[t.Own(o)] = o
		}
	}
	t.fill()
	t.distinct()
	return nil
}

// fill returns unknown inputs the most frequent value of their variable.
func (t *Table) fill() {
	if t.inKnown == nil {
		return
	}
	units := slices.Clone(t.Groups)
	for b, g := range t.group {
		if g < 0 {
			units = append(units, []int{b})
		}
	}
	w := bnn.Words(t.Inputs)
	for _, g := range units {
		counts := map[uint64]int{}
		for r := range t.Rows() {
			if rules.Number(t.inKnown[r*w:], g) == 1<<len(g)-1 {
				counts[uint64(rules.Number(t.in[r*w:], g))] += t.seen(r)
			}
		}
		var mode uint64
		for v, n := range counts {
			if n > counts[mode] || n == counts[mode] && v < mode {
				mode = v
			}
		}
		for r := range t.Rows() {
			if rules.Number(t.inKnown[r*w:], g) == 1<<len(g)-1 {
				continue
			}
			t.Missing += t.seen(r)
			for i, b := range g {
				v := mode >> (len(g) - 1 - i) & 1
				t.in[r*w+b/64] = t.in[r*w+b/64]&^(1<<(b%64)) | v<<(b%64)
			}
		}
	}
}

// Cell packs the values that some inputs, at most 64, have in a packed row: bit i is that of the
// i-th input.
func Cell(row []uint64, inputs []int) (cell uint64) {
	for i, b := range inputs {
		cell |= row[b/64] >> (b % 64) & 1 << i
	}
	return cell
}

// distinct sorts the rows and, where no two contradict each other, drops those
// that are repeated.
func (t *Table) distinct() {
	wi, wo := bnn.Words(t.Inputs), bnn.Words(t.Outputs)
	order := t.all()
	known := func(r int32) []uint64 {
		if t.outKnown == nil {
			return nil
		}
		return t.outKnown[int(r)*wo : (int(r)+1)*wo]
	}
	input := func(r int32) []uint64 { return t.in[int(r)*wi : (int(r)+1)*wi] }
	output := func(r int32) []uint64 { return t.out[int(r)*wo : (int(r)+1)*wo] }
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(slices.Compare(input(a), input(b)), slices.Compare(output(a), output(b)), slices.Compare(known(a), known(b)))
	})
	for _, n := range t.times {
		t.Repeated += int(n) - 1
	}
	kept := order[:1:1]
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		same := slices.Equal(input(a), input(b))
		switch {
		case same && slices.Equal(output(a), output(b)) && slices.Equal(known(a), known(b)):
			t.Repeated++
		case same && t.differ(a, b):
			t.Contradictory = true
			kept = append(kept, b)
		default:
			kept = append(kept, b)
		}
	}
	if t.Contradictory || t.Missing > 0 {
		kept = t.repeated(order) // how often each was seen matters
	}
	t.times = nil
	var in, out, outKnown []uint64
	for _, r := range kept {
		in, out = append(in, input(r)...), append(out, output(r)...)
		outKnown = append(outKnown, known(r)...)
	}
	if t.inKnown != nil {
		var inKnown []uint64
		for _, r := range kept {
			inKnown = append(inKnown, t.inKnown[int(r)*wi:(int(r)+1)*wi]...)
		}
		t.inKnown = inKnown
	}
	t.in, t.out, t.outKnown = in, out, outKnown
}

// seen is how many rows row r stands for.
func (t *Table) seen(r int) int {
	if r < len(t.times) {
		return int(t.times[r])
	}
	return 1
}

// repeated lists rows as often as each was seen.
func (t *Table) repeated(rows []int32) []int32 {
	if t.times == nil {
		return rows
	}
	var all []int32
	for _, r := range rows {
		for range t.seen(int(r)) {
			all = append(all, r)
		}
	}
	return all
}

// differ reports whether two rows differ in an output that both know.
func (t *Table) differ(a, b int32) bool {
	for w := range bnn.Words(t.Outputs) {
		i, j := int(a)*bnn.Words(t.Outputs)+w, int(b)*bnn.Words(t.Outputs)+w
		d := t.out[i] ^ t.out[j]
		if t.outKnown != nil {
			d &= t.outKnown[i] & t.outKnown[j]
		}
		if d != 0 {
			return true
		}
	}
	return false
}

// Input returns the packed inputs of row r.
func (t *Table) Input(r int) []uint64 {
	w := bnn.Words(t.Inputs)
	return t.in[r*w : (r+1)*w : (r+1)*w]
}

// Output reports whether output bit o of row r is true.
func (t *Table) Output(r, o int) bool {
	return t.out[r*bnn.Words(t.Outputs)+o/64]>>(o%64)&1 == 1
}

// Knows reports whether output bit o of row r is known.
func (t *Table) Knows(r, o int) bool {
	return t.outKnown == nil || t.outKnown[r*bnn.Words(t.Outputs)+o/64]>>(o%64)&1 == 1
}

// bit reports whether input bit b of row r is true.
func (t *Table) bit(r int32, b int) int {
	return int(t.in[int(r)*bnn.Words(t.Inputs)+b/64] >> (b % 64) & 1)
}

// Complete reports whether all inputs of row r were known.
func (t *Table) Complete(r int) bool {
	if t.inKnown == nil {
		return true
	}
	for b := range t.Inputs {
		if t.inKnown[r*bnn.Words(t.Inputs)+b/64]>>(b%64)&1 == 0 {
			return false
		}
	}
	return true
}

// filled reports whether one of the inputs of row r was unknown.
func (t *Table) filled(r int32, inputs []int) bool {
	if t.inKnown == nil {
		return false
	}
	w := int(r) * bnn.Words(t.Inputs)
	return slices.ContainsFunc(inputs, func(b int) bool { return t.inKnown[w+b/64]>>(b%64)&1 == 0 })
}

// known lists the rows of rows in which output o is known.
func (t *Table) known(rows []int32, o int) []int32 {
	if t.outKnown == nil {
		return rows
	}
	var out []int32
	for _, r := range rows {
		if t.Knows(int(r), o) {
			out = append(out, r)
		}
	}
	return out
}
