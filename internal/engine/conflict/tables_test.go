package conflict

import (
	"context"
	"flag"
	"math"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/validate"
)

// Instances is a flag of all tests.
var Instances = flag.Int("instances", 20, "random problems on which the engines are compared with brute force; tests of one part take some times as many")

// TestTables compares sessions that have the cuts of tables from the beginning, but
// neither their plan nor their bound, with brute force. Then the best plan is excluded:
// no plan that is left is better.
func TestTables(t *testing.T) {
	encoding := cnf.Default
	cuts := 0
	for seed := range uint64(8 * *Instances) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		want, ok := randprob.BruteForce(p, net, horizon)
		task := engine.Task{Problem: p, Network: net}
		if !ok {
			x, err := open(context.Background(), task, horizon, setup{features: standard})
			if err == nil {
				err = x.addTables(context.Background(), engine.Limits{})
			}
			if err != nil {
				t.Fatal(err)
			}
			if r, err := x.Solve(context.Background(), engine.Limits{Threads: 1}, nil); err != nil || r.Status != engine.Infeasible {
				t.Fatalf("seed %d: %+v, %v; brute force finds no plan", seed, r, err)
			}
			continue
		}
		for _, how := range []setup{{features: standard &^ Cores}, {features: standard &^ (CounterLayers | Cores)}, {features: standard &^ Cores, encoding: &encoding}} {
			x, err := open(context.Background(), task, horizon, how)
			if err != nil {
				t.Fatal(err)
			}
			lower := x.lower
			if err := x.addTables(context.Background(), engine.Limits{}); err != nil {
				t.Fatal(err)
			}
			x.incumbent, x.cost, x.lower = nil, math.MaxInt64, lower
			r, err := x.Solve(context.Background(), engine.Limits{Threads: 1}, nil)
			if err != nil || r.Status != engine.Optimal || r.Reward != want {
				t.Fatalf("seed %d: %+v, %v; brute force finds %d", seed, r, err, want)
			}
			if x.tables.above.limits != nil || x.tables.beneath.limits != nil {
				cuts += len(x.tables.cuts)
			}
			if err := x.Exclude(engine.Landmark{Trace: r.Trace, Depth: horizon}); err != nil {
				t.Fatal(err)
			}
			next, err := x.Solve(context.Background(), engine.Limits{Threads: 1}, nil)
			if err != nil || next.Status == engine.Optimal && next.Reward > want {
				t.Fatalf("seed %d: after an exclusion %+v, %v; the best was %d", seed, next, err, want)
			}
			if next.Trace != nil {
				if report, err := validate.Check(p, net, validate.FromTrace(next.Trace)); err != nil || !report.Valid {
					t.Fatalf("seed %d: the checker says %+v, %v", seed, report, err)
				}
			}
		}
	}
	if cuts < 6**Instances {
		t.Errorf("only %d cuts were used", cuts)
	}
}
