package plan

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// fewest finds the least number of steps of a plan: it asks an engine about one horizon after the other, until there is a plan. Each step costs 1, and the system may
// rest, so that no shorter and no longer plan is as good.
type fewest struct {
	engine.Engine
	p *load.Problem
}

// newFewest takes pb for auto: states are too many to be searched where steps are sets of actions.
func newFewest(p *load.Problem, o registry.Options) (engine.Engine, error) {
	if cmp.Or(o.Engine, registry.Auto) == registry.Auto {
		o.Engine = registry.PB
	}
	e, err := registry.New(o)
	return fewest{e, p}, err
}

// Solve asks about the horizons from MinHorizon on, up to MaxHorizon if that is not 0.
func (f fewest) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	all := &engine.Result{Status: engine.Infeasible, Stats: map[string]int64{}}
	most := cmp.Or(q.MaxHorizon, math.MaxInt)
	for h := q.MinHorizon; h <= most && all.Status == engine.Infeasible; h++ {
		q.MinHorizon, q.MaxHorizon = h, h
		r, err := f.Engine.Solve(ctx, q, l, report)
		if err != nil {
			return nil, err
		}
		r.Horizons = append(all.Horizons, engine.HorizonResult{Horizon: h, Status: r.Status, Reward: r.Reward})
		if bound := q.Problem.Reward.Constant * int64(h); r.Status == engine.Unknown {
			r.Bound = &bound // no plan is shorter
		}
		for k, v := range r.Stats {
			all.Stats[k] += v
		}
		r.Stats, all = all.Stats, r
	}
	var err error
	if all.Trace != nil {
		all.Trace, err = withoutIdle(f.p, all.Trace)
	}
	return all, err
}

// withoutIdle leaves out actions of a plan, the last first, without which it reaches the goal as well: the engine takes any number of actions for a step.
func withoutIdle(p *load.Problem, tr *factored.Trace) (*factored.Trace, error) {
	var steps []factored.Valuation
	for _, s := range tr.Steps[:tr.Horizon()] {
		steps = append(steps, slices.Clone(s))
	}
	for t := len(steps) - 1; t >= 0; t-- {
		for _, v := range p.Problem.OfKind(factored.Action) {
			if !steps[t][v.First] {
				continue
			}
			if steps[t][v.First] = false; p.Execute(steps).Failure != nil {
				steps[t][v.First] = true
			}
		}
	}
	report, err := validate.Check(p.Problem, p.Network, validate.Plan{Actions: steps})
	if err != nil || !report.Valid {
		return tr, err
	}
	return report.Trace, nil
}
