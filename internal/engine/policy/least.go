package policy

import (
	"cmp"
	"context"

	"github.com/fdplan/fdplan/internal/sorting"
)

// Interval is what is known of the probabilities of a draw of an action.
type Interval struct {
	Low, High []float64 // of each outcome
	Other     float64   // what may happen besides has this probability at most
}

// Least computes what a solution is worth where each probability is the worst of its interval. of returns those of the
// draws of an action; its outcomes are all combinations of theirs, those of the last draw varying fastest. What may
// happen besides is worth floor for each step that is left, and nothing less can happen.
func (s *Solution) Least(ctx context.Context, of func(state []uint64, action uint32) ([]Interval, error), floor float64) (float64, error) {
	t := s.t
	layers := s.layers()
	known := map[[2]int64][]Interval{}
	before := map[uint32]float64{}
	for left := 0; left <= s.Horizon; left++ {
		if err := ctx.Err(); err != nil {
			return 0, context.Cause(ctx)
		}
		values := make(map[uint32]float64, len(layers[s.Horizon-left]))
		for _, i := range layers[s.Horizon-left] {
			c := none
			if left > 0 {
				c = s.choice(int(i), left)
			}
			if c == none {
				if values[i] = s.o.atEnd(t.kinds[i]); left > 0 && !closed(t.kinds[i], t.objective) {
					values[i] = t.stuck
				}
				continue
			}
			a := t.firstAction[i] + int64(c)
			draws, ok := known[[2]int64{int64(i), a}]
			if !ok {
				var err error
				if draws, err = of(t.key(int(i)), t.actions[a]); err != nil {
					return 0, err
				}
				known[[2]int64{int64(i), a}] = draws
			}
			d := &t.dist[t.distributions[a]]
			v := make([]float64, d.n)
			for k, j := range s.successors(int(i), left) {
				v[k] = before[j] + t.amounts[t.rewards[a]] + t.more[int(d.first)+k]
			}
			values[i] = worst(draws, v, floor*float64(left))
		}
		before = values
	}
	return before[0], nil
}

// worst is the least expectation of the values of all outcomes, draw by draw from the last one.
func worst(draws []Interval, v []float64, floor float64) float64 {
	for k := len(draws) - 1; k >= 0; k-- {
		d := &draws[k]
		n := len(d.Low)
		for i := range len(v) / n {
			v[i] = d.Worst(v[i*n:(i+1)*n], floor)
		}
		v = v[:len(v)/n]
	}
	return v[0]
}

// Worst is the least expectation of the values of the outcomes: each has its least probability, and the least values have the rest. What
// may happen besides is worth floor.
func (d *Interval) Worst(v []float64, floor float64) float64 {
	type piece struct{ value, room float64 }
	pieces := []piece{{floor, d.Other}}
	sum, rest := 0.0, 1.0
	for i, x := range v {
		sum += d.Low[i] * x
		rest -= d.Low[i]
		pieces = append(pieces, piece{x, d.High[i] - d.Low[i]})
	}
	sorting.Stable(pieces, func(a, b piece) int { return cmp.Compare(a.value, b.value) })
	for _, p := range pieces {
		q := max(0, min(p.room, rest))
		sum += q * p.value
		rest -= q
	}
	return sum
}
