package ground

import (
	"errors"
	"math"

	"github.com/fdplan/fdplan/internal/rddl/operator"
	"github.com/fdplan/fdplan/internal/source"
)

var errNoProgram = errors.New("the problem was not made from a program, so that no expression can be grounded over it")

// Values supplies the values that an expression reads.
type Values struct {
	Now  []float64 // of each fluent in the state before the step, with actions and intermediate fluents
	Next []float64 // of each primed fluent; nil if there are none
	// Near takes real numbers as equal that are nearly so: those of problems whose reals have
	// steps.
	Near bool
	// Draw returns a value of the distribution. For Discrete and UnnormDiscrete, args are the
	// weights and the value is the index among them. It is nil if nothing is drawn.
	Draw func(name string, args []float64) (float64, error)
}

// Eval evaluates n directly: simple, but slow compared with package sim. Errors are
// *source.Error at the node that has no value: a division by zero, a function outside its
// domain, a fluent that v lacks. With empty Values it evaluates constant expressions.
func Eval(n *Node, v *Values) (float64, error) {
	e := evaluator{v}
	return e.eval(n)
}

type evaluator struct{ *Values }

func failAt(n *Node, format string, args ...any) (float64, error) {
	return 0, source.Errorf(n.Pos.File, n.Pos.Line, n.Pos.Col, format, args...)
}

func truth(v bool) float64 { return float64(btoi(v)) }

func (e evaluator) eval(n *Node) (float64, error) {
	switch n.Op {
	case Const:
		return n.Val, nil
	case Ref:
		from := e.Now
		if n.Primed {
			from = e.Next
		}
		if n.Fluent >= len(from) {
			return failAt(n, "%s has no value here", n)
		}
		return from[n.Fluent], nil
	case And, Or, Implies, If, Case:
		return e.branching(n)
	case Random:
		return e.draw(n)
	}
	args, err := e.all(n.Args)
	if err != nil {
		return 0, err
	}
	if e.Near && n.Op.IsRelation() && (n.Args[0].Type == Real || n.Args[1].Type == Real) {
		args[1] = operator.Near(args[1], args[0])
	}
	return operate(n, args)
}

// operate applies the operation of n to the values of all its arguments.
func operate(n *Node, args []float64) (value float64, err error) {
	switch {
	case n.Op == Not:
		return truth(args[0] == 0), nil
	case n.Op == Iff:
		return truth((args[0] != 0) == (args[1] != 0)), nil
	case n.Op.IsRelation():
		return truth(compare(n.Op, args[0], args[1])), nil
	}
	o := n.Operator()
	if o == nil {
		return failAt(n, "there is no function %s", n.Name)
	}
	if value, err = o.Call(args...); err != nil {
		return failAt(n, "%v", err)
	}
	return value, nil
}

func (e evaluator) all(nodes []*Node) ([]float64, error) {
	out := make([]float64, len(nodes))
	for i, a := range nodes {
		v, err := e.eval(a)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// branching evaluates operations that need not evaluate all of their arguments.
func (e evaluator) branching(n *Node) (float64, error) {
	if n.Op == And || n.Op == Or {
		for _, a := range n.Args {
			v, err := e.eval(a)
			if err != nil || (v != 0) == (n.Op == Or) {
				return v, err
			}
		}
		return truth(n.Op == And), nil
	}
	first, err := e.eval(n.Args[0])
	if err != nil {
		return 0, err
	}
	switch {
	case n.Op == Implies && first == 0:
		return 1, nil
	case n.Op == Implies, n.Op == If && first != 0:
		return e.eval(n.Args[1])
	case n.Op == If:
		return e.eval(n.Args[2])
	}
	for i := 1; i+1 < len(n.Args); i += 2 {
		if n.Args[i].Val == first {
			return e.eval(n.Args[i+1])
		}
	}
	if otherwise := n.Args[len(n.Args)-1]; otherwise != nil {
		return e.eval(otherwise)
	}
	return failAt(n, "the switch has no case for %s", valueName(n.Args[0].Type, n.Args[0].Values, first))
}

func (e evaluator) draw(n *Node) (float64, error) {
	if e.Draw == nil {
		return failAt(n, "%s draws at random, expected an expression that does not", n.Name)
	}
	pairs := n.Name == "Discrete" || n.Name == "UnnormDiscrete"
	args := n.Args
	if pairs {
		args = nil
		for i := 1; i < len(n.Args); i += 2 {
			args = append(args, n.Args[i])
		}
	}
	values, err := e.all(args)
	if err != nil {
		return 0, err
	}
	if err := DistributionError(n.Name, values...); err != nil {
		return failAt(n, "%v", err)
	}
	v, err := e.Draw(n.Name, values)
	if err != nil {
		return failAt(n, "%v", err)
	}
	if pairs {
		if i := int(v); v != math.Trunc(v) || i < 0 || i >= len(args) {
			return failAt(n, "the draw from %s is %v, expected an index below %d", n.Name, v, len(args))
		}
		return n.Args[2*int(v)].Val, nil
	}
	return v, nil
}
