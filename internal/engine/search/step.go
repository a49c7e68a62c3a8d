package search

import (
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// step is the compiled one-step relation of a task: which joint actions are
// legal in a state, and which states follow with which reward. It is immutable
// and shared by all workers.
type step struct {
	p    *factored.Problem
	eval *bnn.Evaluator // nil when nothing is learned

	stateBits  []factored.Bit
	actionBits []factored.Bit
	place      []int32 // bit -> its place in a packed state or action

	now, next []model.Lit // variables of the state bits at t and t+1
	actions   []model.Lit // variables of the action bits
	learned   []model.Lit // variables at t+1 of the network's outputs
	free      []model.Lit // at t+1, of the state bits that are not learned
	aux       []model.Lit // auxiliary bits that the reward does not mention
	paid      []model.Lit // auxiliary bits that it does
	auxVars   []model.Lit // bit -> variable at t, of auxiliary bits

	relation *propagate.System // C and T between t and t+1
	first    *propagate.System // I and the part of C without actions, at step 1
	final    *propagate.System // G and the part of C without actions, at step H+1

	// joint lists the legal joint actions when that does not depend on the
	// state; nil when it does.
	joint []uint64
	// direct reports whether a successor is the network's output and nothing else.
	direct bool
	// Bits of a state that C fixes at every step, and their values: most
	// illegal successors fail this and are never stored.
	fixedMask, fixedValue []uint64
	mostReward            int64 // no step's scaled reward is higher

	task    engine.Task
	numVars int
	own     []model.Sum // constraints on actions alone
}

func newStep(t engine.Task) (*step, error) {
	p := t.Problem
	// A model of one step, unsimplified: its parts are the relation, its
	// literals the variables of both steps.
	m, err := model.New(p, t.Network, 1, model.Options{})
	if err != nil {
		return nil, err
	}
	s := &step{task: t, p: p, stateBits: p.Bits(factored.State), actionBits: p.Bits(factored.Action), place: make([]int32, p.NumBits())}
	for i, b := range s.stateBits {
		s.place[b] = int32(i)
		s.now = append(s.now, m.Var(1, b))
		s.next = append(s.next, m.Var(2, b))
	}
	for i, b := range s.actionBits {
		s.place[b] = int32(i)
		s.actions = append(s.actions, m.Var(1, b))
	}
	learned := make([]bool, p.NumBits())
	for _, b := range p.Outputs {
		learned[b] = true
		s.learned = append(s.learned, m.Var(2, b))
	}
	for i, b := range s.stateBits {
		if !learned[b] {
			s.free = append(s.free, s.next[i])
		}
	}
	inReward := make([]bool, p.NumBits())
	for _, r := range p.Reward.Terms {
		inReward[r.Lit.Bit] = true
	}
	s.auxVars = make([]model.Lit, p.NumBits())
	for _, b := range p.Bits(factored.Auxiliary) {
		s.auxVars[b] = m.Var(1, b)
		if inReward[b] {
			s.paid = append(s.paid, m.Var(1, b))
		} else {
			s.aux = append(s.aux, m.Var(1, b))
		}
	}
	if t.Network != nil {
		s.eval = bnn.NewEvaluator(t.Network)
	}
	here, there := m.Part(1), m.Part(2)
	numVars := int(m.NumVars())
	s.relation = propagate.NewSystem(numVars, slices.Concat(here.Sums[model.Global], here.Sums[model.Transition]), nil)
	quiet := there.Sums[model.Global] // without actions, hence at every step
	s.first = propagate.NewSystem(numVars, slices.Concat(here.Sums[model.Initial], quiet), nil)
	s.final = propagate.NewSystem(numVars, slices.Concat(there.Sums[model.Goal], quiet), nil)
	s.numVars, s.own = numVars, s.onActions(here)
	s.findShortcuts(here, quiet, numVars)
	s.mostReward = p.Reward.Constant
	for _, r := range p.Reward.Terms {
		s.mostReward += max(r.Weight, 0)
	}
	return s, nil
}

// findShortcuts sees what an expansion need not do.
func (s *step) findShortcuts(here *model.Part, quiet []model.Sum, numVars int) {
	s.direct = s.eval != nil && len(s.free) == 0 && len(s.paid) == 0 && len(s.aux) == 0 && len(here.Sums[model.Transition]) == 0
	s.fixedMask = make([]uint64, s.stateWords())
	s.fixedValue = make([]uint64, len(s.fixedMask))
	st := propagate.NewSystem(numVars, quiet, nil).NewState()
	if !st.Consistent() {
		return
	}
	for i, v := range s.now {
		if x := st.Value(v); x != 0 {
			s.fixedMask[i/64] |= 1 << (i % 64)
			if x > 0 {
				s.fixedValue[i/64] |= 1 << (i % 64)
			}
		}
	}
	// Joint actions are the same in every state when each constraint on an
	// action mentions actions alone.
	isAction := map[int32]bool{}
	for _, v := range s.actions {
		isAction[v.Var()] = true
	}
	for _, c := range slices.Concat(here.Sums[model.Global], here.Sums[model.Transition]) {
		actions := 0
		for _, t := range c.Terms {
			if isAction[t.Lit.Var()] {
				actions++
			}
		}
		if actions > 0 && actions < len(c.Terms) {
			return
		}
	}
	if !s.direct || len(s.actionBits) > 20 {
		return // enumerated state by state, where a limit can stop it
	}
	st = propagate.NewSystem(numVars, s.own, nil).NewState()
	s.joint = []uint64{}
	if !st.Consistent() {
		return
	}
	key := make([]uint64, s.actionWords())
	st.Each(s.actions, func() bool {
		s.packValues(key, st, s.actions)
		s.joint = append(s.joint, key...)
		return true
	})
}

// stateWords and actionWords are the sizes of packed states and actions.
func (s *step) stateWords() int  { return max(1, bnn.Words(len(s.stateBits))) }
func (s *step) actionWords() int { return max(1, bnn.Words(len(s.actionBits))) }

// packValues writes the values of vars, all assigned, as packed bits.
func (s *step) packValues(key []uint64, st *propagate.State, vars []model.Lit) {
	clear(key)
	for i, v := range vars {
		if st.Value(v) > 0 {
			key[i/64] |= 1 << (i % 64)
		}
	}
}

// assignPacked sets vars to the values in key. It is false when these are refuted.
func assignPacked(st *propagate.State, vars []model.Lit, key []uint64) bool {
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

// bit reads one packed bit.
func bit(key []uint64, i int32) bool { return key[i/64]>>(i%64)&1 == 1 }

// reward is the scaled reward of a step; aux reads an auxiliary bit and may be
// nil when the reward mentions none.
func (s *step) reward(state, action, next []uint64, aux func(factored.Bit) bool) int64 {
	sum := s.p.Reward.Constant
	for _, r := range s.p.Reward.Terms {
		var v bool
		switch i := s.place[r.Lit.Bit]; {
		case r.Lit.Next:
			v = bit(next, i)
		case s.p.Kind(r.Lit.Bit) == factored.Action:
			v = bit(action, i)
		case s.p.Kind(r.Lit.Bit) == factored.State:
			v = bit(state, i)
		default:
			v = aux(r.Lit.Bit)
		}
		if v != r.Lit.Neg {
			sum += r.Weight
		}
	}
	return sum
}
