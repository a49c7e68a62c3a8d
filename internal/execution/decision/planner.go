package decision

import (
	"context"
	"time"

	"github.com/fdplan/fdplan/internal/engine/bracket"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/problem/factored"
)

// Planner finds actions in one state after another, for what is left of a horizon. It belongs to one goroutine.
type Planner struct {
	f   Split
	s   *bracket.Search
	now func() time.Time
}

// OnlineLeaves is the size of a planner's tables: they take a few seconds, once.
const OnlineLeaves = 1 << 16

// NewPlanner makes the tables that guide a planner; equal ones for equal seeds.
func NewPlanner(ctx context.Context, f Split, o policy.Objective, horizon int, seed uint64, leaves int, now func() time.Time) (*Planner, error) {
	s, err := bracket.New(ctx, f, bracket.Options{Objective: o, Horizon: horizon, Seed: seed, Leaves: leaves})
	return &Planner{f, s, now}, err
}

// Planner returns a planner that goes by the search of the bounds on a process.
func (b *Bounds) Planner(f Split) *Planner { return &Planner{f: f, s: b.Search} }

// onlineTrials is the number of trials without a time.
const onlineTrials = 2000

// Search searches from a state for a time, or for a number of trials if that is 0.
func (p *Planner) Search(ctx context.Context, state factored.Valuation, left int, within time.Duration) error {
	packed, err := p.f.Pack(state)
	if err != nil {
		return err
	}
	p.s.Forget()
	end := p.now().Add(within)
	for i := 0; within > 0 || i < onlineTrials; i++ {
		if i%16 == 0 && (ctx.Err() != nil || within > 0 && !p.now().Before(end)) {
			return context.Cause(ctx)
		}
		if err := p.s.Trial(packed, left, false); err != nil {
			return err
		}
	}
	return nil
}

// Choose returns the best action that is known; nil where none is legal.
func (p *Planner) Choose(state factored.Valuation, left int) (factored.Valuation, error) {
	packed, err := p.f.Pack(state)
	if err != nil {
		return nil, err
	}
	a, ok, err := p.s.Choose(packed, left)
	if err != nil || !ok {
		return nil, err
	}
	val := make(factored.Valuation, len(state))
	return val, p.f.Action(val, a)
}
