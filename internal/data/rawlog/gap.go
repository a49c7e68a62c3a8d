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
	all, usual := x.times()
	switch {
	case len(all) == 0:
		return 0
	case usual > 0:
		return regular * usual
	}
	for i := len(all)*3/4 + 1; i < len(all); i++ {
		if all[i] > widened*all[i-1] {
			return roundest(all[i-1], math.Sqrt(all[i-1]*all[i])) // round, and nearer to the usual
		}
	}
	return math.Inf(1)
}

// times returns the times between rows in order, and the usual one of a log that is written at a regular interval, else 0.
func (x *reader) times() (all []float64, usual float64) {
	for k := 1; k < min(x.rows(), 10_001); k++ {
		a, ok1 := x.time.seconds(x.row(k - 1))
		b, ok2 := x.time.seconds(x.row(k))
		if ok1 && ok2 && b > a && !x.ended(k) {
			all = append(all, b-a)
		}
	}
	if len(all) == 0 {
		return nil, 0
	}
	slices.Sort(all)
	usual = all[len(all)/2]
	if early, late := len(all)/4, len(all)*3/4; all[late] > steady*usual || usual > steady*all[early] {
		usual = 0
	}
	return all, usual
}

// Hours returns the hours between rows of a log with stamps that is written at a regular interval; 0 for others.
func Hours(t *Table, r Reading) float64 {
	x := &reader{t: t, r: r}
	x.arrange()
	if x.time == nil || t.hasNext(r) {
		return 0
	}
	per := x.time.perSecond()
	if x.time.layout != "" {
		per = 1
	}
	if per == 0 {
		return 0
	}
	_, usual := x.times()
	return usual / per / 3600
}

// Gap returns the time between two rows above which an episode ends, as it is inferred; 0 if
// the log has no times, and infinite if no time between rows is unusual.
func Gap(t *Table, r Reading) float64 {
	x := &reader{t: t, r: r}
	x.arrange()
	return x.gap()
}
