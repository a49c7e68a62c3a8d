package policy

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	solver "github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// TestSampledPlans compares the runs in which random plans are followed with what they are worth.
func TestSampledPlans(t *testing.T) {
	p, err := load.Load(t.Context(), load.Ref{
		Source: load.Source{Domain: "../../../examples/drift/drift.rddl", Instance: "../../../examples/drift/pits.rddl", Question: load.Question{Goal: "x >= 2 ^ ~lost"}}, Chance: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(p)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 0))
	bits := p.Problem.Bits(factored.Action)
	outside := 0
	for range 40 {
		var actions []factored.Valuation
		for range 6 {
			val := make(factored.Valuation, p.Problem.NumBits())
			val[bits[rng.IntN(2)]] = true
			actions = append(actions, val)
		}
		var c plan.Chance
		if known, err := m.follow(t.Context(), &c, actions, solver.Success); err != nil || !known || c.Sampled != nil {
			t.Fatalf("%+v, known %v, %v", c, known, err)
		}
		s, err := m.sample(t.Context(), actions)
		if err != nil {
			t.Fatal(err)
		}
		x := &rest{w: validate.NewWalk(m.of, m.chance), trace: &factored.Trace{Steps: append(actions, nil)}, success: true, known: map[[2]int]float64{}}
		start, err := x.w.Number(m.start)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := x.value(0, start); err != nil || math.Abs(v-*c.Success) > 1e-12 {
			t.Errorf("a plan has %v; followed step by step %v, %v", *c.Success, v, err)
		}
		if s.Lower > *c.Success || *c.Success > s.Upper {
			outside++
		}
		if s.Lower > s.Rate || s.Rate > s.Upper || math.Abs(s.Rate-*c.Success) > .06 {
			t.Errorf("a plan has %v; sampled %v in %v..%v", *c.Success, s.Rate, s.Lower, s.Upper)
		}
	}
	if outside > 2 {
		t.Errorf("%d of 40 intervals of 99 %% do not have the true value", outside)
	}
	// Clopper and Pearson's interval of 1 in 10 at 95 %.
	if lo, hi := coverage.Interval(10, 1, .95); math.Abs(lo-.002528579) > 1e-6 || math.Abs(hi-.445016117) > 1e-6 {
		t.Errorf("1 of 10: %v..%v", lo, hi)
	}
}
