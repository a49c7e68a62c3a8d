package synthesis

import (
	"math/bits"

	"github.com/fdplan/fdplan/internal/learn/integers"
	"github.com/fdplan/fdplan/internal/learn/rules"
)

// fixed is an output whose units are given and not shrunk: it is true where the weights of
// those that hold add up to threshold or more.
type fixed struct {
	units     []int // of the net
	weights   []int8
	threshold int
	// form, if it is not nil, is the function in place of units: the bit of weight 2^bit of its value.
	form *integers.Expr
	bit  int
}

// counted returns the literals whose number decides f, and the values by that number; ok is
// false if there are none. Numbers that no cell has take the value before.
func counted(f *Function) (l literals, values []bool, ok bool) {
	n := len(f.Inputs)
	const most = 16 // inputs
	if n < 2 || n > most {
		return l, nil, false
	}
	known := make([]int8, 1<<n) // 1 for false, 2 for true
	for k, cubes := range [][]Cube{f.Off, f.On} {
		for _, c := range cubes {
			if c.Care != mask(n) {
				return l, nil, false
			}
			known[c.Value] = int8(k + 1)
		}
	}
	l.pos = 1
	for i := 1; i < n; i++ {
		switch pair := uint64(1) | 1<<i; {
		case alike(known, pair, true):
			l.pos |= 1 << i
		case alike(known, pair, false):
			l.neg |= 1 << i
		default:
			return l, nil, false
		}
	}
	return l, byCount(known, l, n), byCount(known, l, n) != nil
}

// alike reports whether turning both bits of pair round changes no value, in the
// cells where they differ or in those where they are equal.
func alike(known []int8, pair uint64, differ bool) bool {
	for v, x := range known {
		if one := bits.OnesCount64(uint64(v)&pair) == 1; one == differ {
			if y := known[uint64(v)^pair]; x != 0 && y != 0 && x != y {
				return false
			}
		}
	}
	return true
}

// byCount returns the values by the number of literals that hold, nil where they do not
// decide.
func byCount(known []int8, l literals, n int) []bool {
	at := make([]int8, n+1)
	for v, x := range known {
		k := bits.OnesCount64(uint64(v)&l.pos) + bits.OnesCount64(^uint64(v)&l.neg)
		switch {
		case x == 0:
		case at[k] == 0:
			at[k] = x
		case at[k] != x:
			return nil
		}
	}
	values, last := make([]bool, n+1), false
	for _, x := range at {
		if x != 0 {
			last = x == 2
			break
		}
	}
	for k, x := range at {
		if x != 0 {
			last = x == 2
		}
		values[k] = last
	}
	return values
}

// changes counts the places where values change.
func changes(values []bool) int {
	n := 0
	for k := 1; k < len(values); k++ {
		if values[k] != values[k-1] {
			n++
		}
	}
	return n
}

// counter is a function of the number of literals that hold: a unit for each number at which
// the value changes, added and taken away in turn.
func (t *target) counter(l literals, values []bool) *rules.Sum {
	s := &rules.Sum{Threshold: 1}
	weight := int8(1)
	if values[0] {
		s.Threshold, weight = 0, -1
	}
	for k := 1; k < len(values); k++ {
		if values[k] != values[k-1] {
			u := t.unit(l, k)
			s.Units, s.Weights = append(s.Units, rules.Unit{Literals: u.lits, Threshold: u.threshold}), append(s.Weights, weight)
			weight = -weight
		}
	}
	return s
}

// addSum makes the units of a sum.
func (n *net) addSum(s *rules.Sum) *fixed {
	f := &fixed{weights: s.Weights, threshold: s.Threshold}
	for _, u := range s.Units {
		f.units = append(f.units, n.add(unit{u.Literals, u.Threshold}))
	}
	return f
}

// row writes the weights of an output and returns its threshold as package bnn counts it: a
// unit with a negative weight counts where it does not hold.
func (f *fixed) row(row []int8, number []int) (threshold int) {
	threshold = f.threshold
	for i, u := range f.units {
		if row[number[u]] = f.weights[i]; f.weights[i] < 0 {
			threshold++
		}
	}
	// Beyond these the output is constant.
	return min(max(threshold, 0), len(f.units)+1)
}
