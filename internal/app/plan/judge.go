package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/rddl/operator"
	"github.com/fdplan/fdplan/problem/factored"
)

// Simulate replays the plan of a document by try or, without one, in the problem's RDDL if there
// is any, and records the verdict in it.
func (d *Document) Simulate(ctx context.Context, p *load.Problem, tr *factored.Trace, try func(context.Context, *factored.Trace) (*simulator.Run, error)) error {
	actions := tr.Steps[:tr.Horizon()]
	if p.InPDDL() && try == nil {
		x := p.Execute(actions)
		valid := x.Failure == nil
		if d.Valid.Simulator = &valid; valid {
			d.Metric = &x.Metric
		} else {
			d.SimulatorSays = x.Failure.Error()
		}
		return nil
	}
	var err error
	if d.Unrounded, err = p.Unrounded(tr); err != nil {
		return fmt.Errorf("simulating the plan without rounding: %w", err)
	}
	if try == nil {
		if len(p.Unknown) > 0 {
			d.Note = "no simulator for " + strings.Join(p.Unknown, ", ") + ": the plan is proven in the learned model only"
			if p.Inexact() {
				d.Note += ", as if its functions had no errors (--robust)"
			}
			if beyond := p.Beyond(slices.Values(tr.Steps)); len(beyond) > 0 {
				d.Note += "; it goes where no row was: " + strings.Join(beyond, "; ")
			}
		}
		if try = inRDDL(p); try == nil {
			return nil
		}
	}
	run, err := try(ctx, tr)
	if err != nil {
		return fmt.Errorf("simulating the plan: %w", err)
	}
	if run.Failure == nil {
		run.Failure = p.TimedFailure(run.Answers, actions)
	}
	d.Observe(p.World(), tr, run.Answers)
	d.OutOfRange = nil
	for _, a := range run.Answers {
		d.OutOfRange = append(d.OutOfRange, a.Outside...)
	}
	valid := run.Failure == nil
	d.Valid.Simulator = &valid
	if valid {
		d.Simulated = run.Reward
		if s, r := d.Simulated, d.Reward; p.Rounded != "" && s != nil && r != nil && operator.Near(*s, *r) == *r {
			d.Simulated = r // the simulator adds up in floating point
		}
	} else {
		d.SimulatorSays = run.Failure.Error()
	}
	return nil
}

// inRDDL replays plans in the problem's RDDL; nil if there is none in which they have one outcome.
func inRDDL(p *load.Problem) replay {
	if p.Truth == nil || p.Truth.Sim.Stochastic() {
		return nil
	}
	session := simulator.NewSession(p.World(), simulator.NewRDDL(p.Truth.System(), nil), p.SessionOptions(false))
	return func(_ context.Context, tr *factored.Trace) (*simulator.Run, error) {
		return session.Replay(context.Background(), tr.Steps[0], tr.Steps[:tr.Horizon()])
	}
}
