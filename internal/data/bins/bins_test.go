package bins

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestBins(t *testing.T) {
	b := Uniform{Lo: 0, Hi: 10, Bits: 2}
	for x, want := range map[float64]int{0: 0, 2.4999: 0, 2.5: 1, 4.999: 1, 5: 2, 7.5: 3, 9.99: 3, 10: 3, math.SmallestNonzeroFloat64: 0, math.Nextafter(2.5, 0): 0} {
		if got := b.Level(x); got != want {
			t.Errorf("%v has level %d, want %d", x, got, want)
		}
	}
	if c := b.Center(1); c != 3.75 {
		t.Errorf("the center of level 1 is %v, want 3.75", c)
	}
	// Edges and centers belong to their own bins even for awkward bounds.
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		b := Uniform{Lo: rng.NormFloat64() * math.Pow(10, float64(rng.IntN(9)-4)), Bits: 1 + rng.IntN(10)}
		b.Hi = b.Lo + rng.Float64()*math.Pow(10, float64(rng.IntN(9)-4))
		if b.Check() != nil {
			continue
		}
		for k := range b.Levels() {
			if b.Level(b.Edge(k)) != k || b.Level(b.Center(k)) != k || b.Level(math.Nextafter(b.Edge(k+1), math.Inf(-1))) != k {
				t.Fatalf("%+v: level %d holds other values than those from %v to %v", b, k, b.Edge(k), b.Edge(k+1))
			}
		}
		if b.Level(b.Hi) != b.Levels()-1 {
			t.Fatalf("%+v: the upper bound has level %d", b, b.Level(b.Hi))
		}
	}
	for want, b := range map[string]Uniform{
		"0 bits, expected 1..16": {Hi: 1}, "17 bits": {Hi: 1, Bits: 17}, "the range 1..1, expected": {Lo: 1, Hi: 1, Bits: 3},
		"the range 0..NaN": {Hi: math.NaN(), Bits: 3}, "the range -Inf..1": {Lo: math.Inf(-1), Hi: 1, Bits: 3},
		"is too narrow for 16 bits": {Lo: 1, Hi: 1 + 1e-10, Bits: 16},
	} {
		if err := b.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", b, err, want)
		}
	}
}
