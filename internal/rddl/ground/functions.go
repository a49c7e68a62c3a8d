package ground

import (
	"errors"
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/rddl"
)

// UnaryFunction is a function of one argument.
type UnaryFunction struct {
	F func(x float64) float64
	// Why describes why x is outside the domain, or returns "". It is nil if all numbers are
	// allowed. An allowed argument may still have an infinite result.
	Why func(x float64) string
}

// BinaryFunction is a function of two arguments.
type BinaryFunction struct {
	F   func(x, y float64) float64
	Why func(x, y float64) string
}

// FindUnary looks up a function of one argument by its RDDL name.
func FindUnary(name string) (UnaryFunction, bool) {
	f, ok := unary[name]
	return f, ok
}

// FindBinary looks up a function of two arguments. As in pyRDDLGym, div rounds down, mod and
// fmod have the divisor's sign, and the second argument of log is its base. min and max are
// included, though they take any number of arguments.
func FindBinary(name string) (BinaryFunction, bool) {
	f, ok := binary[name]
	return f, ok
}

// Call applies the function with this RDDL name to args. It returns an error if there is no
// value: an unknown name, a wrong number of arguments, an argument outside the function's
// domain. A result is never NaN, infinite or a negative zero.
func Call(name string, args ...float64) (float64, error) {
	var v float64
	why := ""
	if f, ok := unary[name]; ok {
		if len(args) != 1 {
			return 0, fmt.Errorf("%s has %d arguments, it takes 1", name, len(args))
		}
		if f.Why != nil {
			why = f.Why(args[0])
		}
		v = f.F(args[0])
	} else if f, ok := binary[name]; ok {
		many := name == "min" || name == "max"
		if many && len(args) == 0 || !many && len(args) != 2 {
			return 0, fmt.Errorf("%s has %d arguments, it takes 2", name, len(args))
		}
		if f.Why != nil {
			why = f.Why(args[0], args[1])
		}
		v = args[0]
		for _, a := range args[1:] {
			v = f.F(v, a)
		}
	} else {
		return 0, fmt.Errorf("there is no function %s", name)
	}
	if why == "" && v-v != 0 {
		why = notFinite
	}
	if why != "" {
		return 0, fmt.Errorf("%s: %s%v", why, name, args)
	}
	return v + 0, nil // + 0 makes a negative zero a plain one
}

const notFinite = "the result is not a finite number"

var errZero = errors.New(byZero)

const byZero = "division by zero"

var unary = map[string]UnaryFunction{
	"abs":     {F: math.Abs},
	"sgn":     {F: sgn},
	"round":   {F: math.RoundToEven},
	"floor":   {F: math.Floor},
	"ceil":    {F: math.Ceil},
	"sin":     {F: math.Sin},
	"cos":     {F: math.Cos},
	"tan":     {F: math.Tan},
	"asin":    {math.Asin, unless(inUnit, "asin of a number outside -1..1")},
	"acos":    {math.Acos, unless(inUnit, "acos of a number outside -1..1")},
	"atan":    {F: math.Atan},
	"sinh":    {F: math.Sinh},
	"cosh":    {F: math.Cosh},
	"tanh":    {F: math.Tanh},
	"exp":     {F: math.Exp},
	"ln":      {math.Log, unless(positive, "ln of a number that is not positive")},
	"sqrt":    {math.Sqrt, unless(notNegative, "sqrt of a negative number")},
	"lngamma": {lngamma, unless(positive, "lngamma of a number that is not positive")},
	"gamma":   {math.Gamma, unless(positive, "gamma of a number that is not positive")},
}

var binary = map[string]BinaryFunction{
	"div":  {floorDiv, integerDivisor},
	"mod":  {floorMod, integerDivisor},
	"fmod": {floorMod, divisor},
	"min":  {F: func(x, y float64) float64 { return min(x, y) }},
	"max":  {F: func(x, y float64) float64 { return max(x, y) }},
	"pow": {math.Pow, func(x, y float64) string {
		switch {
		case x == 0 && y < 0:
			return "zero to a negative power"
		case x < 0 && y != math.Trunc(y):
			return "a negative number to a fractional power"
		}
		return ""
	}},
	"log": {func(x, base float64) float64 { return math.Log(x) / math.Log(base) }, func(x, base float64) string {
		switch {
		case !(x > 0):
			return "log of a number that is not positive"
		case !(base > 0) || base == 1:
			return "log to a base that is not positive or is 1"
		}
		return ""
	}},
	"hypot": {F: math.Hypot},
}

func unless(ok func(x float64) bool, why string) func(x float64) string {
	return func(x float64) string {
		if !ok(x) {
			return why
		}
		return ""
	}
}

func inUnit(x float64) bool      { return x >= -1 && x <= 1 }
func positive(x float64) bool    { return x > 0 }
func notNegative(x float64) bool { return x >= 0 }

func lngamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

func divisor(_, y float64) string {
	if y == 0 {
		return byZero
	}
	return ""
}

func integerDivisor(x, y float64) string {
	if x != math.Trunc(x) || y != math.Trunc(y) {
		return "the arguments of an integer division are not both integers"
	}
	return divisor(x, y)
}

// floorDiv returns the quotient of integers rounded down. A quotient of large integers may
// itself be rounded up to an integer, so the remainder is subtracted first.
func floorDiv(x, y float64) float64 {
	if math.Abs(x) < 1<<52 {
		return math.Floor(x / y)
	}
	m := math.Mod(x, y)
	q := math.RoundToEven((x - m) / y)
	if m != 0 && (m < 0) != (y < 0) {
		q--
	}
	return q
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

// floorMod returns a - b*floor(a/b), exact even if the quotient is not.
func floorMod(a, b float64) float64 {
	m := math.Mod(a, b)
	if m != 0 && (m < 0) != (b < 0) {
		m += b
	}
	return m
}

// intFunctions always return integers; abs does so for an integer.
var intFunctions = map[string]bool{"sgn": true, "round": true, "floor": true, "ceil": true, "div": true, "mod": true}

// DistributionError describes what is wrong with the parameters of a distribution, or returns
// nil if it can be drawn from. For Discrete and UnnormDiscrete, args are the weights alone.
// An unknown name has no faults.
func DistributionError(name string, args ...float64) error {
	if d, ok := rddl.Distributions[name]; ok {
		return d.Check(args...)
	}
	if name != "Discrete" && name != "UnnormDiscrete" {
		return nil
	}
	sum := 0.0
	for _, a := range args {
		if !(a >= 0) {
			return fmt.Errorf("%s has the weight %v, expected none below 0", name, a)
		}
		sum += a
	}
	switch {
	case name == "Discrete" && !(math.Abs(sum-1) <= rddl.SumTolerance):
		return fmt.Errorf("the probabilities of Discrete sum to %v, expected 1", sum)
	case !(sum > 0) || math.IsInf(sum, 1):
		return fmt.Errorf("the weights of %s sum to %v, expected more than 0 and a finite number", name, sum)
	}
	return nil
}
