package sim_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/rddl/sim"
)

// sysadmin5 returns the bundled problem, with the ranges of its task.
func sysadmin5(b *testing.B) *sim.Simulator {
	b.Helper()
	t, err := bundled.Task("sysadmin/5")
	if err != nil {
		b.Fatal(err)
	}
	g, err := t.Ground(context.Background(), bundled.Read)
	if err != nil {
		b.Fatal(err)
	}
	ranges := sim.Ranges{}
	for name, r := range t.Ranges {
		ranges[name] = sim.Range{Lo: float64(r.Lo), Hi: float64(r.Hi)}
	}
	s, err := sim.New(g, sim.WithRanges(ranges))
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkSysAdmin5 counts updates of state fluents on the bundled problem: ten per step,
// including checks of conditions, the reward and the draw of a random legal joint action.
func BenchmarkSysAdmin5(b *testing.B) {
	s := sysadmin5(b)
	r := s.NewRunner(rand.New(rand.NewPCG(1, 1)))
	var action []float64
	b.ReportAllocs()
	steps := 0
	for b.Loop() {
		if r.Steps() >= s.Problem().Horizon {
			_ = r.Reset()
		}
		var err error
		if action, err = r.DrawAction(action); err != nil {
			b.Fatal(err)
		}
		if _, err = r.Step(action); err != nil {
			_ = r.Reset() // a computer stopped: the invariant is violated
		}
		steps++
	}
	b.ReportMetric(float64(len(s.States())*steps)/b.Elapsed().Seconds(), "updates/s")
}

// BenchmarkStepSysAdmin5 measures the step alone: alternately three reboots and two, which
// keep everything running.
func BenchmarkStepSysAdmin5(b *testing.B) {
	s := sysadmin5(b)
	r := s.NewRunner(nil)
	action := []float64{1, 1, 1, 0, 0}
	other := []float64{0, 0, 0, 1, 1}
	b.ReportAllocs()
	steps := 0
	for b.Loop() {
		if _, err := r.Step(action); err != nil {
			b.Fatal(err)
		}
		action, other = other, action
		steps++
	}
	b.ReportMetric(float64(len(s.States())*steps)/b.Elapsed().Seconds(), "updates/s")
}
