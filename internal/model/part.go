package model

import (
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// Part contains the constraints of step t: everything on variables of step t and, for the
// transition, of step t+1. Its literals are local: add (t-1)*Stride to a variable for its
// number in the whole model. Parts of steps with the same constants are equal, so that a back
// end can lower one and stamp the rest.
type Part struct {
	// Fixed are the literals of problem variables of this step's own block that propagation
	// fixed; without Propagate it is empty.
	Fixed []Lit
	// Sums contains the linear constraints by Group. Those in group Network are the
	// remainders of neurons whose output is known; a single literal with bound 1 expresses a
	// constant neuron.
	Sums [NumGroups][]Sum
	// Layers contains the neurons, layer by layer.
	Layers [][]Neuron
}

// Part builds the constraints of step t, 1..H+1.
func (m *Model) Part(t int) *Part {
	part := &Part{}
	if m.infeasible {
		return part
	}
	base := m.stride * int32(t-1)
	if m.fixed != nil {
		width := m.last
		if t <= m.Horizon {
			width += int32(len(m.Problem.Bits(factored.Action)))
		}
		for v := int32(1); v <= width; v++ {
			if f := m.fixed[base+v]; f != 0 {
				part.Fixed = append(part.Fixed, Lit(v)*Lit(f))
			}
		}
	}
	s := stepView{m: m, base: base}
	for _, rules := range m.rulesAt(t) {
		for i := range rules {
			r := &rules[i]
			if t > m.Horizon && r.reach == inSteps {
				continue
			}
			if m.fixed == nil {
				part.Sums[r.group] = append(part.Sums[r.group], r.Sum)
			} else if sum, ok := r.Sum.Reduced(s.value); ok {
				part.Sums[r.group] = append(part.Sums[r.group], sum)
			}
		}
	}
	if t <= m.Horizon {
		m.addNeurons(part, &s)
	}
	return part
}

// Same reports whether Part(t) equals Part(t-1) and need not be built.
func (m *Model) Same(t int) bool {
	if t <= 2 || t > m.Horizon {
		return false
	}
	if m.fixed == nil {
		return true
	}
	// A part of step t depends on the constants of blocks t and t+1.
	at := func(t int) []int8 {
		from := m.stride*int32(t-1) + 1
		to := min(from+2*m.stride, m.NumVars()+1)
		return m.fixed[from:to]
	}
	a, b := at(t-1), at(t)
	n := int(m.stride + m.last)
	return slices.Equal(a[:n], b[:n])
}

// Reduced is the sum without literals that value says are 1, for true, or -1; ok is false if it always holds then.
func (c *Sum) Reduced(value func(Lit) int8) (out Sum, ok bool) {
	out = Sum{Op: c.Op, K: c.K}
	var most int64
	for _, t := range c.Terms {
		switch value(t.Lit) {
		case 1:
			out.K -= t.Coef
		case 0:
			out.Terms = append(out.Terms, t)
			most += t.Coef
		}
	}
	upper := out.Op != factored.GE && most > out.K
	lower := out.Op != factored.LE && out.K > 0
	switch {
	case upper && !lower:
		out.Op = factored.LE
	case lower && !upper:
		out.Op = factored.GE
	}
	return out, upper || lower
}

// addNeurons adds the neurons of the step to part, unchanged or reduced.
func (m *Model) addNeurons(part *Part, s *stepView) {
	if m.fixed == nil {
		for _, layer := range m.layers {
			var neurons []Neuron
			for i := range layer {
				n := &layer[i]
				switch {
				case n.Threshold <= 0:
					part.Sums[Network] = append(part.Sums[Network], unit(n.Out))
				case n.Threshold > len(n.Inputs):
					part.Sums[Network] = append(part.Sums[Network], unit(-n.Out))
				default:
					neurons = append(neurons, *n)
				}
			}
			part.Layers = append(part.Layers, neurons)
		}
		return
	}
	// From the last layer to the first, so that a hidden unit that nothing reads is omitted:
	// it is a definition and excludes no solution.
	part.Layers = make([][]Neuron, len(m.layers))
	read := make([]bool, m.stride+1)
	for li := len(m.layers) - 1; li >= 0; li-- {
		for i := range m.layers[li] {
			n := &m.layers[li][i]
			if li < len(m.layers)-1 && !read[n.Out.Var()] && s.value(n.Out) == 0 {
				continue
			}
			r := Neuron{Out: n.Out, Threshold: n.Threshold}
			for _, l := range n.Inputs {
				switch s.value(l) {
				case 1:
					r.Threshold--
				case 0:
					r.Inputs = append(r.Inputs, l)
				}
			}
			if !m.emitNeuron(part, li, &r, s.value(n.Out)) {
				continue
			}
			if li > 0 {
				for _, l := range r.Inputs {
					read[l.Var()] = true
				}
			}
		}
	}
}

// emitNeuron adds a reduced neuron whose output is out (1, -1 or 0 for open), and reports
// whether there was anything to add.
func (m *Model) emitNeuron(part *Part, layer int, n *Neuron, out int8) bool {
	switch {
	case out == 0:
		part.Layers[layer] = append(part.Layers[layer], *n)
		return true
	case out > 0 && n.Threshold > 0:
		part.Sums[Network] = append(part.Sums[Network], count(n.Inputs, factored.GE, n.Threshold))
		return true
	case out < 0 && n.Threshold <= len(n.Inputs):
		part.Sums[Network] = append(part.Sums[Network], count(n.Inputs, factored.LE, n.Threshold-1))
		return true
	}
	return false
}

// count returns the cardinality constraint over lits.
func count(lits []Lit, op factored.Op, k int) Sum {
	s := Sum{Op: op, K: int64(k), Terms: make([]Term, len(lits))}
	for i, l := range lits {
		s.Terms[i] = Term{Coef: 1, Lit: l}
	}
	return s
}

// unit returns the constraint of a single literal.
func unit(l Lit) Sum { return Sum{Terms: []Term{{Coef: 1, Lit: l}}, Op: factored.GE, K: 1} }
