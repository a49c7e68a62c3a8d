package ground

import (
	"slices"

	"github.com/fdplan/fdplan/internal/rddl"
)

// fewChoices is the number of choices of values from which sums are factored.
const fewChoices = 4096

// factored grounds a sum of conjunctions over several parameters as a sum of products: of the
// parts that do not read one of the parameters, and the sum of the others over it. The inner
// sums are shared by all values of the variables that they do not read, so that
//
//	sum_{?c : consumer, ?i : item} [chosen(?c, ?i) ^ by(?p, ?i)]
//
// for each of P values of ?p takes I*(C + P) nodes and not I*C*P. It returns nil for a sum that
// is small, or is not of that form. All parts are conditions that always have a value, so that
// their order does not matter, and the sums are of integers, so that nothing is rounded.
func (g *grounder) factored(e *rddl.Quant) *Node {
	if e.Op != rddl.Sum || len(e.Params) < 2 || g.b.plain || !g.large(e) {
		return nil
	}
	parts := conjuncts(e.Body, nil)
	for _, p := range parts {
		if !total(p) {
			return nil
		}
	}
	// The parameter that the fewest parts read, of those that some part does not.
	inner, fewest := -1, len(parts)
	for k, p := range e.Params {
		n := 0
		for _, part := range parts {
			if g.reads(part, p.Name) {
				n++
			}
		}
		if n > 0 && n < fewest {
			inner, fewest = k, n
		}
	}
	if inner < 0 {
		return nil
	}
	var in, out []rddl.Expr
	for _, p := range parts {
		if g.reads(p, e.Params[inner].Name) {
			in = append(in, p)
		} else {
			out = append(out, p)
		}
	}
	return g.sumOfProducts(e, inner, in, out)
}

// sumOfProducts grounds the sum over all parameters but one of out times the sum of in over
// that one.
func (g *grounder) sumOfProducts(e *rddl.Quant, inner int, in, out []rddl.Expr) *Node {
	b, pos := g.b, Pos(e.Pos)
	// One expression for all groundings, by which equal inner sums are known.
	sum := g.inner[e]
	if sum == nil {
		sum = &rddl.Quant{Info: e.Info, Op: rddl.Sum, Params: e.Params[inner : inner+1], Body: conjunction(in)}
		g.inner[e] = sum
	}
	outer := len(g.env)
	defer func() { g.env = g.env[:outer] }()
	var rest []*rddl.Param
	for k, p := range e.Params {
		if k != inner {
			rest = append(rest, p)
		}
	}
	g.bind(rest)
	var terms []*Node
	g.each(len(rest), func() bool {
		factors := make([]*Node, 0, len(out))
		for _, p := range out {
			factors = append(factors, g.expr(p))
		}
		if b.err != nil {
			return false
		}
		if c := b.and(pos, factors...); !c.IsConst(0) {
			terms = append(terms, b.mul(pos, c, g.quant(sum)))
		}
		return true
	})
	if b.err != nil {
		return nothing
	}
	return b.add(pos, terms...)
}

// large reports whether a quantifier has many choices of values.
func (g *grounder) large(e *rddl.Quant) bool {
	n := 1
	for _, p := range e.Params {
		if n *= len(g.types[p.TypeName.Name].names); n >= g.few {
			return true
		}
	}
	return false
}

// conjuncts appends the parts of a conjunction.
func conjuncts(e rddl.Expr, list []rddl.Expr) []rddl.Expr {
	if x, ok := e.(*rddl.Binary); ok && x.Op == rddl.And {
		return conjuncts(x.Y, conjuncts(x.X, list))
	}
	return append(list, e)
}

// conjunction joins parts.
func conjunction(parts []rddl.Expr) rddl.Expr {
	out := parts[0]
	for _, p := range parts[1:] {
		out = &rddl.Binary{Info: rddl.Info{Pos: out.Position(), Type: out.ResultType()}, Op: rddl.And, X: out, Y: p}
	}
	return out
}

// total reports whether a condition always has a value: it consists of fluents, variables,
// connectives and equations of values.
func total(e rddl.Expr) bool {
	switch x := e.(type) {
	case *rddl.Bool, *rddl.Literal, *rddl.Var, *rddl.Fluent:
	case *rddl.Unary:
		if x.Op != rddl.Not {
			return false
		}
	case *rddl.Binary:
		if x.Op > rddl.Ne {
			return false
		}
	default:
		return false
	}
	for _, c := range children(e) {
		if !total(c) {
			return false
		}
	}
	return e.ResultType().Kind != rddl.RealType && e.ResultType().Kind != rddl.IntType
}

// reads reports whether a variable is free in e.
func (g *grounder) reads(e rddl.Expr, name string) bool {
	return slices.Contains(g.freeOf(e).names, name)
}
