package outsource_test

import (
	"context"
	"flag"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/outsource"
	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/external"
)

var (
	instances = flag.Int("instances", 16, "random problems that are compared with brute force")
	firstSeed = flag.Uint64("first-seed", 5_000_000, "seed of the first random problem")
)

// TestRandomProblems compares clasp, through WCNF in all encodings and through
// OPB, with brute force.
func TestRandomProblems(t *testing.T) {
	extsolver.Require(t, "clasp")
	maxsat, err := external.Lookup(external.MaxSAT, "clasp")
	if err != nil {
		t.Fatal(err)
	}
	pb, err := external.Lookup(external.PB, "clasp")
	if err != nil {
		t.Fatal(err)
	}
	encodings := []cnf.Encoding{cnf.Default, cnf.Paper, cnf.Published, cnf.Unidirectional}
	feasible := 0
	for i := range *instances {
		seed := *firstSeed + uint64(i)
		p, net, horizon := randprob.New(seed, randprob.Options{})
		want, ok := randprob.BruteForce(p, net, horizon)
		if ok {
			feasible++
		}
		for name, e := range map[string]engine.Engine{"maxsat": outsource.MaxSAT{Solver: maxsat, Encoding: encodings[i%len(encodings)]}, "pb": outsource.PB{Solver: pb}} {
			res, err := e.Solve(context.Background(), engine.Query{Task: engine.Task{Problem: p, Network: net}, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
			switch {
			case err != nil:
				t.Errorf("seed %d, %s: %v", seed, name, err)
			case !ok && res.Status != engine.Infeasible:
				t.Errorf("seed %d, %s: %s, brute force says that there is no plan", seed, name, res.Status)
			case ok && (res.Status != engine.Optimal || res.Reward != want):
				t.Errorf("seed %d, %s: %s %d, brute force %d", seed, name, res.Status, res.Reward, want)
			}
		}
	}
	if feasible < *instances/4 {
		t.Errorf("only %d of %d random problems have a plan", feasible, *instances)
	}
}
