package rawlog

import "math"

// roundest returns the number e with lo < e <= hi that has the fewest digits, of several the
// one nearest to the middle. It requires lo < hi.
func roundest(lo, hi float64) float64 {
	middle := lo + (hi-lo)/2
	if lo < 0 && hi >= 0 {
		return 0
	}
	top := math.Ceil(math.Log10(max(math.Abs(lo), math.Abs(hi)))) + 1
	for p := top; p > top-18; p-- {
		for _, m := range []float64{1, 0.5, 0.2} {
			if e, ok := multiple(lo, hi, middle, m, p); ok {
				return e
			}
		}
	}
	return hi
}

// multiple returns the multiple of m*10^p in lo < e <= hi nearest to the middle, if any.
func multiple(lo, hi, middle, m, p float64) (float64, bool) {
	at := func(k float64) float64 {
		// Division by a power of ten is exact in decimal fractions, multiplication is not.
		if p < 0 {
			return k * (m * 10) / math.Pow(10, 1-p)
		}
		return k * (m * 10) * math.Pow(10, p) / 10
	}
	step := m * math.Pow(10, p)
	k := math.Round(middle / step)
	for _, j := range []float64{k, k - 1, k + 1} {
		if e := at(j); e > lo && e <= hi {
			return e, true
		}
	}
	return 0, false
}

// outer returns round bounds of lo..hi that are at most a tenth of its width away.
func outer(lo, hi float64) (float64, float64) {
	width := hi - lo
	if width <= 0 {
		width = max(1, math.Abs(lo))
	}
	a := lo
	if !(lo >= 0 && lo-width/10 < 0) {
		a = roundest(lo-width/10, lo)
	} else {
		a = 0
	}
	return a, -roundest(-(hi + width/10), -hi)
}
