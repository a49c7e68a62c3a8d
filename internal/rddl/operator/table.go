package operator

import "math"

// The operators that have a sign of their own.
var (
	Add = &Operator{
		Name: "+", Max: Any, Result: OfArgs, Error: LastPlace,
		Binary:   func(x, y float64) float64 { return x + y },
		Exact:    func(x, y Rat) (Rat, bool) { return whenValid(x.Add(y)) },
		Interval: func(x, y Interval) Interval { return Interval{x.Lo + y.Lo, x.Hi + y.Hi, x.Whole && y.Whole} },
	}
	Sub = &Operator{
		Name: "-", Min: 2, Max: 2, Result: OfArgs, Error: LastPlace,
		Binary:   func(x, y float64) float64 { return x - y },
		Exact:    func(x, y Rat) (Rat, bool) { return whenValid(x.Sub(y)) },
		Interval: func(x, y Interval) Interval { return Interval{x.Lo - y.Hi, x.Hi - y.Lo, x.Whole && y.Whole} },
	}
	Mul = &Operator{
		Name: "*", Max: Any, Result: OfArgs, Error: LastPlace,
		Binary: func(x, y float64) float64 { return x * y },
		Exact:  func(x, y Rat) (Rat, bool) { return whenValid(x.Mul(y)) },
		Interval: func(x, y Interval) Interval {
			return corners(x, y, func(a, b float64) float64 {
				if a == 0 || b == 0 {
					return 0 // of an infinite bound too, which no value has
				}
				return a * b
			}, x.Whole && y.Whole)
		},
	}
	Div = &Operator{
		Name: "/", Min: 2, Max: 2, Result: Real, Divides: true, Outside: divisor, Error: LastPlace,
		Binary: quotient,
		Exact:  func(x, y Rat) (Rat, bool) { return whenValid(x.Div(y)) },
		Interval: func(x, y Interval) Interval {
			if y.Lo <= 0 && y.Hi >= 0 {
				return Anything
			}
			return corners(x, y, quotient, false)
		},
	}
	Neg = &Operator{
		Name: "unary -", Min: 1, Max: 1, Result: OfArgs,
		Unary:    func(x float64) float64 { return 0 - x }, // 0-x has no negative zero
		Exact:    func(x, _ Rat) (Rat, bool) { return x.Neg(), true },
		Interval: func(x, _ Interval) Interval { return Interval{-x.Hi, -x.Lo, x.Whole} },
	}
	Min = &Operator{
		Name: "min", Min: 2, Max: Any, Result: OfArgs,
		Binary:   func(x, y float64) float64 { return min(x, y) },
		Exact:    func(x, y Rat) (Rat, bool) { return x.Min(y), true },
		Interval: func(x, y Interval) Interval { return Interval{min(x.Lo, y.Lo), min(x.Hi, y.Hi), x.Whole && y.Whole} },
	}
	Max = &Operator{
		Name: "max", Min: 2, Max: Any, Result: OfArgs,
		Binary:   func(x, y float64) float64 { return max(x, y) },
		Exact:    func(x, y Rat) (Rat, bool) { return x.Max(y), true },
		Interval: func(x, y Interval) Interval { return Interval{max(x.Lo, y.Lo), max(x.Hi, y.Hi), x.Whole && y.Whole} },
	}
)

func quotient(x, y float64) float64 { return x / y }

