package load

import (
	"errors"

	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/rddl/translate"
)

// Truth is a problem's RDDL, in which plans and policies can be simulated.
type Truth struct {
	Task     *task.Task
	Compiled *translate.Compiled // nil if the problem can only be simulated
	Sim      *sim.Simulator
	Goal     *ground.Node // nil for none
	read     task.ReadFile
}

// Text returns the RDDL, the domain and what follows it.
func (t *Truth) Text() ([]byte, error) {
	var all []byte
	for _, name := range []string{t.Task.Domain, t.Task.Instance} {
		if name == "" {
			continue
		}
		text, err := t.read(name)
		if err != nil {
			return nil, err
		}
		all = append(append(all, text...), "\n\n"...)
	}
	return all, nil
}

// ErrNoRDDL is wrapped by errors about simulating a problem without RDDL.
var ErrNoRDDL = errors.New("there is no RDDL to simulate")

// newTruth makes the truth of a problem. Actions are drawn from the given ranges, else from the
// inferred values.
func newTruth(t *task.Task, read task.ReadFile, g *ground.Problem, c *translate.Compiled, inferred *translate.Values) (*Truth, error) {
	ranges := sim.Ranges{}
	for name, r := range t.Ranges {
		lo, hi := r.Bounds()
		ranges[name] = sim.Range{Lo: lo, Hi: hi}
	}
	// Of states, what was inferred holds in legal states alone, which the simulator judges by
	// the RDDL itself.
	for i, f := range g.OfKind(ground.Action) {
		if inferred == nil {
			continue
		}
		if r, ok := ranges.Of(f); ok && f.Step.Valid() {
			ranges[f.Name] = r.Stepped(f.Step.Float())
			continue
		}
		if r, ok := inferred.Range(i); ok {
			ranges[f.Name] = sim.Range{Lo: float64(r.Lo), Hi: float64(r.Hi)}
		} else if x := inferred.Reals(i); x != nil {
			ranges[f.Name] = sim.Range{Lo: x[0], Hi: x[len(x)-1], Values: x}
		}
	}
	s, err := sim.New(g, sim.WithRanges(ranges))
	if err != nil {
		return nil, err
	}
	goal, err := t.GoalOf(g)
	if err != nil {
		return nil, err
	}
	return &Truth{Task: t, Compiled: c, Sim: s, Goal: goal, read: read}, nil
}

// Simulator returns the simulator of a problem that has RDDL.
func (p *Problem) Simulator() (*sim.Simulator, error) {
	if p.Truth == nil {
		return nil, p.noTruth()
	}
	return p.Truth.Sim, nil
}

// System returns the truth in the form of package simulator; only for problems that can be
// planned with.
func (t *Truth) System() *simulator.Truth {
	return &simulator.Truth{Compiled: t.Compiled, Sim: t.Sim, Goal: t.Goal}
}

// SessionOptions returns the rules and the reward of the problem. A process may not know
// them; RDDL has its own.
func (p *Problem) SessionOptions(process bool) simulator.Options {
	// The RDDL of another problem has its own reward, which does not apply to the planned
	// problem.
	o := simulator.Options{OwnReward: p.OwnReward || p.Other != nil}
	if len(p.Required) > 0 {
		o.Rules = append(o.Rules, p.Required)
	}
	switch {
	case process && p.Truth != nil:
		o.Rules = append(o.Rules, simulator.TruthRules{Truth: p.Truth.System()})
	case process:
		o.Rules = append(o.Rules, simulator.ProblemRules{Problem: p.World()})
	}
	return o
}
