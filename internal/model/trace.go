package model

import "github.com/fdplan/fdplan/problem/factored"

// Trace returns the plan and the states that an assignment of the model's variables
// represents. Auxiliary bits are not part of a trace and are false in it.
func (m *Model) Trace(isTrue func(v int32) bool) *factored.Trace {
	trace := &factored.Trace{Steps: make([]factored.Valuation, m.Horizon+1)}
	for t := 1; t <= m.Horizon+1; t++ {
		val := make(factored.Valuation, m.Problem.NumBits())
		for i := range val {
			b := factored.Bit(i)
			switch kind := m.Problem.Kind(b); {
			case kind == factored.Auxiliary, kind == factored.Action && t > m.Horizon:
			default:
				val[i] = isTrue(int32(m.Var(t, b)))
			}
		}
		trace.Steps[t-1] = val
	}
	return trace
}
