package fdplan

import (
	"context"
	"fmt"
	"github.com/fdplan/fdplan/internal/app/bind"
	"math/rand/v2"
	"time"

	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/execution/incremental"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// Simulator is a system that plans are tried in: a simulator, or the real one. It
// is in one state, and is used by one goroutine. The rules of the problem, its
// constraints and its goal, are held against the states that it gives.
//
// A Simulator that can be put into any state also implements StateSetter.
type Simulator interface {
	// Reset puts the system into its initial state and returns the values of all
	// state variables.
	Reset(ctx context.Context) (Values, error)
	// Step takes a joint action; variables that it does not name are 0. An error
	// means that the system failed, and ends the run; an action that the system
	// refuses is an Observation with Refused.
	Step(ctx context.Context, action Values) (Observation, error)
}

// StateSetter is a Simulator that can begin in any state.
type StateSetter interface {
	SetState(ctx context.Context, state Values) error
}

// Observation is what a Simulator shows after a step.
type Observation struct {
	State   Values   // all state variables; nil for a step that was refused
	Reward  *float64 // of the step; nil for the problem's own
	Ended   bool     // no action can be taken any more
	Refused string   // why the step was not taken; "" when it was
}

// system is a Simulator as package simulator has it.
type system struct {
	p *Problem
	s Simulator
}

func (s *system) Info() simulator.Info {
	_, any := s.s.(StateSetter)
	return simulator.Info{Name: fmt.Sprintf("%T", s.s), AnyState: any}
}

func (s *system) Reset(ctx context.Context, state factored.Valuation) (*simulator.Answer, error) {
	if state != nil {
		if err := s.s.(StateSetter).SetState(ctx, s.p.values(factored.State, state, true)); err != nil {
			return nil, fmt.Errorf("setting the simulator's state: %w", err)
		}
		return &simulator.Answer{State: state}, nil
	}
	values, err := s.s.Reset(ctx)
	if err != nil {
		return nil, fmt.Errorf("resetting the simulator: %w", err)
	}
	return s.answer(Observation{State: values})
}

func (s *system) Step(ctx context.Context, action factored.Valuation) (*simulator.Answer, error) {
	o, err := s.s.Step(ctx, s.p.values(factored.Action, action, false))
	if err != nil {
		return nil, fmt.Errorf("a step of the simulator: %w", err)
	}
	if o.Refused != "" {
		return &simulator.Answer{Violation: &simulator.Violation{Group: "simulator", Constraint: o.Refused}}, nil
	}
	return s.answer(o)
}

func (s *system) answer(o Observation) (*simulator.Answer, error) {
	val, err := s.p.bits(factored.State, o.State, true)
	if err != nil {
		return nil, fmt.Errorf("the simulator's state: %w", err)
	}
	return &simulator.Answer{State: val, Reward: o.Reward, Terminal: o.Ended}, nil
}

func (s *system) Close() error { return nil }

// Simulator returns a simulator of the problem's own RDDL, with its rewards; seed
// is that of stochastic RDDL. It implements StateSetter.
func (p *Problem) Simulator(seed uint64) (Simulator, error) {
	if _, err := p.p.Simulator(); err != nil {
		return nil, err
	}
	return &ownRDDL{p: p, sys: simulator.NewRDDL(p.p.Truth.System(), rand.New(rand.NewPCG(seed, 0)))}, nil
}

// ownRDDL is a problem's RDDL as a Simulator.
type ownRDDL struct {
	p   *Problem
	sys *simulator.RDDL
}

func (s *ownRDDL) Reset(ctx context.Context) (Values, error) {
	a, err := s.sys.Reset(ctx, nil)
	if err != nil {
		return nil, err
	}
	return s.p.values(factored.State, a.State, true), nil
}

func (s *ownRDDL) SetState(ctx context.Context, state Values) error {
	val, err := s.p.bits(factored.State, state, true)
	if err != nil {
		return err
	}
	_, err = s.sys.Reset(ctx, val)
	return err
}

func (s *ownRDDL) Step(ctx context.Context, action Values) (Observation, error) {
	val, err := s.p.bits(factored.Action, action, false)
	if err != nil {
		return Observation{}, err
	}
	a, err := s.sys.Step(ctx, val)
	switch {
	case err != nil:
		return Observation{}, err
	case a.State == nil:
		return Observation{Refused: a.Violation.Constraint}, nil
	}
	return Observation{State: s.p.values(factored.State, a.State, true), Reward: a.Reward, Ended: a.Terminal}, nil
}

// RunOptions are how Run acts. The zero value plans over the problem's own
// horizon and takes as many steps.
type RunOptions struct {
	Options                // of each plan; Horizon is also the deadline of a goal
	Steps    int           // most that are taken; Horizon when 0
	Every    int           // steps between plans; 1 when 0
	PlanTime time.Duration // for each plan; 0 is no limit
}

// Run is how a run went.
type Run struct {
	Status RunStatus
	Steps  []RunStep
	Final  Values // the last state that was observed
	Reward float64
	Reason string // why the run ended, where the status does not tell
}

// RunStep is a step that was taken.
type RunStep struct {
	Step
	Reward     float64
	Unexpected bool // the state after it is not the planned one
}

// RunStatus is how a run ended.
type RunStatus string

// The statuses of a run.
const (
	ReachedGoal RunStatus = "goal"     // the goal holds
	Done        RunStatus = "done"     // all steps were taken, or the system ended
	MissedGoal  RunStatus = "missed"   // the same, but the goal was to be reached
	NoPlan      RunStatus = "no-plan"  // no plan exists from the observed state, proven
	Violated    RunStatus = "violated" // a step broke a rule
	Stopped     RunStatus = "stopped"  // a limit was reached, or ctx ended
)

// Run acts in a simulator: it plans from the observed state, takes some steps of
// the plan, and plans again from what it sees then. It ends when the goal holds,
// or without a goal after all steps. With an error of the simulator, the steps
// until then are in the result.
func (p *Problem) Run(ctx context.Context, s Simulator, o RunOptions) (*Run, error) {
	r, err := o.request(p)
	if err != nil {
		return nil, err
	}
	if o.Steps < 0 || o.Every < 0 {
		return nil, fmt.Errorf("fdplan: Steps %d, Every %d; expected no negative number", o.Steps, o.Every)
	}
	real := execute.Use(p.p, "", &system{p, s})
	d, err := execute.Run(ctx, p.p, real, execute.RunRequest{
		Engine: o.Engine, Horizon: r.Horizon, Steps: o.Steps, Every: o.Every, PlanTime: bind.Duration(o.PlanTime), Limits: r.Limits, Phase: r.Report,
	})
	if d == nil {
		return nil, err
	}
	out := &Run{Status: RunStatus(d.Status), Final: fromEntries(d.Final), Reason: d.Says}
	if d.Failure != nil {
		out.Reason = d.Failure.Text
	}
	if d.Reward != nil {
		out.Reward = *d.Reward
	}
	for i := range d.Steps {
		x := &d.Steps[i]
		step := RunStep{Step: Step{State: fromEntries(x.State), Action: fromEntries(x.Action)}, Unexpected: x.Differs != nil}
		if x.Reward != nil {
			step.Reward = *x.Reward
		}
		out.Steps = append(out.Steps, step)
	}
	return out, err
}

// PlanIn plans with a simulator by Algorithm 1 of the paper: it finds a plan of the
// best reward, tries it in the simulator, excludes what failed, and plans again,
// until a plan holds in the simulator or there is none left. The simulator must be
// deterministic. A range of horizons is not taken.
func (p *Problem) PlanIn(ctx context.Context, s Simulator, o Options) (*Plan, error) {
	if o.MinHorizon != 0 && o.MinHorizon != o.Horizon {
		return nil, fmt.Errorf("fdplan: MinHorizon %d; planning with a simulator needs one horizon", o.MinHorizon)
	}
	r, err := o.request(p)
	if err != nil {
		return nil, err
	}
	real := execute.Use(p.p, "", &system{p, s})
	d, err := execute.Incremental(ctx, p.p, real, execute.IncrementalRequest{Request: r, LoopOptions: execute.LoopOptions{Landmarks: incremental.Prefix}})
	if err != nil {
		return nil, err
	}
	return newPlan(&d.Document, d), nil
}
