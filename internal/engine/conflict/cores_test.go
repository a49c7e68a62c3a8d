package conflict

import (
	"context"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/randprob"
)

// TestCores compares optima that cores prove, before costs are counted, with brute force. Then the best plan is excluded, of which
// the search for cores knows nothing: no plan that is left is better, and none is the one that was excluded.
func TestCores(t *testing.T) {
	ctx := context.Background()
	proven, plans := 0, 0
	for seed := range uint64(8 * *Instances) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		want, ok := randprob.BruteForce(p, net, horizon)
		x, err := open(ctx, engine.Task{Problem: p, Network: net}, horizon, setup{features: standard})
		if err != nil || !ok {
			continue
		}
		plans++
		r, err := x.Solve(ctx, engine.Limits{Threads: 1}, nil)
		if err != nil || r.Status != engine.Optimal || r.Reward != want {
			t.Fatalf("seed %d: %+v, %v; brute force finds %d", seed, r, err, want)
		}
		if x.c == nil {
			proven++
		}
		// Asked for any plan in between, the session forgets the best one, and has to find it again.
		if _, err := x.Better(ctx, nil, engine.Limits{Threads: 1}); err != nil {
			t.Fatal(err)
		}
		if r, err = x.Solve(ctx, engine.Limits{Threads: 1}, nil); err != nil || r.Status != engine.Optimal || r.Reward != want {
			t.Fatalf("seed %d: after another question %+v, %v; brute force finds %d", seed, r, err, want)
		}
		excluded := engine.Landmark{Trace: r.Trace, Depth: horizon}
		if err := x.Exclude(excluded); err != nil {
			t.Fatal(err)
		}
		next, err := x.Solve(ctx, engine.Limits{Threads: 1}, nil)
		if err != nil || next.Status != engine.Optimal && next.Status != engine.Infeasible {
			t.Fatalf("seed %d: after an exclusion %+v, %v", seed, next, err)
		}
		if next.Trace == nil {
			continue
		}
		if next.Reward > want || excluded.Covers(p, next.Trace) {
			t.Fatalf("seed %d: after an exclusion %+v; the best was %d", seed, next, want)
		}
	}
	if plans == 0 || proven < plans/2 {
		t.Errorf("cores proved %d of %d optima", proven, plans)
	}
}
