package sorting

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestStable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		xs := make([][2]int, r.IntN(40))
		for i := range xs {
			xs[i] = [2]int{r.IntN(6), i}
		}
		compare := func(a, b [2]int) int { return a[0] - b[0] }
		want := slices.Clone(xs)
		slices.SortStableFunc(want, compare)
		if Stable(xs, compare); !slices.Equal(xs, want) {
			t.Fatalf("%v, want %v", xs, want)
		}
	}
}
