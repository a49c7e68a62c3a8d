package sim

import (
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// fork replaces the generator of a machine while the outcomes of draws are enumerated.
type fork struct {
	path     ground.Path
	p        float64 // probability of the outcomes of the draws so far
	unlikely int     // how many do not have their most likely outcome
	values   []float64
	weights  []float64
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
	left := f.path.Turn(of)
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
