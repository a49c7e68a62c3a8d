package execute

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// choose takes a step as the policy says.
func (x *run) choose(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	began := x.r.Now()
	action, planned, err := x.r.Follow.Choose(ctx, x.taken+1, x.now.State)
	if err != nil {
		return err
	}
	if planned != "" {
		line := RunPlan{Step: x.taken + 1, Horizon: x.r.Horizon.Max - x.taken, Status: planned, Seconds: x.r.Now().Sub(began).Seconds()}
		x.d.Plans = append(x.d.Plans, line)
		x.d.PlanLatency.add(line.Seconds)
		if x.r.Plan != nil {
			x.r.Plan(line)
		}
	}
	if action == nil {
		x.d.Status, x.d.Says = RunNoPlan, "the policy has no action here, and there is none to be found"
		return nil
	}
	_, err = x.step(ctx, app.ValuesOf(x.p.Problem, factored.Action, action, false), nil)
	return err
}

// compare notes the probability of the state after a step.
func (x *run) compare(line *RunStep, action factored.Valuation, a *simulator.Answer) error {
	now := slices.Clone(action)
	for _, b := range x.p.Problem.Bits(factored.State) {
		now[b] = x.now.State[b]
	}
	p, err := x.r.Follow.See(now, a.State)
	line.Probability = &p
	if p == 0 {
		x.d.Surprises++
	}
	return err
}
