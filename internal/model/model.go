package model

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Options control how a model is built.
type Options struct {
	// Propagate finds the literals that the constraints fix at each step. It omits them, and
	// neurons that nothing reads, from every Part. Without it the model is literally the
	// paper's.
	Propagate bool
	// Given are bits with values that hold in every solution that is wanted. They are
	// propagated like the problem's own constants, and need Propagate.
	Given []Given
	// Context ends the propagation, and New with its error; nil for never.
	Context context.Context
}

// Given is the value of a bit at a step: 1..H for an action bit, 1..H+1 for any other.
type Given struct {
	Step  int
	Bit   factored.Bit
	Value bool
}

// Model is a problem and its network unrolled over H steps.
//
// Variables are numbered in blocks of Stride, one per step: in the block of step t the state
// bits come first, then the auxiliary bits, the action bits, and the hidden units of the
// network that reads step t. The block of step H+1 contains only state and auxiliary bits. A
// constraint between steps t and t+1 is therefore the same at every t up to an offset: see
// Part.
type Model struct {
	Problem *factored.Problem
	Network *bnn.Network // nil if nothing is learned
	Horizon int

	options    Options
	local      []int32    // bit -> position in a block, from 1
	hidden     []int32    // layer -> position before its first unit
	stride     int32      // variables of a full block
	last       int32      // variables of the block of step H+1
	always     []rule     // global and transition constraints in local literals
	initial    []rule     //
	goal       []rule     //
	layers     [][]Neuron // unsimplified neurons in local literals
	fixed      []int8     // by variable: 1 true, -1 false, 0 open; nil without Propagate
	infeasible bool
}

// rule is a constraint of the problem, in local literals.
type rule struct {
	Sum
	group Group
	reach reach
}

// reach is the set of steps at which a rule holds.
type reach uint8

const (
	inSteps    reach = iota // steps 1..H
	everywhere              // steps 1..H+1
)

// Group is the part of the problem that a constraint belongs to.
type Group uint8

// The groups, in the order in which a step lists them.
const (
	Initial    Group = iota // I
	Global                  // C
	Transition              // known part of T
	Goal                    // G
	Network                 // learned part of T
	NumGroups
)

func (g Group) String() string {
	return [...]string{"initial", "global", "transition", "goal", "network"}[g]
}

