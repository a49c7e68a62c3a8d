package randprob

import (
	"fmt"
	"math/rand/v2"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Stock is a random problem of machines that take their parts from one store, which can order one at a time. A machine that is
// not repaired is worn next.
func Stock(seed uint64) *factored.Problem {
	rng := rand.New(rand.NewPCG(seed, 3))
	p := factored.NewProblem(fmt.Sprint("stock ", seed))
	add := func(v factored.Variable) (terms []factored.Term) {
		id, err := p.AddVariable(v)
		if err != nil {
			panic(err)
		}
		bits := p.Variables[id].Bits()
		for i, b := range bits {
			terms = append(terms, factored.Term{Coef: 1 << (len(bits) - 1 - i), Lit: factored.Lit{Bit: b}})
		}
		return terms
	}
	next := func(terms []factored.Term, sign int64) (out []factored.Term) {
		for _, t := range terms {
			t.Lit.Next, t.Coef = true, sign*t.Coef
			out = append(out, t)
		}
		return out
	}
	equal := func(list *[]factored.Constraint, k int64, terms ...factored.Term) {
		*list = append(*list, factored.Constraint{Terms: terms, Op: factored.EQ, K: k})
	}
	parts := add(factored.Variable{Name: "parts", Kind: factored.State, Lo: 0, Hi: 3})
	order := add(factored.Variable{Name: "order", Kind: factored.Action, Bool: true})
	equal(&p.Initial, int64(rng.IntN(4)), parts...)
	sum := append(append(next(parts, -1), parts...), order...)
	p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: order[0].Lit, Weight: -int64(1 + rng.IntN(3))})
	for i := range 4 {
		worn := add(factored.Variable{Name: fmt.Sprintf("worn(%d)", i), Kind: factored.State, Bool: true})
		repair := add(factored.Variable{Name: fmt.Sprintf("repair(%d)", i), Kind: factored.Action, Bool: true})
		equal(&p.Initial, int64(rng.IntN(2)), worn...)
		equal(&p.Transition, 1, append(next(worn, 1), repair...)...)
		sum = append(sum, factored.Term{Coef: -int64(1 + rng.IntN(4)/3), Lit: repair[0].Lit})
		p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: worn[0].Lit, Weight: -int64(1 + rng.IntN(4))})
	}
	equal(&p.Transition, 0, sum...)
	return p
}

// LearnedStock is Stock with a network that computes the parts: what is more than the store can hold is lost, and what is taken from an empty
// store is not missed; parts are worth something. Inputs are copied as often as their weights say, and the sum is compared with each value.
func LearnedStock(seed uint64) (*factored.Problem, *bnn.Network) {
	const most = 3
	p := Stock(seed)
	last := len(p.Transition) - 1
	var weights []int
	missed := 0
	for _, x := range p.Transition[last].Terms {
		if x.Lit.Next {
			p.Outputs = append(p.Outputs, x.Lit.Bit)
			p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: factored.Lit{Bit: x.Lit.Bit}, Weight: -x.Coef})
			continue
		}
		p.Inputs, weights = append(p.Inputs, x.Lit.Bit), append(weights, int(x.Coef))
		missed += max(0, -int(x.Coef))
	}
	p.Transition = p.Transition[:last]
	copies := bnn.Layer{Inputs: len(p.Inputs)}
	var signs []int8
	for i, w := range weights {
		for range max(w, -w) {
			row := make([]int8, len(p.Inputs))
			row[i] = 1
			copies.Weights, copies.Thresholds = append(copies.Weights, row...), append(copies.Thresholds, 1)
			signs = append(signs, int8(max(-1, min(1, w))))
		}
	}
	compare := bnn.Layer{Inputs: len(signs)}
	for v := range most {
		compare.Weights, compare.Thresholds = append(compare.Weights, signs...), append(compare.Thresholds, int32(v+1+missed))
	}
	// The parts are at least 2, and at least 1 but not 2, or 3.
	bits := bnn.Layer{Inputs: most, Weights: []int8{0, 1, 0, 1, -1, 1}, Thresholds: []int32{1, 2}}
	return p, &bnn.Network{Layers: []bnn.Layer{copies, compare, bits}}
}
