package conflict_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/problem/factored"
)

// errand is a problem of one state, being there, and one action, going, which
// costs 1.
func errand() *factored.Problem {
	p := factored.NewProblem("errand")
	for _, v := range []factored.Variable{
		{Name: "there", Kind: factored.State, Bool: true},
		{Name: "go", Kind: factored.Action, Bool: true},
	} {
		if _, err := p.AddVariable(v); err != nil {
			log.Fatal(err)
		}
	}
	there, walk := factored.Lit{Bit: 0}, factored.Lit{Bit: 1}
	p.Initial = []factored.Constraint{{Terms: []factored.Term{{Coef: 1, Lit: there}}, Op: factored.EQ, K: 0}}
	p.Goal = []factored.Constraint{{Terms: []factored.Term{{Coef: 1, Lit: there}}, Op: factored.GE, K: 1}}
	// there' = there + go
	p.Transition = []factored.Constraint{{Terms: []factored.Term{
		{Coef: 1, Lit: factored.Lit{Bit: 0, Next: true}}, {Coef: -1, Lit: there}, {Coef: -1, Lit: walk},
	}, Op: factored.EQ, K: 0}}
	p.Reward.Terms = []factored.RewardTerm{{Lit: walk, Weight: -1}}
	return p
}

// Example finds a best plan of two steps and proves it.
func Example() {
	q := engine.Query{Task: engine.Task{Problem: errand()}, MinHorizon: 2, MaxHorizon: 2}
	res, err := conflict.PB{}.Solve(context.Background(), q, engine.Limits{Threads: 1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Status, res.Reward)
	// Output:
	// optimal -1
}

// ExampleMaxSAT does the same through clauses, as the paper's FD-SAT-Plan+.
func ExampleMaxSAT() {
	q := engine.Query{Task: engine.Task{Problem: errand()}, MinHorizon: 1, MaxHorizon: 3}
	res, err := conflict.MaxSAT{}.Solve(context.Background(), q, engine.Limits{Threads: 1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Status, res.Reward, "with horizon", res.Horizon)
	// Output:
	// optimal -1 with horizon 1
}
