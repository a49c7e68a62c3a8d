package factored_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/problem/factored"
)

// TestCopies: a constraint of a copy holds where that of the problem does for the part of the copy, and rewards are summed.
func TestCopies(t *testing.T) {
	p := factored.NewProblem("one")
	for _, v := range []factored.Variable{
		{Name: "level", Hi: 5}, {Name: "before(x)", Hi: 5, Lag: factored.Lag{Of: "level", By: 1}}, {Name: "pump", Kind: factored.Action, Bool: true},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.ConnectLags(nil); err != nil {
		t.Fatal(err)
	}
	p.Goal = p.Variables[0].Equals(4, "goal")
	p.Reward = factored.Reward{Scale: 2, Constant: 1, Terms: []factored.RewardTerm{{Lit: factored.Lit{Bit: p.Variables[2].First}, Weight: -3}}}
	p.Inputs, p.Outputs = p.Bits(factored.Action), p.Bits(factored.State)[:3]
	q, err := p.Copies([]string{"A", "B"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"level(A)", "before(x,A)", "pump(A)", "level(B)", "before(x,B)", "pump(B)"} {
		if got := q.Variables[i].Name; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if v, err := q.Earlier(&q.Variables[4]); err != nil || v.Name != "level(B)" {
		t.Errorf("%v, %v", v, err)
	}
	n := p.NumBits()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		now, next := make(factored.Valuation, 2*n), make(factored.Valuation, 2*n)
		for b := range now {
			now[b], next[b] = rng.IntN(2) == 0, rng.IntN(2) == 0
		}
		sum := int64(0)
		for k := range 2 {
			part := func(val factored.Valuation) factored.Valuation { return val[k*n : (k+1)*n] }
			for _, list := range [][2][]factored.Constraint{{p.Global, q.Global}, {p.Goal, q.Goal}, {p.Transition, q.Transition}} {
				if len(list[1]) != 2*len(list[0]) {
					t.Fatalf("%d constraints of %d", len(list[1]), len(list[0]))
				}
				for i := range list[0] {
					if list[0][i].Holds(part(now), part(next)) != list[1][k*len(list[0])+i].Holds(now, next) {
						t.Errorf("copy %d: %s", k, list[0][i].Origin)
					}
				}
			}
			sum += p.Reward.StepReward(part(now), part(next))
		}
		if got := q.Reward.StepReward(now, next); got != sum {
			t.Errorf("reward %d, want %d", got, sum)
		}
	}
	if len(q.Inputs) != 2 || len(q.Outputs) != 6 || int(q.Outputs[3]) != n {
		t.Errorf("%v %v", q.Inputs, q.Outputs)
	}
}
