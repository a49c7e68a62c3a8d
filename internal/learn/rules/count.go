package rules

import (
	"context"

	"github.com/fdplan/fdplan/internal/integer"
)

// mostCounted is the most inputs of a function of their number.
const mostCounted = 64

// Count describes the function of a sample by how many of some literals hold, as it does a
// majority, a parity or another symmetric function. The search for the inputs begins with all of
// them, and with those given. It is nil where no number of literals decides all
// rows, and when ctx ends.
func Count(ctx context.Context, s *Sample, inputs []int) *Sum {
	if len(s.Out) == 0 {
		return nil
	}
	all := integer.Below[int](s.Inputs)
	for _, from := range [][]int{inputs, all} {
		if len(from) > mostCounted {
			continue
		}
		for _, sign := range []bool{false, true} {
			t := newTallied(s)
			for _, i := range from {
				switch {
				case !sign || t.agrees(i):
					t.set(i, 1)
				default:
					t.set(i, -1)
				}
			}
			if t.climb(ctx) {
				return t.sum()
			}
		}
	}
	return nil
}

// tallied is a choice of literals, at most one for each input, and how many of them hold in each row.
type tallied struct {
	s     *Sample
	cols  [][]uint64 // by input
	sign  []int8     // by input: 1 for a one, -1 for a zero, 0 if it does not count
	held  []int16    // by row
	cells [2][]int32 // rows by value of the function and number of literals that hold
}

func newTallied(s *Sample) *tallied {
	t := &tallied{s: s, sign: make([]int8, s.Inputs), held: make([]int16, len(s.Out))}
	for i := range s.Inputs {
		t.cols = append(t.cols, s.column(func(in []uint64) bool { return in[i/64]>>(i%64)&1 == 1 }))
	}
	for v := range t.cells {
		t.cells[v] = make([]int32, mostCounted+1)
	}
	return t
}

// value is the function in a row as a number.
func (t *tallied) value(r int) int {
	if t.s.Out[r] {
		return 1
	}
	return 0
}

// agrees reports whether the function is 1 more often where an input is than elsewhere.
func (t *tallied) agrees(i int) bool {
	var n, k [2]int
	for r := range t.s.Out {
		v := t.cols[i][r/64] >> (r % 64) & 1
		n[v]++
		k[v] += t.value(r)
	}
	return k[1]*n[0] >= k[0]*n[1]
}

// set changes the literal of an input.
func (t *tallied) set(i int, sign int8) {
	for r := range t.held {
		x := int8(t.cols[i][r/64]>>(r%64)&1)*2 - 1
		if t.sign[i] == x {
			t.held[r]--
		}
		if sign == x {
			t.held[r]++
		}
	}
	t.sign[i] = sign
}

// used counts the literals.
func (t *tallied) used() (n int) {
	for _, s := range t.sign {
		if s != 0 {
			n++
		}
	}
	return n
}

// wrong counts the rows that differ from most rows with as many literals.
func (t *tallied) wrong() (n int) {
	for v := range t.cells {
		clear(t.cells[v])
	}
	for r, h := range t.held {
		t.cells[t.value(r)][h]++
	}
	for h := range t.cells[0] {
		n += int(min(t.cells[0][h], t.cells[1][h]))
	}
	return n
}

// climb changes the literal of one input after the other as long as fewer rows are wrong, and
// reports whether none is in the end. Inputs that do not matter are then left out.
func (t *tallied) climb(ctx context.Context) bool {
	const hopeless = 3 // the part of the rows that may be wrong at first
	wrong := t.wrong()
	if wrong > len(t.s.Out)/hopeless {
		return false
	}
	for wrong > 0 {
		if ctx.Err() != nil {
			return false
		}
		best, at, to := wrong, -1, int8(0)
		for i := range t.sign {
			was := t.sign[i]
			for _, sign := range []int8{0, 1, -1} {
				if sign == was || was == 0 && t.used() == mostCounted {
					continue
				}
				t.set(i, sign)
				if n := t.wrong(); n < best {
					best, at, to = n, i, sign
				}
			}
			t.set(i, was)
		}
		if at < 0 {
			return false
		}
		t.set(at, to)
		wrong = best
	}
	for i := range t.sign {
		if was := t.sign[i]; was != 0 {
			if t.set(i, 0); t.wrong() > 0 {
				t.set(i, was)
			}
		}
	}
	return true
}

// sum writes the function.
func (t *tallied) sum() *Sum {
	var lits []int
	for i, sign := range t.sign {
		switch sign {
		case 1:
			lits = append(lits, 2*i)
		case -1:
			lits = append(lits, 2*i+1)
		}
	}
	t.wrong()
	values := make([]int8, len(lits)+1)
	for h := range values {
		switch {
		case t.cells[1][h] > 0:
			values[h] = One
		case t.cells[0][h] > 0:
			values[h] = Zero
		}
	}
	return ByNumber(lits, values)
}

// The values of ByNumber; 0 is for none.
const (
	Zero = 1
	One  = 2
)

// ByNumber is the function with a value for each number of some literals, in increasing order, that hold: a unit for each number
// at which the value changes, added and taken away in turn. A number without one takes the value of the number below it, or the first.
func ByNumber(lits []int, values []int8) *Sum {
	s := &Sum{Threshold: 1}
	last, weight := int8(0), int8(1)
	for h, v := range values {
		switch {
		case v == 0 || v == last:
			continue
		case last > 0:
			s.Units, s.Weights = append(s.Units, Unit{lits, h}), append(s.Weights, weight)
			weight = -weight
		case v == One:
			s.Threshold, weight = 0, -1
		}
		last = v
	}
	return s
}
