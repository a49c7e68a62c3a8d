package bound

import (
	"fmt"
	"math/rand/v2"

	"github.com/fdplan/fdplan/problem/factored"
)

// clausal returns a random problem whose transitions are clauses, as those of a learned model may be: each says that a bit
// is not changed in one direction unless variables have or do not have values, and what no clause speaks of is free. Most
// variables have two bits, so that what one reads of another is a joint value.
func clausal(seed uint64) *factored.Problem {
	rng := rand.New(rand.NewPCG(seed, 0x66647003))
	p := factored.NewProblem(fmt.Sprint("clauses ", seed))
	add := func(kind factored.Kind, hi int64) {
		v := factored.Variable{Name: fmt.Sprintf("v%d", len(p.Variables)), Kind: kind, Bool: hi == 1, Hi: hi}
		if _, err := p.AddVariable(v); err != nil {
			panic(err)
		}
	}
	for _, hi := range []int64{3, 3, 1, 1} {
		add(factored.State, hi)
	}
	add(factored.Action, 1)
	if rng.IntN(2) == 0 {
		add(factored.Action, 1)
	}
	equal := p.NumBits() // an auxiliary bit: a variable of two bits has a value
	if rng.IntN(2) == 0 {
		add(factored.Auxiliary, 1)
		aux := factored.Lit{Bit: factored.Bit(equal)}
		v, back := p.Variables[rng.IntN(2)], []factored.Lit{aux}
		for i := range v.Width {
			l := factored.Lit{Bit: v.First + factored.Bit(i), Neg: rng.IntN(2) == 0}
			p.Global = append(p.Global, oneOf(aux.Not(), l))
			l.Neg = !l.Neg
			back = append(back, l)
		}
		p.Global = append(p.Global, oneOf(back...))
	}
	for _, v := range p.Variables[:4] {
		for i := range v.Width {
			bit := v.First + factored.Bit(i)
			if rng.IntN(3) > 0 {
				p.Initial = append(p.Initial, oneOf(factored.Lit{Bit: bit, Neg: rng.IntN(2) == 0}))
			}
			for _, up := range []bool{false, true} {
				for range rng.IntN(3) {
					lits := []factored.Lit{{Bit: bit, Next: true, Neg: up}, {Bit: bit, Neg: !up}}
					p.Transition = append(p.Transition, oneOf(append(lits, reasons(rng, p, v.First)...)...))
				}
			}
			p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: factored.Lit{Bit: bit, Next: rng.IntN(3) == 0}, Weight: int64(rng.IntN(7) - 2)})
		}
	}
	for _, b := range p.Bits(factored.Action) {
		p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: factored.Lit{Bit: b}, Weight: -int64(rng.IntN(3))})
	}
	return p
}

// oneOf says that one of some literals is true.
func oneOf(lits ...factored.Lit) factored.Constraint {
	c := factored.Constraint{Op: factored.GE, K: 1}
	for _, l := range lits {
		c.Terms = append(c.Terms, factored.Term{Coef: 1, Lit: l})
	}
	return c
}

// reasons draws literals of one to three other variables: of all of their bits, or of one.
func reasons(rng *rand.Rand, p *factored.Problem, but factored.Bit) (lits []factored.Lit) {
	for _, i := range rng.Perm(len(p.Variables))[:1+rng.IntN(3)] {
		v := &p.Variables[i]
		one := -1
		if rng.IntN(4) == 0 {
			one = rng.IntN(v.Width)
		}
		for k := range v.Width {
			if v.First != but && (one < 0 || one == k) {
				lits = append(lits, factored.Lit{Bit: v.First + factored.Bit(k), Neg: rng.IntN(2) == 0})
			}
		}
	}
	return lits
}
