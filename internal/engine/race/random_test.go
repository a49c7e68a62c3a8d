package race_test

import (
	"context"
	"flag"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/race"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/validate"
)

var instances = flag.Int("instances", 20, "random problems that are compared with brute force")

// TestRandomProblems compares the race with brute force over all plans, and has the checker
// replay each plan.
func TestRandomProblems(t *testing.T) {
	feasible := 0
	for i := range *instances {
		seed := 2_000_000 + uint64(i)
		p, net, horizon := randprob.New(seed, randprob.Options{})
		if i%3 == 0 { // weights with many different sums
			for j := range p.Reward.Terms {
				p.Reward.Terms[j].Weight = p.Reward.Terms[j].Weight*1_000_003 + int64(j)*7919
			}
		}
		want, ok := randprob.BruteForce(p, net, horizon)
		q := engine.Query{Task: engine.Task{Problem: p, Network: net}, MinHorizon: horizon, MaxHorizon: horizon}
		res, err := race.New(search.Engine{}, conflict.PB{}).Solve(context.Background(), q, engine.Limits{Threads: 1}, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !ok {
			if res.Status != engine.Infeasible {
				t.Fatalf("seed %d: %s %d, brute force finds no plan", seed, res.Status, res.Reward)
			}
			continue
		}
		feasible++
		if res.Status != engine.Optimal || res.Reward != want || *res.Bound != want {
			t.Fatalf("seed %d: %s %d, brute force finds %d", seed, res.Status, res.Reward, want)
		}
		if report, err := validate.Check(p, net, validate.FromTrace(res.Trace)); err != nil || !report.Valid || report.Reward != want {
			t.Fatalf("seed %d: the checker says %+v, %v", seed, report, err)
		}
	}
	if feasible < *instances/4 {
		t.Errorf("only %d of %d random problems have a plan", feasible, *instances)
	}
}
