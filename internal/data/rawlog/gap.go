package rawlog

import (
	"math"
	"slices"
)

// A log is written at a regular interval if at least half of the times between its rows differ from the usual one by a factor of steady at
// most. Then more than regular times the interval is a gap. Otherwise the log is written now and then, and a gap is where the
// times between rows, in order, are widened times as long from one to the next.
const (
	steady  = 1.25
	regular = 1.5
	widened = 3
)

// gap returns the longest time between two rows of an episode; 0 if the log has no times.
func (x *reader) gap() float64 {
	if x.r.Gap > 0 || x.time == nil {
		return x.r.Gap
	}
	var all []float64
	for k := 1; k < min(x.rows(), 10_001); k++ {
		a, ok1 := x.time.seconds(x.row(k - 1))
		b, ok2 := x.time.seconds(x.row(k))
		if ok1 && ok2 && b > a && !x.ended(k) {
			all = append(all, b-a)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	usual, early, late := all[len(all)/2], len(all)/4, len(all)*3/4
	if all[late] <= steady*usual && usual <= steady*all[early] {
		return regular * usual
	}
	for i := late + 1; i < len(all); i++ {
		if all[i] > widened*all[i-1] {
			return roundest(all[i-1], math.Sqrt(all[i-1]*all[i])) // round, and nearer to the usual
		}
	}
	return math.Inf(1)
}

// Gap returns the time between two rows above which an episode ends, as it is inferred; 0 if
// the log has no times, and infinite if no time between rows is unusual.
func Gap(t *Table, r Reading) float64 {
	x := &reader{t: t, r: r}
	x.arrange()
	return x.gap()
}
