// Package operator has RDDL's operators and functions on numbers in one table: how each is
// written, the rule for its type, and its value in floating point, in fractions and in
// intervals. The checker, the grounder, the simulator and the compiler all read it, so that
// a function is added by one entry of Functions.
//
// The functions are those of pyRDDLGym, which include rddlsim's. min and max take two
// arguments there and any number here.
package operator

import (
	"fmt"
	"math"
)

// Operator is an operator or a function on numbers. Exactly one of Unary and Binary is set.
type Operator struct {
	Name     string // as RDDL writes it: abs, +
	Min, Max int    // number of arguments; Max is Any for any number
	Result   Result
	IntArgs  bool // all arguments must be integers
	Divides  bool // the second argument must not be 0

	// Unary and Binary are the value in floating point. Binary is folded from the left over
	// more than two arguments.
	Unary  func(x float64) float64
	Binary func(x, y float64) float64
	// Outside describes why there is no value for these first and last arguments, or returns
	// "". It is nil if all numbers are allowed; the result may still be infinite.
	Outside func(x, y float64) string

	// Exact is the value in fractions, folded like Binary; the argument of Unary is x. ok is
	// false where the value is not a fraction, or, with a result that is not a number, where
	// it is too large. It is nil for functions that hardly ever have such values. Arguments
	// have a value: Outside allows them.
	Exact func(x, y Rat) (value Rat, ok bool)

	// Interval contains all values for arguments in intervals that are not empty, as computed
	// without rounding errors; see Error. It is nil if nothing is known.
	Interval func(x, y Interval) Interval
	Error    Error
}

// Any is the Max of an operator with any number of arguments.
const Any = -1

// Result is the rule for the type of an operator's result.
type Result uint8

// The rules.
const (
	Real   Result = iota
	Int           //
	OfArgs        // real if an argument is real, int otherwise
	Power         // as OfArgs if the second argument is a constant that is not negative, real otherwise
)

// IsInt reports whether the result is an integer, given whether all arguments are, and the
// last argument if it is a constant.
func (o *Operator) IsInt(ints bool, last float64, constant bool) bool {
	switch o.Result {
	case Int:
		return true
	case OfArgs:
		return ints
	case Power:
		return ints && constant && last >= 0
	}
	return false
}

// Takes reports whether there is a value for n arguments. That of one argument of an operator
// of any number is the argument, though RDDL does not write it.
func (o *Operator) Takes(n int) bool {
	return n >= o.Min && n <= o.Max || o.Max == Any && (n >= o.Min || n == 1)
}

// Call returns the value for as many arguments as o takes. It returns an error where there is
// none: an argument is outside the domain, or the result is too large. A result is never NaN,
// infinite or a negative zero.
func (o *Operator) Call(args ...float64) (float64, error) {
	if !o.Takes(len(args)) {
		return 0, fmt.Errorf("%s has %d arguments, it takes %d", o.Name, len(args), o.Min)
	}
	v := 0.0
	why := ""
	if len(args) > 0 {
		v = args[0]
		if o.Outside != nil {
			why = o.Outside(args[0], args[len(args)-1])
		}
	}
	switch {
	case o.Unary != nil:
		v = o.Unary(v)
	case len(args) == 0:
		v = o.Empty()
	default:
		for _, a := range args[1:] {
			v = o.Binary(v, a)
		}
	}
	if why == "" && v-v != 0 {
		why = NotFinite
	}
	if why != "" {
		return 0, fmt.Errorf("%s: %s%v", why, o.Name, args)
	}
	return v + 0, nil // + 0 makes a negative zero a plain one
}

// Empty is the value of an operator that takes no arguments too: of an empty sum or product.
func (o *Operator) Empty() float64 {
	if o == Mul {
		return 1
	}
	return 0
}

// Fraction is Call in fractions of at least one argument. ok is false as for Exact.
func (o *Operator) Fraction(args ...Rat) (value Rat, ok bool) {
	if len(args) == 1 {
		if o.Unary == nil {
			return args[0], true
		}
		return o.Exact(args[0], args[0])
	}
	value, ok = args[0], true
	for _, a := range args[1:] {
		if value, ok = o.Exact(value, a); !ok {
			break
		}
	}
	return value, ok
}

// NotFinite says that a result is infinite or not a number.
const NotFinite = "the result is not a finite number"

// ByZero says that a divisor is 0.
const ByZero = "division by zero"

func unless(ok func(x float64) bool, why string) func(x, _ float64) string {
	return func(x, _ float64) string {
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
		return ByZero
	}
	return ""
}

func integerDivisor(x, y float64) string {
	if x != math.Trunc(x) || y != math.Trunc(y) {
		return "the arguments of an integer division are not both integers"
	}
	return divisor(x, y)
}

func logOutside(x, base float64) string {
	switch {
	case !(x > 0):
		return "log of a number that is not positive"
	case !(base > 0) || base == 1:
		return "log to a base that is not positive or is 1"
	}
	return ""
}

func powOutside(x, y float64) string {
	switch {
	case x == 0 && y < 0:
		return "zero to a negative power"
	case x < 0 && y != math.Trunc(y):
		return "a negative number to a fractional power"
	}
	return ""
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

// floorMod returns a - b*floor(a/b), exact even if the quotient is not.
func floorMod(a, b float64) float64 {
	m := math.Mod(a, b)
	if m != 0 && (m < 0) != (b < 0) {
		m += b
	}
	return m
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
