package ground

import (
	enc "encoding/binary"

	"github.com/fdplan/fdplan/internal/rddl"
)

// freeVars are the free variables of an expression.
type freeVars struct {
	names  []string
	random bool // contains a draw: no two of its occurrences are equal
}

// memoKey is a quantified expression with the values of its free variables.
type memoKey struct {
	e      rddl.Expr
	values string
}

// freeOf finds the free variables of e.
func (g *grounder) freeOf(e rddl.Expr) *freeVars {
	if f := g.free[e]; f != nil {
		return f
	}
	f := &freeVars{}
	bound := map[string]int{}
	seen := map[string]bool{}
	var visit func(e rddl.Expr)
	visit = func(e rddl.Expr) {
		switch x := e.(type) {
		case *rddl.Var:
			if bound[x.Name] == 0 && !seen[x.Name] {
				seen[x.Name] = true
				f.names = append(f.names, x.Name)
			}
		case *rddl.Dist, *rddl.Discrete:
			f.random = true
		}
		params := paramsOf(e)
		for _, p := range params {
			bound[p.Name]++
		}
		for _, c := range children(e) {
			visit(c)
		}
		for _, p := range params {
			bound[p.Name]--
		}
	}
	visit(e)
	g.free[e] = f
	return f
}

func paramsOf(e rddl.Expr) []*rddl.Param {
	switch e := e.(type) {
	case *rddl.Quant:
		return e.Params
	case *rddl.Discrete:
		return e.Params
	}
	return nil
}

// children lists the parts of e.
func children(e rddl.Expr) []rddl.Expr {
	switch e := e.(type) {
	case *rddl.Fluent:
		return e.Args
	case *rddl.Unary:
		return []rddl.Expr{e.X}
	case *rddl.Binary:
		return []rddl.Expr{e.X, e.Y}
	case *rddl.Quant:
		return []rddl.Expr{e.Body}
	case *rddl.If:
		return []rddl.Expr{e.Cond, e.Then, e.Else}
	case *rddl.Switch:
		out := []rddl.Expr{e.X}
		for _, c := range e.Cases {
			out = append(out, c.Value, c.Result)
		}
		if e.Default != nil {
			out = append(out, e.Default)
		}
		return out
	case *rddl.Call:
		return e.Args
	case *rddl.Dist:
		return e.Args
	case *rddl.Discrete:
		var out []rddl.Expr
		for _, o := range e.Outcomes {
			out = append(out, o.Value)
			if o.Prob != nil {
				out = append(out, o.Prob)
			}
		}
		if e.Body != nil {
			out = append(out, e.Body)
		}
		return out
	}
	return nil
}

// quant grounds a quantifier or an aggregation, once for equal values of its free variables.
func (g *grounder) quant(e *rddl.Quant) *Node {
	free := g.freeOf(e)
	if free.random {
		return g.expand(e)
	}
	var buf []byte
	for _, name := range free.names {
		buf = enc.AppendUvarint(buf, uint64(g.lookup(name).value))
	}
	// A guarded expression may contain faults that are errors elsewhere.
	if g.b.guards > 0 {
		buf = append(buf, 'g')
	}
	key := memoKey{e, string(buf)}
	if n := g.memo[key]; n != nil {
		return n
	}
	n := g.constant(e)
	if n == nil {
		n = g.factored(e)
	}
	if n == nil {
		n = g.expand(e)
	}
	if g.b.err == nil {
		g.memo[key] = n
	}
	return n
}

// bind enters the parameters of a quantifier into the environment.
func (g *grounder) bind(params []*rddl.Param) {
	for _, p := range params {
		g.env = append(g.env, binding{name: p.Name, list: g.types[p.TypeName.Name]})
	}
}

// each calls f for every choice of values of the last n bindings, the last varying fastest,
// until f returns false or there is an error.
func (g *grounder) each(n int, f func() bool) {
	from := len(g.env) - n
	for i := from; i < len(g.env); i++ {
		g.env[i].value = 0
	}
	for g.b.err == nil && f() {
		i := len(g.env) - 1
		for ; i >= from; i-- {
			g.env[i].value++
			if g.env[i].value < len(g.env[i].list.names) {
				break
			}
			g.env[i].value = 0
		}
		if i < from {
			return
		}
	}
}

