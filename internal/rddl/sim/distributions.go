package sim

import (
	"math"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// draw1 and draw2 draw from the distributions of one and two parameters; rddl.Distributions
// contains the valid ranges of the parameters.
var draw1 = map[string]func(r *rand.Rand, a float64) float64{
	"Bernoulli": func(r *rand.Rand, p float64) float64 {
		if r.Float64() < p {
			return 1
		}
		return 0
	},
	"Poisson":     samplePoisson,
	"Exponential": func(r *rand.Rand, scale float64) float64 { return scale * r.ExpFloat64() },
	"Geometric":   sampleGeometric,
	"Student": func(r *rand.Rand, df float64) float64 {
		return r.NormFloat64() / math.Sqrt(sampleGamma(r, df/2, 2)/df)
	},
	"ChiSquare": func(r *rand.Rand, df float64) float64 { return sampleGamma(r, df/2, 2) },
}

var draw2 = map[string]func(r *rand.Rand, a, b float64) float64{
	"Uniform":  func(r *rand.Rand, lo, hi float64) float64 { return lo + r.Float64()*(hi-lo) },
	"Normal":   func(r *rand.Rand, mean, variance float64) float64 { return mean + math.Sqrt(variance)*r.NormFloat64() },
	"Gamma":    sampleGamma,
	"Weibull":  func(r *rand.Rand, shape, scale float64) float64 { return scale * math.Pow(r.ExpFloat64(), 1/shape) },
	"Beta":     sampleBeta,
	"Binomial": sampleBinomial,
	"NegativeBinomial": func(r *rand.Rand, n, p float64) float64 {
		if p == 1 {
			return 0
		}
		return samplePoisson(r, sampleGamma(r, n, (1-p)/p))
	},
	// NumPy's Pareto is the second kind, which starts at 0.
	"Pareto":  func(r *rand.Rand, shape, scale float64) float64 { return scale * math.Expm1(r.ExpFloat64()/shape) },
	"Gumbel":  func(r *rand.Rand, mean, scale float64) float64 { return mean - scale*math.Log(r.ExpFloat64()) },
	"Laplace": func(r *rand.Rand, mean, scale float64) float64 { return mean + scale*(r.ExpFloat64()-r.ExpFloat64()) },
	"Cauchy": func(r *rand.Rand, mean, scale float64) float64 {
		return mean + scale*math.Tan(math.Pi*(r.Float64()-0.5))
	},
	"Gompertz":    func(r *rand.Rand, shape, scale float64) float64 { return math.Log1p(r.ExpFloat64()/shape) / scale },
	"Kumaraswamy": func(r *rand.Rand, a, b float64) float64 { return math.Pow(1-math.Pow(r.Float64(), 1/b), 1/a) },
}

func (c *compiler) distribution(n *ground.Node) num {
	if n.Name == "Discrete" || n.Name == "UnnormDiscrete" {
		return c.discrete(n)
	}
	d := rddl.Distributions[n.Name]
	a := c.num(n.Args[0])
	if draw, ok := draw1[n.Name]; ok {
		return func(m *machine) float64 {
			x := a(m)
			if !d.Allows(x, 0) {
				return m.fail(n, d.Check(x).Error())
			}
			if m.fork != nil {
				return m.fork.draw(m, n, x, 0)
			}
			return finite(m, n, draw(m.rng, x), x)
		}
	}
	b, draw := c.num(n.Args[1]), draw2[n.Name]
	return func(m *machine) float64 {
		x, y := a(m), b(m)
		if !d.Allows(x, y) {
			return m.fail(n, d.Check(x, y).Error())
		}
		if m.fork != nil {
			return m.fork.draw(m, n, x, y)
		}
		return finite(m, n, draw(m.rng, x, y), x, y)
	}
}

// discrete compiles Discrete and UnnormDiscrete. The weights are evaluated twice, for their
// sum and for the draw, so that a step needs no memory. A weight that is itself random would
// differ between the two and is refused.
func (c *compiler) discrete(n *ground.Node) num {
	values, weights := make([]float64, len(n.Args)/2), make([]num, len(n.Args)/2)
	for i := range values {
		v, w := n.Args[2*i], n.Args[2*i+1]
		if draws(w) && c.err == nil {
			c.err = at(w.Pos, "a weight of %s is random itself", n.Name)
		}
		values[i], weights[i] = v.Val, c.num(w)
	}
	normalised := n.Name == "Discrete"
	return func(m *machine) float64 {
		var sum float64
		for _, w := range weights {
			x := w(m)
			if !(x >= 0) {
				return m.fail(n, "a weight is negative", x)
			}
			sum += x
		}
		if normalised && !(math.Abs(sum-1) <= rddl.SumTolerance) {
			return m.fail(n, "the weights do not sum to 1 but to", sum)
		}
		if !(sum > 0) || math.IsInf(sum, 1) {
			return m.fail(n, "the weights do not sum to a positive number but to", sum)
		}
		if m.fork != nil {
			m.fork.values, m.fork.weights = append(m.fork.values[:0], values...), m.fork.weights[:0]
			for _, w := range weights {
				m.fork.weights = append(m.fork.weights, w(m))
			}
			return m.fork.pick()
		}
		u := m.rng.Float64() * sum
		last := 0
		for i, w := range weights {
			x := w(m)
			if x == 0 {
				continue
			}
			last = i
			if u < x {
				break
			}
			u -= x
		}
		return values[last]
	}
}

// draws reports whether evaluating n may draw a random number.
func draws(n *ground.Node) bool {
	found := false
	n.Walk(func(x *ground.Node) bool {
		found = found || x.Op == ground.Random
		return !found
	})
	return found
}
