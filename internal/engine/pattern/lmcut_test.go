package pattern_test

import (
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/engine/pattern"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/randprob"
)

// TestLMCut compares LM-cut's bound of each state of small problems with the cost of its cheapest plan.
func TestLMCut(t *testing.T) {
	const horizon = 8
	exact, known := 0, 0
	for seed := range uint64(40) {
		p := randprob.Tokens(seed, 1+int(seed%3), 5, 1+int(seed%2), true)
		task := engine.Task{Problem: p}
		layers, ok, err := search.Explore(t.Context(), task, horizon, 1<<20)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if len(layers.States[0]) == 0 {
			continue // what has to hold at the end is out of reach
		}
		var rules func() ([]bound.Rule, error)
		if seed%2 == 0 {
			rules = func() ([]bound.Rule, error) {
				r, err := pattern.NewRules(t.Context(), task, 1, [][]uint64{pack(p, layers.States[0][0])})
				return r.Places(), err
			}
		}
		ops, _, _, err := bound.Operators(t.Context(), task, bound.Reading{Most: bound.MostJoint, Rules: rules})
		if err != nil {
			t.Fatal(err)
		}
		if ops == nil {
			continue // their conditions have too many cases
		}
		c, err := pattern.NewCut(task, ops)
		if err != nil {
			t.Fatal(err)
		}
		if c == nil {
			continue // nothing has to hold at the end
		}
		cutter, want := c.NewCutter(), costs(p, layers)
		for k, states := range layers.States {
			for i, v := range states {
				switch least := cutter.Of(pack(p, v)); {
				case least > want[k][i]:
					t.Fatalf("seed %d: bound %d of a state from which a plan costs %d", seed, least, want[k][i])
				case least == want[k][i]:
					exact++
				}
				known++
			}
		}
	}
	if known == 0 || exact*2 < known {
		t.Errorf("the bound is the cost in only %d of %d cases", exact, known)
	}
}
