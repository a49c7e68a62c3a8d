// Package decision makes decision processes: of RDDL that draws at random, whose states, legal joint actions,
// outcomes and rewards are those of the simulator, and of learned models. It bounds their values where the states are too many to be listed.
package decision

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/rddl/translate"
	"github.com/fdplan/fdplan/problem/factored"
)

// Process is the decision process of an RDDL problem. It belongs to one goroutine.
type Process struct {
	compiled *translate.Compiled
	outcomes *sim.Outcomes
	goal     func() (bool, error)
	layout
	values []float64 // a state, in the order of the simulator
	next   []uint64

	actions [][]float64 // by their numbers
	numbers map[string]uint32

	changes   Changes
	reads     bool // a rule of changes is about what follows
	now, then factored.Valuation
}

// Changes are what a user adds to the rules of a problem, and puts in place of its reward.
type Changes struct {
	Rules  simulator.RequiredRules
	Reward *factored.Reward // nil for the problem's own
}

// New makes the process of a compiled problem with changes. goal may be nil; start has the states that runs
// begin in.
func New(s *sim.Simulator, c *translate.Compiled, goal *ground.Node, start factored.Valuation, changes Changes) (*Process, error) {
	p := &Process{compiled: c, numbers: map[string]uint32{}, layout: newLayout(s.States(), c.Variable), changes: changes, now: make(factored.Valuation, len(start)), then: make(factored.Valuation, len(start))}
	families := map[string]int{}
	for k := range p.fields {
		base := s.Problem().Fluents[p.fields[k].number].Base
		if families[base] == 0 {
			families[base] = len(families) + 1
		}
		p.fields[k].Family = families[base]
	}
	for i := range changes.Rules {
		p.reads = p.reads || changes.Rules[i].Next
	}
	var err error
	if p.outcomes, err = s.NewOutcomes(); err != nil {
		return nil, err
	}
	if goal != nil {
		if p.goal, err = p.outcomes.Test(goal); err != nil {
			return nil, err
		}
	}
	p.values, p.next = make([]float64, len(p.fields)), make([]uint64, p.words)
	p.start, err = p.Pack(start)
	return p, err
}

// Action sets the actions in a valuation to those of a joint action.
func (p *Process) Action(val factored.Valuation, id uint32) error {
	return setActions(val, p.compiled, p.outcomes.Runner().Simulator().Actions(), p.actions[id])
}

// setActions sets the actions in a valuation to the values of a joint action.
func setActions(val factored.Valuation, c *translate.Compiled, actions []int, values []float64) error {
	for i, a := range actions {
		z, ok := c.Encode(a, values[i])
		if !ok {
			return errors.New("an action has a value outside its range")
		}
		if err := c.Variable(a).Set(val, z); err != nil {
			return err
		}
	}
	return nil
}

// load sets the simulator to a state and returns what the simulator says against it.
func (p *Process) load(state []uint64) error {
	p.decode(state)
	return p.outcomes.Runner().SetState(p.values)
}

// decode sets the values of a state.
func (p *Process) decode(state []uint64) {
	for i := range p.fields {
		p.values[i] = p.compiled.Decode(p.fields[i].number, p.fields[i].value(state))
	}
}

// Kind implements policy.Process.
func (p *Process) Kind(state []uint64) (k policy.Kind, err error) {
	if state[0]&1 == 1 {
		return policy.Broken, nil
	}
	var broken *sim.Violation
	if err := p.load(state); errors.As(err, &broken) {
		return policy.Broken, nil
	} else if err != nil {
		return 0, err
	}
	ends, err := p.outcomes.Runner().Terminal()
	if ends {
		k = policy.End
	}
	if err == nil && len(p.changes.Rules) > 0 {
		if err = p.Unpack(p.now, state); err == nil && p.changes.Rules.State(p.now) != nil {
			return policy.Broken, nil
		}
	}
	if err != nil || p.goal == nil {
		return k, err
	}
	holds, err := p.goal()
	if holds {
		k |= policy.Goal
	}
	return k, err
}

// Expand implements policy.Process.
func (p *Process) Expand(state []uint64, x *policy.Expansion) error {
	if err := p.load(state); err != nil {
		return err
	}
	if err := p.Unpack(p.now, state); err != nil {
		return err
	}
	r := p.outcomes.Runner()
	err := p.outcomes.Actions(func() error {
		id, begun := p.number(r), false
		if legal, err := p.legal(id); err != nil || !legal {
			return err
		}
		return p.each(func(o sim.Outcome, next []uint64) error {
			if !begun {
				x.Action(id)
				begun = true
			}
			return x.Outcome(o.P, o.Reward, o.Unlikely, next)
		})
	})
	if errors.Is(err, sim.ErrManyOutcomes) {
		return fmt.Errorf("%w: %w", policy.ErrTooLarge, err)
	}
	return err
}

// each calls f for each outcome of the action that the simulator has, with the next state.
func (p *Process) each(f func(o sim.Outcome, next []uint64) error) error {
	return p.outcomes.Each(func(o sim.Outcome) error {
		if o.Outside || !p.pack(p.next) {
			return f(o, p.broken)
		}
		if p.reads || p.changes.Reward != nil {
			if err := p.Unpack(p.then, p.next); err != nil {
				return err
			}
		}
		if r := p.changes.Reward; r != nil {
			o.Reward = r.Float(r.StepReward(p.now, p.then))
		}
		return f(o, p.next)
	})
}

// legal reports whether an action keeps the rules of the changes, whatever is drawn.
func (p *Process) legal(id uint32) (ok bool, err error) {
	if len(p.changes.Rules) == 0 && p.changes.Reward == nil {
		return true, nil
	}
	if err := p.Action(p.now, id); err != nil {
		return false, err
	}
	if ok = p.changes.Rules.Action(p.now) == nil; ok && p.reads {
		err = p.each(func(_ sim.Outcome, next []uint64) error {
			ok = ok && (next[0]&1 == 1 || p.changes.Rules.Step(p.now, p.then) == nil)
			return nil
		})
	}
	return ok, err
}

// pack packs the state after a step; false if a variable does not have its value.
func (p *Process) pack(out []uint64) bool {
	clear(out)
	for i := range p.fields {
		f := &p.fields[i]
		z, ok := p.compiled.Encode(f.number, p.outcomes.Next(f.number))
		if !ok || !f.put(out, z) {
			return false
		}
	}
	return true
}

// number returns the number of the joint action that the simulator has.
func (p *Process) number(r *sim.Runner) uint32 {
	list := r.Simulator().Actions()
	var buf [256]byte
	key := buf[:0]
	for _, f := range list {
		v := r.Value(f)
		if v == math.Trunc(v) && v >= 0 && v < 255 {
			key = append(key, byte(v))
			continue
		}
		key = append(key, 255)
		for b, x := 0, math.Float64bits(v); b < 64; b += 8 {
			key = append(key, byte(x>>b))
		}
	}
	if id, ok := p.numbers[string(key)]; ok {
		return id
	}
	id := uint32(len(p.actions))
	var values []float64
	for _, f := range list {
		values = append(values, r.Value(f))
	}
	p.actions = append(p.actions, slices.Clip(values))
	p.numbers[string(key)] = id
	return id
}
