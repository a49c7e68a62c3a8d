package expr

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// Require adds e to p as a constraint that always holds: at steps 1..H if it mentions an
// action or the next state, at 1..H+1 otherwise. Nested conditions are defined by auxiliary
// variables (Tseitin), and comparisons of sums by two linear constraints each. With negate,
// it adds the negation of e.
func (e *Expr) Require(p *factored.Problem, negate bool, origin string) error {
	c := compiler{p: p, origin: origin}
	action, next := e.Mentions()
	c.inSteps = action || next
	if err := c.assert(e.root, negate); err != nil {
		return err
	}
	return p.Check()
}

// End adds to p that no step begins in a state in which e holds: it fails at the steps 1..H. It is
// an error if e mentions an action or the next state.
func (e *Expr) End(p *factored.Problem, origin string) error {
	if action, next := e.Mentions(); action || next {
		return errors.New("expected a condition on the state alone")
	}
	c := compiler{p: p, origin: origin, inSteps: true}
	if err := c.assert(e.root, true); err != nil {
		return err
	}
	return p.Check()
}

type compiler struct {
	p       *factored.Problem
	goal    bool // the constraints are of the last state
	inSteps bool // the expression holds at steps 1..H, not at H+1
	origin  string
	fresh   int

	defining bool // of an auxiliary variable
}

// linear is a sum of terms plus a constant, over a denominator.
type linear struct {
	terms []factored.Term
	k     int64
	den   int64 // 0 stands for 1
}

// denominator is den, which is 1 where it is 0.
func (l linear) denominator() int64 { return max(1, l.den) }

// sumLimit is well below the 2^60 that Problem.Check allows.
const sumLimit = 1 << 58

// add adds a constraint. If all its coefficients are negative it is negated first, to be
// easier to read.
func (c *compiler) add(terms []factored.Term, op factored.Op, k int64) {
	if !slices.ContainsFunc(terms, func(t factored.Term) bool { return t.Coef > 0 }) {
		terms = slices.Clone(terms)
		for i := range terms {
			terms[i].Coef *= -1
		}
		op, k = [...]factored.Op{factored.LE: factored.GE, factored.GE: factored.LE, factored.EQ: factored.EQ}[op], -k
	}
	n := factored.Constraint{Terms: terms, Op: op, K: k, Origin: c.origin}
	if c.goal && !c.defining {
		c.p.Goal = append(c.p.Goal, n)
		return
	}
	n.Defines = c.defining
	next := slices.ContainsFunc(terms, func(t factored.Term) bool { return t.Lit.Next })
	// Without an action, a constraint of C would also hold at H+1; constraints of T hold at
	// exactly the steps 1..H.
	if next || c.inSteps && !c.p.HasAction(&n) {
		c.p.Transition = append(c.p.Transition, n)
	} else {
		c.p.Global = append(c.p.Global, n)
	}
}

// assert makes n true, or false with negate.
func (c *compiler) assert(n *node, negate bool) error {
	switch op := n.op; {
	case op == "~":
		return c.assert(n.args[0], !negate)
	case op == "^" && !negate, op == "|" && negate:
		for _, a := range n.args {
			if err := c.assert(a, negate); err != nil {
				return err
			}
		}
		return nil
	case op == "=>" && negate:
		if err := c.assert(n.args[0], false); err != nil {
			return err
		}
		return c.assert(n.args[1], true)
	case op == "|", op == "^", op == "=>":
		return c.clause(n, negate)
	}
	if s, op, ok := c.comparison(n, negate); ok {
		sum, err := c.linear(s)
		if err != nil {
			return err
		}
		c.add(sum.terms, op, -sum.k)
		return nil
	}
	if same, ok := agreement(n); ok { // n.op is ~=, or == with negate
		c.add(same.terms, factored.LE, -1-same.k)
		return nil
	}
	l, err := c.literal(n)
	if err != nil {
		return err
	}
	if negate {
		l = complement(l)
	}
	c.add(l.terms, factored.GE, 1-l.k)
	return nil
}

