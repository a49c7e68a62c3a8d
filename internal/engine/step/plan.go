package step

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/factored"
)

// ErrRefuted is wrapped by the error for a trace that is no plan.
var ErrRefuted = errors.New("the plan fails")

// Complete returns a plan with the auxiliary bits that earn most; its own are ignored. The error
// is the context's, or wraps ErrRefuted.
func (s *Step) Complete(ctx context.Context, plan *factored.Trace) (*factored.Trace, error) {
	out := &factored.Trace{}
	first, whole, final := s.First().NewState(), s.Whole().NewState(), s.Final().NewState()
	for _, st := range []*propagate.State{first, whole, final} {
		st.SetInterrupt(func() bool { return ctx.Err() != nil })
	}
	ok := s.set(first, s.Now, plan.Steps[0])
	for i, now := range plan.Steps {
		st := final
		if i < plan.Horizon() {
			st = whole
			st.Reset()
		}
		ok = ok && s.set(st, s.Now, now)
		if i < plan.Horizon() {
			ok = ok && s.set(st, s.Actions, now) && s.set(st, s.Next, plan.Steps[i+1])
		}
		if ok {
			out.Steps = append(out.Steps, s.complete(st, now, i == plan.Horizon()))
			ok = out.Steps[i] != nil
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !ok:
			return nil, fmt.Errorf("%w at step %d", ErrRefuted, i+1)
		}
	}
	return out, nil
}

// set assigns the values of a valuation to vars. It returns false if propagation refutes these.
func (s *Step) set(st *propagate.State, vars []model.Lit, val factored.Valuation) bool {
	return st.Consistent() && !slices.ContainsFunc(vars, func(v model.Lit) bool { return !st.Assign(v.If(val[s.Bits[v]])) })
}

// complete returns a valuation with the auxiliary bits that earn most of those that st allows, or, in
// the last state, where none earns anything, with any that it allows; nil if there are none.
func (s *Step) complete(st *propagate.State, now factored.Valuation, last bool) (best factored.Valuation) {
	p := s.Task.Problem
	var most int64
	if last {
		st.Each(slices.Concat(s.Paid, s.Aux), func() bool {
			best = slices.Clone(now)
			for _, v := range slices.Concat(s.Paid, s.Aux) {
				best[s.Bits[v]] = st.Value(v) > 0
			}
			return false
		})
		return best
	}
	st.Each(s.Paid, func() bool {
		reward := int64(0)
		for _, r := range p.Reward.Terms {
			if p.Kind(r.Lit.Bit) == factored.Auxiliary && (st.Value(s.Var(r.Lit.Bit)) > 0) != r.Lit.Neg {
				reward += r.Weight
			}
		}
		if best != nil && reward <= most {
			return true
		}
		st.Each(s.Aux, func() bool {
			best, most = slices.Clone(now), reward
			for _, v := range slices.Concat(s.Paid, s.Aux) {
				best[s.Bits[v]] = st.Value(v) > 0
			}
			return false
		})
		return true
	})
	return best
}
