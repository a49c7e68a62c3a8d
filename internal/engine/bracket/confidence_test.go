package bracket_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/engine/bracket"
)

// TestLowerMean: a lower bound is wrong no more often than it may be, and near the mean of many runs.
func TestLowerMean(t *testing.T) {
	const samples, odds = 120, .05
	rng := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		draw        func() float64
		mean, floor float64
		near        float64 // of 2,000 runs
	}{
		"coin":  {func() float64 { return float64(rng.IntN(2)) }, .5, 0, .05},
		"rare":  {func() float64 { return -100 * float64(rng.IntN(100)/99) }, -1, -100, 2},
		"gauss": {func() float64 { return max(-50, rng.NormFloat64()) }, 0, -50, 1},
	} {
		wrong, distance := 0, 0.0
		for range samples {
			runs := make([]float64, 2000)
			for i := range runs {
				runs[i] = c.draw()
			}
			lower := bracket.LowerMean(runs, c.floor, odds)
			if lower > c.mean {
				wrong++
			}
			distance += (c.mean - lower) / samples
		}
		if float64(wrong) > samples*odds+3*math.Sqrt(samples*odds) || distance > c.near {
			t.Errorf("%s: %d of %d bounds are wrong, and they are %v below the mean", name, wrong, samples, distance)
		}
	}
	if x := bracket.LowerMean([]float64{0, 0, -1}, 0, odds); !math.IsInf(x, -1) {
		t.Errorf("a run is below the floor, and the bound is %v", x)
	}
	if x := bracket.LowerMean([]float64{0, 0, 0}, 0, odds); x != 0 {
		t.Errorf("all runs are at the floor, and the bound is %v", x)
	}
}
