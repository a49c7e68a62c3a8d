package sim_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/rddl/sim"
	"github.com/fdplan/fdplan/rddl/sim/simtest"
)

// BenchmarkSysAdmin5 counts updates of state fluents: ten a step, checks of
// conditions, the reward and the draw of a random legal joint action included.
func BenchmarkSysAdmin5(b *testing.B) {
	s, err := sim.New(simtest.SysAdmin(5, 3), sim.WithRanges(sim.Ranges{"age": {Lo: 0, Hi: 3}}))
	if err != nil {
		b.Fatal(err)
	}
	r := s.NewRunner(rand.New(rand.NewPCG(1, 1)))
	var action []float64
	b.ReportAllocs()
	steps := 0
	for b.Loop() {
		steps++
		if r.Steps() >= 20 {
			_ = r.Reset()
		}
		if action, err = r.DrawAction(action); err != nil {
			b.Fatal(err)
		}
		if _, err = r.Step(action); err != nil {
			_ = r.Reset()
		}
	}
	b.ReportMetric(float64(len(s.States())*steps)/b.Elapsed().Seconds(), "updates/s")
}

// BenchmarkNoopSysAdmin5 is the step alone.
func BenchmarkNoopSysAdmin5(b *testing.B) {
	s, err := sim.New(simtest.SysAdmin(5, 3))
	if err != nil {
		b.Fatal(err)
	}
	r := s.NewRunner(nil)
	action := []float64{1, 1, 1, 0, 0}
	other := []float64{0, 0, 0, 1, 1}
	b.ReportAllocs()
	steps := 0
	for b.Loop() {
		steps++
		if _, err = r.Step(action); err != nil {
			b.Fatal(err)
		}
		action, other = other, action
	}
	b.ReportMetric(float64(len(s.States())*steps)/b.Elapsed().Seconds(), "updates/s")
}