// Functions are the functions by name. div, mod and fmod round the quotient down, so that a
// remainder has the divisor's sign. The second argument of log is its base.
var Functions = byName(
	Min, Max,
	&Operator{
		Name: "abs", Min: 1, Max: 1, Result: OfArgs,
		Unary: math.Abs, Exact: func(x, _ Rat) (Rat, bool) { return x.Max(x.Neg()), true },
		Interval: func(x, _ Interval) Interval {
			lo := 0.0
			if x.Lo > 0 || x.Hi < 0 {
				lo = min(math.Abs(x.Lo), math.Abs(x.Hi))
			}
			return Interval{lo, max(math.Abs(x.Lo), math.Abs(x.Hi)), x.Whole}
		},
	},
	&Operator{
		Name: "sgn", Min: 1, Max: 1, Result: Int,
		Unary: sgn, Exact: func(x, _ Rat) (Rat, bool) { return Whole(int64(x.Sign())), true }, Interval: within(-1, 1, true),
	},
	&Operator{
		Name: "round", Min: 1, Max: 1, Result: Int,
		Unary: math.RoundToEven, Exact: func(x, _ Rat) (Rat, bool) { return Whole(x.RoundToEven()), true }, Interval: rising(math.RoundToEven, true),
	},
	&Operator{
		Name: "floor", Min: 1, Max: 1, Result: Int,
		Unary: math.Floor, Exact: func(x, _ Rat) (Rat, bool) { return Whole(x.Floor()), true }, Interval: rising(math.Floor, true),
	},
	&Operator{
		Name: "ceil", Min: 1, Max: 1, Result: Int,
		Unary: math.Ceil, Exact: func(x, _ Rat) (Rat, bool) { return Whole(x.Ceil()), true }, Interval: rising(math.Ceil, true),
	},
	&Operator{
		Name: "div", Min: 2, Max: 2, Result: Int, IntArgs: true, Divides: true, Outside: integerDivisor, Binary: floorDiv,
		Exact: func(x, y Rat) (Rat, bool) {
			q, ok := whenValid(x.Div(y))
			return Whole(q.Floor()), ok
		},
		Interval: func(x, y Interval) Interval {
			if y.Lo <= 0 && y.Hi >= 0 {
				return Integers
			}
			q := corners(x, y, quotient, false).Outward()
			return Interval{math.Floor(q.Lo), math.Floor(q.Hi), true}
		},
	},
	&Operator{Name: "mod", Min: 2, Max: 2, Result: Int, IntArgs: true, Divides: true, Outside: integerDivisor, Binary: floorMod, Exact: remainder, Interval: remainders},
	&Operator{Name: "fmod", Min: 2, Max: 2, Result: OfArgs, Divides: true, Outside: divisor, Binary: floorMod, Exact: remainder, Interval: remainders},
	&Operator{Name: "pow", Min: 2, Max: 2, Result: Power, Outside: powOutside, Binary: math.Pow, Exact: power, Interval: powers},
	&Operator{Name: "sqrt", Min: 1, Max: 1, Outside: unless(notNegative, "sqrt of a negative number"), Unary: math.Sqrt, Interval: rising(root, false), Error: Library},
	&Operator{Name: "exp", Min: 1, Max: 1, Unary: math.Exp, Interval: rising(math.Exp, false), Error: Library},
	&Operator{Name: "atan", Min: 1, Max: 1, Unary: math.Atan, Interval: rising(math.Atan, false), Error: Library},
	&Operator{Name: "tanh", Min: 1, Max: 1, Unary: math.Tanh, Interval: rising(math.Tanh, false), Error: Library},
	&Operator{Name: "sin", Min: 1, Max: 1, Unary: math.Sin, Interval: within(-1, 1, false)},
	&Operator{Name: "cos", Min: 1, Max: 1, Unary: math.Cos, Interval: within(-1, 1, false)},
	&Operator{Name: "tan", Min: 1, Max: 1, Unary: math.Tan},
	&Operator{Name: "asin", Min: 1, Max: 1, Outside: unless(inUnit, "asin of a number outside -1..1"), Unary: math.Asin},
	&Operator{Name: "acos", Min: 1, Max: 1, Outside: unless(inUnit, "acos of a number outside -1..1"), Unary: math.Acos},
	&Operator{Name: "sinh", Min: 1, Max: 1, Unary: math.Sinh},
	&Operator{Name: "cosh", Min: 1, Max: 1, Unary: math.Cosh},
	&Operator{Name: "ln", Min: 1, Max: 1, Outside: unless(positive, "ln of a number that is not positive"), Unary: math.Log},
	&Operator{Name: "lngamma", Min: 1, Max: 1, Outside: unless(positive, "lngamma of a number that is not positive"), Unary: lngamma},
	&Operator{Name: "gamma", Min: 1, Max: 1, Outside: unless(positive, "gamma of a number that is not positive"), Unary: math.Gamma},
	&Operator{Name: "log", Min: 2, Max: 2, Outside: logOutside, Binary: func(x, base float64) float64 { return math.Log(x) / math.Log(base) }},
	&Operator{Name: "hypot", Min: 2, Max: 2, Binary: math.Hypot},
)

func byName(list ...*Operator) map[string]*Operator {
	m := make(map[string]*Operator, len(list))
	for _, o := range list {
		m[o.Name] = o
	}
	return m
}

// remainder is mod and fmod in fractions.
func remainder(x, y Rat) (Rat, bool) {
	q, ok := whenValid(x.Div(y))
	if !ok {
		return q, false
	}
	return whenValid(x.Sub(y.Mul(Whole(q.Floor()))))
}

// remainders contains the remainders, which have the sign of the divisor and are smaller.
func remainders(x, y Interval) Interval {
	if x.Whole && y.Whole {
		return Interval{min(0, y.Lo+1), max(0, y.Hi-1), true}
	}
	return Interval{Lo: min(0, y.Lo), Hi: max(0, y.Hi)}
}

// mostPower is the largest exponent whose powers are computed in fractions.
const mostPower = 64

func power(x, y Rat) (Rat, bool) {
	if y.D != 1 || y.N < 0 || y.N > mostPower {
		return x, false
	}
	out := Whole(1)
	for range y.N {
		out = out.Mul(x)
	}
	return whenValid(out)
}

func powers(x, y Interval) Interval {
	e := y.Lo
	if y.Hi != e || e < 0 || e != math.Trunc(e) {
		return Anything
	}
	a, b := math.Pow(x.Lo, e), math.Pow(x.Hi, e)
	out := Interval{min(a, b), max(a, b), x.Whole}.Outward()
	if math.Mod(e, 2) == 0 && x.Lo <= 0 && x.Hi >= 0 {
		out.Lo = 0
	}
	return out
}

func root(x float64) float64 { return math.Sqrt(max(x, 0)) }
