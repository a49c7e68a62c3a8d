package operator

import "math"

// RoundTo is the multiple of y nearest to x; of two, the one that is an even number of steps y from 0. RDDL has no name
// for it: it rounds the next values of reals that have a step. In floating point, what is within Tolerance of the middle of two
// multiples is taken to be there, as it would be in fractions.
var RoundTo = &Operator{
	Name: "round to", Min: 2, Max: 2, Binary: roundTo,
	Outside: func(_, y float64) string {
		if !(y > 0) {
			return "a step that is not positive"
		}
		return ""
	},
	Exact: func(x, y Rat) (Rat, bool) {
		q := x.Div(y)
		if !q.Valid() {
			return Rat{}, true
		}
		return whenValid(Whole(q.RoundToEven()).Mul(y))
	},
	Interval: func(x, y Interval) Interval {
		step := (y.Lo + y.Hi) / 2
		if !(y.Hi-y.Lo <= slack*step) { // more than the rounding of a constant
			return Anything
		}
		return Interval{Lo: roundTo(x.Lo, step), Hi: roundTo(x.Hi, step)}
	},
}

// Tolerance is the relative error up to which numbers that were computed in floating point from
// fractions of small terms are taken to be equal: unequal ones differ by more.
const Tolerance = 1e-9

// Near returns y if x is within Tolerance of it, else x.
func Near(x, y float64) float64 {
	if math.Abs(x-y) <= Tolerance*max(1, math.Abs(x)) {
		return y
	}
	return x
}

func roundTo(x, step float64) float64 {
	q := x / step
	if q-q != 0 || math.Abs(q) >= 1<<52 {
		return x
	}
	return Multiple(math.RoundToEven(Near(q, math.Round(2*q)/2)), step)
}

// Multiple returns the float nearest to k steps, where a step is a decimal of at most 9 places or
// a whole part of 1; k is an integer.
func Multiple(k, step float64) float64 {
	for _, scale := range [...]float64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9} {
		if n := math.Round(step * scale); n > 0 && math.Abs(step*scale-n) <= 1e-12*n {
			return k * n / scale
		}
	}
	if n := math.Round(1 / step); math.Abs(n*step-1) <= 1e-12 {
		return k / n
	}
	return k * step
}
