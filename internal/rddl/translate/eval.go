package translate

import (
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// value is the value of an expression: exact, or a float if a function has no rational
// values.
type value struct {
	rat
	float   float64
	inexact bool
}

func exact(r rat) value { return value{rat: r} }

func truth(b bool) value {
	if b {
		return exact(whole(1))
	}
	return exact(whole(0))
}

func (v value) asFloat() float64 {
	if v.inexact {
		return v.float
	}
	return v.rat.float()
}

func (v value) isTrue() bool { return v.asFloat() != 0 }

// scene assigns values to the fluents while a table is filled.
type scene struct {
	c    *compiler
	val  map[fluentKey]value
	memo map[int]value // intermediate fluents of this row

	leaves bool // some values are of leaves
}

// fluentKey is a fluent at this step (even) or the next (odd).
type fluentKey int32

func keyOf(n *ground.Node) fluentKey {
	k := fluentKey(n.Fluent) << 1
	if n.Primed {
		k |= 1
	}
	return k
}

// eval returns the exact value of n.
func (s *scene) eval(n *ground.Node) value {
	if s.leaves {
		if k, ok := s.c.leafKeys[n]; ok {
			if v, ok := s.val[k]; ok {
				return v
			}
		}
	}
	switch n.Op {
	case ground.Const:
		return exact(simplest(n.Val))
	case ground.Ref:
		return s.fluent(n)
	case ground.Not:
		return truth(!s.eval(n.Args[0]).isTrue())
	case ground.And:
		for _, a := range n.Args {
			if !s.eval(a).isTrue() {
				return truth(false)
			}
		}
		return truth(true)
	case ground.Or:
		for _, a := range n.Args {
			if s.eval(a).isTrue() {
				return truth(true)
			}
		}
		return truth(false)
	case ground.Implies:
		return truth(!s.eval(n.Args[0]).isTrue() || s.eval(n.Args[1]).isTrue())
	case ground.Iff:
		return truth(s.eval(n.Args[0]).isTrue() == s.eval(n.Args[1]).isTrue())
	case ground.Eq, ground.Ne, ground.Lt, ground.Le, ground.Gt, ground.Ge:
		return truth(holds(n.Op, compareValues(s.eval(n.Args[0]), s.eval(n.Args[1]))))
	case ground.If:
		if s.eval(n.Args[0]).isTrue() {
			return s.eval(n.Args[1])
		}
		return s.eval(n.Args[2])
	case ground.Case:
		return s.choose(n)
	case ground.Random:
		return s.eval(s.c.certain(n, s))
	}
	args := make([]value, len(n.Args))
	for i, a := range n.Args {
		args[i] = s.eval(a)
	}
	return s.c.apply(n, args)
}

func (s *scene) fluent(n *ground.Node) value {
	if v, ok := s.val[keyOf(n)]; ok {
		return v
	}
	if v, ok := s.memo[n.Fluent]; ok {
		return v
	}
	v := s.eval(s.c.cpf(n.Fluent))
	s.memo[n.Fluent] = v
	return v
}

func (s *scene) choose(n *ground.Node) value {
	on := s.eval(n.Args[0])
	for i := 1; i+1 < len(n.Args); i += 2 {
		if compareValues(on, s.eval(n.Args[i])) == 0 {
			return s.eval(n.Args[i+1])
		}
	}
	if len(n.Args)%2 == 0 && n.Args[len(n.Args)-1] != nil {
		return s.eval(n.Args[len(n.Args)-1])
	}
	s.c.refuseAt(n.Pos, "the switch has no case for the value %s and no default", on)
	return value{}
}

func compareValues(a, b value) int {
	if !a.inexact && !b.inexact {
		return a.rat.cmp(b.rat)
	}
	x, y := a.asFloat(), b.asFloat()
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// holds reports whether op is true of values whose comparison has this sign.
func holds(op ground.Op, sign int) bool {
	switch op {
	case ground.Eq:
		return sign == 0
	case ground.Ne:
		return sign != 0
	case ground.Lt:
		return sign < 0
	case ground.Le:
		return sign <= 0
	case ground.Gt:
		return sign > 0
	default:
		return sign >= 0
	}
}

// apply applies an arithmetic operation.
func (c *compiler) apply(n *ground.Node, args []value) value {
	for _, a := range args {
		if a.inexact {
			return c.applyFloat(n, args)
		}
	}
	r := make([]rat, len(args))
	for i, a := range args {
		r[i] = a.rat
	}
	switch n.Op {
	case ground.Add, ground.Mul, ground.Min, ground.Max:
		out := r[0]
		for _, x := range r[1:] {
			out = fold(n.Op, out, x)
		}
		return exact(out)
	case ground.Sub:
		return exact(r[0].sub(r[1]))
	case ground.Neg:
		return exact(r[0].neg())
	case ground.Div:
		c.divisor(n, r[1])
		return exact(r[0].div(r[1]))
	}
	if out, ok := c.function(n, r); ok {
		return exact(out)
	}
	return c.applyFloat(n, args)
}

func fold(op ground.Op, a, b rat) rat {
	switch op {
	case ground.Add:
		return a.add(b)
	case ground.Mul:
		return a.mul(b)
	case ground.Min:
		return a.min(b)
	default:
		return a.max(b)
	}
}

func (c *compiler) divisor(n *ground.Node, r rat) {
	if r.n == 0 {
		c.refuseAt(n.Pos, "the divisor can be 0; expected one that cannot, such as max[1, x]")
	}
}

// function applies a function with rational values; ok is false for other functions.
func (c *compiler) function(n *ground.Node, r []rat) (out rat, ok bool) {
	switch n.Name {
	case "abs":
		return r[0].max(r[0].neg()), true
	case "sgn":
		return whole(int64(r[0].sign())), true
	case "floor":
		return whole(r[0].floor()), true
	case "ceil":
		return whole(r[0].ceil()), true
	case "round":
		return whole(roundEven(r[0])), true
	case "min", "max":
		op := ground.Min
		if n.Name == "max" {
			op = ground.Max
		}
		out = r[0]
		for _, x := range r[1:] {
			out = fold(op, out, x)
		}
		return out, true
	case "div":
		c.divisor(n, r[1])
		return whole(r[0].div(r[1]).floor()), true
	case "mod", "fmod":
		c.divisor(n, r[1])
		return r[0].sub(r[1].mul(whole(r[0].div(r[1]).floor()))), true
	case "pow":
		if r[1].isWhole() && r[1].n >= 0 && r[1].n <= 64 {
			out = whole(1)
			for range r[1].n {
				out = out.mul(r[0])
			}
			return out, true
		}
	}
	return rat{}, false
}

// roundEven rounds to the nearest integer, ties to the even one.
func roundEven(r rat) int64 {
	f := r.floor()
	switch r.sub(whole(f)).cmp(fraction(1, 2)) {
	case -1:
		return f
	case 1:
		return f + 1
	}
	return f + f&1
}

// applyFloat applies an operation or function whose value is known only in floating point, as
// in a simulator.
func (c *compiler) applyFloat(n *ground.Node, args []value) value {
	x := make([]float64, len(args))
	for i, a := range args {
		x[i] = a.asFloat()
	}
	var out float64
	switch n.Op {
	case ground.Add:
		for _, y := range x {
			out += y
		}
	case ground.Mul:
		out = 1
		for _, y := range x {
			out *= y
		}
	case ground.Min:
		out = math.Inf(1)
		for _, y := range x {
			out = math.Min(out, y)
		}
	case ground.Max:
		out = math.Inf(-1)
		for _, y := range x {
			out = math.Max(out, y)
		}
	case ground.Sub:
		out = x[0] - x[1]
	case ground.Neg:
		out = -x[0]
	case ground.Div:
		out = x[0] / x[1]
	default:
		v, err := ground.Call(n.Name, x...)
		if err != nil {
			c.refuseAt(n.Pos, "for some values of what it reads, %v", err)
		}
		switch n.Name {
		case "floor", "ceil", "round", "sgn", "div":
			if math.Abs(v) <= ratLimit {
				return exact(whole(int64(v)))
			}
		}
		out = v
	}
	if math.IsNaN(out) || math.IsInf(out, 0) {
		c.refuseAt(n.Pos, "its value is not a finite number for some values of what it reads")
	}
	return value{float: out, inexact: true}
}
