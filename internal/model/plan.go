package model

import "github.com/fdplan/fdplan/problem/factored"

// Literals are what a plan with its auxiliary bits says of the variables: of bits, and of the hidden
// units that are fixed or stand in a Part, whose values follow.
func (m *Model) Literals(plan *factored.Trace) (bits, hidden []Lit) {
	value := make([]bool, m.NumVars()+1)
	known := make([]bool, len(value))
	set := func(to *[]Lit, l Lit) {
		if v := l.Var(); !known[v] {
			known[v], value[v] = true, l > 0
			*to = append(*to, l)
		}
	}
	for i, step := range plan.Steps {
		for b, on := range step {
			if bit := factored.Bit(b); i < m.Horizon || m.Problem.Kind(bit) != factored.Action {
				set(&bits, m.Var(i+1, bit).If(on))
			}
		}
	}
	for v := Lit(1); v <= Lit(m.NumVars()); v++ {
		if x := m.Value(v); x != 0 {
			set(&hidden, v.If(x > 0))
		}
	}
	for t := 1; t <= m.Horizon; t++ {
		part, offset := m.Part(t), m.stride*int32(t-1)
		for _, s := range part.Sums[Network] {
			if len(s.Terms) == 1 && s.Op == factored.GE && s.K == 1 { // a constant unit
				set(&hidden, s.Terms[0].Lit.Shift(offset))
			}
		}
		is := func(l Lit) bool { return value[l.Shift(offset).Var()] == (l > 0) }
		for _, layer := range part.Layers {
			for i := range layer {
				set(&hidden, layer[i].Out.Shift(offset).If(layer[i].Active(is)))
			}
		}
	}
	return bits, hidden
}
