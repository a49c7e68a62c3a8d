package bound

import (
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/validate"
)

// TestDominance lists all states of problems with a store, and wants plans that are as good without those that others dominate, of which there are some.
func TestDominance(t *testing.T) {
	const horizon, all = 4, 1 << 20
	dominated := int64(0)
	for seed := range uint64(40) {
		f, err := New(t.Context(), engine.Task{Problem: randprob.Stock(seed)}, horizon, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		starts, _ := f.listStarts(t.Context())
		best := func(d dominance) int64 {
			b := f.newBeam(f.newOrder(), f.newOptimizer(scale).best, infinite-1, all, 0)
			b.better = d
			cost := costOf(t, seed, f, b, starts)
			dominated += b.removed
			return cost
		}
		if with, without := best(f.newDominance()), best(nil); with != without {
			t.Errorf("seed %d: the least cost is %d without dominated states, and %d with them", seed, with, without)
		}
	}
	if dominated == 0 {
		t.Error("no state is dominated")
	}
	t.Log(dominated, "states are dominated")
}

// costOf is the least cost that a beam finds, of a plan that the checker takes; infinite for none.
func costOf(t *testing.T, seed uint64, f *Factors, b *beam, starts [][]uint32) int64 {
	t.Helper()
	trace, cost, _ := b.run(t.Context(), starts)
	if trace == nil {
		return infinite
	}
	report, err := validate.Check(f.r.Task.Problem, nil, validate.FromTrace(trace))
	if err != nil || !report.Valid || report.Reward != f.reward(cost) {
		t.Errorf("seed %d: a plan of reward %d: the checker says %+v, %v", seed, f.reward(cost), report, err)
	}
	return cost
}