// clause asserts a disjunction of conditions, which need not be literals.
func (c *compiler) clause(n *node, negate bool) error {
	var sum linear
	var walk func(n *node, negate bool) error
	walk = func(n *node, negate bool) error {
		switch {
		case n.op == "~":
			return walk(n.args[0], !negate)
		case n.op == "|" && !negate || n.op == "^" && negate:
			for _, a := range n.args {
				if err := walk(a, negate); err != nil {
					return err
				}
			}
			return nil
		case n.op == "=>" && !negate:
			if err := walk(n.args[0], true); err != nil {
				return err
			}
			return walk(n.args[1], false)
		}
		if same, ok := agreement(n); ok && (n.op == "~=") != negate {
			for _, t := range same.terms { // at least 1 if the bits differ
				sum.terms = append(sum.terms, factored.Term{Coef: -t.Coef, Lit: t.Lit})
			}
			sum.k -= same.k
			return nil
		}
		l, err := c.literal(n)
		if err != nil {
			return err
		}
		if negate {
			l = complement(l)
		}
		sum.terms = append(sum.terms, l.terms...)
		sum.k += l.k
		return nil
	}
	if err := walk(n, negate); err != nil {
		return err
	}
	c.add(sum.terms, factored.GE, 1-sum.k)
	return nil
}

// difference is left - right with an offset, for a comparison.
type difference struct {
	left, right *node
	offset      int64
}

// comparison rewrites n, or its negation, as difference op 0. Equality of two conditions can
// be rewritten too; ~= and a negated == cannot, since each is a union of two ranges.
func (c *compiler) comparison(n *node, negate bool) (d difference, op factored.Op, ok bool) {
	if len(n.args) != 2 {
		return d, 0, false
	}
	d = difference{left: n.args[0], right: n.args[1]}
	name := n.op
	if name == "<=>" {
		name = "=="
	}
	if negate {
		name = map[string]string{"==": "~=", "~=": "==", "<=": ">", ">=": "<", "<": ">=", ">": "<="}[name]
	}
	switch name {
	case "==":
		return d, factored.EQ, true
	case "<=":
		return d, factored.LE, true
	case ">=":
		return d, factored.GE, true
	case "<":
		d.offset = 1
		return d, factored.LE, true
	case ">":
		d.offset = -1
		return d, factored.GE, true
	}
	return d, 0, false
}

func (c *compiler) linear(d difference) (linear, error) {
	l, err := c.sum(d.left)
	if err != nil {
		return l, err
	}
	r, err := c.sum(d.right)
	if err != nil {
		return l, err
	}
	l, err = l.plus(r, -1)
	l.k += d.offset // which is less than the difference of two values of l
	return l, err
}

// plus is l + f*r.
func (l linear) plus(r linear, f int64) (linear, error) {
	ld, rd := l.denominator(), r.denominator()
	lcm := new(big.Int).Mul(big.NewInt(ld), big.NewInt(rd/gcd(ld, rd)))
	if !lcm.IsInt64() {
		return l, errLimit
	}
	out := linear{den: lcm.Int64()}
	var err error
	for _, x := range []struct {
		linear
		f, g int64
	}{{l, 1, out.den / ld}, {r, f, out.den / rd}} {
		scale := func(a int64) int64 {
			if !productFits(x.f, x.g) || !productFits(a, x.f*x.g) {
				err = errLimit
				return 0
			}
			return a * x.f * x.g
		}
		out.k += scale(x.k)
		for _, t := range x.terms {
			out.terms = append(out.terms, factored.Term{Coef: scale(t.Coef), Lit: t.Lit})
		}
	}
	if least, most := out.bounds(); least < -sumLimit || most > sumLimit {
		err = errLimit
	}
	return out, err
}

// errLimit refuses sums that do not fit.
var errLimit = errors.New("a sum may leave 58 bits")

// gcd is the greatest common divisor of positive numbers.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// bounds returns the least and the greatest value of l. They saturate well inside 64 bits.
func (l linear) bounds() (least, most int64) {
	least, most = l.k, l.k
	for _, t := range l.terms {
		least = max(least+min(t.Coef, 0), -2*sumLimit)
		most = min(most+max(t.Coef, 0), 2*sumLimit)
	}
	return least, most
}

