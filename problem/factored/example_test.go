package factored_test

import (
	"fmt"
	"log"

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

// A plan is replayed on the constraints, and its reward is summed.
func Example() {
	p := errand()
	if err := p.Check(); err != nil {
		log.Fatal(err)
	}
	trace := factored.Trace{Steps: []factored.Valuation{{false, true}, {true, false}}}
	fmt.Println("T:", p.Format(&p.Transition[0]), p.Transition[0].Holds(trace.Steps[0], trace.Steps[1]))
	fmt.Println("G:", p.Format(&p.Goal[0]), p.Goal[0].Holds(trace.Steps[1], nil))
	fmt.Println("reward:", p.Reward.StepReward(trace.Steps[0], trace.Steps[1]))
	// Output:
	// T: there' - there - go == 0 true
	// G: there >= 1 true
	// reward: -1
}

// The paper's signed integers: -93 in eight bits.
func ExampleVariable_Set() {
	p := factored.NewProblem("paper")
	if _, err := p.AddVariable(factored.Variable{Name: "x", Kind: factored.State, Lo: -128, Hi: 127}); err != nil {
		log.Fatal(err)
	}
	val := make(factored.Valuation, p.NumBits())
	if err := p.Variables[0].Set(val, -93); err != nil {
		log.Fatal(err)
	}
	fmt.Println(val)
	// Output:
	// [true false true false false false true true]
}
