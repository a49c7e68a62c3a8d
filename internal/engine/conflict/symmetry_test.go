package conflict

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// machines is a random problem of n machines, some of them alike: without repair they are worn
// after a step and broken after two. A limit couples the repairs. The initial state of some is open.
func machines(t *testing.T, seed uint64, n int) (*factored.Problem, *bnn.Network) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	p := factored.NewProblem(fmt.Sprint("machines ", seed))
	add := func(name string, i int, kind factored.Kind) factored.Lit {
		id, err := p.AddVariable(factored.Variable{Name: fmt.Sprintf("%s(%d)", name, i), Kind: kind, Bool: true})
		if err != nil {
			t.Fatal(err)
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

// TestSymmetry compares sessions in which machines that can be swapped are kept in order with
// brute force. Then the best plan is excluded, and all as good ones after it: the plans that the
// order leaves out are found now.
func TestSymmetry(t *testing.T) {
	const horizon = 3
	encoding := cnf.Default
	ordered := 0
	for seed := range uint64(60) {
		p, net := machines(t, seed, 3+int(seed%2))
		want, ok := randprob.BruteForce(p, net, horizon)
		if !ok {
			t.Fatalf("seed %d: there is no plan", seed)
		}
		var best [3]int // plans, by kind of session
		for i, how := range []setup{{features: standard}, {features: standard, encoding: &encoding}, {features: standard &^ Symmetry}} {
			x, err := open(context.Background(), engine.Task{Problem: p, Network: net}, horizon, how)
			if err != nil {
				t.Fatal(err)
			}
			lower := x.lower
			if err := x.addTables(context.Background(), engine.Limits{}); err != nil {
				t.Fatal(err)
			}
			if x.incumbent, x.cost, x.lower = nil, math.MaxInt64, lower; x.ordered != 0 {
				ordered++
			}
			for {
				r, err := x.Solve(context.Background(), engine.Limits{Threads: 1}, nil)
				if err != nil || best[i] == 0 && (r.Status != engine.Optimal || r.Reward != want) {
					t.Fatalf("seed %d: %+v, %v; brute force finds %d", seed, r, err, want)
				}
				if r.Status != engine.Optimal || r.Reward < want {
					break
				}
				if report, err := validate.Check(p, net, validate.FromTrace(r.Trace)); err != nil || !report.Valid {
					t.Fatalf("seed %d: the checker says %+v, %v", seed, report, err)
				}
				best[i]++
				if err := x.Exclude(engine.Landmark{Trace: r.Trace, Depth: horizon}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if best[0] != best[2] || best[1] != best[2] {
			t.Errorf("seed %d: %d and %d best plans with the order, %d without", seed, best[0], best[1], best[2])
		}
	}
	if ordered < 60 {
		t.Errorf("only %d sessions have machines in order", ordered)
	}
}
