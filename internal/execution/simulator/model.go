package simulator

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// Model is a System that draws from a learned or declared model.
type Model struct {
	p     *factored.Problem
	t     *chance.Transition
	rng   *rand.Rand
	start factored.Valuation // nil where the initial state is open
	now   factored.Valuation
}

// NewModel returns a system of p with its network and what is drawn; either may be nil. Runs end in states in which one of
// final holds.
func NewModel(p *factored.Problem, net *bnn.Network, c *chance.Model, final []*expr.Expr, rng *rand.Rand) *Model {
	m := &Model{p: p, t: chance.NewTransition(p, net, c, final), rng: rng}
	val, given := p.InitialBits()
	for _, b := range p.Bits(factored.State) {
		if !given[b] {
			return m
		}
	}
	m.start = val
	return m
}

// Info reports that any state can be set.
func (m *Model) Info() Info { return Info{Name: "model", AnyState: true} }

// Reset sets a state or, with nil, the problem's initial one.
func (m *Model) Reset(ctx context.Context, state factored.Valuation) (*Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if state == nil {
		if state = m.start; state == nil {
			return nil, fmt.Errorf("the initial state of %s leaves fluents open; expected a value for each", m.p.Name)
		}
	}
	m.now = make(factored.Valuation, m.p.NumBits())
	for _, b := range m.p.Bits(factored.State) {
		if v, _ := m.p.Owner(b); v.Clock > 0 { // the state may be one without clocks
			m.now[b] = v.Clock == 1
			continue
		}
		m.now[b] = state[b]
	}
	return m.answer()
}

// Step draws the next state. A value that a network gives and its variable does not have is a violation.
func (m *Model) Step(ctx context.Context, action factored.Valuation) (*Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	for _, b := range m.p.Bits(factored.Action) {
		m.now[b] = action[b]
	}
	next := make(factored.Valuation, m.p.NumBits())
	if !m.t.Sample(next, m.now, m.rng) {
		return &Answer{Violation: &Violation{Group: "simulation", Constraint: "the model leads to a value that its variable does not have"}}, nil
	}
	m.now = next
	return m.answer()
}

func (m *Model) answer() (*Answer, error) {
	a := &Answer{State: append(factored.Valuation(nil), m.now...)}
	var err error
	a.Terminal, err = m.t.Ends(m.now)
	return a, err
}

// Close does nothing.
func (m *Model) Close() error { return nil }
