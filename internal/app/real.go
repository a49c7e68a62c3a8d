package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/execution/simulator"
)

// SimulatorRef names the real system of a problem and what is done with it.
type SimulatorRef struct {
	Name     string        // rddl, or the command line of a process
	Timeout  time.Duration // of each answer of a process; simulator.DefaultTimeout when 0
	MaxSteps int           // budget; 0 is no bound
	Record   string        // data set to append what is observed to; "" for none
	Seed     uint64        // of stochastic RDDL
	Truth    string        // see Problem.SetTruth
}

// rddlName is the name of the problem's own RDDL among simulators.
const rddlName = "rddl"

// Real is a problem's real system in use.
type Real struct {
	*simulator.Session
	Name     string
	recorder *simulator.Recorder // nil for none
}

// OpenSimulator starts the system that r names. The caller closes it. A process
// ends with ctx.
func (p *Problem) OpenSimulator(ctx context.Context, r SimulatorRef) (*Real, error) {
	var t *simulator.Truth
	if p.truth != nil {
		t = p.truth.system()
	}
	out := &Real{Name: r.Name}
	if r.Name == rddlName && p.truth == nil && p.other == nil || r.Truth != "" {
		if err := p.SetTruth(r.Truth); err != nil {
			return nil, err
		}
	}
	if p.other != nil {
		t = p.other.truth
	}
	o := p.sessionOptions(r.Name != rddlName)
	o.MaxSteps = r.MaxSteps
	if r.Record != "" {
		var columns *dataset.Schema
		var err error
		if t != nil {
			if columns, err = p.columns(t.Sim); err != nil {
				return nil, err
			}
		}
		if out.recorder, err = simulator.NewRecorder(r.Record, p.Problem, t, columns); err != nil {
			return nil, err
		}
		o.Observe = out.recorder.Observe
		if p.other != nil {
			o.Observe = func(x simulator.Transition) error {
				return out.recorder.Observe(simulator.Transition{Now: p.other.bits.There(x.Now), Next: p.other.bits.There(x.Next)})
			}
		}
	}
	var sys simulator.System
	var err error
	if r.Name == rddlName {
		sys = simulator.NewRDDL(t, rand.New(rand.NewPCG(r.Seed, 0)))
		if p.other != nil {
			sys = simulator.NewMapped(sys, p.other.bits)
		}
	} else {
		sys, err = simulator.Start(ctx, p.Problem, r.Name, simulator.ProcessOptions{Timeout: r.Timeout})
	}
	if err == nil {
		out.Session = simulator.NewSession(p.Problem, sys, o)
		if r.Record != "" {
			err = out.RequireFull("recording transitions")
		}
	}
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

// sessionOptions are the rules and the reward of the problem. A process may
// know nothing of them; RDDL has its own.
func (p *Problem) sessionOptions(process bool) simulator.Options {
	// The RDDL of another problem has a reward of its own, which says nothing of
	// the one that was planned for.
	o := simulator.Options{OwnReward: p.ownReward || p.other != nil}
	if len(p.required) > 0 {
		o.Rules = append(o.Rules, p.required)
	}
	switch {
	case process && p.truth != nil:
		o.Rules = append(o.Rules, simulator.TruthRules{Truth: p.truth.system()})
	case process:
		o.Rules = append(o.Rules, simulator.ProblemRules{Problem: p.Problem})
	}
	return o
}

// Recorded is the number of transitions that were recorded.
func (r *Real) Recorded() int {
	if r.recorder == nil {
		return 0
	}
	return r.recorder.Rows()
}

// Close ends the system and completes the recording. A nil Real has none.
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
