package ground

import (
	"math"
	"testing"
)

// TestQuantiles compares the moments of discretised draws with those of the distributions.
func TestQuantiles(t *testing.T) {
	for _, c := range []struct {
		name       string
		args       []float64
		mean, near float64
	}{
		{"Normal", []float64{3, 4}, 3, 1e-9}, {"Uniform", []float64{2, 5}, 3.5, 1e-9}, {"Exponential", []float64{2}, 2, 0.05}, {"Laplace", []float64{1, 2}, 1, 1e-9},
		{"Weibull", []float64{2, 3}, 3 * math.Gamma(1.5), 0.05}, {"Gumbel", []float64{1, 2}, 1 + 2*0.5772156649, 0.05},
		{"Poisson", []float64{2.5}, 2.5, 1e-4}, {"Geometric", []float64{0.4}, 2.5, 1e-4}, {"NegativeBinomial", []float64{3, 0.5}, 3, 1e-4},
	} {
		draw := &Node{Op: Random, Type: Real, Name: c.name}
		for _, v := range c.args {
			draw.Args = append(draw.Args, &Node{Op: Const, Type: Real, Val: v})
		}
		p := &Problem{Fluents: []Fluent{{Name: "x", Kind: State, Type: Real, CPF: draw}}}
		q, err := p.Quantiles(40)
		if err != nil {
			t.Fatal(c.name, err)
		}
		n := q.Fluents[0].CPF
		index := n.Args[0]
		mean, sum := 0.0, 0.0
		for i := 0; i < len(index.Args); i += 2 {
			v, err := Eval(n, &Values{Draw: func(string, []float64) (float64, error) { return float64(i / 2), nil }})
			if err != nil {
				t.Fatal(c.name, err)
			}
			sum += index.Args[i+1].Val
			mean += index.Args[i+1].Val * v
		}
		if math.Abs(sum-1) > 1e-6 || math.Abs(mean-c.mean) > c.near {
			t.Errorf("%s: weights of %v, mean %v; want %v", c.name, sum, mean, c.mean)
		}
	}
}
