package rddl

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/rddl/operator"
)

var (
	boolT = Type{Kind: BoolType}
	intT  = Type{Kind: IntType}
	realT = Type{Kind: RealType}
)

// boolean requires a Boolean.
func (c *checker) boolean(e Expr, what string) Expr {
	c.assignable(e, boolT, what)
	return e
}

// number requires a number; a Boolean counts as 0 or 1.
func (c *checker) number(e Expr, what string) Expr {
	if t := e.ResultType(); t.IsFinite() {
		fail(start(e), "%s must be a number, but this value is of type %v", what, t)
	}
	return e
}

// arith returns the type of an operation on numbers.
func arith(list ...Expr) Type {
	t := intT
	for _, e := range list {
		if e.ResultType().Kind == RealType {
			t = realT
		}
	}
	return t
}

// join returns the common type of the branches of an if or switch; ok is false if there is
// none.
func join(a, b Type) (t Type, ok bool) {
	switch {
	case a == b:
		return a, true
	case a.IsFinite() || b.IsFinite():
		return a, false
	case a.Kind == RealType || b.Kind == RealType:
		return realT, true
	}
	return intT, true
}

// expr returns a typed copy of an expression. want is the type that the context expects. It
// is used to resolve values that several types share, but not enforced.
func (c *checker) expr(e Expr, want Type) Expr {
	switch e := e.(type) {
	case *Number:
		x := *e
		x.Type = realT
		if e.Int {
			x.Type = intT
		}
		return &x
	case *Bool:
		x := *e
		x.Type = boolT
		return &x
	case *Literal:
		if want.IsFinite() && !c.mayBe(e.Name, want) {
			want = Type{}
		}
		return c.literal(e.Info, e.Name, e.At, want, "")
	case *Name:
		return c.name(e, want)
	case *Var:
		return c.variable(e)
	case *Fluent:
		return c.fluent(e)
	case *Unary:
		return c.unary(e)
	case *Binary:
		return c.binary(e)
	case *Quant:
		return c.quant(e)
	case *If:
		return c.ifExpr(e, want)
	case *Switch:
		return c.switchExpr(e, want)
	case *Call:
		return c.call(e)
	case *Dist:
		return c.dist(e, want)
	case *Discrete:
		return c.discrete(e)
	}
	fail(e.Position(), "unknown kind of expression %T", e)
	return nil
}

// mayBe reports whether the value can be resolved to this type.
func (c *checker) mayBe(name string, t Type) bool {
	return slices.Contains(c.owners[name], t) || len(c.owners[name]) == 0 && c.open && t.Kind == ObjectType
}

// name resolves an identifier without arguments.
func (c *checker) name(e *Name, want Type) Expr {
	owners, v := c.owners[e.Name], c.prog.PVars[e.Name]
	switch {
	case v != nil && owners != nil:
		fail(e.Pos, "%s is both a fluent and a value of type %v, expected @%s for the value", e.Name, owners[0], e.Name)
	case v != nil:
		return c.fluent(&Fluent{Info: e.Info, Name: e.Name})
	case owners != nil || want.IsFinite() && c.mayBe(e.Name, want):
		return c.expr(&Literal{Info: e.Info, Name: e.Name}, want)
	}
	for _, p := range c.scope {
		if p.Name == e.Name {
			fail(e.Pos, "unknown name %s; did you mean the variable ?%s?", e.Name, e.Name)
		}
	}
	if operator.Functions[e.Name] != nil {
		fail(e.Pos, "%s is a function, expected '[' and its arguments", e.Name)
	}
	fail(e.Pos, "unknown name %s, expected a fluent, an object or a value%s", clip(e.Name), c.fluentHint(e.Name))
	return nil
}

func (c *checker) variable(e *Var) Expr {
	for i := len(c.scope) - 1; i >= 0; i-- {
		if p := c.scope[i]; p.Name == e.Name {
			x := *e
			x.Decl, x.Type = p, p.Type
			return &x
		}
	}
	fail(e.Pos, "unknown variable ?%s%s", clip(e.Name), c.varHint(e.Name))
	return nil
}

