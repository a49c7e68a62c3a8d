package validate_test

import (
	"fmt"
	"log"

	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
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

// Example replays two plans: one that goes once, and one that goes again after arriving.
func Example() {
	stay, walk := factored.Valuation{false, false}, factored.Valuation{false, true}
	for _, actions := range [][]factored.Valuation{{stay, walk}, {walk, walk}} {
		report, err := validate.Check(errand(), nil, validate.Plan{Actions: actions})
		if err != nil {
			log.Fatal(err)
		}
		if report.Valid {
			fmt.Println("valid, reward", report.Reward)
		} else {
			fmt.Println(report.Failure)
		}
	}
	// Output:
	// valid, reward -1
	// step 2: the transition constraint there' - there - go == 0 fails; there=true, go=true
}
