package sim

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/rddl/ground"
)

// maxCount bounds the parameters of distributions of counts, so that what they
// draw stays an exact integer.
const maxCount = 1 << 52

// sumTolerance is how far the weights of Discrete may be from 1, as in
// pyRDDLGym.
const sumTolerance = 1e-5

// dist1 and dist2 are the tables of distributions of one and two parameters:
// why names what is wrong with the parameters, or is empty.
var dist1 = map[string]struct {
	why  func(a float64) string
	draw func(r *rand.Rand, a float64) float64
}{
	"Bernoulli": {probability, func(r *rand.Rand, p float64) float64 {
		if r.Float64() < p {
			return 1
		}
		return 0
	}},
	"Poisson": {func(rate float64) string {
		if !(rate >= 0 && rate <= maxCount) {
			return "the rate is not in 0..2^52"
		}
		return ""
	}, samplePoisson},
	"Exponential": {above0("the scale is not positive"), func(r *rand.Rand, scale float64) float64 { return scale * r.ExpFloat64() }},
	"Geometric": {func(p float64) string {
		if !(p > 0 && p <= 1) {
			return "the probability is not in 0..1 without 0"
		}
		return ""
	}, sampleGeometric},
	"Student": {above0("the degrees of freedom are not positive"), func(r *rand.Rand, df float64) float64 {
		return r.NormFloat64() / math.Sqrt(sampleGamma(r, df/2, 2)/df)
	}},
	"ChiSquare": {above0("the degrees of freedom are not positive"), func(r *rand.Rand, df float64) float64 { return sampleGamma(r, df/2, 2) }},
}

var dist2 = map[string]struct {
	why  func(a, b float64) string
	draw func(r *rand.Rand, a, b float64) float64
}{
	"Uniform": {func(lo, hi float64) string {
		if !(lo <= hi) {
			return "the upper bound is below the lower"
		}
		return ""
	}, func(r *rand.Rand, lo, hi float64) float64 { return lo + r.Float64()*(hi-lo) }},
	"Normal": {func(_, variance float64) string {
		if !(variance >= 0) {
			return "the variance is negative"
		}
		return ""
	}, func(r *rand.Rand, mean, variance float64) float64 { return mean + math.Sqrt(variance)*r.NormFloat64() }},
	"Gamma":   {shapeScale, sampleGamma},
	"Weibull": {shapeScale, func(r *rand.Rand, shape, scale float64) float64 { return scale * math.Pow(r.ExpFloat64(), 1/shape) }},
	"Beta":    {shapeScale, sampleBeta},
	"Binomial": {func(n, p float64) string {
		if !(n >= 0 && n <= maxCount) || n != math.Trunc(n) {
			return "the count is not an integer in 0..2^52"
		}
		return probability(p)
	}, sampleBinomial},
	"NegativeBinomial": {func(n, p float64) string {
		switch {
		case !(n > 0 && n <= maxCount):
			return "the count is not in 0..2^52 without 0"
		case !(p > 0 && p <= 1) || n*(1-p)/p > maxCount/2:
			return "the probability is not in 0..1 or too close to 0"
		}
		return ""
	}, func(r *rand.Rand, n, p float64) float64 {
		if p == 1 {
			return 0
		}
		return samplePoisson(r, sampleGamma(r, n, (1-p)/p))
	}},
	// NumPy's Pareto is that of the second kind, from 0 on.
	"Pareto":  {shapeScale, func(r *rand.Rand, shape, scale float64) float64 { return scale * math.Expm1(r.ExpFloat64()/shape) }},
	"Gumbel":  {scaleSecond, func(r *rand.Rand, mean, scale float64) float64 { return mean - scale*math.Log(r.ExpFloat64()) }},
	"Laplace": {scaleSecond, func(r *rand.Rand, mean, scale float64) float64 { return mean + scale*(r.ExpFloat64()-r.ExpFloat64()) }},
	"Cauchy": {scaleSecond, func(r *rand.Rand, mean, scale float64) float64 {
		return mean + scale*math.Tan(math.Pi*(r.Float64()-0.5))
	}},
	"Gompertz":    {shapeScale, func(r *rand.Rand, shape, scale float64) float64 { return math.Log1p(r.ExpFloat64()/shape) / scale }},
	"Kumaraswamy": {shapeScale, func(r *rand.Rand, a, b float64) float64 { return math.Pow(1-math.Pow(r.Float64(), 1/b), 1/a) }},
}

