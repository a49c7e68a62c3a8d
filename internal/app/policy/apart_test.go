package policy

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/problem/chance"
)

// drawn are cells with so many rows each, of shares around those of the whole, as narrow as strength says; every eighth cell never has the first outcome.
func drawn(r *rand.Rand, rows, strength float64, whole []float64) (cells []cell, truth [][]float64) {
	for i := range 24 {
		share, sum := make([]float64, len(whole)), 0.0
		for j, q := range whole {
			for range int(strength * q * 10) { // a sum of exponential draws is a Gamma draw
				share[j] += r.ExpFloat64()
			}
			if i%8 == 7 && j == 0 {
				share[j] = 0
			}
			sum += share[j]
		}
		x := cell{chance.Part{Counts: make([]float64, len(whole))}, whole, "[0 1 2]"}
		for j := range share {
			share[j] /= sum
		}
		for range int(rows) {
			u, j := r.Float64(), 0
			for ; j < len(share)-1 && u >= share[j]; j++ {
				u -= share[j]
			}
			x.Counts[j]++
			x.Rows++
		}
		cells, truth = append(cells, x), append(truth, share)
	}
	return cells, truth
}

// TestShare compares the shares of cells with those that their rows were drawn by: they are nearer than those of the whole, and than those that the
// rows of each cell have.
func TestShare(t *testing.T) {
	whole := []float64{.5, .3, .2}
	for _, strength := range []float64{2, 20, 200} {
		r := rand.New(rand.NewPCG(7, uint64(strength)))
		var ours, pooled, alone float64
		for range 30 {
			cells, truth := drawn(r, 40, strength, whole)
			share(cells, false)
			for i, x := range cells {
				sum := 0.0
				for j, q := range x.Shares {
					sum += q
					ours += math.Abs(q - truth[i][j])
					pooled += math.Abs(whole[j] - truth[i][j])
					alone += math.Abs(x.Counts[j]/float64(x.Rows) - truth[i][j])
				}
				if math.Abs(sum-1) > 1e-9 {
					t.Fatalf("the shares %v have the sum %v", x.Shares, sum)
				}
			}
		}
		if ours > pooled || ours > 1.02*alone {
			t.Errorf("strength %v: errors of %.1f, of the whole's shares %.1f, of the rows' %.1f", strength, ours, pooled, alone)
		}
	}
}

// TestShareOfSame gives cells whose rows do not tell outcomes from each other, and cells that are like their wholes: there is nothing to gain.
func TestShareOfSame(t *testing.T) {
	same := []cell{
		{chance.Part{Rows: 50, Counts: []float64{45, 5}}, []float64{.9, .1}, "[0 1]"},
		{chance.Part{Rows: 50, Counts: []float64{45, 5}}, []float64{.9, .1}, "[0 0]"},
	}
	if gain := share(same, false); gain > .5 {
		t.Errorf("gain %v", gain)
	}
	unlike := []cell{
		{chance.Part{Rows: 50, Counts: []float64{50, 0}}, []float64{.6, .4}, "[0 1]"},
		{chance.Part{Rows: 50, Counts: []float64{10, 40}}, []float64{.6, .4}, "[0 1]"},
	}
	if gain := share(unlike, false); gain < 20 || unlike[0].Shares[0] < .95 || unlike[1].Shares[0] > .25 {
		t.Errorf("gain %v, %v", gain, unlike)
	}
}
