package format_test

import (
	"context"
	"log"
	"os"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
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

// Example writes a problem for pseudo-Boolean solvers.
func Example() {
	m, err := model.New(errand(), nil, 2, model.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := format.Write(context.Background(), os.Stdout, m, format.Options{Kind: format.OPB}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// * #variable= 5 #constraint= 4
	// * fdplan: problem errand, horizon 2
	// * format opb
	// * minimise minus the reward: reward = -(objective + 0) / 1
	// min: +1 x2 +1 x4 ;
	// +1 x1 = 0 ;
	// +1 x3 -1 x1 -1 x2 = 0 ;
	// +1 x5 -1 x3 -1 x4 = 0 ;
	// +1 x5 >= 1 ;
}
