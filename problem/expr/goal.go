package expr

import (
	"errors"
	"math/big"

	"github.com/fdplan/fdplan/problem/factored"
)

// Goal adds e to p as a constraint on the last state. It must mention state variables alone,
// without primes.
func (e *Expr) Goal(p *factored.Problem, origin string) error {
	if action, next := e.Mentions(); action || next {
		return errors.New("the goal is about the last state; expected state variables without primes")
	}
	c := compiler{p: p, origin: origin, goal: true}
	if err := c.assert(e.root, false); err != nil {
		return err
	}
	return p.Check()
}

// maxScale bounds the common denominator of the weights of a reward.
const maxScale = 1_000_000_000

// SetReward replaces the reward of p by the sum in text, such as
// -up - 0.5*open - 2*(load_kg >= 600). Its weights are decimal fractions, which are scaled to
// integers exactly. Conditions are counted as 0 or 1. Errors contain the column.
func SetReward(p *factored.Problem, text, origin string) error {
	ps := &parser{lex: lexer{p: p, text: text}, opt: Options{Next: true}}
	if err := ps.advance(); err != nil {
		return err
	}
	root, err := ps.binary(0)
	if err != nil {
		return err
	}
	if ps.tok.kind != tokEnd {
		return ps.lex.errorf(ps.tok.col, "expected an operator or the end, found %s", ps.tok.text)
	}
	if err := ps.plain(root); err != nil {
		return err
	}
	if len(ps.constants) > 0 {
		return errors.New(ps.constants[0])
	}
	r := rewardSum{c: compiler{p: p, origin: origin, inSteps: true}, constant: new(big.Rat)}
	if err := r.add(root, big.NewRat(1, 1)); err != nil {
		return err
	}
	p.Reward, err = r.scaled()
	if err != nil {
		return err
	}
	return p.Check()
}

// rewardSum is a sum with fractions as weights.
type rewardSum struct {
	c        compiler
	lits     []factored.Lit
	weights  []*big.Rat
	constant *big.Rat
}

// add adds f*n.
func (r *rewardSum) add(n *node, f *big.Rat) error {
	switch n.op {
	case "number":
		r.constant.Add(r.constant, new(big.Rat).Mul(n.num, f))
		return nil
	case "neg":
		return r.add(n.args[0], new(big.Rat).Neg(f))
	case "+", "-":
		if err := r.add(n.args[0], f); err != nil {
			return err
		}
		if n.op == "-" {
			f = new(big.Rat).Neg(f)
		}
		return r.add(n.args[1], f)
	case "*":
		a, b := n.args[0], n.args[1]
		if !a.constant() {
			a, b = b, a
		}
		factor := rewardSum{constant: new(big.Rat)}
		if err := factor.add(a, f); err != nil {
			return err
		}
		return r.add(b, factor.constant)
	}
	l, err := r.c.sum(n) // an integer variable, or a condition as a literal
	if err != nil {
		return err
	}
	f = new(big.Rat).Quo(f, new(big.Rat).SetInt64(l.denominator()))
	r.constant.Add(r.constant, new(big.Rat).Mul(f, new(big.Rat).SetInt64(l.k)))
	for _, t := range l.terms {
		r.lits = append(r.lits, t.Lit)
		r.weights = append(r.weights, new(big.Rat).Mul(f, new(big.Rat).SetInt64(t.Coef)))
	}
	return nil
}

// scaled returns the sum with integers over their common denominator.
func (r *rewardSum) scaled() (factored.Reward, error) {
	scale := new(big.Int).Set(r.constant.Denom())
	for _, w := range r.weights {
		d := w.Denom()
		scale.Div(new(big.Int).Mul(scale, d), new(big.Int).GCD(nil, nil, scale, d))
		if scale.Cmp(big.NewInt(maxScale)) > 0 {
			return factored.Reward{}, errors.New("the weights of the reward have too many digits; expected at most nine after the point")
		}
	}
	integer := func(x *big.Rat) (int64, error) {
		n := new(big.Int).Mul(x.Num(), new(big.Int).Div(scale, x.Denom()))
		if !n.IsInt64() || n.CmpAbs(big.NewInt(1<<50)) > 0 {
			return 0, errors.New("a weight of the reward is beyond 2^50")
		}
		return n.Int64(), nil
	}
	out := factored.Reward{Scale: scale.Int64()}
	var err error
	if out.Constant, err = integer(r.constant); err != nil {
		return out, err
	}
	for i, w := range r.weights {
		x, err := integer(w)
		if err != nil {
			return out, err
		}
		if x != 0 {
			out.Terms = append(out.Terms, factored.RewardTerm{Lit: r.lits[i], Weight: x})
		}
	}
	return out, nil
}
