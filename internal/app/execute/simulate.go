package execute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/problem/factored"
)

// Simulation is what to run in a problem's RDDL, or in the learned or declared model of a task without: a plan, or a policy.
type Simulation struct {
	Plan   bind.Plan `help:"Plan to run, as fdplan plan --json prints it." placeholder:"FILE" xor:"what"`
	Policy string    `help:"Policy to run: noop, random or exploration; default: random." placeholder:"NAME" xor:"what"`
	Steps  int       `help:"Number of steps; default: the instance's horizon, or the plan's."`
	Seed   uint64    `help:"Seed of the policy and of random draws." default:"0"`
	CSV    io.Writer `name:"-"` // receives every step; nil for none
}

// Simulated is the outcome of `fdplan simulate`.
type Simulated struct {
	Schema     int        `json:"schema"`
	Problem    string     `json:"problem"`
	Steps      int        `json:"steps"`
	Reward     float64    `json:"reward"` // undiscounted
	Discounted float64    `json:"discounted_reward"`
	End        string     `json:"end"`
	Failure    *app.Fault `json:"failure"` // the rule that was violated, if any
}

// Simulate runs a policy from the instance's initial state, or a plan from its own first
// state if it has states. A violated rule is part of the answer, not an error.
func Simulate(ctx context.Context, p *load.Problem, r Simulation) (*Simulated, error) {
	if p.Truth == nil && p.Declared != nil {
		return simulateModel(ctx, p, r)
	}
	s, err := p.Simulator()
	if err != nil {
		return nil, err
	}
	var policy sim.Policy
	var start []float64 // nil for the instance's
	steps := r.Steps
	switch {
	case r.Plan.File != "":
		var plan sim.Plan
		if plan, start, err = readActions(p, r.Plan.File, r.Plan.Text); err != nil {
			return nil, err
		}
		policy = plan
		if steps == 0 {
			steps = len(plan)
		}
	default:
		if policy, err = sim.PolicyByName(cmp.Or(r.Policy, "random")); err != nil {
			return nil, err
		}
	}
	if start, err = ownStart(p, start); err != nil {
		return nil, err
	}
	if steps == 0 && s.Problem().Horizon <= 0 {
		return nil, fmt.Errorf("%s has no horizon of its own; give a number of --steps", p.Problem.Name)
	}
	var trace *sim.Trace
	if r.CSV != nil {
		if trace, err = sim.NewTrace(r.CSV, s); err != nil {
			return nil, err
		}
	}
	runner := s.NewRunner(rand.New(rand.NewPCG(r.Seed, 0)))
	if start == nil {
		err = runner.Reset()
	} else {
		err = runner.SetState(start)
	}
	e := sim.Episode{End: sim.AtError}
	if err == nil {
		e, err = runner.Continue(policy, steps, trace)
	}
	out := &Simulated{Schema: app.Schema, Problem: p.Problem.Name, Steps: e.Steps, Reward: e.Reward, Discounted: e.Discounted, End: fmt.Sprint(e.End)}
	var v *sim.Violation
	switch {
	case errors.As(err, &v):
		out.Failure, out.End = app.SimulatorFault(&simulator.Failure{Violation: simulator.Broken(err, false), Step: v.Step}), "a rule was broken"
	case err != nil:
		return nil, err
	}
	return out, nil
}

// ownStart is the state that the user gave; start, that of a plan or nil, if there is none.
func ownStart(p *load.Problem, start []float64) ([]float64, error) {
	if !p.OwnInitial {
		return start, nil
	}
	val, err := given(p)
	if err != nil {
		return nil, err
	}
	return p.Truth.System().State(val), nil
}

