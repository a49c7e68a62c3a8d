package bins

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestBins(t *testing.T) {
	b, err := Uniform(0, 10, 2)
	if err != nil {
		t.Fatal(err)
	}
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
		lo := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(9)-4))
		b, err := Uniform(lo, lo+rng.Float64()*math.Pow(10, float64(rng.IntN(9)-4)), 1+rng.IntN(10))
		if err != nil {
			continue
		}
		if err := b.Check(); err != nil {
			t.Fatal(err)
		}
		for k := range b.Levels() {
			if b.Level(b.Edges[k]) != k || b.Level(b.Center(k)) != k || b.Level(math.Nextafter(b.Edges[k+1], math.Inf(-1))) != k {
				t.Fatalf("%+v: level %d holds other values than those from %v to %v", b, k, b.Edges[k], b.Edges[k+1])
			}
		}
		if b.Level(b.Hi()) != b.Levels()-1 {
			t.Fatalf("%+v: the upper bound has level %d", b, b.Level(b.Hi()))
		}
	}
	for _, c := range []struct {
		want   string
		lo, hi float64
		bits   int
	}{
		{"0 bits, expected 1..16", 0, 1, 0}, {"17 bits", 0, 1, 17}, {"the range 1..1, expected", 1, 1, 3},
		{"the range 0..NaN", 0, math.NaN(), 3}, {"the range -Inf..1", math.Inf(-1), 1, 3}, {"is too narrow for 16 bits", 1, 1 + 1e-10, 16},
	} {
		if _, err := Uniform(c.lo, c.hi, c.bits); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestEdges(t *testing.T) {
	b := Bins{Edges: []float64{0, 100, 600, 800}}
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	for x, want := range map[float64]int{0: 0, 99.9: 0, 100: 1, 599: 1, 600: 2, 800: 2} {
		if got := b.Level(x); got != want {
			t.Errorf("%v has level %d, want %d", x, got, want)
		}
	}
	for want, edges := range map[string][]float64{
		"no bins": {1}, "the edges 2 and 2": {1, 2, 2}, "the edge NaN": {1, math.NaN()}, "the edge +Inf": {1, math.Inf(1)}, "65537 bins": make([]float64, 65538),
	} {
		if err := (Bins{Edges: edges}).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", want, err)
		}
	}
}
