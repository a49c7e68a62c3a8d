package model

import (
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/problem/factored"
)

// propagate fixes every literal that bounds propagation over single constraints finds,
// forwards and backwards through all steps until nothing changes. It keeps all solutions:
// fixed literals hold in each of them. The error is that of the context.
func (m *Model) propagate() error {
	m.fixed = make([]int8, m.NumVars()+1)
	m.give()
	for changed := true; changed && !m.infeasible; {
		changed = false
		for i := range 2 * (m.Horizon + 1) {
			t := i + 1 // forwards, then backwards
			if i > m.Horizon {
				t = 2*(m.Horizon+1) - i
			}
			if m.propagateStep(t) {
				changed = true
			}
			if m.infeasible {
				return nil
			}
			if c := m.options.Context; c != nil && c.Err() != nil {
				return c.Err()
			}
		}
	}
	return nil
}

// propagateStep visits the constraints of step t once and reports whether it fixed anything.
func (m *Model) propagateStep(t int) bool {
	s := stepView{m: m, base: m.stride * int32(t-1)}
	for _, rules := range m.rulesAt(t) {
		for i := range rules {
			if t > m.Horizon && rules[i].reach == inSteps {
				continue
			}
			s.sum(&rules[i].Sum)
		}
	}
	if t <= m.Horizon {
		for _, layer := range m.layers {
			for i := range layer {
				s.neuron(&layer[i])
			}
		}
	}
	return s.changed
}

// rulesAt lists the rules that may hold at step t.
func (m *Model) rulesAt(t int) [][]rule {
	var out [][]rule
	if t == 1 {
		out = append(out, m.initial)
	}
	out = append(out, m.always)
	if t == m.Horizon+1 {
		out = append(out, m.goal)
	}
	return out
}

// stepView reads and fixes local literals at one step.
type stepView struct {
	m       *Model
	base    int32
	changed bool
}

// value returns 1, -1 or 0 if the local literal is true, false or open.
func (s *stepView) value(l Lit) int8 {
	if l < 0 {
		return -s.m.fixed[int32(-l)+s.base]
	}
	return s.m.fixed[int32(l)+s.base]
}

// fix makes an open local literal true.
func (s *stepView) fix(l Lit) {
	if l < 0 {
		s.m.fixed[int32(-l)+s.base] = -1
	} else {
		s.m.fixed[int32(l)+s.base] = 1
	}
	s.changed = true
}

func (s *stepView) sum(c *Sum) {
	var least, most int64 // of the sum, over the open literals
	for _, t := range c.Terms {
		switch s.value(t.Lit) {
		case 1:
			least += t.Coef
			most += t.Coef
		case 0:
			most += t.Coef
		}
	}
	upper, lower := c.Op != factored.GE, c.Op != factored.LE
	if upper && least > c.K || lower && most < c.K {
		s.m.infeasible = true
		return
	}
	if least == most {
		return
	}
	for _, t := range c.Terms {
		if s.value(t.Lit) != 0 {
			continue
		}
		switch {
		case upper && least+t.Coef > c.K:
			s.fix(-t.Lit)
		case lower && most-t.Coef < c.K:
			s.fix(t.Lit)
		}
	}
}

func (s *stepView) neuron(n *Neuron) {
	active, open := 0, 0
	for _, l := range n.Inputs {
		switch s.value(l) {
		case 1:
			active++
		case 0:
			open++
		}
	}
	out := s.value(n.Out)
	if out == 0 {
		switch {
		case active >= n.Threshold:
			s.fix(n.Out)
		case active+open < n.Threshold:
			s.fix(-n.Out)
		}
		return
	}
	missing := n.Threshold - active // inputs that must still become true
	switch {
	case out > 0 && open < missing, out < 0 && missing <= 0:
		s.m.infeasible = true
	case out > 0 && open == missing && missing > 0:
		s.fixOpen(n.Inputs, 1)
	case out < 0 && missing == 1:
		s.fixOpen(n.Inputs, -1)
	}
}

// fixOpen makes the open ones among lits true or, with sign -1, false.
func (s *stepView) fixOpen(lits []Lit, sign Lit) {
	for _, l := range lits {
		if s.value(l) == 0 {
			s.fix(sign * l)
		}
	}
}

// checkGiven reports given bits that the model does not have.
func (m *Model) checkGiven() error {
	if len(m.options.Given) > 0 && !m.options.Propagate {
		return errors.New("given bits need propagation")
	}
	for _, g := range m.options.Given {
		if g.Bit < 0 || int(g.Bit) >= m.Problem.NumBits() {
			return fmt.Errorf("bit %d is given; the problem has %d", g.Bit, m.Problem.NumBits())
		}
		last := m.Horizon + 1
		if m.Problem.Kind(g.Bit) == factored.Action {
			last--
		}
		if g.Step < 1 || g.Step > last {
			return fmt.Errorf("%s is given at step %d, expected 1 to %d", m.Problem.BitName(g.Bit), g.Step, last)
		}
	}
	return nil
}

// give fixes the given bits; two values of one are infeasible.
func (m *Model) give() {
	for _, g := range m.options.Given {
		value := int8(-1)
		if g.Value {
			value = 1
		}
		f := &m.fixed[m.Var(g.Step, g.Bit)]
		m.infeasible = m.infeasible || *f == -value
		*f = value
	}
}
