package bnn

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestCorrect checks every input: the corrected network returns the corrected output, or else
// the network's own.
func TestCorrect(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 0))
	changed := 0
	for range 200 {
		sizes := []int{1 + rng.IntN(7)}
		for range rng.IntN(3) {
			sizes = append(sizes, 1+rng.IntN(6))
		}
		sizes = append(sizes, 1+rng.IntN(4))
		n := randomNetwork(rng, 0.7, sizes...)
		bits := func(x, width int) []bool {
			out := make([]bool, width)
			for i := range out {
				out[i] = x>>i&1 == 1
			}
			return out
		}
		want := map[int][]bool{}
		var corrections []Correction
		for range rng.IntN(10) {
			x := rng.IntN(1 << n.Inputs())
			if _, ok := want[x]; !ok {
				want[x] = bits(rng.IntN(1<<n.Outputs()), n.Outputs())
			}
			corrections = append(corrections, Correction{bits(x, n.Inputs()), want[x]})
		}
		c, err := Correct(n, corrections)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Check(); err != nil {
			t.Fatalf("%s corrected: %v", n.Shape(), err)
		}
		for x := range 1 << n.Inputs() {
			in := bits(x, n.Inputs())
			expected, ok := want[x]
			before := naive(n, in)
			if !ok {
				expected = before
			} else if !reflect.DeepEqual(before, expected) {
				changed++
			}
			if got := naive(c, in); !reflect.DeepEqual(got, expected) {
				t.Fatalf("%s with %d corrections, input %v: %v, want %v", n.Shape(), len(corrections), in, got, expected)
			}
		}
		var file bytes.Buffer
		f := &File{Network: c}
		for i := range c.Inputs() {
			f.Inputs = append(f.Inputs, fmt.Sprint("i", i))
		}
		for i := range c.Outputs() {
			f.Outputs = append(f.Outputs, fmt.Sprint("o", i))
		}
		if err := WriteFile(&file, f); err != nil {
			t.Fatal(err)
		}
		if back, err := ReadFile("corrected", &file); err != nil || !reflect.DeepEqual(back.Network, c) {
			t.Fatalf("the corrected network does not come back from its file: %v", err)
		}
	}
	if changed < 300 {
		t.Errorf("only %d inputs were corrected", changed)
	}
}

func TestCorrectRefuses(t *testing.T) {
	n := randomNetwork(rand.New(rand.NewPCG(1, 0)), 1, 2, 3, 1)
	agrees := Correction{[]bool{true, false}, naive(n, []bool{true, false})}
	if same, err := Correct(n, []Correction{agrees, agrees}); err != nil || same != n {
		t.Errorf("a correction that changes nothing: %v", err)
	}
	for _, bad := range [][]Correction{
		{{[]bool{true}, []bool{true}}},
		{{[]bool{true, true}, []bool{true, false}}},
		{agrees, {agrees.Inputs, []bool{!agrees.Outputs[0]}}},
	} {
		if _, err := Correct(n, bad); !errors.Is(err, ErrShape) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
