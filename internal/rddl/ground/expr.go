package ground

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/rddl"
)

// grounder grounds expressions of a program, with values from its environment for the
// variables.
type grounder struct {
	*tables
	p   *Problem
	b   *builder
	env []binding // innermost last

	memo      map[memoKey]*Node
	refs      map[*rddl.Fluent][]*Node // grounded fluents that one place refers to, by index; serves most lookups
	free      map[rddl.Expr]*freeVars
	statics   map[rddl.Expr]bool
	inner     map[*rddl.Quant]*rddl.Quant // the inner sums of factored ones
	needed    map[*rddl.Quant][]need      // non-fluents that bodies need
	holding   map[holdKey]map[int][][]int
	few       int // choices of values from which sums are factored
	fewJoined int // those from which quantifiers are joined
	visits    int
}

// binding is the value of a bound variable.
type binding struct {
	name  string
	list  *valueList
	value int
}

func newGrounder(p *Problem, b *builder) *grounder {
	return &grounder{
		tables: p.tables, p: p, b: b, few: fewChoices, fewJoined: fewJoined,
		memo: map[memoKey]*Node{}, refs: map[*rddl.Fluent][]*Node{}, free: map[rddl.Expr]*freeVars{}, statics: map[rddl.Expr]bool{}, inner: map[*rddl.Quant]*rddl.Quant{},
		needed: map[*rddl.Quant][]need{}, holding: map[holdKey]map[int][][]int{},
	}
}

func (g *grounder) lookup(name string) *binding {
	for i := len(g.env) - 1; i >= 0; i-- {
		if g.env[i].name == name {
			return &g.env[i]
		}
	}
	return nil
}

// lookAround is how many expressions are visited between two looks at the context.
const lookAround = 1 << 10

// nothing stands for the result after an error.
var nothing = &Node{Op: Const, Values: []string{""}}

// fail records an error of the input.
func (g *grounder) fail(pos rddl.Pos, format string, args ...any) *Node {
	g.b.fail(Pos(pos), format, args...)
	return nothing
}

// expr grounds e. After an error, which is in g.b.err, the result is meaningless.
func (g *grounder) expr(e rddl.Expr) *Node {
	if !g.visit() {
		return nothing
	}
	pos := Pos(e.Position())
	switch e := e.(type) {
	case *rddl.Number:
		if e.Int {
			return g.b.number(pos, Int, e.Value)
		}
		return g.b.number(pos, Real, e.Value)
	case *rddl.Bool:
		return g.b.boolean(pos, e.Value)
	case *rddl.Literal:
		return g.literal(e)
	case *rddl.Var:
		v := g.lookup(e.Name)
		if v == nil {
			return g.fail(e.Pos, "?%s is not bound", e.Name)
		}
		return g.b.value(pos, v.list.names, v.value)
	case *rddl.Fluent:
		return g.fluent(e)
	case *rddl.Unary:
		switch x := g.expr(e.X); e.Op {
		case rddl.Not:
			return g.b.not(pos, x)
		case rddl.Neg:
			return g.b.neg(pos, x)
		default:
			return x
		}
	case *rddl.Binary:
		return g.binary(e)
	case *rddl.If:
		return g.ifExpr(e)
	case *rddl.Switch:
		return g.switchExpr(e)
	case *rddl.Quant:
		return g.quant(e)
	case *rddl.Call:
		args := g.exprs(e.Args)
		if g.b.err != nil {
			return nothing
		}
		return g.b.call(pos, e.Name, args...)
	case *rddl.Dist:
		return g.dist(e)
	case *rddl.Discrete:
		return g.discrete(e)
	}
	return g.fail(e.Position(), "an expression of this kind cannot be grounded: %s", kindOf(e))
}

// visit counts an expression, and reports whether there is no error so far. The number of
// expressions that are visited, and the context, bound the grounding.
func (g *grounder) visit() bool {
	if g.b.err != nil {
		return false
	}
	g.visits++
	if g.visits%lookAround == 0 {
		g.b.err = g.b.ctx.Err()
	}
	if g.visits/maxVisits > g.b.limit {
		g.b.fail(g.b.decl, "%s has more than %d expressions to ground, the most that are supported; expected fewer objects or fewer nested quantifiers", g.b.declName, g.visits)
	}
	return g.b.err == nil
}

