package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestNoisyReward: rewards that are drawn around a mean, from few values or from many, are learned as their mean, and the error counts every row.
func TestNoisyReward(t *testing.T) {
	s, err := dataset.NewSchema("x", []dataset.Column{{Name: "x", Type: dataset.Int, Bounded: true, Hi: 3}}, []dataset.Column{{Name: "a", Type: dataset.Bool}})
	if err != nil {
		t.Fatal(err)
	}
	p := factored.NewProblem("x")
	for _, v := range []factored.Variable{{Name: "x", Kind: factored.State, Hi: 3}, {Name: "a", Kind: factored.Action, Bool: true, Hi: 1}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	for name, draw := range map[string]func(rng *rand.Rand) float64{
		"normal":     func(rng *rand.Rand) float64 { return 2 * rng.NormFloat64() },
		"a lottery":  func(rng *rand.Rand) float64 { return []float64{-1, -1, -1, -1, 4}[rng.IntN(5)] },
		"a rare one": func(rng *rand.Rand) float64 { return []float64{-1, 9}[max(0, rng.IntN(10)-8)] },
	} {
		rng := rand.New(rand.NewPCG(3, 1))
		d := &dataset.Data{Schema: s}
		var values []float64
		for range 4000 {
			x, a := float64(rng.IntN(4)), float64(rng.IntN(2))
			values = append(values, x, a, float64(rng.IntN(4)))
			d.Rewards = append(d.Rewards, 3*a-2*x*a+1+draw(rng))
		}
		rewards := d.Rewards
		d = dataset.NewData(s, values)
		d.Rewards = rewards
		rows := rewarded([]train.Source{{Data: d}}, 0, 1)
		f, err := fitReward(t.Context(), p, rows, 1)
		if err != nil {
			t.Fatal(err)
		}
		mean, worst := 0.0, 0.0
		rows.each(func(r *rewardRow) {
			row := rows.values(r)
			mean += math.Abs(f.given[r.group]-r.reward) / 4000
			worst = max(worst, math.Abs(f.given[r.group]-(3*row[1]-2*row[0]*row[1]+1)))
		})
		if f.Exact || worst > .4 || math.Abs(rows.meanError(f.given)-mean) > 1e-9 {
			t.Errorf("%s: %s is off by up to %.2f, and by %.3f on average, not %.3f", name, f.table.Text(f.Function), worst, rows.meanError(f.given), mean)
		}
	}
}
