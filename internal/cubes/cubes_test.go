package cubes_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/cubes"
)

// TestCover compares the cubes of random sets with the sets, and leaves each cube out
// in turn.
func TestCover(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 9 {
		for range 50 {
			least, most := cubes.New(n), cubes.New(n)
			low, high := make([]bool, 1<<n), make([]bool, 1<<n)
			for row := range low {
				low[row] = r.IntN(3) == 0
				high[row] = low[row] || r.IntN(3) == 0
				if low[row] {
					least.Add(uint64(row))
				}
				if high[row] {
					most.Add(uint64(row))
				}
			}
			found, ok := cubes.Cover(least, most, -1)
			if !ok || !between(low, high, found) {
				t.Fatalf("%d inputs: %v does not lie between %v and %v", n, found, low, high)
			}
			for i := range found {
				if rest := append(found[:i:i], found[i+1:]...); between(low, high, rest) {
					t.Errorf("%d inputs: cube %d of %v can be left out", n, i, found)
				}
			}
			if _, ok := cubes.Cover(least, most, len(found)); !ok {
				t.Errorf("%d inputs: %d cubes are too many for that limit", n, len(found))
			}
			if _, ok := cubes.Cover(least, most, len(found)-1); ok && len(found) > 0 {
				t.Errorf("%d inputs: %d cubes pass a limit of one less", n, len(found))
			}
		}
	}
}

// between reports whether cubes have all rows of low and none outside high.
func between(low, high []bool, found []cubes.Cube) bool {
	for row := range low {
		in := false
		for _, c := range found {
			in = in || uint64(row)&c.Care == c.Value
		}
		if low[row] && !in || in && !high[row] {
			return false
		}
	}
	return true
}
