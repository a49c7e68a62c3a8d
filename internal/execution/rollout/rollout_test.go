package rollout

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/rddl/translate"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// garden has plants that dry up, a tank that one walk fills, and a speed of pouring. Watering
// pays only after the tank was filled.
const garden = `domain garden {
	types { plant : object; };
	pvariables {
		tank : { state-fluent, int, default = 0 };
		moist(plant) : { state-fluent, int, default = 0 };
		done : { state-fluent, bool, default = false };
		fill : { action-fluent, bool, default = false };
		pour(plant) : { action-fluent, int, default = 0 };
	};
	cpfs {
		tank' = if (fill) then 3 else max[0, tank - (sum_{?p : plant} [pour(?p)])];
		moist'(?p) = if (tank >= (sum_{?q : plant} [pour(?q)])) then min[2, max[0, moist(?p) - 1] + pour(?p)] else max[0, moist(?p) - 1];
		done' = done;
	};
	reward = [sum_{?p : plant} [2 * (moist'(?p) > 0)]] - fill - 0.25 * [sum_{?p : plant} [pour(?p)]];
	action-preconditions {
		forall_{?p : plant} [pour(?p) >= 0 ^ pour(?p) <= 2];
		fill => (sum_{?p : plant} [pour(?p)]) == 0;
		BLOCK
	};
}
instance two {
	domain = garden;
	objects { plant : {a, b}; };
	horizon = 5; discount = 1.0;
}`

func truth(t *testing.T, block string) *simulator.Truth {
	t.Helper()
	file := filepath.Join(t.TempDir(), "garden.rddl")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(garden, "BLOCK", block)), 0o666); err != nil {
		t.Fatal(err)
	}
	g, err := ground.Load(context.Background(), file, "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := translate.Problem(context.Background(), g, translate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ranges := sim.Ranges{}
	for i := range g.Fluents {
		if r, ok := c.Inferred().Range(i); ok && g.Fluents[i].Kind == ground.Action {
			ranges[g.Fluents[i].Name] = sim.Range{Lo: float64(r.Lo), Hi: float64(r.Hi)}
		}
	}
	s, err := sim.New(g, sim.WithRanges(ranges))
	if err != nil {
		t.Fatal(err)
	}
	return &simulator.Truth{Compiled: c, Sim: s}
}

// most is the best reward of h more steps from a state, by brute force.
func most(t *testing.T, r *sim.Runner, state []float64, h int) float64 {
	best := -1e9
	if h == 0 {
		return 0
	}
	for n := range 18 {
		action := []float64{float64(n / 9), float64(n / 3 % 3), float64(n % 3)}
		if err := r.SetState(state); err != nil {
			t.Fatal(err)
		}
		if reward, err := r.Step(action); err == nil {
			best = max(best, reward+most(t, r, r.State(nil), h-1))
		}
	}
	return best
}

// TestImprove compares the plan with the best one, and with the checker.
func TestImprove(t *testing.T) {
	for block, idle := range map[string]bool{"": true, "fill | (sum_{?p : plant} [pour(?p)]) > 0;": false} {
		tr := truth(t, block)
		start := make(factored.Valuation, tr.Compiled.Problem.NumBits())
		want := most(t, tr.Sim.NewRunner(nil), tr.State(start), 4)
		for seed := range uint64(3) {
			p, err := New(tr, rand.New(rand.NewPCG(seed, 0)))
			if err != nil {
				t.Fatal(err)
			}
			p.Start(start, 4)
			first := p.best.reward()
			if idle != (first == 0) {
				t.Errorf("doing nothing, or what is legal in its place, has reward %v", first)
			}
			p.Improve(context.Background(), 3000)
			if p.best.reward() != want {
				t.Errorf("seed %d: reward %v, the best is %v", seed, p.best.reward(), want)
			}
			plan, err := p.Trace()
			if err != nil {
				t.Fatal(err)
			}
			report, err := validate.Check(tr.Compiled.Problem, nil, validate.FromTrace(plan))
			if err != nil || !report.Valid || tr.Compiled.Problem.Reward.Float(report.Reward) != want {
				t.Errorf("the checker: %+v, %v; want the reward %v", report, err, want)
			}
			// A plan that is given again is as good, and what is left out is not done.
			p.Start(start, 4)
			if p.Try(plan.Steps[:4]); p.best.reward() != want {
				t.Errorf("the same plan has reward %v, want %v", p.best.reward(), want)
			}
			p.Start(start, 4)
			if p.Try(plan.Steps[:1]); p.best.reward() > want || len(p.best.actions) != 4 {
				t.Errorf("%d actions, reward %v", len(p.best.actions), p.best.reward())
			}
		}
	}
}

// TestTerminal: a plan ends in a terminal state.
func TestTerminal(t *testing.T) {
	tr := truth(t, "")
	src := strings.ReplaceAll(strings.ReplaceAll(garden, "BLOCK", ""), "done' = done;", "done' = done | tank > 0;")
	src = strings.Replace(src, "reward =", "termination { done; }; reward =", 1)
	file := filepath.Join(t.TempDir(), "ends.rddl")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	g, err := ground.Load(context.Background(), file, "")
	if err != nil {
		t.Fatal(err)
	}
	if tr.Compiled, err = translate.Problem(context.Background(), g, translate.Options{}); err != nil {
		t.Fatal(err)
	}
	p, err := New(tr, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		t.Fatal(err)
	}
	fill := make(factored.Valuation, tr.Compiled.Problem.NumBits())
	v, _ := tr.Compiled.Problem.Lookup("fill")
	fill[v.First] = true
	p.Start(make(factored.Valuation, len(fill)), 5)
	p.best = nil
	p.Try([]factored.Valuation{fill})
	plan, err := p.Trace()
	if err != nil || plan.Horizon() != 2 {
		t.Errorf("%+v, %v; want to end after two steps", plan, err)
	}
}
