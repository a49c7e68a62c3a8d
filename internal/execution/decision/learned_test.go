package decision_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/execution/decision"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// recursion computes what a problem is worth from its definition: validate says which steps are legal and what they pay.
type recursion struct {
	t *testing.T
	p *factored.Problem
	c *chance.Transition
}

func (r *recursion) worth(state factored.Valuation, left int) float64 {
	switch {
	case validate.CheckPart(r.p, validate.State, state) != nil:
		return math.Inf(-1)
	case left == 0:
		return 0
	}
	best := math.Inf(-1)
	act := &r.p.Variables[0]
	for a := act.Lo; a <= act.Hi; a++ {
		now := append(factored.Valuation(nil), state...)
		if err := act.Set(now, a); err != nil {
			r.t.Fatal(err)
		}
		draws, err := r.c.Draws(now)
		if err != nil {
			r.t.Fatal(err)
		}
		if sum, legal := r.after(now, make(factored.Valuation, r.p.NumBits()), draws, left); legal {
			best = max(best, sum)
		}
	}
	return best
}

// after is the expected reward from a step on, given some of what is drawn in it; false if an outcome breaks a rule of the step.
func (r *recursion) after(now, next factored.Valuation, draws []*factored.Draw, left int) (sum float64, legal bool) {
	if len(draws) == 0 {
		if f, err := validate.CheckStep(r.p, nil, now, next); f != nil || err != nil {
			return 0, false
		}
		reward, ok := validate.StepReward(r.p, now, next)
		if !ok {
			r.t.Fatal("the reward is not determined")
		}
		return r.p.Reward.Float(reward) + r.worth(next, left-1), true
	}
	for i, row := range draws[0].Values {
		then := append(factored.Valuation(nil), next...)
		for j, v := range draws[0].Variables {
			if err := r.p.Variables[v].Set(then, row[j]); err != nil {
				r.t.Fatal(err)
			}
		}
		x, ok := r.after(now, then, draws[1:], left)
		if !ok {
			return 0, false
		}
		q, _ := draws[0].Probability[i].Float64()
		sum += q * x
	}
	return sum, true
}

// TestLearned: what dynamic programming finds is what the definition of a problem says, with rewards and rules that have auxiliary variables.
func TestLearned(t *testing.T) {
	finite := 0
	for seed := range 40 * *problems {
		rng := rand.New(rand.NewPCG(seed, 11))
		p, m, text := system(t, rng)
		p.Goal = nil
		start := make(factored.Valuation, p.NumBits())
		for _, v := range p.OfKind(factored.State) {
			if err := v.Set(start, v.Lo+rng.Int64N(v.Hi-v.Lo+1)); err != nil {
				t.Fatal(err)
			}
		}
		l, err := decision.NewLearned(p, chance.NewTransition(p, nil, m, nil), start)
		if err != nil {
			t.Fatal(err)
		}
		const horizon = 3
		s, err := policy.Solve(t.Context(), l, policy.Options{Objective: policy.Reward, Horizon: horizon, Threads: 1, Memory: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		want := (&recursion{t, p, chance.NewTransition(p, nil, m, nil)}).worth(start, horizon)
		if s.Value != want && math.Abs(s.Value-want) > 1e-9 {
			t.Errorf("seed %d: %v, want %v\n%s", seed, s.Value, want, text)
		}
		if !math.IsInf(want, 0) {
			finite++
		}
	}
	if finite < int(20**problems) {
		t.Errorf("%d problems have a policy: too few", finite)
	}
}
