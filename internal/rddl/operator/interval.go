package operator

import "math"

// Interval contains the numbers from Lo to Hi; if Whole, the integers of these.
type Interval struct {
	Lo, Hi float64
	Whole  bool
}

// Intervals without bounds.
var (
	Anything = Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}
	Integers = Interval{Lo: math.Inf(-1), Hi: math.Inf(1), Whole: true}
)

// Error is how far a value in floating point may be from the true one.
type Error uint8

// The errors.
const (
	None      Error = iota
	LastPlace       // half a unit in the last place, none of integers below 2^52
	Library         // a few units in the last place, as functions of a library have
)

// slack is the relative error that Library stands for.
const slack = 1e-12

// Over returns an interval that contains the true values of all arguments in x and y, the
// first and the last of a binary operator or twice the only one.
func (o *Operator) Over(x, y Interval) Interval {
	if o.Interval == nil {
		return Anything
	}
	r := o.Interval(x, y)
	switch o.Error {
	case None:
		return r
	case Library:
		r.Lo -= slack * (1 + math.Abs(r.Lo))
		r.Hi += slack * (1 + math.Abs(r.Hi))
	}
	return r.Outward()
}

// Outward widens the interval by one floating-point number on both sides, except where it is
// of integers that are exact. A bound that is not a number is none.
func (x Interval) Outward() Interval {
	if math.IsNaN(x.Lo) || math.IsNaN(x.Hi) {
		return Interval{math.Inf(-1), math.Inf(1), x.Whole}
	}
	const exact = 1 << 52
	if !x.Whole || math.Abs(x.Lo) >= exact {
		x.Lo = math.Nextafter(x.Lo, math.Inf(-1))
	}
	if !x.Whole || math.Abs(x.Hi) >= exact {
		x.Hi = math.Nextafter(x.Hi, math.Inf(1))
	}
	return x
}

// corners is the range of a function that is monotone in each argument.
func corners(x, y Interval, f func(a, b float64) float64, integral bool) Interval {
	v := [...]float64{f(x.Lo, y.Lo), f(x.Lo, y.Hi), f(x.Hi, y.Lo), f(x.Hi, y.Hi)}
	lo, hi := v[0], v[0]
	for _, z := range v[1:] {
		lo, hi = math.Min(lo, z), math.Max(hi, z) // NaN stays
	}
	return Interval{lo, hi, integral}
}

// rising is the range of a function that does not fall.
func rising(f func(float64) float64, integral bool) func(x, _ Interval) Interval {
	return func(x, _ Interval) Interval { return Interval{f(x.Lo), f(x.Hi), integral} }
}

// within is the range of a function with these least and greatest values.
func within(lo, hi float64, integral bool) func(_, _ Interval) Interval {
	return func(_, _ Interval) Interval { return Interval{lo, hi, integral} }
}