func probability(p float64) string {
	if !(p >= 0 && p <= 1) {
		return "the probability is not in 0..1"
	}
	return ""
}

func above0(what string) func(float64) string {
	return func(x float64) string {
		if !(x > 0) {
			return what
		}
		return ""
	}
}

func shapeScale(a, b float64) string {
	if !(a > 0 && b > 0) {
		return "a parameter is not positive"
	}
	return ""
}

func scaleSecond(_, scale float64) string {
	if !(scale > 0) {
		return "the scale is not positive"
	}
	return ""
}

func (c *compiler) distribution(n *ground.Node) num {
	switch n.Name {
	case "KronDelta", "DiracDelta":
		if !c.arity(n, 1, 1) {
			return nil
		}
		return c.num(n.Args[0])
	case "Discrete", "UnnormDiscrete":
		return c.discrete(n)
	case "Dirichlet", "Multinomial", "MultivariateNormal", "MultivariateStudent":
		c.refuse(n, "%s draws a vector, which the simulator does not support", n.Name)
		return nil
	}
	if d, ok := dist1[n.Name]; ok {
		if !c.arity(n, 1, 1) {
			return nil
		}
		a := c.num(n.Args[0])
		return func(m *machine) float64 {
			x := a(m)
			if why := d.why(x); why != "" {
				return m.fail(n, why, x)
			}
			return finite(m, n, d.draw(m.rng, x), x)
		}
	}
	if d, ok := dist2[n.Name]; ok {
		if !c.arity(n, 2, 2) {
			return nil
		}
		a, b := c.num(n.Args[0]), c.num(n.Args[1])
		return func(m *machine) float64 {
			x, y := a(m), b(m)
			if why := d.why(x, y); why != "" {
				return m.fail(n, why, x, y)
			}
			return finite(m, n, d.draw(m.rng, x, y), x, y)
		}
	}
	c.refuse(n, "the simulator does not know the distribution %s", n.Name)
	return nil
}

// discrete compiles Discrete and UnnormDiscrete. The weights are evaluated
// twice, for their sum and for the draw, so that a step needs no memory; a
// weight that draws by itself would differ between the two and is refused.
func (c *compiler) discrete(n *ground.Node) num {
	if len(n.Args) < 2 || len(n.Args)%2 != 0 {
		c.refuse(n, "%s has %d arguments, expected pairs of value and weight", n.Name, len(n.Args))
		return nil
	}
	values, weights := make([]float64, len(n.Args)/2), make([]num, len(n.Args)/2)
	for i := range values {
		v, w := n.Args[2*i], n.Args[2*i+1]
		if v.Op != ground.Const {
			c.refuse(v, "a value of %s is no constant", n.Name)
			return nil
		}
		if draws(w) {
			c.refuse(w, "a weight of %s is random itself", n.Name)
			return nil
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
		if normalised && !(math.Abs(sum-1) <= sumTolerance) {
			return m.fail(n, "the weights do not sum to 1 but to", sum)
		}
		if !(sum > 0) || math.IsInf(sum, 1) {
			return m.fail(n, "the weights do not sum to a positive number but to", sum)
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

// draws says whether evaluating n may draw a random number.
func draws(n *ground.Node) bool {
	seen := map[*ground.Node]bool{}
	var walk func(n *ground.Node) bool
	walk = func(n *ground.Node) bool {
		if n == nil || seen[n] {
			return false
		}
		seen[n] = true
		if n.Op == ground.Random && n.Name != "KronDelta" && n.Name != "DiracDelta" {
			return true
		}
		return slices.ContainsFunc(n.Args, walk)
	}
	return walk(n)
}
