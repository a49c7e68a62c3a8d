package randprob

import (
	"reflect"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestNew checks that the problems are well-formed, reproducible, and as varied as tests
// assume.
func TestNew(t *testing.T) {
	const n = 400
	feasible, learned, open, signed, negative, noBits, oneValued := 0, 0, 0, 0, 0, 0, 0
	for seed := range uint64(n) {
		p, net, h := New(seed, Options{})
		q, net2, h2 := New(seed, Options{})
		if h != h2 || !reflect.DeepEqual(p, q) || !reflect.DeepEqual(net, net2) {
			t.Fatalf("seed %d gives two problems", seed)
		}
		if err := p.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if net != nil {
			learned++
			if err := net.Check(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if net.Inputs() != len(p.Inputs) || net.Outputs() != len(p.Outputs) {
				t.Fatalf("seed %d: the network does not fit the problem", seed)
			}
		}
		if h < 1 || h > 3 {
			t.Fatalf("seed %d: horizon %d", seed, h)
		}
		reward, ok := BruteForce(p, net, h)
		if ok {
			feasible++
			if reward < 0 {
				negative++
			}
		}
		if len(p.Initial) == 0 {
			open++
		}
		if len(p.Bits(factored.State)) == 0 {
			noBits++
		}
		if slices.ContainsFunc(p.Variables, func(v factored.Variable) bool { return v.Lo == v.Hi }) {
			oneValued++
		}
		for i := range p.Variables {
			if p.Variables[i].Lo < 0 {
				signed++
				break
			}
		}
	}
	t.Logf("of %d problems %d are feasible (%d with a negative reward), %d learned, %d without initial constraints, %d with signed integers, %d without state bits, %d with variables of one value",
		n, feasible, negative, learned, open, signed, noBits, oneValued)
	if feasible < n*55/100 || feasible > n*85/100 {
		t.Errorf("%d of %d problems are feasible, expected 55 to 85 %%", feasible, n)
	}
	if learned < n/2 || noBits < n/40 || oneValued < n/20 || open == 0 || signed == 0 || negative == 0 || negative == feasible {
		t.Error("the problems lack variety")
	}
}

// TestBruteForce checks optima that are known by hand.
func TestBruteForce(t *testing.T) {
	// The light is on after a step if and only if it was toggled; being on
	// earns 3, toggling costs 1. It starts dark and must end lit.
	p := factored.NewProblem("light")
	for _, v := range []factored.Variable{{Name: "on", Bool: true}, {Name: "toggle", Kind: factored.Action, Bool: true}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	on, toggle := factored.Lit{Bit: 0}, factored.Lit{Bit: 1}
	next := factored.Lit{Bit: 0, Next: true}
	p.Initial = []factored.Constraint{{Terms: []factored.Term{{Coef: 1, Lit: on}}, Op: factored.LE, K: 0}}
	p.Goal = []factored.Constraint{{Terms: []factored.Term{{Coef: 1, Lit: on}}, Op: factored.GE, K: 1}}
	p.Inputs, p.Outputs = []factored.Bit{1}, []factored.Bit{0}
	net := &bnn.Network{Layers: []bnn.Layer{{Inputs: 1, Weights: []int8{1}, Thresholds: []int32{1}}}}
	p.Reward.Terms = []factored.RewardTerm{{Lit: next, Weight: 3}, {Lit: toggle, Weight: -1}}
	if r, ok := BruteForce(p, net, 3); !ok || r != 6 {
		t.Errorf("3 steps earn %d, %v; expected 6", r, ok)
	}
	p.Reward.Terms[1].Weight = -4
	if r, ok := BruteForce(p, net, 3); !ok || r != -1 {
		t.Errorf("3 steps with dear toggling earn %d, %v; expected -1", r, ok)
	}
	// Toggling is forbidden: the goal is out of reach.
	p.Global = []factored.Constraint{{Terms: []factored.Term{{Coef: 1, Lit: toggle}}, Op: factored.EQ, K: 0}}
	if _, ok := BruteForce(p, net, 3); ok {
		t.Error("an unreachable goal was reached")
	}
	// A known transition in place of the network leaves the bit open.
	p.Global, p.Inputs, p.Outputs = nil, nil, nil
	if r, ok := BruteForce(p, nil, 3); !ok || r != 9 {
		t.Errorf("3 steps of an open bit earn %d, %v; expected 9", r, ok)
	}
}
