package bracket

import (
	"math"
	"slices"
)

// LowerMean bounds the expectation of runs from below, with a probability of error of at most odds: each run is independent, and none
// is below floor. It bets on the runs one after another that they exceed a number: a number is refuted when
// the bets, which are fair at best, have won 1/odds (Waudby-Smith and Ramdas, Estimating means of
// bounded random variables by betting, 2024). Nothing need be known of how great a run can be.
func LowerMean(runs []float64, floor, odds float64) float64 {
	if math.IsInf(floor, 0) || len(runs) == 0 || slices.Min(runs) < floor {
		return math.Inf(-1)
	}
	bets := make([]float64, len(runs)) // relative to what is above the floor
	sum, square := 0.0, 0.0
	for i, x := range runs {
		// What to bet is decided by the runs before.
		n := float64(i)
		if i > 1 {
			if v := max(0, square/n-sum/n*sum/n); v > 0 {
				bets[i] = math.Sqrt(2 * math.Log(1/odds) / (v * float64(len(runs))))
			} else {
				bets[i] = math.Inf(1)
			}
		}
		sum += x - floor
		square += (x - floor) * (x - floor)
	}
	refuted := func(mean float64) bool {
		log := 0.0
		for i, x := range runs {
			bet := min(bets[i], mostBet/mean)
			log += math.Log1p(bet * (x - floor - mean))
		}
		return log >= math.Log(1/odds)
	}
	low, high := 0.0, sum/float64(len(runs))
	if high == 0 {
		return floor
	}
	for range 60 {
		if m := (low + high) / 2; refuted(m) {
			low = m
		} else {
			high = m
		}
	}
	return floor + low
}

// mostBet is the share of what there is that a bet can lose.
const mostBet = 0.9
