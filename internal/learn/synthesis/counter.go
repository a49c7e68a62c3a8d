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

// counted is f as a function of the number of literals that hold, one of each input; nil if it is none.
func counted(f *Function) *rules.Sum {
	n := len(f.Inputs)
	const most = 16 // inputs
	if n < 2 || n > most {
		return nil
	}
	known := make([]int8, 1<<n)
	for k, cubes := range [][]Cube{f.Off, f.On} {
		for _, c := range cubes {
			if c.Care != mask(n) {
				return nil
			}
			known[c.Value] = int8(rules.Zero + k)
		}
	}
	lits, neg := []int{2 * f.Inputs[0]}, uint64(0)
	for i := 1; i < n; i++ {
		switch pair := uint64(1) | 1<<i; {
		case alike(known, pair, true):
			lits = append(lits, 2*f.Inputs[i])
		case alike(known, pair, false):
			lits, neg = append(lits, 2*f.Inputs[i]+1), neg|1<<i
		default:
			return nil
		}
	}
	values := make([]int8, n+1)
	for v, x := range known {
		switch k := bits.OnesCount64(uint64(v) ^ neg); {
		case x == 0:
		case values[k] != 0 && values[k] != x:
			return nil
		default:
			values[k] = x
		}
	}
	return rules.ByNumber(lits, values)
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
