package sim_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
)

// draws returns n values of an expression.
func draws(t *testing.T, n int, f func(b *builder) *node) []float64 {
	t.Helper()
	b := newBuilder("draws")
	b.State("out", ground.Real, 0)
	b.CPF("out", f(b))
	s, err := sim.New(b.P)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Stochastic() {
		t.Error("the simulator says that nothing is random")
	}
	r := s.NewRunner(rand.New(rand.NewPCG(7, 11)))
	out := make([]float64, n)
	for i := range out {
		if _, err := r.Step(nil); err != nil {
			t.Fatal(err)
		}
		out[i] = r.Value(0)
	}
	return out
}

// TestMoments compares means and variances of 40,000 draws with those of the distributions,
// within five standard errors. m4 is the fourth central moment over the squared variance,
// which determines the error of the sample variance. An infinite m4 marks a variance that is
// not compared.
func TestMoments(t *testing.T) {
	const n = 40_000
	g := math.Gamma
	inf := math.Inf(1)
	weibullVar := 9 * (g(2) - g(1.5)*g(1.5))
	kuma := func(k float64) float64 { return 3 * g(1+k/2) * g(3) / g(1+k/2+3) }
	for _, c := range []struct {
		name           string
		args           []float64
		mean, vari, m4 float64
	}{
		{"Bernoulli", []float64{0.3}, 0.3, 0.21, 3},
		{"Bernoulli", []float64{1}, 1, 0, 1},
		{"Bernoulli", []float64{0}, 0, 0, 1},
		{"Discrete", []float64{1, 0.25, 3, 0.75}, 2.5, 0.75, 4},
		{"UnnormDiscrete", []float64{1, 2, 3, 0, 5, 6}, 4, 3, 4},
		{"Normal", []float64{-2, 9}, -2, 9, 3},
		{"Normal", []float64{-2, 0}, -2, 0, 3},
		{"Uniform", []float64{-1, 5}, 2, 3, 1.8},
		{"Poisson", []float64{0}, 0, 0, 1},
		{"Poisson", []float64{2.5}, 2.5, 2.5, 3.4},
		{"Poisson", []float64{10}, 10, 10, 3.1},
		{"Poisson", []float64{4000}, 4000, 4000, 3},
		{"Exponential", []float64{4}, 4, 16, 9},
		{"Gamma", []float64{0.1, 2}, 0.2, 0.4, 63},
		{"Gamma", []float64{1, 2}, 2, 4, 9},
		{"Gamma", []float64{7.5, 2}, 15, 30, 3.8},
		{"Beta", []float64{2, 3}, 0.4, 0.04, 3},
		{"Beta", []float64{0.01, 0.01}, 0.5, 0.25 / 1.02, 1},
		{"Geometric", []float64{1}, 1, 0, 1},
		{"Geometric", []float64{0.2}, 5, 20, 9.1},
		{"Binomial", []float64{0, 0.5}, 0, 0, 1},
		{"Binomial", []float64{9, 0.3}, 2.7, 1.89, 3},
		{"Binomial", []float64{9, 0.8}, 7.2, 1.44, 3},
		{"Binomial", []float64{9, 1}, 9, 0, 3},
		{"Binomial", []float64{100, 0.25}, 25, 18.75, 3},
		{"Binomial", []float64{1e6, 0.9}, 9e5, 9e4, 3},
		{"NegativeBinomial", []float64{3, 0.25}, 9, 36, 5},
		{"NegativeBinomial", []float64{3, 1}, 0, 0, 1},
		{"Weibull", []float64{2, 3}, 3 * g(1.5), weibullVar, 3.3},
		{"Pareto", []float64{9, 8}, 1, 64 * 9.0 / (64 * 7), 40},
		{"Student", []float64{9}, 0, 9.0 / 7, 4.2},
		{"Gumbel", []float64{1, 2}, 1 + 2*0.5772156649, 4 * math.Pi * math.Pi / 6, 5.4},
		{"Laplace", []float64{1, 2}, 1, 8, 6},
		{"ChiSquare", []float64{5}, 5, 10, 5.4},
		{"Kumaraswamy", []float64{2, 3}, kuma(1), kuma(2) - kuma(1)*kuma(1), 3},
		{"Gompertz", []float64{1, 2}, 0.5963473623 / 2, math.NaN(), inf},
	} {
		xs := draws(t, n, random(c.name, c.args...))
		var mean, vari float64
		for _, x := range xs {
			mean += x / n
		}
		for _, x := range xs {
			vari += (x - mean) * (x - mean) / n
		}
		sd := math.Sqrt(c.vari)
		if math.IsInf(c.m4, 1) {
			sd = math.Sqrt(vari)
		}
		if math.Abs(mean-c.mean) > 5*sd/math.Sqrt(n)+1e-9 {
			t.Errorf("%s%v: mean %v, want %v", c.name, c.args, mean, c.mean)
		}
		if !math.IsInf(c.m4, 1) && math.Abs(vari-c.vari) > 5*c.vari*math.Sqrt(max(0.1, c.m4-1)/n)+1e-9 {
			t.Errorf("%s%v: variance %v, want %v", c.name, c.args, vari, c.vari)
		}
	}
}

