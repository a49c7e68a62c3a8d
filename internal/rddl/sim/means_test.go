package sim_test

import (
	"math"
	"sort"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// TestDeterminizedMeans compares the value that Determinize takes for each distribution of
// numbers with the mean of draws or, where it is the median, with their median.
func TestDeterminizedMeans(t *testing.T) {
	const n = 40_000
	for _, c := range []struct {
		name   string
		args   []float64
		median bool
	}{
		{"Normal", []float64{-2, 9}, false},
		{"Uniform", []float64{-1, 6}, false},
		{"Poisson", []float64{4}, false},
		{"Exponential", []float64{3}, false},
		{"Gamma", []float64{2.5, 2}, false},
		{"Weibull", []float64{2, 3}, false},
		{"Beta", []float64{2, 5}, false},
		{"Geometric", []float64{0.25}, false},
		{"Binomial", []float64{10, 0.4}, false},
		{"NegativeBinomial", []float64{6, 0.6}, false},
		{"Student", []float64{5}, false},
		{"ChiSquare", []float64{5}, false},
		{"Gumbel", []float64{2, 3}, false},
		{"Laplace", []float64{2, 3}, false},
		{"Cauchy", []float64{2, 3}, true},
		{"Kumaraswamy", []float64{2, 3}, true},
		{"Gompertz", []float64{2, 3}, true},
		{"Pareto", []float64{2, 3}, true},
	} {
		out := draws(t, n, random(c.name, c.args...))
		want, off := 0.0, 0.0
		if c.median {
			sort.Float64s(out)
			// The fifth standard deviation of the rank of the median.
			want, off = out[n/2], out[n/2+500]-out[n/2-500]
		} else {
			square := 0.0
			for _, x := range out {
				want += x / n
				square += x * x / n
			}
			off = 5 * math.Sqrt((square-want*want)/n)
		}
		b := newBuilder("mean")
		b.State("out", ground.Real, 0)
		b.CPF("out", random(c.name, c.args...)(b))
		b.P.Reward = b.C(0)
		d, err := b.P.Determinize(ground.Mean)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ground.Eval(d.Fluents[0].CPF, &ground.Values{})
		if err != nil || math.Abs(got-want) > off {
			t.Errorf("%s%v: %v, %v; the draws have %v ± %v", c.name, c.args, got, err, want, off)
		}
	}
}
