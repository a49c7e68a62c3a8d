package factored

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The least expectation over intervals is that of the best vertex: all probabilities but one are at an end of their
// intervals.
func TestLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 1 + rng.IntN(4)
		d := Draw{Range: &Range{}}
		values, left := make([]float64, n), 1.0
		for i := range n {
			p := left * rng.Float64()
			if i == n-1 {
				p = left
			}
			left -= p
			d.Range.Low = append(d.Range.Low, p*rng.Float64())
			d.Range.High = append(d.Range.High, p+(1-p)*rng.Float64())
			values[i] = 10 * rng.Float64()
		}
		floor := -rng.Float64()
		if rng.IntN(2) == 0 {
			d.Range.Other = rng.Float64()
		}
		low, high, all := append([]float64{0}, d.Range.Low...), append([]float64{d.Range.Other}, d.Range.High...), append([]float64{floor}, values...)
		best := math.Inf(1)
		for free := range all {
			for ends := range 1 << len(all) {
				sum, rest := 0.0, 1.0
				for i, v := range all {
					p := low[i]
					if ends>>i&1 == 1 {
						p = high[i]
					}
					if i != free {
						sum, rest = sum+p*v, rest-p
					}
				}
				if rest >= low[free]-1e-12 && rest <= high[free]+1e-12 {
					best = min(best, sum+rest*all[free])
				}
			}
		}
		if got := d.Least(values, floor); math.Abs(got-best) > 1e-9 {
			t.Fatalf("%+v with values %v and floor %v: %v; expected %v", d.Range, values, floor, got, best)
		}
	}
}
