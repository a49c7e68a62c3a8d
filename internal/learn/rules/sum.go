package rules

import (
	"math/bits"
	"slices"
)

// Unit is a threshold unit: it holds if at least Threshold of its literals do. Literal 2i
// asks for input i being 1, literal 2i+1 for its being 0.
type Unit struct {
	Literals  []int // in increasing order
	Threshold int
}

// Sum is a Boolean function: true where the weights of the units that hold add up to
// Threshold or more.
type Sum struct {
	Units     []Unit
	Weights   []int8 // of the units, -1 or 1
	Threshold int
}

// holds reports whether a literal holds in a packed row of inputs.
func holds(in []uint64, literal int) bool {
	return int(in[literal/128]>>(literal/2%64)&1) != literal&1
}

// Eval returns the value for a packed row of inputs.
func (s *Sum) Eval(in []uint64) bool {
	sum := 0
	for i := range s.Units {
		if s.Units[i].holds(in) {
			sum += int(s.Weights[i])
		}
	}
	return sum >= s.Threshold
}

func (u *Unit) holds(in []uint64) bool {
	n, left := 0, len(u.Literals)
	for _, l := range u.Literals {
		if holds(in, l) {
			n++
		}
		if left--; n+left < u.Threshold {
			return false
		}
	}
	return n >= u.Threshold
}

// Inputs lists the inputs that the units read, in increasing order.
func (s *Sum) Inputs() []int {
	var out []int
	for i := range s.Units {
		for _, l := range s.Units[i].Literals {
			out = append(out, l/2)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Sample is the rows that a function is learned from.
type Sample struct {
	Inputs int
	In     [][]uint64 // packed inputs of each row
	Out    []bool     // the value of the function in each row
	// Groups lists the input bits of each variable of several bits, most significant first.
	Groups [][]int
	// Sets lists inputs of one kind, of which a rule may ask whether any is 1.
	Sets [][]int
	// Own is the input that the function is likely to copy in most rows, -1 for none.
	Own int
}

// words is the number of words of a bit set of the rows.
func (s *Sample) words() int { return (len(s.Out) + 63) / 64 }

// column returns the rows in which f holds, as a bit set.
func (s *Sample) column(f func(in []uint64) bool) []uint64 {
	col := make([]uint64, s.words())
	for r, in := range s.In {
		if f(in) {
			col[r/64] |= 1 << (r % 64)
		}
	}
	return col
}

// Members counts the members of a bit set.
func Members(set []uint64) int {
	n := 0
	for _, x := range set {
		n += bits.OnesCount64(x)
	}
	return n
}

// Renamed is the function with input to[i] in place of input i.
func (s *Sum) Renamed(to []int) *Sum {
	r := &Sum{Weights: s.Weights, Threshold: s.Threshold}
	for _, u := range s.Units {
		lits := make([]int, len(u.Literals))
		for i, l := range u.Literals {
			lits[i] = 2*to[l/2] + l&1
		}
		slices.Sort(lits)
		r.Units = append(r.Units, Unit{lits, u.Threshold})
	}
	return r
}
