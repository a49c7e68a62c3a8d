package sim

import (
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// fork replaces the generator of a machine while the outcomes of draws are enumerated: the path
// tells which outcome each draw has, the draws after it have their first, and next moves on to
// another path, as an odometer does.
type fork struct {
	path     []turn
	at       int     // draws so far
	p        float64 // probability of their outcomes
	unlikely int     // how many do not have their most likely outcome
	values   []float64
	weights  []float64
}

// turn is the outcome of one draw: its place among those that have a weight, and their number.
type turn struct{ place, of int }

// next moves to the next path; false after the last.
func (f *fork) next() bool {
	for len(f.path) > 0 {
		last := &f.path[len(f.path)-1]
		if last.place++; last.place < last.of {
			return true
		}
		f.path = f.path[:len(f.path)-1]
	}
	return false
}

// pick gives a draw, whose values and weights are listed in f, its outcome. Of outcomes of the greatest
// weight, the first is the most likely.
func (f *fork) pick() float64 {
	sum, mode, of := 0.0, 0, 0
	for i, w := range f.weights {
		sum += w
		if w > f.weights[mode] {
			mode = i
		}
		if w > 0 {
			of++
		}
	}
	if f.at == len(f.path) {
		f.path = append(f.path, turn{0, of})
	}
	left := f.path[f.at].place
	f.at++
	for i, w := range f.weights {
		if w == 0 {
			continue
		}
		if left == 0 {
			f.p *= w / sum
			if i != mode {
				f.unlikely++
			}
			return f.values[i]
		}
		left--
	}
	return 0 // not reached: a draw has an outcome
}

// draw gives a draw from a distribution of numbers its outcome.
func (f *fork) draw(m *machine, n *ground.Node, x, y float64) float64 {
	f.values, f.weights = f.values[:0], f.weights[:0]
	switch {
	case n.Name == "Bernoulli":
		f.values, f.weights = append(f.values, 1, 0), append(f.weights, x, 1-x)
	case n.Name == "Binomial" && x <= maxTrials:
		for k := 0.0; k <= x; k++ {
			f.values, f.weights = append(f.values, k), append(f.weights, choose(x, k)*math.Pow(y, k)*math.Pow(1-y, x-k))
		}
	case n.Name == "Binomial":
		return m.fail(n, "too many trials for their outcomes to be listed", x)
	default:
		return m.fail(n, "its values are not finitely many", x, y)
	}
	return f.pick()
}

// maxTrials bounds the outcomes of a binomial draw that are listed.
const maxTrials = 40

// choose is a binomial coefficient.
func choose(n, k float64) float64 {
	c := 1.0
	for i := range int(k) {
		c = c * (n - float64(i)) / float64(i+1)
	}
	return c
}
