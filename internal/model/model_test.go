package model_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/factored"
)

// unroll stamps every part of m.
func unroll(m *model.Model) (fixed []model.Lit, sums []model.Sum, neurons []model.Neuron) {
	for t := 1; t <= m.Horizon+1; t++ {
		offset := model.Lit(m.Stride()) * model.Lit(t-1)
		stamp := func(l model.Lit) model.Lit {
			if l < 0 {
				return l - offset
			}
			return l + offset
		}
		part := m.Part(t)
		for _, l := range part.Fixed {
			fixed = append(fixed, stamp(l))
		}
		for _, group := range part.Sums {
			for _, s := range group {
				out := model.Sum{Op: s.Op, K: s.K}
				for _, term := range s.Terms {
					out.Terms = append(out.Terms, model.Term{Coef: term.Coef, Lit: stamp(term.Lit)})
				}
				sums = append(sums, out)
			}
		}
		for _, layer := range part.Layers {
			for _, n := range layer {
				out := model.Neuron{Out: stamp(n.Out), Threshold: n.Threshold}
				for _, l := range n.Inputs {
					out.Inputs = append(out.Inputs, stamp(l))
				}
				neurons = append(neurons, out)
			}
		}
	}
	return fixed, sums, neurons
}

// TestModelMeansTheProblem enumerates the solutions of the unrolled model and
// compares the best with brute force over the problem's definition, with
// constants propagated and without.
func TestModelMeansTheProblem(t *testing.T) {
	for seed := range uint64(300) {
		p, net, horizon := randprob.New(seed, randprob.Options{StateBits: 4, ActionBits: 2, Auxiliaries: 1, Horizon: 3})
		want, feasible := randprob.BruteForce(p, net, horizon)
		for _, o := range []model.Options{{}, {Propagate: true}} {
			m, err := model.New(p, net, horizon, o)
			if err != nil {
				t.Fatal(err)
			}
			best, found := optimum(m)
			if found != feasible || found && best != want {
				t.Fatalf("seed %d %+v: the model's best is %d (%v), the problem's %d (%v)", seed, o, best, found, want, feasible)
			}
		}
	}
}

func optimum(m *model.Model) (best int64, found bool) {
	if m.Infeasible() {
		return 0, false
	}
	fixed, sums, neurons := unroll(m)
	for _, l := range fixed {
		sums = append(sums, model.Sum{Terms: []model.Term{{Coef: 1, Lit: l}}, Op: factored.GE, K: 1})
	}
	st := propagate.NewSystem(int(m.NumVars()), sums, neurons).NewState()
	if !st.Consistent() {
		return 0, false
	}
	// Problem variables alone: the hidden units follow by propagation.
	var vars []model.Lit
	for t := 1; t <= m.Horizon+1; t++ {
		for b := range m.Problem.NumBits() {
			if bit := factored.Bit(b); t <= m.Horizon || m.Problem.Kind(bit) != factored.Action {
				vars = append(vars, m.Var(t, bit))
			}
		}
	}
	st.Each(vars, func() bool {
		cost := m.ObjectiveConstant()
		for t := 1; t <= m.Horizon+1; t++ {
			for _, c := range m.Objective(t) {
				if st.Value(c.Lit) > 0 {
					cost += c.Coef
				}
			}
		}
		if !found || -cost > best {
			best, found = -cost, true
		}
		return true
	})
	return best, found
}

// TestSame checks that Same is true exactly if the parts are equal.
func TestSame(t *testing.T) {
	same := 0
	for seed := range uint64(100) {
		p, net, _ := randprob.New(seed, randprob.Options{})
		for _, o := range []model.Options{{}, {Propagate: true}} {
			m, err := model.New(p, net, 7, o)
			if err != nil {
				t.Fatal(err)
			}
			for step := 2; step <= 8; step++ {
				if !m.Same(step) {
					continue
				}
				same++
				if a, b := m.Part(step-1), m.Part(step); !reflect.DeepEqual(a, b) {
					t.Fatalf("seed %d %+v: parts %d and %d differ", seed, o, step-1, step)
				}
			}
		}
	}
	if same < 300 {
		t.Errorf("only %d steps are the same as the one before", same)
	}
}

func TestNewRefuses(t *testing.T) {
	p, net, _ := randprob.New(1, randprob.Options{})
	for _, h := range []int{0, -1, 1 << 30} {
		if _, err := model.New(p, net, h, model.Options{}); err == nil {
			t.Errorf("horizon %d is taken", h)
		}
	}
}

// TestPropagationEnds: propagation over many steps ends with its context.
func TestPropagationEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p, net, horizon := randprob.New(1, randprob.Options{StateBits: 4, ActionBits: 2, Auxiliaries: 1, Horizon: 3})
	for _, propagate := range []bool{false, true} {
		_, err := model.New(p, net, horizon, model.Options{Propagate: propagate, Context: ctx})
		if errors.Is(err, context.Canceled) != propagate {
			t.Errorf("with propagation %v: %v", propagate, err)
		}
	}
}

// TestGiven compares models with given bits with brute force over the plans that have them.
func TestGiven(t *testing.T) {
	p := factored.NewProblem("p")
	for _, v := range []factored.Variable{{Name: "s", Kind: factored.State, Bool: true}, {Name: "a", Kind: factored.Action, Bool: true}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	// s' = a
	p.Transition = []factored.Constraint{{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: 0, Next: true}}, {Coef: -1, Lit: factored.Lit{Bit: 1}}}, Op: factored.EQ}}
	build := func(given ...model.Given) (*model.Model, error) {
		return model.New(p, nil, 2, model.Options{Propagate: true, Given: given})
	}
	m, err := build(model.Given{Step: 1, Bit: 1, Value: true}, model.Given{Step: 3, Bit: 0})
	if err != nil || m.Infeasible() {
		t.Fatal(err)
	}
	for i, want := range []int8{0, 1, 1, -1, -1} { // s a s a s
		if got := m.Value(model.Lit(i + 1)); got != want {
			t.Errorf("variable %d is %d, expected %d", i+1, got, want)
		}
	}
	for _, given := range [][]model.Given{
		{{Step: 1, Bit: 1, Value: true}, {Step: 1, Bit: 1}},
		{{Step: 1, Bit: 1, Value: true}, {Step: 2, Bit: 0}},
	} {
		if m, err := build(given...); err != nil || !m.Infeasible() {
			t.Errorf("%v: feasible, %v", given, err)
		}
	}
	for _, g := range []model.Given{{Step: 0, Bit: 0}, {Step: 4, Bit: 0}, {Step: 3, Bit: 1}, {Step: 1, Bit: 2}, {Step: 1, Bit: -1}} {
		if _, err := build(g); err == nil {
			t.Errorf("%v is accepted", g)
		}
	}
	if _, err := model.New(p, nil, 2, model.Options{Given: []model.Given{{Step: 1, Bit: 0}}}); err == nil {
		t.Error("bits are given without propagation")
	}
}
