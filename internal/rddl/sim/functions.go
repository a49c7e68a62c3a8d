package sim

import (
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
)

// operation compiles an operator or function on numbers.
func (c *compiler) operation(n *ground.Node) num {
	o := n.Operator()
	args := c.all(n.Args)
	if c.near && n.Op == ground.Func && realArgs(n) {
		c.snap(o, args)
	}
	if f := plain(n.Op, args); f != nil {
		return f
	}
	first, rest := num(func(*machine) float64 { return o.Empty() }), args
	if len(args) > 0 {
		first, rest = args[0], args[1:]
	}
	value := func(m *machine, x float64) (v, last float64) { return o.Unary(x), x }
	switch {
	case o.Unary == nil && len(rest) == 1:
		second := rest[0]
		value = func(m *machine, x float64) (v, last float64) {
			last = second(m)
			return o.Binary(x, last), last
		}
	case o.Unary == nil:
		value = func(m *machine, x float64) (v, last float64) {
			v = x
			for _, a := range rest {
				last = a(m)
				v = o.Binary(v, last)
			}
			return v, last
		}
	}
	if n.Op != ground.Func && o.Outside == nil {
		return func(m *machine) float64 {
			v, _ := value(m, first(m))
			return v
		}
	}
	return func(m *machine) float64 {
		x := first(m)
		v, last := value(m, x)
		if o.Outside != nil {
			if why := o.Outside(x, last); why != "" {
				return m.fail(n, why, []float64{x, last}[:min(2, len(args))]...)
			}
		}
		return finite(m, n, v+0, []float64{x, last}[:min(2, len(args))]...) // +0 turns the negative zero of ceil(-0.5) into 0
	}
}

// snap takes the arguments of a function that jumps at integers, or at multiples of the divisor, to these where they are near.
func (c *compiler) snap(o *operator.Operator, args []num) {
	first := args[0]
	switch {
	case o.Unary != nil && o.Result == operator.Int:
		args[0] = func(m *machine) float64 {
			x := first(m)
			return operator.Near(x, math.Round(x))
		}
	case o == operator.Functions["fmod"]:
		by := args[1]
		args[0] = func(m *machine) float64 {
			x, y := first(m), by(m)
			if q := x / y; operator.Near(q, math.Round(q)) == math.Round(q) {
				return math.Round(q) * y
			}
			return x
		}
	}
}

// plain compiles the commonest operators without a call of their function; nil for the others.
func plain(op ground.Op, args []num) num {
	if len(args) != 2 {
		return nil
	}
	a, b := args[0], args[1]
	switch op {
	case ground.Add:
		return func(m *machine) float64 { return a(m) + b(m) }
	case ground.Sub:
		return func(m *machine) float64 { return a(m) - b(m) }
	case ground.Mul:
		return func(m *machine) float64 { return a(m) * b(m) }
	}
	return nil
}

// finite returns v, or a fault if v is infinite or not a number.
func finite(m *machine, n *ground.Node, v float64, args ...float64) float64 {
	if v-v != 0 {
		return m.fail(n, operator.NotFinite, args...)
	}
	return v
}
