package expr

import (
	"cmp"
	"errors"
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// Goal adds e to p as a constraint on the last state. It must mention state variables alone,
// without primes.
func (e *Expr) Goal(p *factored.Problem, origin string) error {
	if action, next := e.Mentions(); action || next {
		return errors.New("the goal is about the last state; expected state variables without primes")
	}
	c := newCompiler(p, origin, false)
	c.goal = true
	return e.compile(c, false)
}

// maxScale bounds the common denominator of the weights of a reward.
const maxScale = 1_000_000_000

// SetReward replaces the reward of p by the sum in text, such as
// -up - 0.5*open - 2*(load_kg >= 600), or of an expression such as -price*power. Its weights are
// scaled to integers exactly. Conditions are counted as 0 or 1. Errors contain the column.
func SetReward(p *factored.Problem, text, origin string) error {
	ps := &parser{lex: lexer{p: p, text: Spelling(text)}, opt: Options{Next: true}}
	root, err := ps.whole()
	if err != nil {
		return err
	}
	if len(ps.constants) > 0 {
		return errors.New(ps.constants[0])
	}
	root.mark()
	r := rewardSum{c: newCompiler(p, origin, true), constant: new(big.Rat)}
	if err := r.compile(root); err != nil {
		return err
	}
	if p.Reward, err = r.scaled(); err != nil {
		return err
	}
	p.Reward.Written = &payment{text, root}
	return p.Check()
}

// payment is a reward as it was written.
type payment struct {
	text string
	n    *node
}

// Worth evaluates the reward of a step in fractions; nil where it divides by 0.
func (w *payment) Worth(now, next factored.Valuation) *big.Rat { return w.n.exact(now, next) }

func (w *payment) String() string { return w.text }

// Part is what a summand of a reward reads.
type Part []Read

// Read is a variable of the state before a step or of its actions, or of the state after it.
type Read struct {
	*factored.Variable
	Next bool
	// Ordered marks an integer that is calculated with, or compared as less or greater, and not asked for being equal to something.
	Ordered bool
	// Cuts are, of one that is just compared with numbers, the least values on the other side of each, in order.
	Cuts []int64
}

// Parts returns what each summand of a reward that SetReward has set reads, each set of variables once. Multiples of numbers are not among
// them. It returns nil for other rewards.
func Parts(r *factored.Reward) (parts []Part) {
	w, ok := r.Written.(*payment)
	if !ok {
		return nil
	}
	w.n.split(big.NewRat(1, 1), new(big.Rat), func(n *node, _ *big.Rat) {
		if n.op == "name" && !n.v.Bool {
			return
		}
		var part Part
		for _, x := range n.reads() {
			r := Read{Variable: x.v, Next: x.next, Ordered: !x.v.Bool && !x.v.Enumeration() && !n.equals(x, false)}
			if r.Ordered && n.cuts(x, &r.Cuts) {
				slices.Sort(r.Cuts)
				r.Cuts = slices.Compact(r.Cuts)
			} else {
				r.Cuts = nil
			}
			part = append(part, r)
		}
		slices.SortFunc(part, func(a, b Read) int { return cmp.Or(cmp.Compare(a.First, b.First), compareBools(a.Next, b.Next)) })
		if !slices.ContainsFunc(parts, func(other Part) bool { return slices.EqualFunc(other, part, Read.equal) }) {
			parts = append(parts, part)
		}
	})
	return parts
}

// equal reports whether a summand reads what another one reads.
func (r Read) equal(s Read) bool {
	return r.Variable == s.Variable && r.Next == s.Next && r.Ordered == s.Ordered && slices.Equal(r.Cuts, s.Cuts)
}

// cuts adds the cuts of x in n, and reports whether n does nothing else with it than to compare it with numbers.
func (n *node) cuts(x reference, cuts *[]int64) bool {
	if n.op == "name" {
		return n.v.Name != x.v.Name || n.next != x.next
	}
	if len(n.args) == 2 {
		a, b, op := n.args[0], n.args[1], n.op
		if a.constant() {
			a, b = b, a
			op = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
		}
		if a.op == "name" && b.constant() && a.v.Name == x.v.Name && a.next == x.next {
			k := b.exact(nil, nil)
			if k == nil {
				return false
			}
			least := new(big.Int).Div(k.Num(), k.Denom()) // the greatest integer that is not above
			switch {
			case op == ">=" || op == "<":
				if !k.IsInt() {
					least.Add(least, big.NewInt(1))
				}
			case op == "<=" || op == ">":
				least.Add(least, big.NewInt(1))
			default:
				return false
			}
			*cuts = append(*cuts, least.Int64())
			return true
		}
	}
	return !slices.ContainsFunc(n.args, func(a *node) bool { return !a.cuts(x, cuts) })
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// equals reports whether n asks for something with x to be equal to something; within tells that n stands in such a question.
func (n *node) equals(x reference, within bool) bool {
	within = within || n.op == "==" || n.op == "~="
	if n.op == "name" {
		return within && n.v.Name == x.v.Name && n.next == x.next
	}
	return slices.ContainsFunc(n.args, func(a *node) bool { return a.equals(x, within) })
}

// rewardSum is a sum with fractions as weights.
type rewardSum struct {
	c        *compiler
	lits     []factored.Lit
	weights  []*big.Rat
	constant *big.Rat
}

func (r *rewardSum) compile(n *node) (err error) {
	defer r.c.catch(&err)
	n.split(big.NewRat(1, 1), r.constant, func(n *node, f *big.Rat) {
		a := r.c.flat(n)
		f = new(big.Rat).Quo(f, new(big.Rat).SetInt64(a.den))
		r.constant.Add(r.constant, new(big.Rat).Mul(f, new(big.Rat).SetInt64(a.k)))
		for _, t := range a.terms {
			r.lits = append(r.lits, t.Lit)
			r.weights = append(r.weights, new(big.Rat).Mul(f, new(big.Rat).SetInt64(t.Coef)))
		}
	})
	return nil
}

// maxQuotients bounds the values of a divisor in a reward.
const maxQuotients = 256

// flat is a number without a divisor: a quotient is the sum over the values of its divisor.
func (c *compiler) flat(n *node) number {
	r := c.value(n)
	switch {
	case r.den == nil:
		return r.num
	case r.den.isConstant():
		return r.num.times(r.den.den, max(1, r.den.lo)) // below 1 it never matters
	}
	g := int64(0)
	for _, t := range r.den.terms {
		g = gcd(max(t.Coef, -t.Coef), g)
	}
	first := r.den.k + (max(1, r.den.lo)-r.den.k+g-1)/g*g // of den.k plus multiples of g
	for first-g >= max(1, r.den.lo) {
		first -= g
	}
	if (r.den.hi-first)/g >= maxQuotients {
		refuse(n.col, "the divisor has more than %d values; expected fewer in a reward", maxQuotients)
	}
	out := constant(0, 1)
	for v := first; v <= r.den.hi; v += g {
		d := r.den.raised(-v)
		d.den = 1
		is := c.define(d, nil).plus(c.define(d.times(-1, 1), nil), 1).raised(-1)
		is.lo, is.hi = max(is.lo, 0), min(is.hi, 1)
		out = out.plus(c.product(n.col, c.single(is.normal()), r.num).times(r.den.den, v), 1)
	}
	return out
}

// scaled returns the sum with integers over their common denominator.
func (r *rewardSum) scaled() (factored.Reward, error) {
	all, scale := factored.Common(append(slices.Clone(r.weights), r.constant), 62)
	if scale.Cmp(big.NewInt(maxScale)) > 0 {
		return factored.Reward{}, errors.New("the weights of the reward have too many digits; expected at most nine after the point")
	}
	out := factored.Reward{Scale: scale.Int64()}
	for i, x := range all {
		switch {
		case x.CmpAbs(big.NewInt(1<<50)) > 0:
			return out, errors.New("a weight of the reward is beyond 2^50")
		case i == len(r.lits):
			out.Constant = x.Int64()
		case x.Sign() != 0:
			out.Terms = append(out.Terms, factored.RewardTerm{Lit: r.lits[i], Weight: x.Int64()})
		}
	}
	return out, nil
}