// literal grounds the name of a value of a type.
func (g *grounder) literal(e *rddl.Literal) *Node {
	list := g.types[e.Type.Name]
	if list == nil {
		return g.fail(e.Pos, "the type of %s is not known", e.Name)
	}
	i, ok := list.index[e.Name]
	if !ok {
		return g.fail(e.Pos, "%s is not a value of %s, expected one of %s", e.Name, e.Type.Name, some(list.names))
	}
	return g.b.value(Pos(e.Position()), list.names, i)
}

// ifExpr grounds a choice; where the condition is constant, only the branch that it
// selects.
func (g *grounder) ifExpr(e *rddl.If) *Node {
	c := g.expr(e.Cond)
	if c.Op == Const {
		if c.Val != 0 {
			return g.expr(e.Then)
		}
		return g.expr(e.Else)
	}
	g.b.guards++
	x, y := g.expr(e.Then), g.expr(e.Else)
	g.b.guards--
	return g.b.choice(Pos(e.Position()), c, x, y)
}

func kindOf(e rddl.Expr) string {
	switch e := e.(type) {
	case *rddl.Vector:
		return "a draw from " + e.Name
	case *rddl.Name:
		return "the unresolved name " + e.Name
	}
	return fmt.Sprintf("%T", e)
}

func (g *grounder) exprs(list []rddl.Expr) []*Node {
	out := make([]*Node, len(list))
	for i, e := range list {
		out[i] = g.expr(e)
	}
	return out
}

// after grounds e, which is evaluated only if the node before it has a certain value.
func (g *grounder) after(before *Node, e rddl.Expr) *Node {
	if before.Op == Const {
		return g.expr(e)
	}
	g.b.guards++
	n := g.expr(e)
	g.b.guards--
	return n
}

func (g *grounder) binary(e *rddl.Binary) *Node {
	b, pos := g.b, Pos(e.Pos)
	x := g.expr(e.X)
	// If a constant on the left decides the result, the rest is not evaluated.
	if x.Op == Const && !b.plain {
		switch {
		case e.Op == rddl.And && x.Val == 0:
			return b.boolean(pos, false)
		case e.Op == rddl.Or && x.Val != 0, e.Op == rddl.Implies && x.Val == 0:
			return b.boolean(pos, true)
		case e.Op == rddl.Mul && x.Val == 0:
			return b.number(pos, x.Type, 0)
		}
	}
	var y *Node
	if e.Op == rddl.And || e.Op == rddl.Or || e.Op == rddl.Implies {
		y = g.after(x, e.Y)
	} else {
		y = g.expr(e.Y)
	}
	if b.err != nil {
		return nothing
	}
	switch e.Op {
	case rddl.Iff:
		return b.iff(pos, x, y)
	case rddl.Implies:
		return b.implies(pos, x, y)
	case rddl.Or:
		return b.or(pos, x, y)
	case rddl.And:
		return b.and(pos, x, y)
	case rddl.Add:
		return b.add(pos, x, y)
	case rddl.Sub:
		return b.sub(pos, x, y)
	case rddl.Mul:
		return b.mul(pos, x, y)
	case rddl.Div:
		if num, ok := e.Y.(*rddl.Number); ok && num.Value == 0 {
			return g.fail(num.Pos, "division by zero: expected a divisor other than 0")
		}
		return b.div(pos, x, y)
	}
	op, ok := relationOps[e.Op]
	if !ok {
		return g.fail(e.Pos, "the operator %s cannot be grounded", e.Op)
	}
	if x.Type == Enum && y.Type == Enum && !sameValues(x.Values, y.Values) {
		return g.fail(e.Pos, "values of different types are compared: %s with %s", some(x.Values), some(y.Values))
	}
	return b.compare(op, pos, x, y)
}

var relationOps = map[rddl.BinaryOp]Op{
	rddl.Eq: Eq, rddl.Ne: Ne, rddl.Lt: Lt, rddl.Le: Le, rddl.Gt: Gt, rddl.Ge: Ge,
}

// sameValues compares lists of values. Equal lists come from the same table, so their
// addresses suffice.
func sameValues(x, y []string) bool {
	return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
}

