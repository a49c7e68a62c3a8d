package explain_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/explain"
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

// Example says why nobody can be there at once, and what forces a plan.
func Example() {
	ctx := context.Background()
	p := errand()
	rest := *p
	rest.Global = []factored.Constraint{{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: 1}}}, Op: factored.LE, K: 0, Origin: "stay at home"}}
	core, err := explain.FindMUS(ctx, engine.Task{Problem: &rest}, 1, engine.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range core.Members {
		fmt.Println(m.Group, m.What, m.Steps)
	}
	res, err := search.Engine{}.Solve(ctx, engine.Query{Task: engine.Task{Problem: p}, MinHorizon: 2, MaxHorizon: 2}, engine.Limits{Threads: 1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	f, err := explain.Plan(ctx, engine.Task{Problem: p}, res.Trace, explain.Options{Engine: search.Engine{}, Limits: engine.Limits{Threads: 1}})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range f.Steps {
		fmt.Println("step", s.Step, "any other action:", s.Others.Consequence)
	}
	// Output:
	// initial there = false [1]
	// global go <= 0 [1]
	// goal there >= 1 [2]
	// step 1 any other action: as-good
	// step 2 any other action: goal-missed
}
