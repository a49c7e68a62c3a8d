package simulator

import (
	"context"

	"github.com/fdplan/fdplan/problem/factored"
)

// BitMap maps each bit of a problem to a bit of another problem; -1 for none. Every state and
// action bit of either problem corresponds to one of the other.
type BitMap struct {
	From, To *factored.Problem
	Bit      []factored.Bit // by bit of From
}

// There converts a valuation of From to one of To.
func (m *BitMap) There(val factored.Valuation) factored.Valuation {
	out := make(factored.Valuation, m.To.NumBits())
	for b, c := range m.Bit {
		if c >= 0 {
			out[c] = val[b]
		}
	}
	return out
}

// Back converts a valuation of To to one of From.
func (m *BitMap) Back(val factored.Valuation) factored.Valuation {
	out := make(factored.Valuation, m.From.NumBits())
	for b, c := range m.Bit {
		if c >= 0 {
			out[b] = val[c]
		}
	}
	return out
}

// mapped presents the system of one problem as that of another.
type mapped struct {
	System
	m *BitMap
}

// NewMapped presents a system of m.To, which shows the whole state, as one of m.From. Its
// rules and goals keep the names of m.To.
func NewMapped(sys System, m *BitMap) System { return &mapped{sys, m} }

func (s *mapped) Reset(ctx context.Context, state factored.Valuation) (*Answer, error) {
	if state != nil {
		state = s.m.There(state)
	}
	return s.back(s.System.Reset(ctx, state))
}

func (s *mapped) Step(ctx context.Context, action factored.Valuation) (*Answer, error) {
	return s.back(s.System.Step(ctx, s.m.There(action)))
}

func (s *mapped) back(a *Answer, err error) (*Answer, error) {
	if err != nil || a.State == nil {
		return a, err
	}
	out := *a
	out.State = s.m.Back(a.State)
	return &out, nil
}
