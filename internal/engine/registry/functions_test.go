package registry_test

import (
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/validate"
)

// TestFunctions compares the engines on problems with functions of states with brute force, and the checker with both.
func TestFunctions(t *testing.T) {
	of := map[int]int{}
	for seed := range uint64(150) {
		p, net, horizon := randprob.New(seed, randprob.Options{StateBits: 4, ActionBits: 2, Auxiliaries: 1})
		of[randprob.AddFunctions(p, seed)]++
		if len(p.Functions) == 0 || p.NumBits() > 16 {
			continue
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		want, feasible := randprob.BruteForce(p, net, horizon)
		for _, name := range []string{"search", "pb", "maxsat"} {
			e, err := registry.New(registry.Options{Engine: name})
			if err != nil {
				t.Fatal(err)
			}
			r, err := e.Solve(t.Context(), engine.Query{Task: engine.Task{Problem: p, Network: net}, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if (r.Status == engine.Optimal) != feasible || feasible && r.Reward != want {
				t.Fatalf("seed %d, %s: %v, reward %d; expected %v, %d", seed, name, r.Status, r.Reward, feasible, want)
			}
			if !feasible {
				continue
			}
			report, err := validate.Check(p, net, validate.FromTrace(r.Trace))
			if err != nil || !report.Valid {
				t.Fatalf("seed %d, %s: %v, %v", seed, name, err, report.Failure)
			}
		}
	}
	if of[1] < 20 || of[2] < 20 {
		t.Errorf("numbers of functions: %v", of)
	}
}