// fluent grounds a fluent or non-fluent. Arguments that depend on fluents
// become switches over their values.
func (g *grounder) fluent(e *rddl.Fluent) *Node {
	v := g.vars[e.Name]
	if v == nil {
		return g.fail(e.Pos, "%s is not declared", e.Name)
	}
	if len(e.Args) != len(v.params) {
		return g.fail(e.Pos, "%s has %d arguments, expected %d", e.Name, len(e.Args), len(v.params))
	}
	args := make([]*Node, len(e.Args))
	for k, arg := range e.Args {
		// Most arguments are variables and need no node.
		if variable, ok := arg.(*rddl.Var); ok {
			if bound := g.lookup(variable.Name); bound != nil && bound.list == v.params[k] {
				continue
			}
		}
		args[k] = g.expr(arg)
		if g.b.err != nil {
			return nothing
		}
		if args[k].Type != Enum || !sameValues(args[k].Values, v.params[k].names) {
			return g.fail(arg.Position(), "argument %d of %s has the wrong type, expected a value of %s", k+1, e.Name, v.decl.Params[k].Name)
		}
	}
	return g.fluentAt(e, v, args, 0, 0)
}

// fluentAt grounds a fluent. Its first k arguments select index i among their choices.
func (g *grounder) fluentAt(e *rddl.Fluent, v *variable, args []*Node, k, i int) *Node {
	for ; k < len(args); k++ {
		size := len(v.params[k].names)
		switch {
		case args[k] == nil:
			i = i*size + g.lookup(e.Args[k].(*rddl.Var).Name).value
		case args[k].Op == Const:
			i = i*size + int(args[k].Val)
		case size == 0:
			return g.fail(e.Args[k].Position(), "%s has no values, expected some where a fluent is an argument", v.decl.Params[k].Name)
		default:
			branches := make([]branch, size)
			for value := range size {
				branches[value] = branch{value, g.fluentAt(e, v, args, k+1, i*size+value)}
				if g.b.err != nil {
					return nothing
				}
			}
			return g.b.switchOn(Pos(e.Pos), args[k], branches, nil)
		}
	}
	pos := Pos(e.Pos)
	if v.decl.Kind == rddl.NonFluent {
		value, ok := v.constant(i)
		if !ok {
			return g.fail(e.Pos, "%s has no value, expected a default or an assignment in the non-fluents", groundName(e.Name, v.arguments(i)))
		}
		switch v.typ {
		case Bool:
			return g.b.boolean(pos, value != 0)
		case Enum:
			return g.b.value(pos, v.values, int(value))
		}
		return g.b.number(pos, v.typ, value)
	}
	refs := g.refs[e]
	if refs == nil {
		refs = make([]*Node, v.size)
		g.refs[e] = refs
	}
	if refs[i] == nil {
		f := v.first + i
		refs[i] = g.b.intern(Node{
			Op: Ref, Type: v.typ, Fluent: f, Primed: e.Primed, Name: g.p.Fluents[f].Name, Values: v.values, Pos: pos,
		})
	}
	return refs[i]
}

func (g *grounder) switchExpr(e *rddl.Switch) *Node {
	x := g.expr(e.X)
	if g.b.err != nil {
		return nothing
	}
	if x.Type != Enum {
		return g.fail(e.X.Position(), "a switch needs an expression with a type of listed values")
	}
	var branches []branch
	seen := map[int]bool{}
	for _, c := range e.Cases {
		value := g.expr(c.Value)
		if g.b.err != nil {
			return nothing
		}
		if value.Op != Const || value.Type != Enum || !sameValues(value.Values, x.Values) {
			return g.fail(c.Value.Position(), "a case needs a constant, expected one of %s", some(x.Values))
		}
		i := int(value.Val)
		if seen[i] {
			return g.fail(c.Value.Position(), "the case %s occurs twice", x.Values[i])
		}
		seen[i] = true
		if x.Op == Const {
			if x.Val == value.Val {
				return g.expr(c.Result)
			}
			continue
		}
		branches = append(branches, branch{i, g.after(x, c.Result)})
	}
	var otherwise *Node
	switch {
	case e.Default != nil && (x.Op == Const || len(branches) < len(x.Values)):
		otherwise = g.after(x, e.Default)
	case len(seen) < len(x.Values) && e.Default == nil:
		return g.fail(e.Pos, "the switch has no case for %s and no default", some(missing(x.Values, seen)))
	}
	if x.Op == Const || len(branches) == 0 {
		return otherwise
	}
	if g.b.err != nil {
		return nothing
	}
	return g.b.switchOn(Pos(e.Pos), x, branches, otherwise)
}

func missing(values []string, seen map[int]bool) []string {
	var out []string
	for i, v := range values {
		if !seen[i] {
			out = append(out, v)
		}
	}
	return out
}
