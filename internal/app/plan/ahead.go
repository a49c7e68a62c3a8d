package plan

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/greedy"
	"github.com/fdplan/fdplan/internal/execution/rollout"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Ahead finds plans of a determinised problem by simulation, for an engine to begin with and
// where it has no better one in its time. It belongs to one goroutine.
type Ahead struct {
	p *load.Problem
	r *rollout.Planner
}

// NewAhead returns nil if p is not determinised, or if its plans are to reach a goal or to
// collect a reward that is not the RDDL's.
func NewAhead(p *load.Problem, seed uint64) (*Ahead, error) {
	if p.Determinized == "" || p.OwnReward || p.LearnedReward || len(p.Problem.Goal) > 0 || p.Truth == nil {
		return nil, nil
	}
	r, err := rollout.New(p.Truth.System(), rand.New(rand.NewPCG(seed, 3)))
	if err != nil {
		return nil, fmt.Errorf("%w: simulating the determinised RDDL: %w", app.ErrInternal, err)
	}
	return &Ahead{p, r}, nil
}

// Begin starts from a state. The actions are those that were planned for the next steps. What
// they lead to now is offered to engines on the exchange.
func (a *Ahead) Begin(t engine.Task, state factored.Valuation, horizon int, actions []app.Values) (*engine.Exchange, error) {
	bits, err := a.bits(actions)
	if err != nil {
		return nil, err
	}
	a.r.Start(state, horizon)
	a.r.Try(bits)
	x := &engine.Exchange{}
	if tr, reward := a.best(t); tr != nil && tr.Horizon() == horizon {
		x.Offer(tr, reward)
	}
	return x, nil
}

func (a *Ahead) bits(actions []app.Values) ([]factored.Valuation, error) {
	var out []factored.Valuation
	for _, v := range actions {
		b, err := app.BitsOf(a.p.Problem, v)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// best returns the best plan with its scaled reward; nil if the checker refuses it, such as
// for a constraint of the user's.
func (a *Ahead) best(t engine.Task) (*factored.Trace, int64) {
	tr, err := a.r.Trace()
	if err != nil || tr == nil || tr.Horizon() == 0 {
		return nil, 0
	}
	report, err := validate.Check(t.Problem, t.Network, validate.FromTrace(tr))
	if err != nil || !report.Valid {
		return nil, 0
	}
	return tr, report.Reward
}

// Improve replaces a plan that is not proven to be optimal, if a better one is found until ctx
// ends.
func (a *Ahead) Improve(ctx context.Context, t engine.Task, d *Document) error {
	if d.Status == engine.Optimal {
		return nil
	}
	bits, err := a.bits(d.Plan)
	if err != nil {
		return err
	}
	a.r.Try(bits)
	a.r.Improve(ctx, math.MaxInt)
	tr, reward := a.best(t)
	if tr == nil || d.Reward != nil && *app.RewardOf(t.Problem, reward) <= *d.Reward {
		return nil
	}
	d.Plan, d.Trace, d.Status = nil, nil, engine.Feasible
	return d.Confirm(t, &engine.Result{Trace: tr, Reward: reward})
}

// aside looks for plans of a problem in PDDL whatever they cost, and offers those that the checker accepts; nil for other problems.
func aside(p *load.Problem, r *Request) func(context.Context, int64) bool {
	if !p.InPDDL() || p.OwnReward || p.Truth.Task.Grounded() == nil {
		return nil
	}
	if r.Outright == nil {
		g, ranges := p.Truth.Task.Grounded(), p.Truth.Sim.Ranges()
		r.Outright = &Outright{t: p.Truth.Task, more: true, search: greedy.New(g, r.Limits.Memory/8, func(fluent int) (lo, hi float64) {
			x, _ := ranges.Of(&g.Fluents[fluent])
			return x.Lo, x.Hi
		})}
	}
	search := r.Outright.search
	offer := func() {
		tr := &factored.Trace{}
		for _, values := range search.Best.Values {
			bits, err := p.Truth.Compiled.Valuation(values)
			if err != nil {
				return // the model has no such state
			}
			tr.Steps = append(tr.Steps, bits)
		}
		if report, err := validate.Check(p.Problem, p.Network, validate.FromTrace(tr)); err == nil && report.Valid {
			r.Outright.mu.Lock()
			r.Outright.checked, r.Outright.report = tr, report
			r.Outright.mu.Unlock()
			r.Limits.Shared.Offer(tr, report.Reward)
		}
	}
	if search.Best != nil {
		offer()
	}
	return func(ctx context.Context, work int64) bool {
		better, done := search.Advance(ctx, work)
		if better {
			offer()
		}
		return !done
	}
}
