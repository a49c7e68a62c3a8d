package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/rddl/translate"
	"github.com/fdplan/fdplan/problem/factored"
)

// truth is a problem's RDDL, in which plans and policies can be simulated.
type truth struct {
	task     *task.Task
	compiled *translate.Compiled // nil when the problem can only be simulated
	sim      *sim.Simulator
	goal     *ground.Node // nil for none
}

// ErrNoRDDL is wrapped by errors about simulating a problem without RDDL.
var ErrNoRDDL = errors.New("there is no RDDL to simulate")

func newTruth(t *task.Task, g *ground.Problem, c *translate.Compiled) (*truth, error) {
	ranges := sim.Ranges{}
	for name, r := range t.Ranges {
		ranges[name] = sim.Range{Lo: float64(r.Lo), Hi: float64(r.Hi)}
	}
	s, err := sim.New(g, sim.WithRanges(ranges))
	if err != nil {
		return nil, err
	}
	goal, err := t.GoalOf(g)
	if err != nil {
		return nil, err
	}
	return &truth{task: t, compiled: c, sim: s, goal: goal}, nil
}

// Simulator gives the simulator of a problem that has RDDL.
func (p *Problem) Simulator() (*sim.Simulator, error) {
	if p.truth == nil {
		return nil, fmt.Errorf("%w: %s is in the FD-SAT-Plan layout", ErrNoRDDL, p.Problem.Name)
	}
	return p.truth.sim, nil
}

// pick takes the values of some fluents.
func pick(values []float64, fluents []int) []float64 {
	out := make([]float64, len(fluents))
	for i, f := range fluents {
		out[i] = values[f]
	}
	return out
}

// system is the truth as package simulator has it; only of problems that can be
// planned with.
func (t *truth) system() *simulator.Truth {
	return &simulator.Truth{Compiled: t.compiled, Sim: t.sim, Goal: t.goal}
}

// faultOf is a failure in a simulator as the documents show it.
func faultOf(f *simulator.Failure) *Fault {
	out := &Fault{Step: f.Step, Group: f.Group, Constraint: f.Constraint, Origin: f.Origin, Values: Values{}, Text: f.Error()}
	for _, x := range f.Values {
		out.Values = append(out.Values, Entry(x))
	}
	return out
}

// judge simulates the plan of a document, where there is a truth to ask, and
// writes the verdict into it.
func (p *Problem) judge(d *Document, tr *factored.Trace) error {
	if p.truth == nil || p.truth.sim.Stochastic() {
		return nil
	}
	session := simulator.NewSession(p.Problem, simulator.NewRDDL(p.truth.system(), nil), p.sessionOptions(false))
	run, err := session.Replay(context.Background(), tr.Steps[0], tr.Steps[:tr.Horizon()])
	if err != nil {
		return fmt.Errorf("simulating the plan: %w", err)
	}
	valid := run.Failure == nil
	d.Valid.Simulator = &valid
	if valid {
		d.Simulated = run.Reward
	} else {
		d.SimulatorSays = run.Failure.Error()
	}
	return nil
}
