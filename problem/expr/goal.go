package expr

import (
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
