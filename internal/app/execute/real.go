// Package execute implements the use cases with a real system or a simulator of
// it: planning with Algorithm 1 of the paper, acting in receding horizon, and
// replaying plans and policies.
package execute

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// SimulatorRef names the real system of a problem and contains the settings for its use.
type SimulatorRef struct {
	Name     string        `name:"simulator" http:"yes" help:"Simulator: rddl for the problem's own RDDL, model for the learned or declared model of a task without RDDL, a server of RDDLSim, or the command of a process (docs/simulators.md)." placeholder:"rddl|model|rddlsim:HOST:PORT|COMMAND"`
	Timeout  bind.Duration `name:"simulator-timeout" help:"Time limit for an answer of a simulator process or server." default:"30s"`
	MaxSteps int           `name:"max-simulations" help:"Maximal number of simulator steps; 0 for no bound." default:"0" min:"0"`
	Truth    string        `help:"With --files and --simulator rddl: the bundled problem or task file whose RDDL is the truth; default: the bundled one with the same bits." placeholder:"PROBLEM"` // see Problem.SetTruth
	Record   string        `help:"Append every observed transition to a data set: .csv, .parquet or .npz." placeholder:"FILE"`

	Seed uint64 `name:"-"` // of stochastic RDDL
	// Joined is the session of a server that Join began; nil to begin one.
	Joined *simulator.Rddlsim `name:"-"`
	// Observe, if set, is called with the observed transitions, in place of Record.
	Observe func(simulator.Transition) error `name:"-"`
}

// Open starts the simulator; it returns nil if there is none.
func (r SimulatorRef) Open(ctx context.Context, p *load.Problem, seed uint64) (*Real, error) {
	if r.Name == "" {
		if r.Record != "" || r.MaxSteps > 0 || r.Truth != "" {
			return nil, errors.New("--record, --truth and --max-simulations go with --simulator")
		}
		return nil, nil
	}
	r.Seed = seed
	return OpenSimulator(ctx, p, r)
}

// rddlName is the name of the problem's own RDDL among simulators.
const rddlName = "rddl"

// modelName is the name of the problem's learned or declared model among simulators.
const modelName = "model"

// Real is a problem's real system in use.
type Real struct {
	*simulator.Session
	Name     string
	Server   *simulator.Rddlsim  // nil for systems of another kind
	recorder *simulator.Recorder // nil for none
}

// OpenSimulator starts the system that r names, or begins a session of a server. The caller closes it. A
// process ends with ctx.
func OpenSimulator(ctx context.Context, p *load.Problem, r SimulatorRef) (*Real, error) {
	var t *simulator.Truth
	if p.Truth != nil {
		t = p.Truth.System()
	}
	out := &Real{Name: r.Name}
	if r.Name == rddlName && p.Truth == nil && p.Other == nil || r.Truth != "" {
		if err := p.SetTruth(ctx, r.Truth); err != nil {
			return nil, err
		}
	}
	if p.Other != nil {
		t = p.Other.Truth
	}
	o := p.SessionOptions(r.Name != rddlName)
	o.MaxSteps = r.MaxSteps
	observe := r.Observe
	if r.Record != "" {
		c, err := columns(p)
		if err == nil {
			out.recorder, err = simulator.NewRecorder(r.Record, c)
		}
		if err != nil {
			return nil, err
		}
		observe = out.recorder.Observe
	}
	if o.Observe = observe; observe != nil && p.Other != nil {
		o.Observe = func(x simulator.Transition) error {
			return observe(simulator.Transition{Now: p.Other.Bits.There(x.Now), Next: p.Other.Bits.There(x.Next), Reward: x.Reward})
		}
	}
	sys, err := out.start(ctx, p, t, r)
	if err == nil {
		out.Session = simulator.NewSession(p.World(), sys, o)
		if r.Record != "" {
			err = out.RequireFull("recording transitions")
		}
	}
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

// start starts the system.
func (real *Real) start(ctx context.Context, p *load.Problem, t *simulator.Truth, r SimulatorRef) (simulator.System, error) {
	if r.Name == rddlName {
		sys := simulator.NewRDDL(t, rand.New(rand.NewPCG(r.Seed, 0)))
		if p.Other != nil {
			return simulator.NewMapped(sys, p.Other.Bits), nil
		}
		return sys, nil
	}
	if r.Name == modelName {
		return p.Model(rand.New(rand.NewPCG(r.Seed, 0)))
	}
	server, ok, err := simulator.ParseServer(r.Name)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return simulator.Start(ctx, p.World(), r.Name, simulator.ProcessOptions{Timeout: time.Duration(r.Timeout)})
	}
	if real.Server, err = session(ctx, p, server, r); err != nil {
		return nil, err
	}
	return real.Server, nil
}

