package conflict_test

import (
	"context"
	"flag"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/validate"
)

var (
	firstSeed = flag.Uint64("first-seed", 2_000_000, "seed of the first random problem")
	long      = flag.Bool("long", false, "prove the published problems at all horizons, and check the proofs")
)

// TestRandomProblems compares pb, maxsat in all encodings and without implicates with
// brute force over all plans, and has the checker replay each plan.
func TestRandomProblems(t *testing.T) {
	engines := map[string]engine.Engine{"pb": conflict.PB{}}
	for _, name := range []string{"default", "paper", "published", "unidirectional"} {
		e, err := cnf.ParseEncoding(name)
		if err != nil {
			t.Fatal(err)
		}
		engines["maxsat "+name] = conflict.MaxSAT{Encoding: e}
	}
	engines["maxsat with hidden units"] = conflict.MaxSAT{Change: conflict.Implicates}
	feasible := 0
	for i := range *conflict.Instances {
		seed := *firstSeed + uint64(i)
		p, net, horizon := randprob.New(seed, randprob.Options{})
		if i%3 == 0 { // weights with many different sums
			for j := range p.Reward.Terms {
				p.Reward.Terms[j].Weight = p.Reward.Terms[j].Weight*1_000_003 + int64(j)*7919
			}
		}
		want, ok := randprob.BruteForce(p, net, horizon)
		if ok {
			feasible++
		}
		for name, e := range engines {
			task := engine.Task{Problem: p, Network: net}
			res, err := e.Solve(context.Background(), engine.Query{Task: task, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, name, err)
			}
			switch {
			case !ok && res.Status != engine.Infeasible:
				t.Fatalf("seed %d: %s says %s %d, brute force that there is no plan", seed, name, res.Status, res.Reward)
			case ok && (res.Status != engine.Optimal || res.Reward != want || *res.Bound != want):
				t.Fatalf("seed %d: %s says %s %d, brute force %d", seed, name, res.Status, res.Reward, want)
			case ok:
				report, err := validate.Check(p, net, validate.FromTrace(res.Trace))
				if err != nil || !report.Valid || report.Reward != want {
					t.Fatalf("seed %d: the checker says of the plan of %s: %+v, %v", seed, name, report, err)
				}
			}
		}
	}
	if feasible < *conflict.Instances/4 {
		t.Errorf("only %d of %d random problems have a plan", feasible, *conflict.Instances)
	}
}
