package randprob

import (
	"fmt"
	"math/rand/v2"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Machines returns a random problem of n machines, some of them alike: without repair they are worn
// after a step and broken after two. A limit couples the repairs. The initial state of some is open.
func Machines(seed uint64, n int) (*factored.Problem, *bnn.Network) {
	rng := rand.New(rand.NewPCG(seed, 7))
	p := factored.NewProblem(fmt.Sprint("machines ", seed))
	add := func(name string, i int, kind factored.Kind) factored.Lit {
		id, err := p.AddVariable(factored.Variable{Name: fmt.Sprintf("%s(%d)", name, i), Kind: kind, Bool: true})
		if err != nil {
			panic(err)
		}
		return factored.Lit{Bit: p.Variables[id].First}
	}
	var repairs []factored.Term
	layer := bnn.Layer{Inputs: 2 * n}
	for i := range n {
		worn, broken, repair := add("worn", i, factored.State), add("broken", i, factored.State), add("repair", i, factored.Action)
		p.Inputs, p.Outputs = append(p.Inputs, worn.Bit, repair.Bit), append(p.Outputs, worn.Bit, broken.Bit)
		rows := make([]int8, 4*n)
		rows[2*i+1] = -1
		rows[2*n+2*i], rows[2*n+2*i+1] = 1, -1
		layer.Weights, layer.Thresholds = append(layer.Weights, rows...), append(layer.Thresholds, 1, 2)
		repairs = append(repairs, factored.Term{Coef: 1, Lit: repair})
		p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: broken, Weight: -int64(2 + rng.IntN(2))}, factored.RewardTerm{Lit: repair, Weight: -1})
		if first := rng.IntN(8); first > 0 {
			p.Initial = append(p.Initial, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: worn}}, Op: factored.EQ, K: int64(first % 2)},
				factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: broken}}, Op: factored.EQ, K: 0})
		}
	}
	p.Global = append(p.Global, factored.Constraint{Terms: repairs, Op: factored.LE, K: int64(1 + rng.IntN(2))})
	return p, &bnn.Network{Layers: []bnn.Layer{layer}}
}