func (c *checker) fluent(e *Fluent) Expr {
	v := c.prog.PVars[e.Name]
	if v == nil {
		if c.owners[e.Name] != nil && e.Args == nil {
			fail(e.Pos, "%s is a value of type %v, expected a fluent", e.Name, c.owners[e.Name][0])
		}
		what := "fluent"
		if len(e.Args) > 0 && !e.Primed {
			what = "fluent or function"
		}
		fail(e.Pos, "unknown %s %s%s", what, clip(e.Name), c.fluentHint(e.Name))
	}
	if len(e.Args) != len(v.Params) {
		fail(e.Pos, "%s has %s here, expected %d as declared at %s", e.Name, counted.Of(len(e.Args), "argument"), len(v.Params), v.Name.Pos)
	}
	c.readable(e, v)
	x := *e
	x.Decl, x.Type, x.Args = v, v.Type, nil
	for i, a := range e.Args {
		want := v.ParamTypes[i]
		a = c.expr(a, want)
		if got := a.ResultType(); got != want {
			fail(start(a), "argument %d of %s is of type %v, expected %v", i+1, e.Name, got, want)
		}
		x.Args = append(x.Args, a)
	}
	return &x
}

func (c *checker) unary(e *Unary) Expr {
	x := *e
	x.X = c.expr(e.X, Type{})
	if e.Op == Not {
		c.boolean(x.X, "the operand of ~")
		x.Type = boolT
		return &x
	}
	c.number(x.X, "the operand of "+e.Op.String())
	x.Type = arith(x.X)
	return &x
}

func (c *checker) binary(e *Binary) Expr {
	x := *e
	// The parser walks the left spine of a long chain in a loop; this function recurses, to a
	// depth bounded by the parser's maxHeight.
	x.X, x.Y = c.operands(e)
	left, right := x.X.ResultType(), x.Y.ResultType()
	op := e.Op.String()
	x.Type = boolT
	switch e.Op {
	case Iff, Implies, Or, And:
		c.boolean(x.X, "an operand of "+op)
		c.boolean(x.Y, "an operand of "+op)
	case Eq, Ne:
		if _, ok := join(left, right); !ok {
			fail(e.Pos, "%s compares type %v with type %v, expected equal types", op, left, right)
		}
	case Lt, Le, Gt, Ge:
		c.number(x.X, "an operand of "+op)
		c.number(x.Y, "an operand of "+op)
	default:
		c.number(x.X, "an operand of "+op)
		c.number(x.Y, "an operand of "+op)
		x.Type = arith(x.X, x.Y)
		if e.Op == Div {
			x.Type = realT
			if v, ok := constant(x.Y); ok && v == 0 {
				fail(start(x.Y), "division by zero")
			}
		}
	}
	return &x
}

// operands types both sides. In a comparison, a side with an ambiguous value takes the type
// of the other.
func (c *checker) operands(e *Binary) (x, y Expr) {
	if e.Op != Eq && e.Op != Ne {
		return c.expr(e.X, Type{}), c.expr(e.Y, Type{})
	}
	if c.needsHint(e.X) && !c.needsHint(e.Y) {
		y = c.expr(e.Y, Type{})
		return c.expr(e.X, y.ResultType()), y
	}
	x = c.expr(e.X, Type{})
	return x, c.expr(e.Y, x.ResultType())
}

// needsHint reports a value that several types share, or an unknown one.
func (c *checker) needsHint(e Expr) bool {
	switch e := e.(type) {
	case *Literal:
		return len(c.owners[e.Name]) != 1
	case *Name:
		return len(c.owners[e.Name]) != 1 && c.prog.PVars[e.Name] == nil
	}
	return false
}

func (c *checker) call(e *Call) Expr {
	if c.prog.PVars[e.Name] != nil {
		return c.fluent(&Fluent{Info: e.Info, Name: e.Name, Args: e.Args})
	}
	f := operator.Functions[e.Name]
	n := len(e.Args)
	switch {
	case f.Max < 0 && n < f.Min:
		fail(e.Pos, "%s has %s, expected at least %d", e.Name, counted.Of(n, "argument"), f.Min)
	case f.Max >= 0 && (n < f.Min || n > f.Max):
		fail(e.Pos, "%s has %s, expected %d", e.Name, counted.Of(n, "argument"), f.Min)
	}
	x := *e
	x.Args = nil
	for i, a := range e.Args {
		a = c.number(c.expr(a, Type{}), fmt.Sprintf("argument %d of %s", i+1, e.Name))
		if f.IntArgs && a.ResultType().Kind == RealType {
			fail(start(a), "argument %d of %s is of type real, expected int", i+1, e.Name)
		}
		x.Args = append(x.Args, a)
	}
	last, known := constant(x.Args[len(x.Args)-1])
	x.Type = realT
	if f.IsInt(arith(x.Args...) == intT, last, known) {
		x.Type = intT
	}
	if known && last == 0 && f.Divides {
		fail(start(x.Args[1]), "division by zero")
	}
	return &x
}
