package model_test

import (
	"fmt"
	"log"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// errand is a problem with one state, being there, and one action, going, which costs 1.
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

// Example unrolls a problem over two steps and prints the constraints of each step, in local
// literals: 1 is the state, 2 the action, 3 the state after.
func Example() {
	m, err := model.New(errand(), nil, 2, model.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.NumVars(), "variables,", m.Stride(), "a step")
	for t := 1; t <= 3; t++ {
		part := m.Part(t)
		for g := range model.NumGroups {
			for _, s := range part.Sums[g] {
				fmt.Println("step", t, g, s.Terms, s.Op, s.K)
			}
		}
		for _, c := range m.Objective(t) {
			fmt.Println("step", t, "costs", c.Coef, "when", c.Lit)
		}
	}
	// Output:
	// 5 variables, 2 a step
	// step 1 initial [{1 1}] == 0
	// step 1 transition [{1 3} {1 -1} {1 -2}] == 2
	// step 1 costs 1 when 2
	// step 2 transition [{1 3} {1 -1} {1 -2}] == 2
	// step 2 costs 1 when 4
	// step 3 goal [{1 1}] >= 1
}

// With constants propagated, a single step leaves nothing to decide.
func ExampleModel_Value() {
	m, err := model.New(errand(), nil, 1, model.Options{Propagate: true})
	if err != nil {
		log.Fatal(err)
	}
	for v := int32(1); v <= m.NumVars(); v++ {
		fmt.Print(m.Value(model.Lit(v)), " ")
	}
	fmt.Println()
	// Output:
	// -1 1 1
}
