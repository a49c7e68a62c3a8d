// Package step lays out one step of a task: the variables of its constraint model by what
// they stand for, states and joint actions as packed bits, and the systems of constraints
// that hold in a step, at its beginning and at its end. Engines that look at steps one by
// one share it, as the components of a planner share a state registry and a successor
// generator (Helmert, The Fast Downward Planning System, JAIR 2006).
package step

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Step is the model of one step, from t to t+1, as the problem states it: nothing is
// propagated. It is immutable.
type Step struct {
	Task  engine.Task
	Model *model.Model
	// Here has the constraints between t and t+1 and There those at t+1, the last step.
	Here, There *model.Part

	StateBits, ActionBits []factored.Bit
	Place                 []int32 // by bit: its place in a packed state or action

	Now, Next []model.Lit // of the state bits at t and t+1
	Actions   []model.Lit
	Learned   []model.Lit // at t+1, of the network's outputs
	Free      []model.Lit // at t+1, of the state bits that are not learned
	Aux       []model.Lit // auxiliary bits at t that the reward does not mention
	Paid      []model.Lit // those that it does

	Bits map[model.Lit]factored.Bit // of all of these, of Learned and Free by Next
}

// New lays out a step of a task.
func New(t engine.Task) (*Step, error) {
	p := t.Problem
	m, err := model.New(p, t.Network, 1, model.Options{})
	if err != nil {
		return nil, fmt.Errorf("modelling one step: %w", err)
	}
	s := &Step{Task: t, Model: m, Here: m.Part(1), There: m.Part(2), StateBits: p.Bits(factored.State), ActionBits: p.Bits(factored.Action), Place: make([]int32, p.NumBits()), Bits: map[model.Lit]factored.Bit{}}
	learned, paid := make([]bool, p.NumBits()), make([]bool, p.NumBits())
	for _, b := range p.Outputs {
		learned[b] = true
		s.Learned = append(s.Learned, m.Var(2, b))
	}
	for _, r := range p.Reward.Terms {
		paid[r.Lit.Bit] = true
	}
	for i, b := range s.StateBits {
		s.Place[b] = int32(i)
		now, next := m.Var(1, b), m.Var(2, b)
		s.Now, s.Next = append(s.Now, now), append(s.Next, next)
		s.Bits[now], s.Bits[next] = b, b
		if !learned[b] {
			s.Free = append(s.Free, next)
		}
	}
	for i, b := range s.ActionBits {
		s.Place[b] = int32(i)
		s.Actions = append(s.Actions, m.Var(1, b))
		s.Bits[m.Var(1, b)] = b
	}
	for _, b := range p.Bits(factored.Auxiliary) {
		s.Bits[m.Var(1, b)] = b
		if paid[b] {
			s.Paid = append(s.Paid, m.Var(1, b))
		} else {
			s.Aux = append(s.Aux, m.Var(1, b))
		}
	}
	return s, nil
}

// Var is the variable of a bit at t.
func (s *Step) Var(b factored.Bit) model.Lit { return s.Model.Var(1, b) }

// Invariants lists the constraints over the state at t alone, which hold in every state.
func (s *Step) Invariants() []model.Sum { return s.There.Sums[model.Global] }

// After lists the constraints over the state at t+1 alone, over the variables of the model.
func (s *Step) After() []model.Sum {
	sums := slices.Clone(s.Invariants())
	for i := range sums {
		sums[i].Terms = slices.Clone(sums[i].Terms)
		for j := range sums[i].Terms {
			sums[i].Terms[j].Lit = sums[i].Terms[j].Lit.Shift(s.Model.Stride())
		}
	}
	return sums
}

// Whole compiles all that holds between t and t+1, the network included, and more.
func (s *Step) Whole(more ...model.Sum) *propagate.System {
	sums := slices.Concat(s.Here.Sums[model.Global], s.Here.Sums[model.Transition], s.Here.Sums[model.Network], more)
	return propagate.NewSystem(int(s.Model.NumVars()), sums, slices.Concat(s.Here.Layers...))
}

// Relation compiles C and T between t and t+1, without the network.
func (s *Step) Relation() *propagate.System {
	return s.System(s.Here.Sums[model.Global], s.Here.Sums[model.Transition])
}

// First compiles I and the part of C without actions, what holds at step 1, and more.
func (s *Step) First(more ...model.Sum) *propagate.System {
	return s.System(s.Here.Sums[model.Initial], s.Invariants(), more)
}

// Final compiles G and the part of C without actions, what holds at step H+1, over the
// variables at t, and more.
func (s *Step) Final(more ...model.Sum) *propagate.System {
	return s.System(s.There.Sums[model.Goal], s.Invariants(), more)
}

// System compiles sums over the step's variables.
func (s *Step) System(sums ...[]model.Sum) *propagate.System {
	return propagate.NewSystem(int(s.Model.NumVars()), slices.Concat(sums...), nil)
}

// StateWords is the size of a packed state, at least 1.
func (s *Step) StateWords() int { return max(1, bnn.Words(len(s.StateBits))) }

// ActionWords is the size of a packed joint action, at least 1.
func (s *Step) ActionWords() int { return max(1, bnn.Words(len(s.ActionBits))) }

// Pack writes the values of vars, all assigned, as packed bits.
func Pack(key []uint64, st *propagate.State, vars []model.Lit) {
	clear(key)
	for i, v := range vars {
		if st.Value(v) > 0 {
			key[i/64] |= 1 << (i % 64)
		}
	}
}

// Assign sets vars to the values in key. It returns false if propagation refutes these.
func Assign(st *propagate.State, vars []model.Lit, key []uint64) bool {
	for i, v := range vars {
		if key[i/64]>>(i%64)&1 == 0 {
			v = -v
		}
		if !st.Assign(v) {
			return false
		}
	}
	return true
}

// Bit reads one packed bit.
func Bit(key []uint64, i int32) bool { return key[i/64]>>(i%64)&1 == 1 }

// MostReward bounds the scaled reward of a step.
func (s *Step) MostReward() int64 {
	sum := s.Task.Problem.Reward.Constant
	for _, r := range s.Task.Problem.Reward.Terms {
		sum += max(r.Weight, 0)
	}
	return sum
}

// Reward is the scaled reward of a step; aux reads an auxiliary bit and may be nil when the
// reward mentions none.
func (s *Step) Reward(state, action, next []uint64, aux func(factored.Bit) bool) int64 {
	p := s.Task.Problem
	sum := p.Reward.Constant
	for _, r := range p.Reward.Terms {
		var v bool
		switch i := s.Place[r.Lit.Bit]; {
		case r.Lit.Next:
			v = Bit(next, i)
		case p.Kind(r.Lit.Bit) == factored.Action:
			v = Bit(action, i)
		case p.Kind(r.Lit.Bit) == factored.State:
			v = Bit(state, i)
		default:
			v = aux(r.Lit.Bit)
		}
		if v != r.Lit.Neg {
			sum += r.Weight
		}
	}
	return sum
}
