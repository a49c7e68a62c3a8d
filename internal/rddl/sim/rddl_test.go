package sim_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
)

// TestCompetitionProblems simulates every bundled competition instance for its
// whole horizon under random legal joint actions.
func TestCompetitionProblems(t *testing.T) {
	instances, err := filepath.Glob("../../../../shared/data/rddl/*/*/instance*.rddl")
	if err != nil {
		t.Fatal(err)
	}
	if len(instances) == 0 {
		t.Skip("the competition's problems are not at ../shared/data/rddl")
	}
	for _, instance := range instances {
		p, err := ground.Load(context.Background(), filepath.Join(filepath.Dir(instance), "domain.rddl"), instance)
		if err != nil {
			t.Errorf("%s: %v", instance, err)
			continue
		}
		s, err := sim.New(p)
		if err != nil {
			t.Errorf("%s: %v", instance, err)
			continue
		}
		e, err := s.NewRunner(rand.New(rand.NewPCG(1, 1))).Run(sim.Random{}, 0, nil)
		if err != nil || e.Steps != p.Horizon && e.End != sim.AtTerminal {
			t.Errorf("%s: %+v, %v", instance, e, err)
		}
	}
}
