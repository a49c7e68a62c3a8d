package translate

import (
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/source"
)

// apply returns the domain of an operation on domains that are not empty: value by value if
// there are few, else by intervals.
func (in *inference) apply(n *ground.Node, args []domain) domain {
	if d, ok := in.pointwise(n, args); ok {
		return d
	}
	switch n.Op {
	case ground.Add, ground.Mul, ground.Min, ground.Max:
		pair := *n
		out := args[0]
		for _, b := range args[1:] {
			in.work()
			two := []domain{out, b}
			if d, ok := in.pointwise(&pair, two); ok {
				out = d
			} else {
				out = byIntervals(&pair, two)
			}
			if out.isEmpty() {
				return out
			}
		}
		return out
	}
	return byIntervals(n, args)
}

// pointwise applies an operation to all choices of values. Choices without a value, such as a
// division by zero, are omitted: an evaluation that meets one fails.
func (in *inference) pointwise(n *ground.Node, args []domain) (out domain, ok bool) {
	choices := 1
	lists := make([][]rat, len(args))
	for i := range args {
		if lists[i], ok = args[i].listed(); !ok || len(lists[i]) == 0 {
			return out, false
		}
		if choices *= len(lists[i]); choices > setPairs {
			return out, false
		}
	}
	at := make([]int, len(args))
	values := make([]value, len(args))
	var exactly []rat
	lo, hi := math.Inf(1), math.Inf(-1)
	for range choices {
		in.work()
		for i := range at {
			values[i] = exact(lists[i][at[i]])
		}
		v, result := in.point(n, values)
		switch {
		case result == overflow:
			return out, false
		case result == noValue:
		case v.inexact:
			lo, hi = min(lo, v.float), max(hi, v.float)
		default:
			exactly = append(exactly, v.rat)
		}
		for i := range at {
			if at[i]++; at[i] < len(lists[i]) {
				break
			}
			at[i] = 0
		}
	}
	out = setDomain(exactly)
	if lo <= hi {
		// Functions are computed with an error of a few units in the last place.
		slack := 1e-12 * (1 + max(math.Abs(lo), math.Abs(hi)))
		out = domain{lo: min(lo-slack, out.lo), hi: max(hi+slack, out.hi)}
		if len(exactly) == 0 {
			out.lo, out.hi = lo-slack, hi+slack
		}
	}
	return out, true
}

// What point found.
const (
	found = iota
	noValue
	overflow
)

// point applies an operation to values.
func (in *inference) point(n *ground.Node, args []value) (v value, result int) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *source.Error:
			result = noValue
		case refusalText:
			result = overflow
		default:
			panic(r)
		}
	}()
	return in.c.apply(n, args), found
}

// byIntervals applies an operation to intervals.
func byIntervals(n *ground.Node, args []domain) domain {
	x := args[0]
	y := args[len(args)-1]
	integral := x.whole && y.whole
	switch n.Op {
	case ground.Add:
		return outward(x.lo+y.lo, x.hi+y.hi, integral)
	case ground.Sub:
		return outward(x.lo-y.hi, x.hi-y.lo, integral)
	case ground.Neg:
		return domain{lo: -x.hi, hi: -x.lo, whole: x.whole}
	case ground.Mul:
		return corners(x, y, func(a, b float64) float64 {
			if a == 0 || b == 0 {
				return 0 // of an infinite bound too, which no value has
			}
			return a * b
		}, integral)
	case ground.Div:
		if y.lo > 0 || y.hi < 0 {
			return corners(x, y, func(a, b float64) float64 { return a / b }, false)
		}
		return anything
	case ground.Min:
		return domain{lo: min(x.lo, y.lo), hi: min(x.hi, y.hi), whole: integral}
	case ground.Max:
		return domain{lo: max(x.lo, y.lo), hi: max(x.hi, y.hi), whole: integral}
	}
	return functionInterval(n.Name, x, y)
}

// corners is the range of a function that is monotone in each argument.
func corners(x, y domain, f func(a, b float64) float64, integral bool) domain {
	v := []float64{f(x.lo, y.lo), f(x.lo, y.hi), f(x.hi, y.lo), f(x.hi, y.hi)}
	lo, hi := v[0], v[0]
	for _, z := range v[1:] {
		lo, hi = math.Min(lo, z), math.Max(hi, z) // NaN stays
	}
	return outward(lo, hi, integral)
}

// functionInterval applies a function to intervals.
func functionInterval(name string, x, y domain) domain {
	rising := func(f func(float64) float64, integral bool) domain {
		lo, hi := f(x.lo), f(x.hi)
		slack := 0.0
		if !integral {
			slack = 1e-12
		}
		return outward(lo-slack*(1+math.Abs(lo)), hi+slack*(1+math.Abs(hi)), integral)
	}
	switch name {
	case "abs":
		lo := 0.0
		if x.lo > 0 || x.hi < 0 {
			lo = min(math.Abs(x.lo), math.Abs(x.hi))
		}
		return domain{lo: lo, hi: max(math.Abs(x.lo), math.Abs(x.hi)), whole: x.whole}
	case "sgn":
		return between(-1, 1, true)
	case "floor":
		return rising(math.Floor, true)
	case "ceil":
		return rising(math.Ceil, true)
	case "round":
		return rising(math.RoundToEven, true)
	case "exp":
		return rising(math.Exp, false)
	case "atan":
		return rising(math.Atan, false)
	case "tanh":
		return rising(math.Tanh, false)
	case "sqrt":
		x.lo = max(x.lo, 0)
		return rising(math.Sqrt, false)
	case "sin", "cos":
		return domain{lo: -1, hi: 1}
	case "div":
		if y.lo > 0 || y.hi < 0 {
			d := corners(x, y, func(a, b float64) float64 { return a / b }, false)
			return between(math.Floor(d.lo), math.Floor(d.hi), true)
		}
		return integers
	case "mod", "fmod":
		// The remainder has the sign of the divisor and is smaller.
		if x.whole && y.whole {
			return domain{lo: min(0, y.lo+1), hi: max(0, y.hi-1), whole: true}
		}
		return domain{lo: min(0, y.lo), hi: max(0, y.hi)}
	case "pow":
		if e, ok := y.single(); ok && e.isWhole() && e.n >= 0 {
			p := func(a float64) float64 { return math.Pow(a, float64(e.n)) }
			d := outward(min(p(x.lo), p(x.hi)), max(p(x.lo), p(x.hi)), x.whole)
			if e.n%2 == 0 && x.lo <= 0 && x.hi >= 0 {
				d.lo = 0
			}
			return d
		}
	}
	return anything
}