// TestFrequencies compares the frequencies of drawn counts with their probabilities, on both
// sides of the points where the algorithms change.
func TestFrequencies(t *testing.T) {
	const n = 40_000
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	poisson := func(rate float64) func(k float64) float64 {
		return func(k float64) float64 { return math.Exp(k*math.Log(rate) - rate - lg(k+1)) }
	}
	binomial := func(m, p float64) func(k float64) float64 {
		return func(k float64) float64 {
			return math.Exp(lg(m+1) - lg(k+1) - lg(m-k+1) + k*math.Log(p) + (m-k)*math.Log1p(-p))
		}
	}
	for _, c := range []struct {
		name string
		args []float64
		prob func(k float64) float64
	}{
		{"Poisson", []float64{9.9}, poisson(9.9)},
		{"Poisson", []float64{10.1}, poisson(10.1)},
		{"Binomial", []float64{30, 0.3}, binomial(30, 0.3)},
		{"Binomial", []float64{30, 0.4}, binomial(30, 0.4)},
		{"Binomial", []float64{30, 0.7}, binomial(30, 0.7)},
		{"Geometric", []float64{0.3}, func(k float64) float64 { return 0.3 * math.Pow(0.7, k-1) }},
	} {
		count := map[float64]float64{}
		for _, x := range draws(t, n, random(c.name, c.args...)) {
			count[x]++
		}
		chi, cells := 0.0, 0
		for k := 0.0; k <= 30; k++ {
			if e := n * c.prob(k); e >= 20 && !(c.name == "Geometric" && k == 0) {
				chi += (count[k] - e) * (count[k] - e) / e
				cells++
			}
		}
		if limit := float64(cells) + 5*math.Sqrt(2*float64(cells)); chi > limit || cells < 5 {
			t.Errorf("%s%v: chi-square %.1f over %d cells", c.name, c.args, chi, cells)
		}
	}
}

// TestCauchyMedian: the distribution has no moments.
func TestCauchyMedian(t *testing.T) {
	below, inside := 0, 0
	for _, x := range draws(t, 20_000, random("Cauchy", 3, 2)) {
		if x < 3 {
			below++
		}
		if x > 1 && x < 5 { // the quartiles
			inside++
		}
	}
	if math.Abs(float64(below)-10_000) > 400 || math.Abs(float64(inside)-10_000) > 400 {
		t.Errorf("%d of 20000 below the median, %d between the quartiles", below, inside)
	}
}

// TestSeeds: the same seed gives the same draws, another one others.
func TestSeeds(t *testing.T) {
	b := newBuilder("seeds")
	b.State("out", ground.Real, 0)
	b.CPF("out", random("Normal", 0, 1)(b))
	s, err := sim.New(b.P)
	if err != nil {
		t.Fatal(err)
	}
	run := func(seed uint64) float64 {
		r := s.NewRunner(rand.New(rand.NewPCG(seed, 0)))
		for range 10 {
			if _, err := r.Step(nil); err != nil {
				t.Fatal(err)
			}
		}
		return r.Value(0)
	}
	if run(1) != run(1) || run(1) == run(2) {
		t.Error("draws do not follow the seed")
	}
}
