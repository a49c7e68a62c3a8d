package divide

import (
	"encoding/json"
	"fmt"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// plainTask is a task as plain data, without what only people read.
type plainTask struct {
	Name                              string
	Variables                         []factored.Variable
	Initial, Global, Goal, Transition []factored.Constraint
	Reward                            factored.Reward
	Inputs, Outputs                   []factored.Bit
	Network                           *bnn.Network
}

// Encode writes a task as JSON, the same bytes for the same task. It does not contain what
// values mean, where constraints come from, or the problem's own horizon.
func Encode(t engine.Task) ([]byte, error) {
	p := t.Problem
	plain := plainTask{
		Name: p.Name, Reward: p.Reward, Inputs: p.Inputs, Outputs: p.Outputs, Network: t.Network,
		Initial: bare(p.Initial), Global: bare(p.Global), Goal: bare(p.Goal), Transition: bare(p.Transition),
	}
	for _, v := range p.Variables {
		v.View, v.Meaning = nil, ""
		plain.Variables = append(plain.Variables, v)
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return nil, fmt.Errorf("writing the problem %s: %w", p.Name, err)
	}
	return text, nil
}

// bare returns constraints without their origins.
func bare(all []factored.Constraint) []factored.Constraint {
	out := make([]factored.Constraint, len(all))
	for i, c := range all {
		c.Origin = ""
		out[i] = c
	}
	return out
}

// Decode reads what Encode wrote, and checks it.
func Decode(text []byte) (engine.Task, error) {
	var plain plainTask
	if err := json.Unmarshal(text, &plain); err != nil {
		return engine.Task{}, fmt.Errorf("reading a problem: %w", err)
	}
	p := factored.NewProblem(plain.Name)
	for _, v := range plain.Variables {
		if v.Kind > factored.Auxiliary || v.View != nil {
			return engine.Task{}, fmt.Errorf("reading a problem: variable %s is of no kind, or has a view", v.Name)
		}
		if _, err := p.AddVariable(v); err != nil {
			return engine.Task{}, fmt.Errorf("reading a problem: %w", err)
		}
	}
	// AddVariable has added the ranges, which the constraints contain already.
	p.Initial, p.Global, p.Goal, p.Transition = plain.Initial, plain.Global, plain.Goal, plain.Transition
	p.Reward, p.Inputs, p.Outputs = plain.Reward, plain.Inputs, plain.Outputs
	for _, bits := range [][]factored.Bit{p.Inputs, p.Outputs} {
		for _, b := range bits {
			if b < 0 || int(b) >= p.NumBits() {
				return engine.Task{}, fmt.Errorf("reading the problem %s: bit %d of the network does not exist", p.Name, b)
			}
		}
	}
	for _, r := range p.Reward.Terms {
		if r.Lit.Bit < 0 || int(r.Lit.Bit) >= p.NumBits() {
			return engine.Task{}, fmt.Errorf("reading the problem %s: bit %d of the reward does not exist", p.Name, r.Lit.Bit)
		}
	}
	if err := p.Check(); err != nil {
		return engine.Task{}, fmt.Errorf("reading the problem %s: %w", p.Name, err)
	}
	n := plain.Network
	if n == nil && len(p.Outputs) > 0 {
		return engine.Task{}, fmt.Errorf("reading the problem %s: the network is missing", p.Name)
	}
	if n != nil {
		if err := n.Check(); err != nil {
			return engine.Task{}, fmt.Errorf("reading the problem %s: %w", p.Name, err)
		}
		if n.Inputs() != len(p.Inputs) || n.Outputs() != len(p.Outputs) {
			return engine.Task{}, fmt.Errorf("reading the problem %s: the network is %s, expected %d inputs and %d outputs", p.Name, n.Shape(), len(p.Inputs), len(p.Outputs))
		}
	}
	return engine.Task{Problem: p, Network: n}, nil
}