// columns are the columns of a data set of transitions that a simulator of the problem shows.
func columns(p *load.Problem) (*simulator.Columns, error) {
	var t *simulator.Truth
	switch {
	case p.Other != nil:
		t = p.Other.Truth
	case p.Truth != nil:
		t = p.Truth.System()
	default:
		return simulator.NewColumns(p.World(), nil, nil)
	}
	s, err := learn.Columns(p)
	if err != nil {
		return nil, err
	}
	return simulator.NewColumns(p.World(), t, s)
}

// Use begins to use a system that the caller made. The rules of the problem are
// held against what it shows.
func Use(p *load.Problem, name string, sys simulator.System) *Real {
	return &Real{Session: simulator.NewSession(p.World(), sys, p.SessionOptions(true)), Name: name}
}

// Try replays a plan with its states once; see plan.Request.
func (r *Real) Try(ctx context.Context, tr *factored.Trace) (*simulator.Run, error) {
	if r.Name == rddlName && !r.Info().Deterministic {
		return nil, errors.New("the RDDL is stochastic; whether a plan holds in it is a matter of chance")
	}
	return r.Replay(ctx, tr.Steps[0], tr.Steps[:tr.Horizon()])
}

// Recorded is the number of transitions that were recorded.
func (r *Real) Recorded() int {
	if r.recorder == nil {
		return 0
	}
	return r.recorder.Rows()
}

// Close stops the system and completes the recording. It accepts a nil Real.
func (r *Real) Close() error {
	if r == nil {
		return nil
	}
	var errs []error
	if r.Session != nil {
		errs = append(errs, r.Session.Close())
	}
	if r.recorder != nil {
		if err := r.recorder.Close(); err != nil {
			errs = append(errs, fmt.Errorf("recording transitions: %w", err))
		}
		r.recorder = nil
	}
	return errors.Join(errs...)
}

// measured begins to measure the network of a problem on the steps of a system; nil without a network.
func measured(p *load.Problem, real *Real) *learn.Predictions {
	x := learn.Predict(p)
	if x == nil {
		return nil
	}
	shown := func(a *simulator.Answer) learn.Observed {
		o := learn.Observed{State: a.State, Outside: map[string]float64{}, Quantities: a.Quantities}
		for _, v := range a.Outside {
			o.Outside[v.Variable] = v.Number
		}
		return o
	}
	real.Watch(func(before *simulator.Answer, action factored.Valuation, after *simulator.Answer) {
		x.Add(shown(before), action, shown(after))
	})
	return x
}

// initial returns the state in which a run or a replay begins: one given by the user, or nil
// for the system's own.
func initial(p *load.Problem, real *Real) (factored.Valuation, error) {
	if !p.OwnInitial {
		return nil, nil
	}
	if !real.Info().AnyState {
		return nil, errors.New("the simulator can only be reset to a state of its own; an initial state cannot be given")
	}
	return given(p)
}

// given is the initial state that the user gave.
func given(p *load.Problem) (factored.Valuation, error) {
	val, open := load.StartOf(p.World())
	if open != nil {
		return nil, fmt.Errorf("the initial state leaves %s open; a simulator needs all of it", open.Name)
	}
	return val, nil
}
