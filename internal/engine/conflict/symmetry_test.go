package conflict

import (
	"context"
	"math"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/validate"
)

// TestSymmetry compares sessions in which machines that can be swapped are kept in order with
// brute force. Then the best plan is excluded, and all as good ones after it: the plans that the
// order leaves out are found now.
func TestSymmetry(t *testing.T) {
	const horizon = 3
	encoding := cnf.Default
	ordered := 0
	for seed := range uint64(60) {
		p, net := randprob.Machines(seed, 3+int(seed%2))
		want, ok := randprob.BruteForce(p, net, horizon)
		if !ok {
			t.Fatalf("seed %d: there is no plan", seed)
		}
		var best [3]int // plans, by kind of session
		for i, how := range []setup{{features: standard}, {features: standard, encoding: &encoding}, {features: standard &^ Symmetry}} {
			x, err := open(context.Background(), engine.Task{Problem: p, Network: net}, horizon, how)
			if err != nil {
				t.Fatal(err)
			}
			lower := x.lower
			if err := x.addTables(context.Background(), engine.Limits{}); err != nil {
				t.Fatal(err)
			}
			if x.incumbent, x.cost, x.lower = nil, math.MaxInt64, lower; x.ordered != 0 {
				ordered++
			}
			for {
				r, err := x.Solve(context.Background(), engine.Limits{Threads: 1}, nil)
				if err != nil || best[i] == 0 && (r.Status != engine.Optimal || r.Reward != want) {
					t.Fatalf("seed %d: %+v, %v; brute force finds %d", seed, r, err, want)
				}
				if r.Status != engine.Optimal || r.Reward < want {
					break
				}
				if report, err := validate.Check(p, net, validate.FromTrace(r.Trace)); err != nil || !report.Valid {
					t.Fatalf("seed %d: the checker says %+v, %v", seed, report, err)
				}
				best[i]++
				if err := x.Exclude(engine.Landmark{Trace: r.Trace, Depth: horizon}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if best[0] != best[2] || best[1] != best[2] {
			t.Errorf("seed %d: %d and %d best plans with the order, %d without", seed, best[0], best[1], best[2])
		}
	}
	if ordered < 60 {
		t.Errorf("only %d sessions have machines in order", ordered)
	}
}
