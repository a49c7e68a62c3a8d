package command

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

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

// alone reads a flag that may stand alone, which then has this value.
func alone(value string) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		value, t := value, ctx.Scan.Peek()
		if name, ok := t.Value.(string); ok && t.Type != kong.EOLToken && name != "" && (t.Type == kong.FlagValueToken || !strings.HasPrefix(name, "-")) {
			ctx.Scan.Pop()
			value = name
		}
		return bind.SetText(target, value)
	}
}

// rate reads a number between 0 and 1, or a percentage.
func rate(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("rate", &text); err != nil {
		return err
	}
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return fmt.Errorf("expected a number such as 0.05 or a percentage such as 5%%, but got %q", text)
	}
	if percent {
		v /= 100
	}
	target.SetFloat(v)
	return nil
}
