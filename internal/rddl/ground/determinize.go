package ground

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Determinization names a rule that replaces every draw of a problem by one value.
type Determinization string

// The determinisations.
const (
	// MostLikely replaces Bernoulli(p) by p >= 0.5, and Discrete and UnnormDiscrete by the
	// outcome of the greatest weight, the first listed on a tie. Draws of numbers are errors.
	MostLikely Determinization = "most-likely"
	// Mean is MostLikely for Booleans and values of enumerations, and replaces a draw of a
	// number by its mean: of an integer rounded to the nearest one, halves to the even one; of a
	// real as it is. Where a distribution has no mean, or none in the functions of RDDL, it is
	// the median.
	Mean Determinization = "mean"
)

// Determinizations lists the rules.
var Determinizations = []Determinization{MostLikely, Mean}

// Origin is the stochastic problem that a determinised one was made from.
type Origin struct {
	Rule    Determinization
	Problem *Problem
}

// Determinize returns the problem in which every draw is replaced by one value. It is p itself
// if nothing is drawn. The fluents have the same indices in both. Errors are *source.Error at a
// draw for which the rule has no value.
func (p *Problem) Determinize(rule Determinization) (*Problem, error) {
	if rule != MostLikely && rule != Mean {
		return nil, fmt.Errorf("there is no determinisation %q; expected one of %v", rule, Determinizations)
	}
	if fixed, _ := p.Deterministic(); fixed {
		return p, nil
	}
	r := &rewriter{b: newBuilder(context.Background(), math.MaxInt), memo: map[*Node]*Node{}}
	// What the conditions around a draw exclude is not known here, so that no fault is certain.
	r.b.guards = 1
	r.draw = func(n *Node) *Node { return r.determined(n, rule) }
	q := p.rewritten(r.node)
	q.Origin = &Origin{Rule: rule, Problem: p}
	if r.b.err != nil {
		return nil, r.b.err
	}
	return q, nil
}

// rewritten returns a copy of p with f of each expression.
func (p *Problem) rewritten(f func(*Node) *Node) *Problem {
	q := *p
	q.Fluents = slices.Clone(p.Fluents)
	for i := range q.Fluents {
		q.Fluents[i].CPF = f(q.Fluents[i].CPF)
	}
	q.Reward = f(p.Reward)
	for _, list := range []*[]Condition{&q.Preconditions, &q.Invariants, &q.Termination} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i].Expr = f((*list)[i].Expr)
		}
	}
	return &q
}

// rewriter copies expressions into another builder, which folds them again.
type rewriter struct {
	b    *builder
	memo map[*Node]*Node
	draw func(n *Node) *Node // of a draw whose arguments are rewritten
}

// node returns the copy of n; nil for nil.
func (r *rewriter) node(n *Node) *Node {
	if n == nil {
		return nil
	}
	if done := r.memo[n]; done != nil {
		return done
	}
	args := make([]*Node, len(n.Args))
	for i, a := range n.Args {
		args[i] = r.node(a)
	}
	done := r.rebuilt(n, args)
	r.memo[n] = done
	return done
}

func (r *rewriter) rebuilt(n *Node, args []*Node) *Node {
	b, pos := r.b, n.Pos
	switch n.Op {
	case Not:
		return b.not(pos, args[0])
	case And:
		return b.and(pos, args...)
	case Or:
		return b.or(pos, args...)
	case Implies:
		return b.implies(pos, args[0], args[1])
	case Iff:
		return b.iff(pos, args[0], args[1])
	case Eq, Ne, Lt, Le, Gt, Ge:
		return b.compare(n.Op, pos, args[0], args[1])
	case Add:
		return b.add(pos, args...)
	case Sub:
		return b.sub(pos, args[0], args[1])
	case Mul:
		return b.mul(pos, args...)
	case Div:
		return b.div(pos, args[0], args[1])
	case Neg:
		return b.neg(pos, args[0])
	case If:
		return b.choice(pos, args[0], args[1], args[2])
	case Case:
		var branches []branch
		for i := 1; i+1 < len(args); i += 2 {
			branches = append(branches, branch{int(args[i].Val), args[i+1]})
		}
		return b.switchOn(pos, args[0], branches, args[len(args)-1])
	case Min, Max:
		return b.extreme(n.Op, pos, args...)
	case Func:
		return b.call(pos, n.Name, args...)
	}
	m := *n
	m.Args, m.class = args, 0
	if n.Op == Random {
		return r.draw(&m)
	}
	return b.intern(m)
}

