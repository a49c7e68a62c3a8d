package quantity

import (
	"maps"
	"math"
	"slices"
)

// Band is a range of errors: logged less predicted values.
type Band struct{ Low, High float64 }

// BandOf returns the band that covers a share of errors like those of rows that were not learned from: split-conformal, the
// ceil((n+1)*share)-th smallest magnitude, the largest where there are too few. With many errors, each side has a bound of
// its own.
func BandOf(errors []float64, share float64) Band {
	n := len(errors)
	if n == 0 {
		return Band{math.Inf(-1), math.Inf(1)}
	}
	sorted := slices.Clone(errors)
	side := (1 - share) / 2
	if float64(n)*side >= manyTails {
		slices.Sort(sorted)
		k := int(math.Floor(float64(n+1) * side)) // so many of n+1 are beyond
		return Band{sorted[k-1], sorted[n-k]}
	}
	for i, e := range sorted {
		sorted[i] = math.Abs(e)
	}
	slices.Sort(sorted)
	most := sorted[min(n, int(math.Ceil(float64(n+1)*share)))-1]
	return Band{-most, most}
}

// manyTails is the number of errors on each side of a band from which the sides are taken apart.
const manyTails = 5

// Adaptive follows a run with bands whose share changes with what they missed (Gibbs and Candès, "Adaptive Conformal Inference
// Under Distribution Shift", 2021).
type Adaptive struct {
	Share  float64
	sorted []float64 // magnitudes of earlier errors
	now    float64
}

// NewAdaptive returns bands that begin with some errors.
func NewAdaptive(errors []float64, share float64) *Adaptive {
	a := &Adaptive{Share: share, now: share}
	for _, e := range errors {
		a.sorted = append(a.sorted, math.Abs(e))
	}
	slices.Sort(a.sorted)
	return a
}

// rate is how much the share grows with each error that is missed. Beyond all, a band is wider than the largest error by
// beyond times what the share has more than 1.
const (
	rate   = .02
	beyond = 10
)

// Next returns the half-width of the band for the next error.
func (a *Adaptive) Next() float64 {
	n := len(a.sorted)
	switch {
	case n == 0:
		return math.Inf(1)
	case a.now >= 1:
		return a.sorted[n-1] * (1 + beyond*(a.now-1))
	}
	return a.sorted[min(n, max(1, int(math.Ceil(float64(n+1)*a.now))))-1]
}

// See tells the error, and reports whether it was in the band.
func (a *Adaptive) See(e float64) bool {
	missed := math.Abs(e) > a.Next()
	if a.now -= rate * (1 - a.Share); missed {
		a.now += rate
	}
	a.now = min(max(a.now, .5), 1.2)
	at, _ := slices.BinarySearch(a.sorted, math.Abs(e))
	a.sorted = slices.Insert(a.sorted, at, math.Abs(e))
	return !missed
}

// Weight is how often an error, in steps, was seen.
type Weight struct {
	Steps int64
	Count int64
}

// Distribution counts errors in whole steps; where these are more than most, neighbours are counted together at their mean.
func Distribution(errors []float64, step float64, most int) []Weight {
	count := map[int64]int64{}
	for _, e := range errors {
		count[int64(math.RoundToEven(e/step))]++
	}
	keys := slices.Sorted(maps.Keys(count))
	each := int64(len(errors)+most-1) / int64(max(1, most))
	var out []Weight
	for i := 0; i < len(keys); {
		sum, n := int64(0), int64(0)
		for ; i < len(keys) && (n == 0 || len(keys) > most && n < each); i++ {
			sum, n = sum+keys[i]*count[keys[i]], n+count[keys[i]]
		}
		out = append(out, Weight{int64(math.RoundToEven(float64(sum) / float64(n))), n})
	}
	return out
}
