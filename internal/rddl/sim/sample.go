package sim

import (
	"math"
	"math/rand/v2"
)

// sampleLogGamma draws the logarithm of a Gamma(shape, 1) variate: G. Marsaglia and W. W.
// Tsang, A Simple Method for Generating Gamma Variables, ACM TOMS 26 (2000). The logarithm
// avoids underflow for small shapes.
func sampleLogGamma(rng *rand.Rand, shape float64) float64 {
	boost := 0.0
	if shape < 1 { // Gamma(a) = Gamma(a+1) U^(1/a)
		boost = -rng.ExpFloat64() / shape
		shape++
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		u := 1 - rng.Float64() // in (0, 1]
		if u < 1-0.0331*x*x*x*x || math.Log(u) < 0.5*x*x+d*(1-v+math.Log(v)) {
			return math.Log(d) + math.Log(v) + boost
		}
	}
}

func sampleGamma(rng *rand.Rand, shape, scale float64) float64 {
	return scale * math.Exp(sampleLogGamma(rng, shape))
}

// sampleBeta is G1/(G1+G2) of two gamma variates.
func sampleBeta(rng *rand.Rand, a, b float64) float64 {
	x, y := sampleLogGamma(rng, a), sampleLogGamma(rng, b)
	return 1 / (1 + math.Exp(y-x))
}

// samplePoisson counts arrivals for small rates and uses the transformed
// rejection PTRS of W. Hörmann, The Transformed Rejection Method for Generating
// Poisson Random Variables, Insurance: Mathematics and Economics 12 (1993), for
// the others.
func samplePoisson(rng *rand.Rand, rate float64) float64 {
	if rate < 10 {
		limit := math.Exp(-rate)
		k, p := 0.0, 1-rng.Float64()
		for p > limit {
			k++
			p *= 1 - rng.Float64()
		}
		return k
	}
	b := 0.931 + 2.53*math.Sqrt(rate)
	a := -0.059 + 0.02483*b
	invAlpha := 1.1239 + 1.1328/(b-3.4)
	vr := 0.9277 - 3.6224/(b-2)
	logRate := math.Log(rate)
	for {
		u, v := rng.Float64()-0.5, 1-rng.Float64()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + rate + 0.43)
		if us >= 0.07 && v <= vr {
			return k
		}
		if k < 0 || us < 0.013 && v > us {
			continue
		}
		if math.Log(v)+math.Log(invAlpha)-math.Log(a/(us*us)+b) <= k*logRate-rate-lngamma(k+1) {
			return k
		}
	}
}

// sampleBinomial inverts the distribution if n p is small and otherwise uses BTRS of W.
// Hörmann, The Generation of Binomial Random Variates, J. Statistical Computation and
// Simulation 46 (1993).
func sampleBinomial(rng *rand.Rand, n, p float64) float64 {
	switch {
	case n == 0 || p == 0:
		return 0
	case p == 1:
		return n
	case p > 0.5:
		return n - sampleBinomial(rng, n, 1-p)
	case n*p < 10:
		return invertBinomial(rng, n, p)
	}
	q := 1 - p
	sd := math.Sqrt(n * p * q)
	b := 1.15 + 2.53*sd
	a := -0.0873 + 0.0248*b + 0.01*p
	c := n*p + 0.5
	vr := 0.92 - 4.2/b
	alpha := (2.83 + 5.1/b) * sd
	lpq := math.Log(p / q)
	mode := math.Floor((n + 1) * p)
	h := lngamma(mode+1) + lngamma(n-mode+1)
	for {
		u, v := rng.Float64()-0.5, 1-rng.Float64()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + c)
		if k < 0 || k > n {
			continue
		}
		if us >= 0.07 && v <= vr {
			return k
		}
		if math.Log(v*alpha/(a/(us*us)+b)) <= h-lngamma(k+1)-lngamma(n-k+1)+(k-mode)*lpq {
			return k
		}
	}
}

// invertBinomial walks the distribution from 0; n p < 10 keeps the walk short and q^n above
// e^-20.
func invertBinomial(rng *rand.Rand, n, p float64) float64 {
	first := math.Exp(n * math.Log1p(-p))
	ratio := p / (1 - p)
	for {
		u, f := rng.Float64(), first
		for k := 0.0; k <= n && k < 200; k++ {
			if u < f {
				return k
			}
			u -= f
			f *= ratio * (n - k) / (k + 1)
		}
		// Rounding left a small part of u beyond the end: draw again.
	}
}

// sampleGeometric returns the number of trials up to the first success, from 1.
func sampleGeometric(rng *rand.Rand, p float64) float64 {
	if p == 1 {
		return 1
	}
	return max(1, math.Ceil(-rng.ExpFloat64()/math.Log1p(-p)))
}

func lngamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}
