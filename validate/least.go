package validate

import (
	"math"
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// LeastSuccess is Success where each probability is the worst of its range: Draws may have ranges, and what may
// happen besides their outcomes counts as a failure. In a step the draws are made in order, and the worst of each
// may depend on those before. Only the lower bound is computed.
func LeastSuccess(p *factored.Problem, net *bnn.Network, chance Chance, start factored.Valuation, act Policy, horizon int) (*Odds, error) {
	return follow(&evaluation{success: true, least: true, act: act, horizon: horizon}, p, net, chance, start)
}

// LeastReward is ExpectedReward where each probability is the worst of its range. After what may happen besides the
// outcomes, each step has the least reward that the problem's terms can have.
func LeastReward(p *factored.Problem, net *bnn.Network, chance Chance, start factored.Valuation, act Policy, horizon int) (*Odds, error) {
	return follow(&evaluation{least: true, act: act, horizon: horizon}, p, net, chance, start)
}

// LeastStepReward is a lower bound on the reward of a step, in the scale of the problem.
func LeastStepReward(p *factored.Problem) int64 {
	sum := p.Reward.Constant
	for _, t := range p.Reward.Terms {
		sum += min(0, t.Weight)
	}
	return sum
}

// worst computes a lower bound on the value of the start, rounding allowed for as between does.
func (e *evaluation) worst() *big.Rat {
	least := 0.0
	if !e.success {
		least = float64(LeastStepReward(e.p))
	}
	before, values := make([]float64, len(e.nodes)), make([]float64, len(e.nodes))
	for left := 0; left <= e.horizon; left++ {
		for k, i := range e.layers[e.horizon-left] {
			values[i] = 0
			b := e.branchAt(left, k)
			switch {
			case e.success && e.nodes[i].goal:
				values[i] = 1
			case b != nil:
				values[i] = e.leastOf(b, before, least*float64(left))
			}
		}
		before, values = values, before
	}
	return new(big.Rat).SetFloat64(before[e.layers[0][0]])
}

// leastOf is the worst value of a step, given those after it.
func (e *evaluation) leastOf(b *branch, before []float64, floor float64) float64 {
	values, size := make([]float64, len(b.next)), math.Abs(floor)
	for m, j := range b.next {
		if values[m] = before[j]; !e.success {
			values[m] += float64(b.reward[m])
		}
		size = max(size, math.Abs(values[m]))
	}
	off := 4 * float64(len(b.next)+2*len(b.drawn)+3) * 0x1p-53 * size
	// The last draw varies fastest.
	for _, d := range slices.Backward(b.drawn) {
		n := len(d.Values)
		for i := 0; i < len(values); i += n {
			values[i/n] = d.Least(values[i:i+n], floor)
		}
		values = values[:len(values)/n]
	}
	return values[0] - off
}
