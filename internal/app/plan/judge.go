package plan

import (
	"context"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// judge simulates the plan of a document, if the problem has RDDL, and records the verdict in
// it.
func judge(p *load.Problem, d *Document, tr *factored.Trace) error {
	if p.Declared != nil {
		d.Note = "no simulator for " + strings.Join(p.Declared.Learned, ", ") + ": the plan is proven in the learned model only"
	}
	if p.Truth == nil || p.Truth.Sim.Stochastic() {
		return nil
	}
	session := simulator.NewSession(p.World(), simulator.NewRDDL(p.Truth.System(), nil), p.SessionOptions(false))
	run, err := session.Replay(context.Background(), tr.Steps[0], tr.Steps[:tr.Horizon()])
	if err != nil {
		return fmt.Errorf("simulating the plan: %w", err)
	}
	if run.Failure == nil {
		run.Failure = p.TimedFailure(run.Answers, tr.Steps[:tr.Horizon()])
	}
	d.Observe(p.World(), tr, run.Answers)
	valid := run.Failure == nil
	d.Valid.Simulator = &valid
	if valid {
		d.Simulated = run.Reward
	} else {
		d.SimulatorSays = run.Failure.Error()
	}
	return nil
}
