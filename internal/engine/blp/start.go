package blp

import (
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/factored"
)

// solution returns the variables that are true in the solution that a plan stands
// for: its bits, hidden units, flow, and auxiliary variables, with the best
// reward where these pay.
func (b *builder) solution(trace *factored.Trace) map[int32]bool {
	isTrue := map[int32]bool{}
	s, m := b.step, b.m
	for t := 1; t <= m.Horizon+1; t++ {
		val := trace.Steps[t-1]
		for i := range val {
			bit := factored.Bit(i)
			kind := m.Problem.Kind(bit)
			if val[i] && kind != factored.Auxiliary && (t <= m.Horizon || kind == factored.State) {
				isTrue[int32(m.Var(t, bit))] = true
			}
		}
		b.units(t, isTrue)
	}
	if len(s.Aux)+len(s.Paid) > 0 {
		b.auxiliaries(trace, isTrue)
	}
	b.path(trace, isTrue)
	b.indicators(isTrue)
	return isTrue
}

// units adds the hidden units of a step whose bits are there.
func (b *builder) units(t int, isTrue map[int32]bool) {
	m := b.m
	offset := m.Stride() * int32(t-1)
	for v := int32(m.Problem.NumBits()) + 1; t <= m.Horizon && v <= m.Stride(); v++ {
		if m.Value(v+offset) > 0 {
			isTrue[v+offset] = true
		}
	}
	part := m.Part(t)
	for _, s := range part.Sums[model.Network] {
		if l := s.Terms[0].Lit; len(s.Terms) == 1 && l > 0 { // a constant unit
			isTrue[int32(l)+offset] = true
		}
	}
	value := func(l model.Lit) bool { return isTrue[l.Var()+offset] == (l > 0) }
	for _, layer := range part.Layers {
		for i := range layer {
			if n := &layer[i]; n.Active(value) == (n.Out > 0) {
				isTrue[n.Out.Var()+offset] = true
			}
		}
	}
}

// auxiliaries completes a solution, step by step.
func (b *builder) auxiliaries(trace *factored.Trace, isTrue map[int32]bool) {
	s, m := b.step, b.m
	here := s.Relation().NewState()
	// At the last step, in the variables of the block after.
	end := s.Final().NewState()
	for t := 1; t <= m.Horizon+1; t++ {
		st := here
		if t > m.Horizon {
			st = end
		}
		if !st.Consistent() {
			return
		}
		st.Reset()
		if !b.assign(st, trace, t) {
			return // no plan; the solver will say so
		}
		b.complete(st, m.Stride()*int32(t-1), isTrue)
	}
}

// assign sets the variables of step t, and of the state after it, to their values
// in a trace. It reports whether these are consistent.
func (b *builder) assign(st *propagate.State, trace *factored.Trace, t int) bool {
	s := b.step
	set := func(vars []model.Lit, val factored.Valuation) bool {
		for _, l := range vars {
			if !val[s.Bits[l]] {
				l = -l
			}
			if !st.Assign(l) {
				return false
			}
		}
		return true
	}
	if t > b.m.Horizon {
		return set(s.Now, trace.Steps[t-1])
	}
	return set(s.Now, trace.Steps[t-1]) && set(s.Actions, trace.Steps[t-1]) && set(s.Next, trace.Steps[t])
}

// complete adds to a solution the auxiliary variables of one step that pay most,
// of all values that st allows.
func (b *builder) complete(st *propagate.State, offset int32, isTrue map[int32]bool) {
	s := b.step
	all := slices.Concat(s.Paid, s.Aux)
	found := false
	var best int64
	st.Each(s.Paid, func() bool {
		reward := int64(0)
		for _, r := range b.m.Problem.Reward.Terms {
			if s.Task.Problem.Kind(r.Lit.Bit) == factored.Auxiliary && (st.Value(s.Var(r.Lit.Bit)) > 0) != r.Lit.Neg {
				reward += r.Weight
			}
		}
		if found && reward <= best {
			return true
		}
		st.Each(s.Aux, func() bool {
			found, best = true, reward
			for _, v := range all {
				delete(isTrue, int32(v)+offset)
				if st.Value(v) > 0 {
					isTrue[int32(v)+offset] = true
				}
			}
			return false
		})
		return true
	})
}
