package bracket

import (
	"context"

	"github.com/fdplan/fdplan/internal/engine/policy"
)

// agree finds prices on actions, zero in sum over the patterns, so that the patterns agree on what is done, and the sum
// of their values at the start is small: subgradient steps of Polyak's length, with target as a guess of the least sum.
// Any prices give an upper bound; the best are kept.
func (t *tables) agree(ctx context.Context, steps int, target float64) {
	k := len(t.patterns)
	prices := make([][][]float64, k)
	for i := range prices {
		if prices[i] = t.perAction(); t.prices != nil {
			prices[i] = t.prices[i]
		}
		t.sweep(i, prices[i])
	}
	if k < 2 || t.b.objective == policy.Success {
		return
	}
	value := t.start()
	best, saved := value, copyOf(prices)
	scale, stale := 1.0, 0
	before := best
	for i := range steps {
		if ctx.Err() != nil || best-target < 1e-6 {
			break
		}
		square := t.move(prices, scale*max(value-target, .01*(best-target)))
		if square == 0 {
			break
		}
		for k := range prices {
			t.sweep(k, prices[k])
		}
		if i%10 == 9 {
			if before-best < 1e-3*(best-target) {
				break
			}
			before = best
		}
		if value = t.start(); value < best {
			best, saved, stale = value, copyOf(prices), 0
		} else if stale++; stale == 4 {
			prices, scale, stale, value = copyOf(saved), scale/2, 0, best
			for i := range prices {
				t.sweep(i, prices[i])
			}
		}
	}
	for i := range saved {
		t.sweep(i, saved[i])
	}
	t.prices = saved
}

func (t *tables) perAction() [][]float64 {
	list := make([][]float64, t.horizon+1)
	for i := range list {
		list[i] = make([]float64, t.b.actions)
	}
	return list
}

func copyOf(prices [][][]float64) [][][]float64 {
	out := make([][][]float64, len(prices))
	for i := range prices {
		for _, row := range prices[i] {
			out[i] = append(out[i], append([]float64(nil), row...))
		}
	}
	return out
}

// start is the value at the start.
func (t *tables) start() float64 {
	where := make([]uint32, len(t.patterns))
	for k, p := range t.patterns {
		where[k] = p.start
	}
	return t.at(where, t.horizon)
}

// move changes prices against the difference of what patterns do and what they do on average. It returns the square of
// the difference.
func (t *tables) move(prices [][][]float64, length float64) (square float64) {
	k := len(prices)
	freq, mean := make([][][]float64, k), t.perAction()
	for i := range freq {
		freq[i] = t.perAction()
		t.occupy(i, prices[i], freq[i])
		for left := range mean {
			for a, f := range freq[i][left] {
				mean[left][a] += f / float64(k)
			}
		}
	}
	for i := range freq {
		for left := range mean {
			for a, f := range freq[i][left] {
				d := f - mean[left][a]
				square += d * d
			}
		}
	}
	if square == 0 {
		return 0
	}
	for i := range freq {
		for left := range mean {
			for a, f := range freq[i][left] {
				prices[i][left][a] -= length / square * (f - mean[left][a])
			}
		}
	}
	// Rounding must not make the prices of an action a gift.
	for left := range mean {
		for a := range mean[left] {
			sum := 0.0
			for i := range prices {
				sum += prices[i][left][a]
			}
			prices[0][left][a] -= sum
		}
	}
	return square
}