// determined returns the value that stands for a draw.
func (r *rewriter) determined(n *Node, rule Determinization) *Node {
	b, pos := r.b, n.Pos
	switch n.Name {
	case "Bernoulli":
		half := b.number(pos, Real, 0.5)
		if p := n.Args[0]; p.Op == Div && !isConst(p.Args[1]) && neverNegative(p.Args[1]) {
			above := b.compare(Gt, pos, p.Args[1], b.number(pos, Int, 0))
			return b.and(pos, above, b.compare(Ge, pos, p.Args[0], b.mul(pos, half, p.Args[1])))
		}
		return b.compare(Ge, pos, n.Args[0], half)
	case "Discrete", "UnnormDiscrete":
		return r.mode(n)
	}
	if rule != Mean {
		b.fail(pos, "%s draws a number, which has no most likely value; expected --determinize mean", n.Name)
		return nothing
	}
	v := r.mean(n)
	if v == nil {
		b.fail(pos, "%s has no mean that can be computed", n.Name)
		return nothing
	}
	if n.Type == Int {
		return b.call(pos, "round", v)
	}
	return v
}

// mode returns the first outcome of the greatest weight.
func (r *rewriter) mode(n *Node) *Node {
	b, pos := r.b, n.Pos
	last := len(n.Args) - 2
	weights := withoutDivisor(n)
	chain := n.Args[last]
	for i := last - 2; i >= 0; i -= 2 {
		// Every earlier outcome is already known not to be the first best.
		var tests []*Node
		for j := i + 2; j <= last; j += 2 {
			tests = append(tests, b.compare(Ge, pos, weights[i/2], weights[j/2]))
		}
		chain = b.choice(pos, b.and(pos, tests...), n.Args[i], chain)
	}
	return chain
}

// withoutDivisor lists the weights of a discrete draw. Weights that are normalised, each divided by
// the same sum, compare as they do without it.
func withoutDivisor(n *Node) []*Node {
	var all, dividends []*Node
	var by *Node
	for i := 1; i < len(n.Args); i += 2 {
		w := n.Args[i]
		all = append(all, w)
		if w.Op == Div && !isConst(w.Args[1]) && (by == nil || w.Args[1].class == by.class) {
			by = w.Args[1]
			dividends = append(dividends, w.Args[0])
		}
	}
	if len(dividends) == len(all) && neverNegative(by) {
		return dividends
	}
	return all
}

// neverNegative reports whether n is never negative by its form: a sum or product of conditions
// and numbers that are not.
func neverNegative(n *Node) bool {
	switch n.Op {
	case Const:
		return n.Val >= 0
	case Add, Mul, Min, Max:
		return !slices.ContainsFunc(n.Args, func(a *Node) bool { return !neverNegative(a) })
	case If:
		return neverNegative(n.Args[1]) && neverNegative(n.Args[2])
	}
	return n.Type == Bool
}

// mean returns the mean of a draw of a number, or its median; nil for an unknown distribution.
// Parameters have the meaning described in package sim.
func (r *rewriter) mean(n *Node) *Node {
	b, pos := r.b, n.Pos
	x, y := n.Args[0], n.Args[len(n.Args)-1]
	num := func(v float64) *Node { return b.number(pos, Real, v) }
	over := func(a, c *Node) *Node { return b.div(pos, a, c) }
	times := func(a ...*Node) *Node { return b.mul(pos, a...) }
	switch n.Name {
	case "Normal", "Poisson", "Exponential", "Laplace", "Cauchy", "ChiSquare":
		return x
	case "Student":
		return num(0)
	case "Uniform":
		return over(b.add(pos, x, y), num(2))
	case "Gamma", "Binomial":
		return times(x, y)
	case "Beta":
		return over(x, b.add(pos, x, y))
	case "Geometric":
		return over(num(1), x)
	case "NegativeBinomial":
		return over(times(x, b.sub(pos, num(1), y)), y)
	case "Gumbel":
		const euler = 0.57721566490153286
		return b.add(pos, x, times(num(euler), y))
	case "Weibull": // scale Γ(1 + 1/shape)
		return times(y, b.call(pos, "gamma", b.add(pos, num(1), over(num(1), x))))
	case "Kumaraswamy": // the median (1 - 2^(-1/b))^(1/a)
		half := b.call(pos, "pow", num(2), b.neg(pos, over(num(1), y)))
		return b.call(pos, "pow", b.sub(pos, num(1), half), over(num(1), x))
	case "Gompertz": // the median scale⁻¹ ln(1 + ln 2 / shape)
		return over(b.call(pos, "ln", b.add(pos, num(1), over(num(math.Ln2), x))), y)
	case "Pareto": // the median scale (2^(1/shape) - 1)
		return times(y, b.sub(pos, b.call(pos, "pow", num(2), over(num(1), x)), num(1)))
	}
	return nil
}