// sum is n as a linear expression; conditions inside become literals.
func (c *compiler) sum(n *node) (linear, error) {
	switch n.op {
	case "number":
		return linear{k: n.num.Num().Int64(), den: n.num.Denom().Int64()}, nil
	case "name":
		var l linear
		for i := range n.v.Width {
			l.terms = append(l.terms, factored.Term{Coef: n.v.Weight(i), Lit: factored.Lit{Bit: n.v.First + factored.Bit(i), Next: n.next}})
		}
		if !n.v.Fixed() {
			return l, nil
		}
		l, err := l.times(n.v.View.Num, n.v.View.Den)
		if err != nil {
			return l, source.Errorf("", 1, n.col, "%s is too wide to be added up", n.v.Name)
		}
		return l, nil
	case "neg":
		l, err := c.sum(n.args[0])
		if err != nil {
			return l, err
		}
		return linear{}.plus(l, -1)
	case "+", "-":
		a, err := c.sum(n.args[0])
		if err != nil {
			return a, err
		}
		b, err := c.sum(n.args[1])
		if err != nil {
			return b, err
		}
		f := int64(1)
		if n.op == "-" {
			f = -1
		}
		return a.plus(b, f)
	case "*":
		a, b := n.args[0], n.args[1]
		if !a.constant() {
			a, b = b, a
		}
		factor, err := c.sum(a)
		if err != nil {
			return factor, err
		}
		l, err := c.sum(b)
		if err != nil {
			return l, err
		}
		if l, err = l.times(factor.k, factor.denominator()); err != nil {
			return l, source.Errorf("", 1, n.col, "the product may leave 58 bits")
		}
		return l, nil
	}
	return c.literal(n)
}

// times is l*num/den.
func (l linear) times(num, den int64) (linear, error) {
	if !productFits(l.denominator(), den) {
		return l, errLimit
	}
	for _, t := range append(l.terms, factored.Term{Coef: l.k}) {
		if !productFits(num, t.Coef) {
			return l, errLimit
		}
	}
	out, err := linear{}.plus(linear{terms: l.terms, k: l.k}, num)
	out.den = l.denominator() * den
	return out, err
}

// productFits reports whether |a*b| stays below sumLimit.
func productFits(a, b int64) bool {
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	return hi == 0 && lo < sumLimit
}

// complement is 1 - l for a condition l.
func complement(l linear) linear {
	out := linear{k: 1 - l.k}
	for _, t := range l.terms {
		out.terms = append(out.terms, factored.Term{Coef: -t.Coef, Lit: t.Lit})
	}
	return out
}

// literal returns a condition as a linear expression that is 0 or 1: a variable, a constant,
// the complement of one, or a fresh auxiliary variable defined to be equivalent.
func (c *compiler) literal(n *node) (linear, error) {
	switch {
	case n.op == "number" || n.op == "name":
		return c.sum(n)
	case n.op == "~":
		l, err := c.literal(n.args[0])
		return complement(l), err
	case n.op == "==" || n.op == "<=>" || n.op == "~=":
		return c.equality(n)
	}
	if d, op, ok := c.comparison(n, false); ok {
		l, err := c.linear(d)
		if err != nil {
			return l, err
		}
		return c.define(l, op)
	}
	// A conjunction or disjunction of two literals is a bound on their sum.
	a, err := c.literal(n.args[0])
	if err != nil {
		return a, err
	}
	if n.op == "=>" {
		a = complement(a)
	}
	b, err := c.literal(n.args[1])
	if err != nil {
		return b, err
	}
	need := int64(1)
	if n.op == "^" {
		need = 2
	}
	sum, err := a.plus(b, 1)
	if err != nil {
		return sum, err
	}
	sum.k -= need
	return c.define(sum, factored.GE)
}

// agreement returns, for the comparison of an integer variable with one of its values by ==
// or ~=, a sum of literals of its bits that is 0 if it has the value and negative otherwise.
func agreement(n *node) (l linear, ok bool) {
	if n.op != "==" && n.op != "~=" {
		return l, false
	}
	a, b := n.args[0], n.args[1]
	if a.op != "name" {
		a, b = b, a
	}
	if a.op != "name" || a.v.Bool || b.op != "number" {
		return l, false
	}
	value := new(big.Rat).Quo(b.num, a.v.Step())
	if !value.IsInt() || !value.Num().IsInt64() {
		return l, false
	}
	x := value.Num().Int64()
	if x < a.v.Lo || x > a.v.Hi {
		return l, false
	}
	for i := range a.v.Width {
		lit := factored.Lit{Bit: a.v.First + factored.Bit(i), Next: a.next}
		if x>>(a.v.Width-1-i)&1 == 1 {
			l.terms = append(l.terms, factored.Term{Coef: 1, Lit: lit})
			l.k--
		} else {
			l.terms = append(l.terms, factored.Term{Coef: -1, Lit: lit})
		}
	}
	return l, true
}