func (g *grounder) expand(e *rddl.Quant) *Node {
	b, pos := g.b, Pos(e.Pos)
	outer := len(g.env)
	defer func() { g.env = g.env[:outer] }()
	g.bind(e.Params)
	var parts []*Node
	guards := b.guards
	settled := false
	g.eachOf(e, func() bool {
		n := g.expr(e.Body)
		if e.Op == rddl.Forall || e.Op == rddl.Exists {
			// A constant decides the rest; anything else guards it.
			if n.Op == Const && !b.plain {
				settled = (n.Val != 0) == (e.Op == rddl.Exists)
				return !settled
			}
			b.guards = guards + 1
		}
		parts = append(parts, n)
		return true
	})
	b.guards = guards
	if b.err != nil {
		return nothing
	}
	switch e.Op {
	case rddl.Forall:
		if settled {
			return b.boolean(pos, false)
		}
		return b.and(pos, parts...)
	case rddl.Exists:
		if settled {
			return b.boolean(pos, true)
		}
		return b.or(pos, parts...)
	case rddl.Sum:
		return b.add(pos, parts...)
	case rddl.Prod:
		return b.mul(pos, parts...)
	case rddl.MinOf:
		return b.extreme(Min, pos, parts...)
	case rddl.MaxOf:
		return b.extreme(Max, pos, parts...)
	case rddl.Avg:
		return b.div(pos, b.add(pos, parts...), b.number(pos, Int, float64(len(parts))))
	case rddl.ArgMin:
		return g.best(e, Le, parts)
	}
	return g.best(e, Ge, parts) // ArgMax
}

// best returns the first value for which the part stands in relation op to all others. It is
// a chain of conditions; each compares only with later values, since every earlier value is
// already known not to be best.
func (g *grounder) best(e *rddl.Quant, op Op, parts []*Node) *Node {
	b, pos := g.b, Pos(e.Pos)
	for _, p := range parts {
		if r := findRandom(p); r != nil {
			return g.fail(e.Body.Position(), "%s compares each value several times and cannot draw: expected an expression without %s", e.Op, r.Name)
		}
	}
	list := g.env[len(g.env)-1].list
	chain := b.value(pos, list.names, len(parts)-1)
	for i := len(parts) - 2; i >= 0 && b.err == nil; i-- {
		tests := make([]*Node, 0, len(parts)-i-1)
		for _, other := range parts[i+1:] {
			tests = append(tests, b.compare(op, pos, parts[i], other))
		}
		chain = b.choice(pos, b.and(pos, tests...), b.value(pos, list.names, i), chain)
	}
	return chain
}

// dist grounds a draw from a distribution with numerical parameters.
func (g *grounder) dist(e *rddl.Dist) *Node {
	args := g.exprs(e.Args)
	if g.b.err != nil {
		return nothing
	}
	t := Real
	switch rddl.Distributions[e.Name].Result.Kind {
	case rddl.BoolType:
		t = Bool
	case rddl.IntType:
		t = Int
	}
	return g.b.draw(Pos(e.Pos), e.Name, t, args...)
}

// discrete grounds a draw of a value, as pairs of value and weight.
func (g *grounder) discrete(e *rddl.Discrete) *Node {
	b, pos := g.b, Pos(e.Pos)
	name := "Discrete"
	if e.Unnorm {
		name = "UnnormDiscrete"
	}
	var branches []branch
	if len(e.Params) > 0 {
		outer := len(g.env)
		defer func() { g.env = g.env[:outer] }()
		g.bind(e.Params)
		list := g.env[outer].list
		g.each(1, func() bool {
			branches = append(branches, branch{g.env[outer].value, g.expr(e.Body)})
			return true
		})
		return b.discrete(pos, name, list.names, branches)
	}
	rest := -1
	var weights []*Node
	for i, o := range e.Outcomes {
		branches = append(branches, branch{value: g.indexOf(o.Value)})
		if o.Prob == nil {
			rest = i
			continue
		}
		branches[i].result = g.expr(o.Prob)
		weights = append(weights, branches[i].result)
	}
	if b.err != nil {
		return nothing
	}
	if rest >= 0 {
		branches[rest].result = b.sub(pos, b.number(pos, Int, 1), b.add(pos, weights...))
	}
	return b.discrete(pos, name, g.types[e.TypeName.Name].names, branches)
}
