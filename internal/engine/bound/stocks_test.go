package bound

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/factored"
)

// stock is a random problem of machines that take their parts from one store, which can order one at a time. A machine that is
// not repaired is worn next.
func stock(seed uint64) *factored.Problem {
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

// TestStocks compares bounds, and what the search finds, with brute force where a store counts what all machines take, and wants the
// explanation of a bound to name that sum.
func TestStocks(t *testing.T) {
	const horizon = 3
	counted, named := 0, 0
	for seed := range uint64(25) {
		p := stock(seed)
		task := engine.Task{Problem: p}
		f, err := New(context.Background(), task, horizon)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(f.s.r.amounts) > 0 {
			counted++
		}
		want, ok := randprob.BruteForce(p, nil, horizon)
		checkBounds(t, seed, f, want, ok)
		res := solveNarrow(t, seed, task, horizon)
		if res == nil || ok != (res.Status == engine.Optimal) || ok && res.Reward != want {
			t.Fatalf("seed %d: %v, brute force finds %d (%t)", seed, res, want, ok)
		}
		s, err := Start(context.Background(), task, horizon, engine.Limits{Threads: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if x := Summarize(context.Background(), s); !x.Infeasible && x.Bound < want {
			t.Errorf("seed %d: the summary's bound is %d, brute force finds %d", seed, x.Bound, want)
		} else {
			for _, r := range x.Rules {
				if r.Sum && strings.Contains(r.Text, "repair(") {
					named++
				}
			}
		}
	}
	if counted < 20 || named == 0 {
		t.Errorf("a store counts what machines take in %d problems, and in %d rules of explanations", counted, named)
	}
}
