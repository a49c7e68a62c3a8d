package translate

import (
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
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

	draws *path               // the outcomes of draws; nil where there are none
	step  map[fluentKey]value // next values that draws decide
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
		if r := operator.Simplest(n.Val); r.Valid() || !s.c.rounds {
			return exact(checked(r))
		}
		return value{float: n.Val, inexact: true}
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
		return truth(n.Op.Relation().Holds(compareValues(s.eval(n.Args[0]), s.eval(n.Args[1]))))
	case ground.If:
		if s.eval(n.Args[0]).isTrue() {
			return s.eval(n.Args[1])
		}
		return s.eval(n.Args[2])
	case ground.Case:
		return s.choose(n)
	case ground.Random:
		if s.draws != nil {
			return s.draws.draw(s, n)
		}
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
	if v, ok := s.step[keyOf(n)]; ok {
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

// apply applies an operator or function to the values of its arguments.
func (c *compiler) apply(n *ground.Node, args []value) value {
	o := n.Operator()
	if o.Divides {
		c.divisor(n, args[1].asFloat())
	}
	r := make([]operator.Rat, len(args))
	for i, a := range args {
		if a.inexact || o.Exact == nil {
			return c.applyFloat(n, args)
		}
		r[i] = operator.Rat(a.rat)
	}
	if out, ok := o.Fraction(r...); ok && out.Valid() || !c.rounds {
		if checked(out); ok {
			return exact(rat(out))
		}
	}
	return c.applyFloat(n, args)
}

func (c *compiler) divisor(n *ground.Node, x float64) {
	if x == 0 {
		c.refuseAt(n.Pos, "the divisor can be 0; expected one that cannot, such as max[1, x]")
	}
}

// applyFloat applies an operator or function whose value is known only in floating point, as
// in a simulator.
func (c *compiler) applyFloat(n *ground.Node, args []value) value {
	x := make([]float64, len(args))
	for i, a := range args {
		x[i] = a.asFloat()
	}
	o := n.Operator()
	v, err := o.Call(x...)
	if err != nil {
		c.refuseAt(n.Pos, "for some values of what it reads, %v", err)
	}
	switch {
	case o == operator.RoundTo && !args[1].inexact:
		return exact(whole(int64(math.Round(v / x[1]))).mul(args[1].rat))
	case o.Result == operator.Int && math.Abs(v) <= ratLimit:
		return exact(whole(int64(v)))
	}
	return value{float: v, inexact: true}
}
