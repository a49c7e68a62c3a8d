package decision

import (
	"context"
	"time"

	"github.com/fdplan/fdplan/internal/engine/bracket"
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

// PlannerOptions is bracket.Options.
type PlannerOptions = bracket.Options

// NewPlanner makes the tables that guide a planner; equal ones for equal options.
func NewPlanner(ctx context.Context, f Split, o PlannerOptions, now func() time.Time) (*Planner, error) {
	s, err := bracket.New(ctx, f, o)
	return &Planner{f, s, now}, err
}

// Planner returns a planner that goes by the search of the bounds on a process.
func (b *Bounds) Planner(f Split) *Planner { return &Planner{f: f, s: b.Search} }

// Tired is that of the search.
func (p *Planner) Tired() bool { return p.s.Tired() }

// onlineTrials is the number of trials without a time.
const onlineTrials = 2000

// trialShare is the share of the time for trials, in tenths; the rest is for comparing what comes of them with the base.
const trialShare = 6

// Search searches from a state for a time, or for a number of trials if that is 0, and returns the best action that is
// known; nil where none is legal.
func (p *Planner) Search(ctx context.Context, state factored.Valuation, left int, within time.Duration) (factored.Valuation, error) {
	packed, err := p.f.Pack(state)
	if err != nil {
		return nil, err
	}
	p.s.Forget()
	begin := p.now()
	over := func(share time.Duration) bool {
		return ctx.Err() != nil || within > 0 && !p.now().Before(begin.Add(share))
	}
	for i := 0; within > 0 || i < onlineTrials; i++ {
		if over(within * trialShare / 10) {
			break
		}
		if err := p.s.Trial(packed, left, false); err != nil {
			return nil, err
		}
	}
	var stop func() bool
	if within > 0 {
		stop = func() bool { return over(within) }
	}
	a, ok, err := p.s.Decide(packed, left, stop)
	if err == nil {
		err = context.Cause(ctx)
	}
	return p.action(state, a, ok, err)
}

// action is a joint action as a valuation; nil for none.
func (p *Planner) action(state factored.Valuation, a uint32, ok bool, err error) (factored.Valuation, error) {
	if err != nil || !ok {
		return nil, err
	}
	val := make(factored.Valuation, len(state))
	return val, p.f.Action(val, a)
}

// Choose returns the best action that is known; nil where none is legal.
func (p *Planner) Choose(state factored.Valuation, left int) (factored.Valuation, error) {
	packed, err := p.f.Pack(state)
	if err != nil {
		return nil, err
	}
	a, ok, err := p.s.Choose(packed, left)
	return p.action(state, a, ok, err)
}