// equality returns left == right, or left ~= right, as the conjunction of both ranges.
func (c *compiler) equality(n *node) (linear, error) {
	if same, ok := agreement(n); ok {
		if len(same.terms) == 1 { // one bit is a literal
			same.k++
			if n.op == "~=" {
				same = complement(same)
			}
			return same, nil
		}
		l, err := c.define(same, factored.GE)
		if n.op == "~=" {
			l = complement(l)
		}
		return l, err
	}
	l, err := c.linear(difference{left: n.args[0], right: n.args[1]})
	if err != nil {
		return l, err
	}
	below, err := c.define(l, factored.LE)
	if err != nil {
		return l, err
	}
	above, err := c.define(l, factored.GE)
	if err != nil {
		return l, err
	}
	both, err := below.plus(above, 1)
	if err != nil {
		return l, err
	}
	both.k-- // at least one always holds
	if n.op == "~=" {
		return complement(both), nil
	}
	return both, nil
}

// ranged is bounds for an integer variable within its range. The range of a next state is a
// constraint that verification leaves out.
func (c *compiler) ranged(l linear) (least, most int64) {
	least, most = l.bounds()
	if len(l.terms) == 0 || l.terms[0].Lit.Next {
		return least, most
	}
	v, _ := c.p.Owner(l.terms[0].Lit.Bit)
	if len(l.terms) != v.Width {
		return least, most
	}
	f := l.terms[0].Coef / v.Weight(0)
	for i, t := range l.terms {
		if t.Lit != (factored.Lit{Bit: v.First + factored.Bit(i), Next: l.terms[0].Lit.Next}) || t.Coef != f*v.Weight(i) {
			return least, most
		}
	}
	a, b := f*v.Lo+l.k, f*v.Hi+l.k
	return max(least, min(a, b)), min(most, max(a, b))
}

// maxMeaning bounds the text of a condition that stands for its auxiliary variable.
const maxMeaning = 80

// meaning writes l >= 0; empty if that is too long.
func (c *compiler) meaning(l linear) string {
	text := c.p.Format(&factored.Constraint{Terms: l.terms, Op: factored.GE, K: -l.k})
	if len(text) > maxMeaning {
		return ""
	}
	return text
}

// define makes a fresh auxiliary variable v <=> (l op 0), op being LE or GE.
func (c *compiler) define(l linear, op factored.Op) (linear, error) {
	if op == factored.LE {
		l, _ = linear{}.plus(l, -1)
	}
	if least, most := c.ranged(l); least >= 0 || most < 0 {
		return linear{k: truth(least >= 0)}, nil
	}
	least, most := l.bounds() // v <=> l >= 0
	var id int
	for {
		c.fresh++
		name := fmt.Sprintf("%s#%d", c.origin, c.fresh)
		if _, taken := c.p.Lookup(name); taken {
			continue
		}
		var err error
		if id, err = c.p.AddVariable(factored.Variable{Name: name, Kind: factored.Auxiliary, Bool: true, Meaning: c.meaning(l)}); err != nil {
			return l, err
		}
		break
	}
	v := factored.Lit{Bit: c.p.Variables[id].First}
	// l >= least*(1-v), and l <= -1 + (most+1)*v.
	c.defining = true
	defer func() { c.defining = false }()
	c.add(append(l.terms[:len(l.terms):len(l.terms)], factored.Term{Coef: least, Lit: v}), factored.GE, least-l.k)
	c.add(append(l.terms[:len(l.terms):len(l.terms)], factored.Term{Coef: -(most + 1), Lit: v}), factored.LE, -1-l.k)
	return linear{terms: []factored.Term{{Coef: 1, Lit: v}}}, nil
}
