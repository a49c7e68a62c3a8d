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
		return g.b.value(pos, g.types[e.Type.Name].names, g.indexOf(e))
	case *rddl.Var:
		v := g.lookup(e.Name)
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
	panic(fmt.Sprintf("ground: %T in a checked program", e))
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
	return b.compare(relationOps[e.Op], pos, x, y)
}

var relationOps = map[rddl.BinaryOp]Op{
	rddl.Eq: Eq, rddl.Ne: Ne, rddl.Lt: Lt, rddl.Le: Le, rddl.Gt: Gt, rddl.Ge: Ge,
}

// fluent grounds a fluent or non-fluent. Arguments that depend on fluents
// become switches over their values.
func (g *grounder) fluent(e *rddl.Fluent) *Node {
	v := g.vars[e.Name]
	args := make([]*Node, len(e.Args))
	for k, arg := range e.Args {
		// Most arguments are variables and need no node.
		if _, ok := arg.(*rddl.Var); !ok {
			args[k] = g.expr(arg)
		}
	}
	if g.b.err != nil {
		return nothing
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
	var branches []branch
	for _, c := range e.Cases {
		i := g.indexOf(c.Value)
		if x.Op != Const {
			branches = append(branches, branch{i, g.after(x, c.Result)})
		} else if x.IsConst(float64(i)) {
			return g.expr(c.Result)
		}
	}
	var otherwise *Node
	if e.Default != nil && len(branches) < len(x.Values) {
		otherwise = g.after(x, e.Default)
	}
	if len(branches) == 0 {
		return otherwise
	}
	if g.b.err != nil {
		return nothing
	}
	return g.b.switchOn(Pos(e.Pos), x, branches, otherwise)
}

// indexOf is the place of a constant among the values of its type.
func (g *grounder) indexOf(e rddl.Expr) int {
	l := e.(*rddl.Literal)
	return g.types[l.Type.Name].index[l.Name]
}
