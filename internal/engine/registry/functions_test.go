package registry_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/engine/tube"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// TestFunctions compares the engines on problems with functions of states with brute force, and the checker with both.
func TestFunctions(t *testing.T) {
	of, answers := map[int]int{}, map[string]int{}
	for seed := range uint64(400) {
		p, net, horizon := randprob.New(seed, randprob.Options{StateBits: 4, ActionBits: 2, Auxiliaries: 1})
		of[addFunctions(p, seed)]++
		if len(p.Functions) == 0 || p.NumBits() > 16 {
			continue
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		want, feasible := randprob.BruteForce(p, net, horizon)
		for _, name := range []string{"search", "pb", "maxsat", "pieces"} {
			e := find(t, name)
			r, err := e.Solve(t.Context(), engine.Query{Task: engine.Task{Problem: p, Network: net}, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if name == "pieces" && r.Status == engine.Unknown {
				continue // not linear, or the start is open
			}
			answers[name]++
			if name == "pieces" {
				checkHorizons(t, seed, p, net, horizon)
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
	if answers["pieces"] < 15 {
		t.Errorf("answers: %v", answers)
	}
}

// checkHorizons compares the best of several horizons, the shortest on a tie, with brute force. The last one is solved first.
func checkHorizons(t *testing.T, seed uint64, p *factored.Problem, net *bnn.Network, most int) {
	t.Helper()
	var best int64
	at := 0
	for h := 1; h <= most; h++ {
		if reward, ok := randprob.BruteForce(p, net, h); ok && (at == 0 || reward > best) {
			best, at = reward, h
		}
	}
	r, err := find(t, "pieces").Solve(t.Context(), engine.Query{Task: engine.Task{Problem: p, Network: net}, MinHorizon: 1, MaxHorizon: most}, engine.Limits{Threads: 1}, nil)
	if err != nil || (r.Status == engine.Optimal) != (at > 0) || at > 0 && (r.Reward != best || r.Horizon != at) {
		t.Fatalf("seed %d, 1..%d: %+v, %v; expected %d at %d", seed, most, r, err, best, at)
	}
}

// find makes an engine by its name; pieces has none of its own.
func find(t *testing.T, name string) engine.Engine {
	t.Helper()
	if name == "pieces" {
		return tube.Engine{}
	}
	e, err := registry.New(registry.Options{Engine: name})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestEnds compares the engines with an enumeration on a level that no step may lead out of its range 0..6.
func TestEnds(t *testing.T) {
	const horizon, most = 4, 6
	rng := rand.New(rand.NewPCG(30, 1))
	found := map[bool]int{}
	for n := range 60 {
		p := factored.NewProblem("ends")
		for _, v := range []factored.Variable{{Name: "pump", Kind: factored.Action, Hi: 2}, {Name: "level", Kind: factored.State, Lo: -1, Hi: most + 1, Ends: true}} {
			if _, err := p.AddVariable(v); err != nil {
				t.Fatal(err)
			}
		}
		by, drain, slope := int64(1+rng.IntN(9)), int64(rng.IntN(9)), int64(3+rng.IntN(5))
		sum := factored.Affine{Terms: []factored.Summand{{Coef: by, Variable: 0}, {Coef: slope, Variable: 1}}, K: -drain, Den: 4}
		if err := p.DefineFunction(factored.Function{Variable: 1, Root: &factored.FunctionNode{Sum: sum}, Lo: -1, Hi: most + 1}); err != nil {
			t.Fatal(err)
		}
		start := int64(rng.IntN(most+3)) - 1
		p.Initial = p.Variables[1].Equals(start, "initial")
		p.Reward = factored.Reward{Scale: 1, Terms: []factored.RewardTerm{{Weight: 1, Lit: factored.Lit{Bit: p.Variables[0].First}}, {Weight: -1, Lit: factored.Lit{Bit: p.Variables[0].First + 1}}}}
		best, feasible := int64(math.MinInt64), false
		var walk func(level, reward int64, step int)
		walk = func(level, reward int64, step int) {
			if level < 0 || level > most {
				return
			}
			if step == horizon {
				best, feasible = max(best, reward), true
				return
			}
			for pump := range int64(3) {
				walk(int64(math.RoundToEven(float64(by*pump+slope*level-drain)/4)), reward+pump>>1-pump&1, step+1)
			}
		}
		walk(start, 0, 0)
		found[feasible]++
		for _, name := range []string{"search", "pb", "maxsat"} {
			e := find(t, name)
			r, err := e.Solve(t.Context(), engine.Query{Task: engine.Task{Problem: p}, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
			if err != nil || (r.Status == engine.Optimal) != feasible || feasible && r.Reward != best {
				t.Fatalf("%d, %s: %+v, %v; expected %v, %d", n, name, r, err, feasible, best)
			}
		}
	}
	if found[true] < 15 || found[false] < 15 {
		t.Errorf("%v problems", found)
	}
}
