package command

import (
	"context"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/routine"
)

// loadProblem reads the problem that r names and applies the changes.
func loadProblem(ctx context.Context, r load.Ref, c load.Changes) (*load.Problem, error) {
	return routine.InTime(ctx, func() (*load.Problem, error) {
		p, err := load.Load(ctx, r)
		if err == nil && !c.None() {
			err = p.Apply(c)
		}
		return p, err
	})
}

// truthRef is r for simulation, without the network.
func truthRef(r load.Ref) load.Ref {
	if r.Simulate = true; r.Files == "" {
		r.Model = load.RDDL
	} else {
		r.Model = ""
	}
	return r
}

// planArgument makes the only argument the plan where flags name the problem.
func planArgument(r *load.Ref, p *bind.Plan) {
	if r.Domain != "" && p.File == "" {
		p.File, r.Name = r.Name, ""
	}
}

// limits are those of an engine.
func (a *environment) limits(e app.Effort) engine.Limits {
	return engine.Limits{Threads: app.Threads(e.Threads), Memory: memoryOf(e.Bounds), Late: a.guard.late}
}
