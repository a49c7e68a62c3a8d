package search_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
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
	res, err := search.Engine{}.Solve(context.Background(), q, engine.Limits{Threads: 1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Status, res.Reward)
	// Nothing is done before it must be.
	for t, step := range res.Trace.Steps[:res.Trace.Horizon()] {
		fmt.Println("step", t+1, "go:", step[1])
	}
	// Output:
	// optimal -1
	// step 1 go: false
	// step 2 go: true
}

// ExampleSession asks for another plan after one was excluded.
func ExampleSession() {
	ctx := context.Background()
	s, err := search.Engine{}.Open(ctx, engine.Task{Problem: errand()}, 2)
	if err != nil {
		log.Fatal(err)
	}
	for {
		res, err := s.Solve(ctx, engine.Limits{Threads: 1}, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(res.Status)
		if res.Trace == nil {
			return
		}
		fmt.Println("go:", res.Trace.Steps[0][1], res.Trace.Steps[1][1])
		if err := s.Exclude(engine.Landmark{Trace: res.Trace, Depth: 2}); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// optimal
	// go: false true
	// optimal
	// go: true false
	// infeasible
}