// simulateModel is Simulate in the learned or declared model of a task without RDDL.
func simulateModel(ctx context.Context, p *load.Problem, r Simulation) (out *Simulated, err error) {
	if r.CSV != nil {
		return nil, errors.New("--csv shows the fluents of RDDL, which the task has not; run --simulator model --record FILE writes transitions")
	}
	real, err := OpenSimulator(ctx, p, SimulatorRef{Name: modelName, Seed: r.Seed})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, real.Close()) }()
	act, steps, start, err := inModel(p, r, real)
	if err != nil {
		return nil, err
	}
	if steps == 0 {
		if steps = p.Problem.Horizon; steps == 0 {
			return nil, fmt.Errorf("%s has no horizon of its own; give a number of --steps", p.Problem.Name)
		}
	}
	if out, err = real.play(ctx, start, steps, act); out != nil {
		out.Problem = p.Problem.Name
	}
	return out, err
}

// play resets the system, to a state or with nil to its own, and takes the actions of a policy for so many steps, as far as rules and
// the system allow.
func (r *Real) play(ctx context.Context, start factored.Valuation, steps int, act func(step int, now *simulator.Answer) (factored.Valuation, error)) (*Simulated, error) {
	now, err := r.Reset(ctx, start)
	if err != nil {
		return nil, err
	}
	out := &Simulated{Schema: app.Schema, End: fmt.Sprint(sim.AtHorizon)}
	reward := r.NewReward()
	for t := 1; t <= steps && now.Violation == nil && !now.Terminal; t++ {
		action, err := act(t, now)
		if err != nil {
			return nil, err
		}
		next, err := r.Step(ctx, now, action)
		if err != nil {
			return nil, err
		}
		if next.State == nil { // the action was refused
			now = next
			break
		}
		reward.Add(now, action, next)
		now, out.Steps = next, t
	}
	if sum := reward.Sum(); sum != nil {
		out.Reward, out.Discounted = *sum, *sum
	}
	switch {
	case now.Violation != nil:
		out.Failure, out.End = app.SimulatorFault(&simulator.Failure{Violation: now.Violation, Step: out.Steps + 1}), "a rule was broken"
	case now.Terminal:
		out.End = fmt.Sprint(sim.AtTerminal)
	}
	return out, nil
}

// inModel returns what a simulation does at a step, from 1, for how many steps, 0 for the problem's own number, and where
// it begins, nil for the problem's own state.
func inModel(p *load.Problem, r Simulation, real *Real) (act func(step int, now *simulator.Answer) (factored.Valuation, error), steps int, start factored.Valuation, err error) {
	switch {
	case r.Plan.File != "":
		plan, err := app.ReadPlan(p.Problem, r.Plan.File, r.Plan.Text)
		if err != nil {
			return nil, 0, nil, err
		}
		if plan.States != nil {
			start = plan.States[0]
		}
		if steps = len(plan.Actions); r.Steps > 0 {
			steps = min(steps, r.Steps)
		}
		return func(t int, _ *simulator.Answer) (factored.Valuation, error) { return plan.Actions[t-1], nil }, steps, start, nil
	case r.Policy == "noop":
		idle := noop(p.Problem)
		return func(int, *simulator.Answer) (factored.Valuation, error) { return idle, nil }, r.Steps, nil, nil
	case r.Policy == "" || r.Policy == "random":
		rng := rand.New(rand.NewPCG(r.Seed, 1)) // not the stream of the simulator's draws
		return func(_ int, now *simulator.Answer) (factored.Valuation, error) { return real.Random(p, now, rng) }, r.Steps, nil, nil
	}
	return nil, 0, nil, fmt.Errorf("the policy is %q; expected noop or random in a model without RDDL", r.Policy)
}

// readActions reads the actions of a plan, and its first state if it has states.
func readActions(p *load.Problem, name string, data []byte) (actions sim.Plan, start []float64, err error) {
	if p.Truth.Compiled == nil {
		return readNamed(p.Truth.Sim, name, data)
	}
	plan, err := app.ReadPlan(p.Problem, name, data)
	if err != nil {
		return nil, nil, err
	}
	t := p.Truth.System()
	for _, a := range plan.Actions {
		actions = append(actions, t.Action(a))
	}
	if plan.States != nil {
		start = t.State(plan.States[0])
	}
	return actions, start, nil
}
