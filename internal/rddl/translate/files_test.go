package translate

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// TestFiles compiles problems whose integers and reals have no declared ranges, whose functions
// and products read many bits, and which draw at random. Random episodes of the determinised
// problem in the simulator are valid, with the same reward; what is inferred also covers
// episodes of the random one.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.rddl")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			g, err := ground.Load(context.Background(), file, "")
			if err != nil {
				t.Fatal(err)
			}
			d, err := g.Determinize(ground.MostLikely)
			if err != nil {
				t.Fatal(err)
			}
			c, err := Problem(context.Background(), d, Options{})
			if err != nil {
				t.Fatal(err)
			}
			steps := 0
			for _, p := range []*ground.Problem{d, g} {
				ranges := sim.Ranges{}
				for i := range p.Fluents {
					if r, ok := c.Inferred().Range(i); ok && p.Fluents[i].Kind == ground.Action {
						ranges[p.Fluents[i].Name] = sim.Range{Lo: float64(r.Lo), Hi: float64(r.Hi)}
					}
				}
				s, err := sim.New(p, sim.WithRanges(ranges))
				if err != nil {
					t.Fatal(err)
				}
				for seed := range uint64(10) {
					steps += episode(t, c, s.NewRunner(rand.New(rand.NewPCG(seed, 0))), p == d)
				}
			}
			if steps < 20 {
				t.Errorf("only %d steps", steps)
			}
		})
	}
}

// episode takes random legal steps, at most as many as the horizon, and compares them with the
// compiled problem if the simulator is of that. It returns the number of steps.
func episode(t *testing.T, c *Compiled, r *sim.Runner, same bool) (steps int) {
	t.Helper()
	if err := r.Reset(); err != nil {
		t.Fatal(err)
	}
	valuation := func(action []float64) factored.Valuation {
		values := make([]float64, len(c.Ground.Fluents))
		for _, i := range r.Simulator().States() {
			values[i] = r.Value(i)
		}
		for n, i := range r.Simulator().Actions() {
			values[i] = c.Ground.Fluents[i].Default
			if action != nil {
				values[i] = action[n]
			}
		}
		v, err := c.Valuation(values)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var plan validate.Plan
	plan.States = append(plan.States, valuation(nil))
	sum := 0.0
	for range c.Ground.Horizon {
		action, err := r.DrawAction(nil)
		if err != nil {
			break
		}
		here := valuation(action)
		reward, err := r.Step(action)
		if err != nil {
			break // into a state that breaks an invariant
		}
		plan.Actions = append(plan.Actions, here)
		plan.States = append(plan.States, valuation(nil))
		sum += reward
	}
	if !same || len(plan.Actions) == 0 {
		return len(plan.Actions)
	}
	rep, err := validate.Check(c.Problem, nil, plan)
	if err != nil || !rep.Valid {
		t.Fatalf("%v, %v", rep.Failure, err)
	}
	// Values that are not fractions are rounded.
	if got := c.Problem.Reward.Float(rep.Reward); math.Abs(got-sum) > 1e-6 {
		t.Fatalf("reward %v, want %v", got, sum)
	}
	return len(plan.Actions)
}
