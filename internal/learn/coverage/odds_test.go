package coverage

import (
	"math"
	"testing"
)

// TestOdds compares the odds of events with sums over all cases.
func TestOdds(t *testing.T) {
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-9*want+1e-15 }
	choose := func(n, k int) float64 {
		c := 1.0
		for i := range k {
			c *= float64(n-i) / float64(i+1)
		}
		return c
	}
	for n := 1; n <= 14; n++ {
		for k := range n + 1 {
			for _, p := range []float64{0.01, 0.2, 0.5, 0.9} {
				want := 0.0
				for i := k; i <= n; i++ {
					want += choose(n, i) * math.Pow(p, float64(i)) * math.Pow(1-p, float64(n-i))
				}
				if got := AtLeast(n, k, p); got != 1 && !near(got, want) || got < want-1e-12 {
					t.Errorf("%d or more of %d at %v: %v, expected %v", k, n, p, got, want)
				}
			}
			for marked := range n + 1 {
				for draw := range n + 1 {
					want := 0.0
					for i := k; i <= min(draw, marked); i++ {
						if draw-i <= n-marked {
							want += choose(marked, i) * choose(n-marked, draw-i) / choose(n, draw)
						}
					}
					if got := Drawn(n, marked, draw, k); got != 1 && !near(got, want) || got < want-1e-12 {
						t.Errorf("%d or more of %d marked among %d, in %d drawn: %v, expected %v", k, marked, n, draw, got, want)
					}
				}
			}
		}
	}
	if p := upperRate(100, 0, 0.05); !near(p, 1-math.Pow(0.05, 0.01)) {
		t.Errorf("no event in 100: at most %v", p)
	}
	if p := upperRate(100, 10, 0.05); math.Abs(AtLeast(100, 90, 1-p)-0.05) > 1e-9 {
		t.Errorf("10 events in 100: at most %v", p)
	}
}
