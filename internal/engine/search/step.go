package search

import (
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// relation is a step as the search sees it: which joint actions are legal in a state, and which
// states follow with which reward. It is immutable and shared by all workers.
type relation struct {
	*step.Step
	p    *factored.Problem
	eval *bnn.Evaluator // nil when nothing is learned

	between *propagate.System // C and T between t and t+1
	first   *propagate.System // what holds at step 1
	final   *propagate.System // what holds at step H+1

	// joint lists the legal joint actions when that does not depend on the
	// state; nil when it does.
	joint []uint64
	// direct reports whether a successor is the network's output and nothing else.
	direct bool
	// Bits of a state that C fixes at every step, and their values: most
	// illegal successors fail this and are never stored.
	fixedMask, fixedValue []uint64
	mostReward            int64 // no step's scaled reward is higher

	own []model.Sum // constraints on actions alone

	// given are the next bits of the variables with functions, and what is between t and t+1 apart from these.
	given []model.Lit
	rest  *model.Part
}

func newRelation(t engine.Task) (*relation, error) {
	one, err := step.New(t)
	if err != nil {
		return nil, err
	}
	s := &relation{Step: one, p: t.Problem, first: one.First(), final: one.Final()}
	if err := s.useFunctions(); err != nil {
		return nil, err
	}
	if t.Network != nil {
		s.eval = bnn.NewEvaluator(t.Network)
	}
	s.own = s.onActions(one.Here)
	s.findShortcuts()
	s.mostReward = one.MostReward()
	return s, nil
}

// useFunctions has functions compute their next values, in integers: their constraints are left out of what is propagated.
func (s *relation) useFunctions() error {
	s.rest, s.between = s.Here, s.Relation()
	if len(s.p.Functions) == 0 {
		return nil
	}
	one, err := step.New(engine.Task{Problem: s.p.WithoutFunctions(), Network: s.Task.Network})
	if err != nil {
		return err
	}
	s.rest, s.between = one.Here, one.Relation()
	set := map[model.Lit]bool{}
	for i := range s.p.Functions {
		v := &s.p.Variables[s.p.Functions[i].Variable]
		for k := range factored.Bit(v.Width) {
			l := s.Model.Var(2, v.First+k)
			s.given, set[l] = append(s.given, l), true
		}
	}
	s.Free = slices.DeleteFunc(s.Free, func(l model.Lit) bool { return set[l] })
	return nil
}

// needsAux reports whether a constraint on a step is on auxiliary bits; those of functions always have values.
func (s *relation) needsAux() bool {
	if len(s.given) == 0 {
		return len(s.Aux) > 0
	}
	aux := map[int32]bool{}
	for _, l := range s.Aux {
		aux[l.Var()] = true
	}
	return slices.ContainsFunc(slices.Concat(s.rest.Sums[model.Global], s.rest.Sums[model.Transition]), func(c model.Sum) bool {
		return slices.ContainsFunc(c.Terms, func(t model.Term) bool { return aux[t.Lit.Var()] })
	})
}

// findShortcuts sees what an expansion need not do.
func (s *relation) findShortcuts() {
	here := s.rest
	s.direct = len(s.Free) == 0 && len(s.Next) > 0 && (s.eval != nil || len(s.given) > 0) && len(s.Paid) == 0 && !s.needsAux() && len(here.Sums[model.Transition]) == 0
	s.fixedMask = make([]uint64, s.StateWords())
	s.fixedValue = make([]uint64, len(s.fixedMask))
	st := s.System(s.Invariants()).NewState()
	if !st.Consistent() {
		return
	}
	for i, v := range s.Now {
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
	for _, v := range s.Actions {
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
	if !s.direct || len(s.ActionBits) > 20 {
		return // enumerated state by state, where a limit can stop it
	}
	st = s.System(s.own).NewState()
	s.joint = []uint64{}
	if !st.Consistent() {
		return
	}
	key := make([]uint64, s.ActionWords())
	st.Each(s.Actions, func() bool {
		step.Pack(key, st, s.Actions)
		s.joint = append(s.joint, key...)
		return true
	})
}
