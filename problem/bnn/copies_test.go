package bnn

import (
	"math/rand/v2"
	"testing"
)

// TestCopies: each copy has the outputs of the network.
func TestCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	n := &Network{}
	for _, size := range [][2]int{{3, 5}, {5, 4}, {4, 2}} {
		l := Layer{Inputs: size[0]}
		for range size[1] {
			fan := 0
			for range size[0] {
				w := int8(rng.IntN(3) - 1)
				l.Weights = append(l.Weights, w)
				fan += int(w * w)
			}
			l.Thresholds = append(l.Thresholds, int32(rng.IntN(fan+2)))
		}
		n.Layers = append(n.Layers, l)
	}
	c := Copies(n, 3)
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	one, all := NewEvaluator(n), NewEvaluator(c)
	for in := range uint64(1 << 9) {
		want := uint64(0)
		for k := range 3 {
			out := make([]uint64, 1)
			one.Forward(out, []uint64{in >> (3 * k) & 7}, one.NewScratch())
			want |= out[0] << (2 * k)
		}
		got := make([]uint64, 1)
		if all.Forward(got, []uint64{in}, all.NewScratch()); got[0] != want {
			t.Fatalf("%09b: %06b, want %06b", in, got[0], want)
		}
	}
}
