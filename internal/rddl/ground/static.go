package ground

import (
	"math"

	"github.com/fdplan/fdplan/internal/rddl"
)

// Expressions over non-fluents alone are evaluated at once, without a node for each of their
// parts: an aggregation over a large table costs time, and no memory.

// isStatic reports whether e reads non-fluents and variables alone, and consists of what static
// evaluates.
func (g *grounder) isStatic(e rddl.Expr) bool {
	if s, ok := g.statics[e]; ok {
		return s
	}
	s := true
	switch x := e.(type) {
	case *rddl.Number:
		s = !math.IsInf(x.Value, 0)
	case *rddl.Bool, *rddl.Literal, *rddl.Var, *rddl.Unary, *rddl.Binary, *rddl.If:
	case *rddl.Fluent:
		s = g.vars[x.Name].decl.Kind == rddl.NonFluent
	case *rddl.Quant:
		s = x.Op <= rddl.MaxOf
	default:
		s = false
	}
	for _, c := range children(e) {
		s = s && g.isStatic(c)
	}
	g.statics[e] = s
	return s
}

// static evaluates an expression for which isStatic holds, with the value and the type that
// folding its nodes has. ok is false where folding reports a fault, or where it does not fold.
func (g *grounder) static(e rddl.Expr) (v float64, t Type, ok bool) {
	if !g.visit() {
		return 0, 0, false
	}
	switch e := e.(type) {
	case *rddl.Number:
		if e.Int {
			return e.Value, Int, math.Abs(e.Value) <= maxExact
		}
		return e.Value, Real, true
	case *rddl.Bool:
		return truth(e.Value), Bool, true
	case *rddl.Literal:
		return float64(g.indexOf(e)), Enum, true
	case *rddl.Var:
		return float64(g.lookup(e.Name).value), Enum, true
	case *rddl.Fluent:
		return g.staticFluent(e)
	case *rddl.Unary:
		v, t, ok = g.static(e.X)
		switch {
		case e.Op == rddl.Not:
			return truth(v == 0), Bool, ok
		case e.Op == rddl.Neg:
			return -v + 0, whole(t), ok
		}
		return v, t, ok
	case *rddl.Binary:
		return g.staticBinary(e)
	case *rddl.If:
		c, _, ok := g.static(e.Cond)
		switch {
		case !ok:
			return 0, 0, false
		case c != 0:
			return g.static(e.Then)
		}
		return g.static(e.Else)
	case *rddl.Quant:
		return g.staticQuant(e)
	}
	return 0, 0, false
}

// whole is the type of a number, where Booleans count as integers.
func whole(t Type) Type {
	if t == Bool {
		return Int
	}
	return t
}

func (g *grounder) staticFluent(e *rddl.Fluent) (float64, Type, bool) {
	v := g.vars[e.Name]
	i := 0
	for k, arg := range e.Args {
		x, _, ok := g.static(arg)
		if !ok {
			return 0, 0, false
		}
		i = i*len(v.params[k].names) + int(x)
	}
	value, ok := v.constant(i)
	return value, v.typ, ok && !math.IsInf(value, 0)
}

func (g *grounder) staticBinary(e *rddl.Binary) (float64, Type, bool) {
	x, tx, ok := g.static(e.X)
	if !ok {
		return 0, 0, false
	}
	switch {
	case e.Op == rddl.And && x == 0:
		return 0, Bool, true
	case e.Op == rddl.Or && x != 0, e.Op == rddl.Implies && x == 0:
		return 1, Bool, true
	}
	y, ty, ok := g.static(e.Y)
	if !ok {
		return 0, 0, false
	}
	t := Int
	if tx == Real || ty == Real {
		t = Real
	}
	switch e.Op {
	case rddl.And, rddl.Or, rddl.Implies:
		return truth(y != 0), Bool, true
	case rddl.Iff:
		return truth((x != 0) == (y != 0)), Bool, true
	case rddl.Add:
		return exactly(x+y, t)
	case rddl.Sub:
		return exactly(x-y, t)
	case rddl.Mul:
		return exactly(x*y, t)
	case rddl.Div:
		return x / y, Real, y != 0
	}
	return truth(compare(relationOps[e.Op], x, y)), Bool, true
}

// exactly is the result of an operation; integers that are not exact are left to be reported.
func exactly(v float64, t Type) (float64, Type, bool) {
	return v + 0, t, v-v == 0 && (t != Int || math.Abs(v) <= maxExact)
}

// staticQuant aggregates in the order in which nodes are folded.
func (g *grounder) staticQuant(e *rddl.Quant) (out float64, t Type, ok bool) {
	outer := len(g.env)
	defer func() { g.env = g.env[:outer] }()
	g.bind(e.Params)
	t, ok = Int, true
	n := 0
	if e.Op == rddl.Forall || e.Op == rddl.Prod {
		out = 1
	}
	g.eachOf(e, func() bool {
		v, tv, good := g.static(e.Body)
		if n++; !good {
			ok = false
			return false
		}
		if tv == Real {
			t = Real
		}
		switch e.Op {
		case rddl.Forall:
			out = truth(v != 0)
			return v != 0
		case rddl.Exists:
			out = truth(v != 0)
			return v == 0
		case rddl.Prod:
			out *= v
		case rddl.Sum:
			out += v
		default: // MinOf, MaxOf
			if n == 1 || (v < out) == (e.Op == rddl.MinOf) {
				out = v
			}
		}
		if t == Int && math.Abs(out) > maxExact {
			ok = false
		}
		return ok
	})
	if e.Op == rddl.Forall || e.Op == rddl.Exists {
		return out, Bool, ok && g.b.err == nil
	}
	return out + 0, t, ok && g.b.err == nil && out-out == 0
}

// constant grounds a static quantifier as one node; nil if it must be expanded.
func (g *grounder) constant(e *rddl.Quant) *Node {
	if g.b.plain || !g.isStatic(e) {
		return nil
	}
	v, t, ok := g.static(e)
	switch {
	case !ok:
		return nil
	case t == Bool:
		return g.b.boolean(Pos(e.Pos), v != 0)
	}
	return g.b.number(Pos(e.Pos), t, v)
}
