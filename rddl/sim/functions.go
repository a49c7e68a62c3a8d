package sim

import (
	"math"

	"github.com/fdplan/fdplan/rddl/ground"
)

// unary is pyRDDLGym's table of functions of one argument. domain, where there
// is one, says for which arguments the function is defined, and want says it in
// words.
var unary = map[string]struct {
	f      func(float64) float64
	domain func(float64) bool
	want   string
}{
	"abs":     {f: math.Abs},
	"sgn":     {f: sgn},
	"round":   {f: math.RoundToEven},
	"floor":   {f: math.Floor},
	"ceil":    {f: math.Ceil},
	"sin":     {f: math.Sin},
	"cos":     {f: math.Cos},
	"tan":     {f: math.Tan},
	"asin":    {math.Asin, inUnit, "asin of a number outside -1..1"},
	"acos":    {math.Acos, inUnit, "acos of a number outside -1..1"},
	"atan":    {f: math.Atan},
	"sinh":    {f: math.Sinh},
	"cosh":    {f: math.Cosh},
	"tanh":    {f: math.Tanh},
	"exp":     {f: math.Exp},
	"ln":      {math.Log, positive, "ln of a number that is not positive"},
	"sqrt":    {math.Sqrt, notNegative, "sqrt of a negative number"},
	"lngamma": {lngamma, positive, "lngamma of a number that is not positive"},
	"gamma":   {math.Gamma, positive, "gamma of a number that is not positive"},
}

// binary is the table of functions of two arguments; why names what forbids
// them, or is empty.
var binary = map[string]struct {
	f   func(x, y float64) float64
	why func(x, y float64) string
}{
	"div":  {func(x, y float64) float64 { return math.Floor(x / y) }, integerDivisor},
	"mod":  {floorMod, integerDivisor},
	"fmod": {floorMod, divisor},
	"min":  {f: func(x, y float64) float64 { return min(x, y) }},
	"max":  {f: func(x, y float64) float64 { return max(x, y) }},
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
	"hypot": {f: math.Hypot},
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

func inUnit(x float64) bool      { return x >= -1 && x <= 1 }
func positive(x float64) bool    { return x > 0 }
func notNegative(x float64) bool { return x >= 0 }

func lngamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

func divisor(_, y float64) string {
	if y == 0 {
		return "division by zero"
	}
	return ""
}

func integerDivisor(x, y float64) string {
	if x != math.Trunc(x) || y != math.Trunc(y) {
		return "the arguments of an integer division are not both integers"
	}
	return divisor(x, y)
}

// floorMod is the remainder of the division that rounds to minus infinity; it
// has the sign of y.
func floorMod(x, y float64) float64 {
	r := math.Mod(x, y)
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

func (c *compiler) function(n *ground.Node) num {
	if u, ok := unary[n.Name]; ok {
		if !c.arity(n, 1, 1) {
			return nil
		}
		a := c.num(n.Args[0])
		return func(m *machine) float64 {
			x := a(m)
			if u.domain != nil && !u.domain(x) {
				return m.fail(n, u.want, x)
			}
			return finite(m, n, u.f(x)+0, x) // +0 makes a negative zero of ceil(-0.5) plain
		}
	}
	if b, ok := binary[n.Name]; ok {
		if !c.arity(n, 2, 2) {
			return nil
		}
		a1, a2 := c.num(n.Args[0]), c.num(n.Args[1])
		return func(m *machine) float64 {
			x, y := a1(m), a2(m)
			if b.why != nil {
				if why := b.why(x, y); why != "" {
					return m.fail(n, why, x, y)
				}
			}
			return finite(m, n, b.f(x, y)+0, x, y)
		}
	}
	c.refuse(n, "the simulator does not know the function %s", n.Name)
	return nil
}

// finite gives v, or a fault when v is infinite or not a number.
func finite(m *machine, n *ground.Node, v float64, args ...float64) float64 {
	if v-v != 0 {
		return m.fail(n, "the result is not a finite number", args...)
	}
	return v
}
