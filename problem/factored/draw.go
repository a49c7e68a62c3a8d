package factored

import (
	"cmp"
	"math/big"
	"slices"
)

// Draw is what some state variables can be after a step, together and independent of the others,
// given its state and action. The probabilities are positive and sum to 1.
type Draw struct {
	Variables    []int     // indices among those of the problem
	Values       [][]int64 // of the variables, in each outcome; nil for one with a value that its variable cannot have
	Probability  []*big.Rat
	Disturbances []int // of each outcome: how many draws do not have their most likely value, at least
	Range        *Range
}

// Scope is what a part of a step reads, states and actions, and which states it writes, by their places among the variables.
type Scope struct{ Reads, Writes []int }

// Range is what is known of the probabilities of a draw; nil where they are known exactly.
type Range struct {
	Low, High []float64 // of each outcome, in 0..1; the probability lies between
	Other     float64   // of what may happen besides, at most; nothing is known of what follows
}

// Least is the least expectation of the values of outcomes, none of which is below floor, which is the value of what
// may happen besides.
func (d *Draw) Least(values []float64, floor float64) (sum float64) {
	if d.Range != nil {
		return d.Range.Least(values, floor)
	}
	for i, p := range d.Probability {
		f, _ := p.Float64()
		sum += f * values[i]
	}
	return sum
}

// Least is that of Draw. It fills the least values first, which is the optimum of a linear program over an interval for
// each probability (Givan, Leach, Dean, Bounded-parameter Markov decision processes, 2000).
func (r *Range) Least(values []float64, floor float64) (sum float64) {
	rest := 1.0
	for i, low := range r.Low {
		sum += low * values[i]
		rest -= low
	}
	take := func(most, value float64) {
		q := max(0, min(most, rest))
		sum += q * value
		rest -= q
	}
	take(r.Other, floor)
	for _, i := range ascending(values) {
		take(r.High[i]-r.Low[i], values[i])
	}
	take(1, floor) // what rounding left
	return sum
}

// Ranked lists the outcomes by their disturbances, the least first, and those with as many in order.
func (d *Draw) Ranked() []int { return ascending(d.Disturbances) }

// ascending lists the places of values, the least first, and those of equal ones in order.
func ascending[T cmp.Ordered](values []T) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return order
}

// Event says that a draw does not have the first of its outcomes by rank. What the outcome is depends on state and action: where none
// has the rank, or it has more disturbances than Most, the draw has the first.
type Event struct {
	Step     int `json:"step"`     // from 1
	Variable int `json:"variable"` // the first of those that are drawn, by its place among all
	Rank     int `json:"rank"`     // among Draw.Ranked, from 1
	Most     int `json:"most"`     // disturbances
}
