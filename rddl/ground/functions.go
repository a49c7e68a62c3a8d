package ground

import (
	"errors"
	"fmt"
	"math"
)

// Call applies the function called name, spelt as in RDDL, to args. Its error
// says why there is no value: an unknown name, a wrong number of arguments, an
// argument outside the function's domain. A result is never NaN or infinite.
//
// As in pyRDDLGym: div rounds down and mod and fmod have the divisor's sign,
// round takes halves to the even neighbour, log has its base second.
func Call(name string, args ...float64) (float64, error) {
	var v float64
	switch {
	case name == "min" || name == "max":
		if len(args) == 0 {
			return 0, fmt.Errorf("%s has no arguments", name)
		}
		v = args[0]
		for _, a := range args[1:] {
			if name == "min" {
				v = min(v, a)
			} else {
				v = max(v, a)
			}
		}
	case unary[name] != nil:
		if len(args) != 1 {
			return 0, fmt.Errorf("%s has %d arguments, it takes 1", name, len(args))
		}
		if (name == "gamma" || name == "lngamma") && args[0] <= 0 {
			return 0, fmt.Errorf("%s of %v, expected a number above 0", name, args[0])
		}
		v = unary[name](args[0])
	case binary[name] != nil:
		if len(args) != 2 {
			return 0, fmt.Errorf("%s has %d arguments, it takes 2", name, len(args))
		}
		if args[1] == 0 && (name == "div" || name == "mod" || name == "fmod") {
			return 0, errZero
		}
		v = binary[name](args[0], args[1])
	default:
		return 0, fmt.Errorf("there is no function %s", name)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s%v has no finite value", name, args)
	}
	return v + 0, nil // + 0 makes a negative zero a plain one
}

var errZero = errors.New("division by zero")

var unary = map[string]func(float64) float64{
	"abs": math.Abs, "round": math.RoundToEven, "floor": math.Floor, "ceil": math.Ceil,
	"sgn": sgn,
	"exp": math.Exp, "ln": math.Log, "sqrt": math.Sqrt,
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
	"asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh,
	"gamma": math.Gamma, "lngamma": func(x float64) float64 { v, _ := math.Lgamma(x); return v },
}

var binary = map[string]func(a, b float64) float64{
	"div":   func(a, b float64) float64 { return (a - floorMod(a, b)) / b },
	"mod":   floorMod,
	"fmod":  floorMod,
	"pow":   math.Pow,
	"log":   func(x, base float64) float64 { return math.Log(x) / math.Log(base) },
	"hypot": math.Hypot,
}

func sgn(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// floorMod is a - b*floor(a/b), exact also where the quotient is not.
func floorMod(a, b float64) float64 {
	m := math.Mod(a, b)
	if m != 0 && (m < 0) != (b < 0) {
		m += b
	}
	return m
}

// intFunctions always give integers; abs does so for an integer.
var intFunctions = map[string]bool{"sgn": true, "round": true, "floor": true, "ceil": true, "div": true, "mod": true}

// DistributionError says what is wrong with the parameters of a distribution,
// nil when it can be drawn from. For Discrete and UnnormDiscrete, args are the
// weights alone. A name that it does not know has no faults.
func DistributionError(name string, args ...float64) error {
	for _, a := range args {
		if math.IsNaN(a) {
			return fmt.Errorf("a parameter of %s is not a number", name)
		}
	}
	if rule, ok := parameters[name]; ok {
		for i, a := range args {
			if i >= len(rule) {
				break
			}
			if err := rule[i].check(name, a); err != nil {
				return err
			}
		}
	}
	switch name {
	case "Uniform":
		if len(args) == 2 && args[0] > args[1] {
			return fmt.Errorf("the lower bound %v of Uniform is above the upper bound %v", args[0], args[1])
		}
	case "Discrete", "UnnormDiscrete":
		sum := 0.0
		for _, a := range args {
			if a < 0 {
				return fmt.Errorf("%s has the weight %v, expected none below 0", name, a)
			}
			sum += a
		}
		// As tolerant as pyRDDLGym: files write thirds with five digits.
		if name == "Discrete" && math.Abs(sum-1) > 1e-5 {
			return fmt.Errorf("the probabilities of Discrete sum to %v, expected 1", sum)
		}
		if sum <= 0 {
			return fmt.Errorf("the weights of %s sum to %v, expected more than 0", name, sum)
		}
	}
	return nil
}

// parameter is what one parameter of a distribution must be.
type parameter struct {
	name   string
	lo, hi float64
	open   bool // lo itself is excluded
	whole  bool
}

func (p parameter) check(dist string, a float64) error {
	expected := ""
	switch {
	case a < p.lo || a > p.hi || p.open && a == p.lo:
		switch {
		case !math.IsInf(p.hi, 1) && p.open:
			expected = fmt.Sprintf("a value above %v and at most %v", p.lo, p.hi)
		case !math.IsInf(p.hi, 1):
			expected = fmt.Sprintf("a value in %v..%v", p.lo, p.hi)
		case p.open:
			expected = fmt.Sprintf("a value above %v", p.lo)
		default:
			expected = fmt.Sprintf("a value of at least %v", p.lo)
		}
	case p.whole && a != math.Trunc(a):
		expected = "an integer"
	default:
		return nil
	}
	return fmt.Errorf("the %s of %s is %v, expected %s", p.name, dist, a, expected)
}

var parameters = func() map[string][]parameter {
	inf := math.Inf(1)
	anything := func(name string) parameter { return parameter{name: name, lo: -inf, hi: inf} }
	positive := func(name string) parameter { return parameter{name: name, hi: inf, open: true} }
	natural := func(name string) parameter { return parameter{name: name, hi: inf, whole: true} }
	probability := parameter{name: "probability", hi: 1}
	return map[string][]parameter{
		"Bernoulli":        {probability},
		"Normal":           {anything("mean"), {name: "variance", hi: inf}},
		"Poisson":          {{name: "rate", hi: inf}},
		"Exponential":      {positive("scale")},
		"Weibull":          {positive("shape"), positive("scale")},
		"Gamma":            {positive("shape"), positive("scale")},
		"Beta":             {positive("a"), positive("b")},
		"Kumaraswamy":      {positive("a"), positive("b")},
		"Pareto":           {positive("shape"), positive("scale")},
		"Gompertz":         {positive("shape"), positive("scale")},
		"Student":          {positive("degrees of freedom")},
		"ChiSquare":        {positive("degrees of freedom")},
		"Gumbel":           {anything("mean"), positive("scale")},
		"Laplace":          {anything("mean"), positive("scale")},
		"Cauchy":           {anything("mean"), positive("scale")},
		"Binomial":         {natural("number of trials"), probability},
		"NegativeBinomial": {positive("number of successes"), {name: "probability", hi: 1, open: true}},
		"Geometric":        {{name: "probability", hi: 1, open: true}},
	}
}()
