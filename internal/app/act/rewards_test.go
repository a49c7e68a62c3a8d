package act

import (
	"context"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/certify/learned"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/execution/acting"
	"github.com/fdplan/fdplan/problem/factored"
)

// sums has the world send rewards: a random sum of products of at most so many bits of a step, of at most 5.
func (w *world) sums(degree int) {
	n := w.p.NumBits()
	weights := map[[2]int]int64{}
	for a := range 2 * n {
		for b := range 2 * n {
			if a == b || degree == 2 && w.r.IntN(n) == 0 {
				weights[[2]int{a, b}] = max(0, w.r.Int64N(9)-4)
			}
		}
	}
	w.pay = func(now, next factored.Valuation) int64 {
		sum := int64(20)
		at := slices.Concat(now, next)
		for b := range n {
			at[n+b] = at[n+b] && w.p.Kind(factored.Bit(b)) == factored.State
		}
		for of, weight := range weights {
			if at[of[0]] && at[of[1]] {
				sum -= weight
			}
		}
		return sum
	}
}

// proves has another engine solve the problem that the checker makes: its optimum is that of the stop.
func (w *world) proves(t *testing.T, r *acting.Result, c *learned.Checked) {
	t.Helper()
	if err := holds(c); err != nil {
		t.Errorf("%s: %v", w.p.Name, err)
	}
	for _, change := range []func(rec *learned.Record){
		func(rec *learned.Record) { rec.Rows, rec.Reward.Known = rec.Rows[:1], [][]learned.Condition{{}} },
		func(rec *learned.Record) { rec.Reward.Most = -1e9 },
	} {
		rec := recordOf(w.p, w.horizon, r)
		if rec.Clauses, rec.Plan = nil, nil; len(rec.Rows) == 0 {
			continue // no plan exists whatever happens
		}
		change(rec)
		if _, err := learned.Check(context.Background(), w.p, rec); err == nil {
			t.Errorf("%s: the checker accepts what was not seen", w.p.Name)
		}
	}
	x, err := conflict.PB{}.Solve(context.Background(), engine.Query{Task: engine.Task{Problem: c.Optimistic}, MinHorizon: w.horizon, MaxHorizon: w.horizon}, engine.Limits{Threads: 1}, nil)
	if err != nil || x.Status != r.Status || r.Status == engine.Optimal && (c.Reward != *r.Reward || x.Reward*acting.RewardScale/c.Optimistic.Reward.Scale != *r.Reward) {
		t.Errorf("%s: the checker's problem has %+v, the stop %s %v; %v", w.p.Name, x, r.Status, value(r.Reward), err)
	}
}

// TestRewards learns the reward too. Each certified stop is right where the reward is a sum of weights of bits; where it is one of
// weights of two bits, a wrong one assumes that it is not.
func TestRewards(t *testing.T) {
	proven, wrong, most := [3]int{}, 0, 5.0
	for seed := range uint64(*worlds) {
		k, degree := 1+int(seed%3), 1+int(seed/2%2)
		w := newWorld(seed, k)
		w.sums(degree)
		best := w.best()
		r := w.learn(t, k, seed%4 != 0, func(o *acting.Options) { o.Most = &most })
		if r.Status != engine.Unknown {
			proven[degree]++
		}
		if c := w.checked(t, r); c != nil && r.Status != engine.Unknown {
			w.proves(t, r, c)
		}
		if !right(r, best) {
			if wrong++; r.Model.Reward.Degree >= degree {
				t.Errorf("%s, k %d: %s %v, brute force %v", w.p.Name, k, r.Status, value(r.Reward), value(best))
			}
		}
	}
	if proven[1] < *worlds/4 || proven[2] < *worlds/5 {
		t.Errorf("%v of %d were proven: too few", proven, *worlds)
	}
	t.Logf("%v of %d proven by degree, %d wrong with too low a degree", proven, *worlds, wrong)
}
