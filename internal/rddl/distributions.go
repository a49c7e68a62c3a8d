package rddl

import (
	"fmt"
	"math"
)

// Distribution describes a distribution with expressions as arguments.
type Distribution struct {
	Name   string
	Params []Parameter
	Result Type // the zero Type for that of the only argument
	// joint describes what is wrong with two parameters that are valid separately, or returns
	// "". It is nil if no combination is invalid.
	joint func(a, b float64) string
}

// Parameter is the meaning and the valid range of one parameter of a distribution.
type Parameter struct {
	Name   string
	Lo, Hi float64
	Open   bool // Lo itself is excluded
	Whole  bool // only integers
}

// maxCount bounds the parameters of distributions of counts, so that what is
// drawn stays an exact integer.
const maxCount = 1 << 52

// SumTolerance is the maximal deviation of the sum of the probabilities of Discrete from 1.
// The value is pyRDDLGym's: files write thirds with five digits.
const SumTolerance = 1e-5

// Allows reports whether v is a valid value of the parameter.
func (p *Parameter) Allows(v float64) bool {
	return v >= p.Lo && v <= p.Hi && !(p.Open && v == p.Lo) && !(p.Whole && v != math.Trunc(v))
}

// expected describes the valid values of the parameter.
func (p *Parameter) expected() string {
	what := "value"
	if p.Whole {
		what = "integer"
	}
	switch {
	case !math.IsInf(p.Hi, 1) && p.Open:
		return fmt.Sprintf("%s above %v and at most %.0f", what, p.Lo, p.Hi)
	case !math.IsInf(p.Hi, 1):
		return fmt.Sprintf("%s in %v..%.0f", what, p.Lo, p.Hi)
	case p.Open:
		return fmt.Sprintf("%s above %v", what, p.Lo)
	case math.IsInf(p.Lo, -1):
		return "number"
	}
	return fmt.Sprintf("%s of at least %v", what, p.Lo)
}

// Allows reports whether a and b are valid parameters; b is used only if there are two.
func (d *Distribution) Allows(a, b float64) bool {
	if !d.Params[0].Allows(a) {
		return false
	}
	return len(d.Params) == 1 || d.Params[1].Allows(b) && (d.joint == nil || d.joint(a, b) == "")
}

// Check returns what is wrong with the parameters, or nil.
func (d *Distribution) Check(args ...float64) error {
	for i, v := range args {
		if i < len(d.Params) {
			if err := d.CheckParameter(i, v); err != nil {
				return err
			}
		}
	}
	if d.joint != nil && len(args) == 2 {
		if why := d.joint(args[0], args[1]); why != "" {
			return fmt.Errorf("%s", why)
		}
	}
	return nil
}

// CheckParameter returns what is wrong with v as parameter i, or nil.
func (d *Distribution) CheckParameter(i int, v float64) error {
	p := &d.Params[i]
	if p.Allows(v) {
		return nil
	}
	article := "a"
	if p.Whole {
		article = "an"
	}
	return fmt.Errorf("the %s of %s is %v, expected %s %s", p.Name, d.Name, v, article, p.expected())
}

// Distributions contains the distributions by name. It excludes Discrete and UnnormDiscrete,
// which have a syntax of their own, and the vectors. The second argument of Normal is the
// variance.
var Distributions = func() map[string]*Distribution {
	inf := math.Inf(1)
	anything := func(name string) Parameter { return Parameter{Name: name, Lo: -inf, Hi: inf} }
	positive := func(name string) Parameter { return Parameter{Name: name, Hi: inf, Open: true} }
	likely := Parameter{Name: "probability", Hi: 1}
	possible := Parameter{Name: "probability", Hi: 1, Open: true}
	shape, scale := positive("shape"), positive("scale")
	m := map[string]*Distribution{}
	for _, d := range []*Distribution{
		{"KronDelta", []Parameter{anything("value")}, Type{}, nil},
		{"DiracDelta", []Parameter{anything("value")}, Type{}, nil},
		{"Bernoulli", []Parameter{likely}, boolT, nil},
		{"Uniform", []Parameter{anything("lower bound"), anything("upper bound")}, realT, func(lo, hi float64) string {
			if lo > hi {
				return fmt.Sprintf("the upper bound %v of Uniform is below the lower bound %v", hi, lo)
			}
			return ""
		}},
		{"Normal", []Parameter{anything("mean"), {Name: "variance", Hi: inf}}, realT, nil},
		{"Exponential", []Parameter{scale}, realT, nil},
		{"Poisson", []Parameter{{Name: "rate", Hi: maxCount}}, intT, nil},
		{"Weibull", []Parameter{shape, scale}, realT, nil},
		{"Gamma", []Parameter{shape, scale}, realT, nil},
		{"Beta", []Parameter{shape, shape}, realT, nil},
		{"Geometric", []Parameter{possible}, intT, nil},
		{"Binomial", []Parameter{{Name: "number of trials", Hi: maxCount, Whole: true}, likely}, intT, nil},
		{"NegativeBinomial", []Parameter{{Name: "number of successes", Hi: maxCount, Open: true}, possible}, intT, func(n, p float64) string {
			if n*(1-p)/p > maxCount/2 {
				return fmt.Sprintf("the probability %v of NegativeBinomial is too close to 0, the counts would not be exact", p)
			}
			return ""
		}},
		{"Pareto", []Parameter{shape, scale}, realT, nil},
		{"Student", []Parameter{positive("degrees of freedom")}, realT, nil},
		{"Gumbel", []Parameter{anything("mean"), scale}, realT, nil},
		{"Laplace", []Parameter{anything("mean"), scale}, realT, nil},
		{"Cauchy", []Parameter{anything("mean"), scale}, realT, nil},
		{"Gompertz", []Parameter{shape, scale}, realT, nil},
		{"ChiSquare", []Parameter{positive("degrees of freedom")}, realT, nil},
		{"Kumaraswamy", []Parameter{shape, shape}, realT, nil},
	} {
		m[d.Name] = d
	}
	return m
}()
