package execute

import (
	"context"
	"fmt"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
)

// ask asks for a plan of a task from the state observed last. With a determinised model and a
// limited time the engine begins with what is left of the last plan, and a plan that it does not
// prove to be optimal is improved by simulation for the rest of the time.
func (x *run) ask(ctx context.Context, t engine.Task, lo, hi int) (*plan.Document, error) {
	began := x.r.Now()
	r := plan.Request{
		Query: plan.Query{Options: registry.Options{Engine: x.r.Engine}, Horizon: bind.Horizon{Min: lo, Max: hi}}, Limits: x.r.Limits, Report: x.r.Phase,
		Now: x.r.Now, Started: began, Loaded: began,
	}
	p := &load.Problem{Task: t}
	if x.r.PlanTime <= 0 {
		return plan.Plan(ctx, p, r)
	}
	over := fmt.Errorf("the time of %v for a plan was over", x.r.PlanTime)
	all, cancel := context.WithTimeoutCause(ctx, time.Duration(x.r.PlanTime), over)
	defer cancel()
	share := time.Duration(x.r.PlanTime)
	var err error
	if x.ahead != nil {
		share = share / 10 * 7
		if r.Limits.Shared, err = x.ahead.Begin(t, x.now.State, hi, x.last); err != nil {
			return nil, err
		}
	}
	doc, err := x.inTime(all, share, over, p, r)
	if err != nil || x.ahead == nil {
		return doc, err
	}
	return doc, x.ahead.Improve(all, t, doc)
}

// inTime has an engine plan within a share of the time for a plan. An engine that does not look
// at its context is left behind a moment later.
func (x *run) inTime(ctx context.Context, share time.Duration, over error, p *load.Problem, r plan.Request) (*plan.Document, error) {
	limited, cancel := context.WithTimeoutCause(ctx, share, over)
	defer cancel()
	outer, late, done := r.Limits.Late, make(chan struct{}), make(chan struct{})
	defer close(done)
	r.Limits.Late = late
	go func() {
		defer close(late)
		timer := time.NewTimer(share + time.Duration(x.r.PlanTime)/10)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-outer:
		case <-done:
		}
	}()
	return plan.Plan(limited, p, r)
}