// New unrolls p over the horizon. The network is nil exactly if p learns nothing.
func New(p *factored.Problem, net *bnn.Network, horizon int, o Options) (*Model, error) {
	if horizon < 1 {
		return nil, fmt.Errorf("the horizon is %d; it must be at least 1", horizon)
	}
	if horizon > p.MaxHorizon() {
		return nil, fmt.Errorf("the reward over %d steps may leave 64 bits; at most %d steps fit", horizon, p.MaxHorizon())
	}
	m := &Model{Problem: p, Network: net, Horizon: horizon, options: o}
	m.number()
	if int64(m.stride)*int64(horizon)+int64(m.last) > maxVars {
		return nil, fmt.Errorf("the model over %d steps has more than %d variables", horizon, int64(maxVars))
	}
	for i := range p.Global {
		c := &p.Global[i]
		r := everywhere
		if p.HasAction(c) {
			r = inSteps
		}
		m.always = append(m.always, rule{m.sum(c), Global, r})
	}
	for i := range p.Transition {
		m.always = append(m.always, rule{m.sum(&p.Transition[i]), Transition, inSteps})
	}
	for i := range p.Initial {
		m.initial = append(m.initial, rule{m.sum(&p.Initial[i]), Initial, everywhere})
	}
	for i := range p.Goal {
		m.goal = append(m.goal, rule{m.sum(&p.Goal[i]), Goal, everywhere})
	}
	m.buildNeurons()
	if err := m.checkGiven(); err != nil {
		return nil, err
	}
	if o.Propagate {
		if err := m.propagate(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// maxVars leaves the upper half of 31 bits to the variables of encodings.
const maxVars = 1 << 30

// number lays out one block.
func (m *Model) number() {
	p := m.Problem
	m.local = make([]int32, p.NumBits())
	next := int32(1)
	for _, kind := range []factored.Kind{factored.State, factored.Auxiliary, factored.Action} {
		for _, b := range p.Bits(kind) {
			m.local[b] = next
			next++
		}
		if kind == factored.Auxiliary {
			m.last = next - 1
		}
	}
	if m.Network != nil {
		for i := range m.Network.Layers[:len(m.Network.Layers)-1] {
			m.hidden = append(m.hidden, next-1)
			next += int32(m.Network.Layers[i].Units())
		}
	}
	m.stride = next - 1
}

// Stride returns the number of variables of a step's block, and so the offset between the
// same variable at two adjacent steps.
func (m *Model) Stride() int32 { return m.stride }

// NumVars returns the number of variables: H full blocks and the last.
func (m *Model) NumVars() int32 { return m.stride*int32(m.Horizon) + m.last }

// Var returns the variable of bit b at step t: 1..H for an action bit, 1..H+1 for any other.
func (m *Model) Var(t int, b factored.Bit) Lit {
	return Lit(m.stride*int32(t-1) + m.local[b])
}

// Infeasible reports whether propagation alone found that no plan of this horizon exists.
// Parts and objective are empty then.
func (m *Model) Infeasible() bool { return m.infeasible }

// Value returns 1 or -1 if propagation fixed l to true or false, 0 if it is open.
func (m *Model) Value(l Lit) int8 {
	switch {
	case m.fixed == nil:
		return 0
	case l < 0:
		return -m.fixed[-l]
	}
	return m.fixed[l]
}

// lit returns the local literal of l: a next-step literal is one block further.
func (m *Model) lit(l factored.Lit) Lit {
	v := m.local[l.Bit]
	if l.Next {
		v += m.stride
	}
	if l.Neg {
		return Lit(-v)
	}
	return Lit(v)
}

// sum rewrites a constraint to positive coefficients with one occurrence per variable, in
// order of first occurrence.
func (m *Model) sum(c *factored.Constraint) Sum {
	coef := map[int32]int64{}
	var order []int32
	k := c.K
	for _, t := range c.Terms {
		l := m.lit(t.Lit)
		v := l.Var()
		if _, seen := coef[v]; !seen {
			order = append(order, v)
		}
		if l < 0 { // a*(1-x)
			k -= t.Coef
			coef[v] -= t.Coef
		} else {
			coef[v] += t.Coef
		}
	}
	s := Sum{Op: c.Op}
	for _, v := range order {
		switch a := coef[v]; {
		case a > 0:
			s.Terms = append(s.Terms, Term{Coef: a, Lit: Lit(v)})
		case a < 0: // a*x = |a|*(1-x) - |a|
			k -= a
			s.Terms = append(s.Terms, Term{Coef: -a, Lit: Lit(-v)})
		}
	}
	s.K = k
	return s
}

// GlobalSums lists what holds at each step 1..H, over local literals, with constants where they stand.
func (m *Model) GlobalSums() (sums []Sum) {
	for i := range m.always {
		if r := &m.always[i]; r.group == Global {
			sums = append(sums, r.Sum)
		}
	}
	return sums
}

// buildNeurons builds the network over local literals: inputs at step t, outputs at step t+1,
// hidden units between.
func (m *Model) buildNeurons() {
	if m.Network == nil {
		return
	}
	inputs := make([]Lit, len(m.Problem.Inputs))
	for i, b := range m.Problem.Inputs {
		inputs[i] = m.lit(factored.Lit{Bit: b})
	}
	for li := range m.Network.Layers {
		l := &m.Network.Layers[li]
		out := make([]Lit, l.Units())
		for j := range out {
			if li == len(m.Network.Layers)-1 {
				out[j] = m.lit(factored.Lit{Bit: m.Problem.Outputs[j], Next: true})
			} else {
				out[j] = Lit(m.hidden[li] + int32(j) + 1)
			}
		}
		neurons := make([]Neuron, l.Units())
		for j := range neurons {
			n := Neuron{Out: out[j], Threshold: int(l.Thresholds[j])}
			for i, w := range l.Row(j) {
				switch {
				case w > 0:
					n.Inputs = append(n.Inputs, inputs[i])
				case w < 0:
					n.Inputs = append(n.Inputs, -inputs[i])
				}
			}
			neurons[j] = n
		}
		m.layers = append(m.layers, neurons)
		inputs = out
	}
}
