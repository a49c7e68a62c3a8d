package structure

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestChance: outputs that nothing determines are recognised beside others that a function
// determines, however little a single input shows of it, and get a constant.
func TestChance(t *testing.T) {
	bit := func(x []int, at ...int) int {
		sum := 0
		for _, i := range at {
			sum += x[i]
		}
		return sum
	}
	for _, c := range []struct {
		name   string
		rows   int
		value  func(r *rand.Rand, x []int) bool
		chance bool
	}{
		{"even", 300, func(r *rand.Rand, _ []int) bool { return r.IntN(2) == 0 }, true},
		{"even, many rows", 3000, func(r *rand.Rand, _ []int) bool { return r.IntN(2) == 0 }, true},
		{"one in ten", 1000, func(r *rand.Rand, _ []int) bool { return r.IntN(10) == 0 }, true},
		{"conjunction", 300, func(_ *rand.Rand, x []int) bool { return bit(x, 1, 2, 3) == 3 }, false},
		{"rare conjunction", 1000, func(_ *rand.Rand, x []int) bool { return bit(x, 1, 2, 3, 4, 5, 6) == 6 }, false},
		{"rare conjunction, more rows", 3000, func(_ *rand.Rand, x []int) bool { return bit(x, 1, 2, 3, 4, 5, 6) == 6 }, false},
		{"sum of two", 300, func(_ *rand.Rand, x []int) bool { return bit(x, 4, 5)%2 == 1 }, false},
		{"sum of three", 1000, func(_ *rand.Rand, x []int) bool { return bit(x, 4, 5, 6)%2 == 1 }, false},
		{"sum of five", 1000, func(_ *rand.Rand, x []int) bool { return bit(x, 4, 5, 6, 8, 9)%2 == 1 }, false},
		{"noisy copy", 300, func(r *rand.Rand, x []int) bool { return (x[7] == 1) != (r.IntN(4) == 0) }, false},
		{"noisy sum", 1000, func(r *rand.Rand, x []int) bool { return (bit(x, 7, 8)%2 == 1) != (r.IntN(10) == 0) }, false},
		{"often", 300, func(_ *rand.Rand, x []int) bool { return bit(x, 1, 2, 3, 4, 5) >= 3 }, false},
		{"constant", 300, func(*rand.Rand, []int) bool { return true }, false},
	} {
		for seed := range uint64(1) {
			r := rand.New(rand.NewPCG(seed, 3))
			const inputs, outputs = 40, 10
			tab := NewTable(inputs, outputs, nil)
			for range c.rows {
				x := make([]int, inputs)
				in, out := make([]uint64, 1), make([]uint64, 1)
				for i := range x {
					x[i] = r.IntN(2)
					in[0] |= uint64(x[i]) << i
				}
				if c.value(r, x) {
					out[0] = 1
				}
				out[0] |= uint64(x[0]) << 1
				for o := 2; o < outputs; o++ {
					out[0] |= uint64(r.IntN(2)) << o
				}
				tab.Add(in, out, nil, nil)
			}
			if err := tab.Close(); err != nil {
				t.Fatal(err)
			}
			st, err := Learn(t.Context(), tab, Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			var got, want []int
			for o := range st.Outputs {
				if st.Outputs[o].Verdict == Chance {
					got = append(got, o)
					if len(st.Outputs[o].Inputs) > 0 {
						t.Errorf("%s: output %d is left to chance and reads %v", c.name, o, st.Outputs[o].Inputs)
					}
				}
				if o > 1 || o == 0 && c.chance {
					want = append(want, o)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, seed %d: %v are left to chance, expected %v", c.name, seed, got, want)
			}
		}
	}
}
