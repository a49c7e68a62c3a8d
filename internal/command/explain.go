package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/app/request"
	"github.com/fdplan/fdplan/internal/engine"
)

type explainCmd struct {
	request.Explain
	progressFlags
	JSON bool   `name:"json" help:"Print one JSON object."`
	Out  string `short:"o" help:"Write the answer to a file." placeholder:"FILE"`
}

// Run explains; the exit status is 4 if there is no plan, or the plan is invalid.
func (c *explainCmd) Run(ctx context.Context, a *environment) error {
	planArgument(&c.Ref, &c.Plan)
	r := c.Request
	if err := readPlan(&r.Plan); err != nil {
		return err
	}
	if policy.Is(r.Plan.Text) {
		return c.policy(ctx, a, r.Plan)
	}
	task, err := loadProblem(ctx, c.Ref, c.Changes)
	if err != nil {
		return err
	}
	switch {
	case c.Bound && c.Certify != "":
		return errors.New("--bound has no certificate; expected --certify without it")
	case c.Bound:
		return c.explainBound(ctx, a, task)
	}
	progress := c.planning(a, task.Task)
	r.Limits, r.Report, r.Now = a.limits(c.Effort), progress.Engine, a.now
	if c.Certify == "" {
		r.Drawn = drawn(ctx, task, c.Ref, c.Changes)
	}
	maker, err := a.proofs(c.Certify, "", c.ProofFormat, r.Limits)
	if err != nil {
		return err
	}
	d, err := maker.Explain(ctx, task, r)
	progress.Clear()
	if err != nil {
		return limited(ctx, err)
	}
	if maker.None != nil {
		a.warn(maker.None.Error())
	}
	if err := a.answer(c.JSON, c.Out, d, func(w io.Writer) { writeExplanation(w, d, c.Constraints) }); err != nil {
		return err
	}
	switch {
	case d.Status == string(engine.Unknown), d.Status == string(engine.Infeasible) && d.Conflict == nil:
		a.complain(fmt.Errorf("nothing was explained before %s", d.Stopped))
		return exitStatus(exitLimit)
	case d.Status == string(engine.Infeasible), d.Status == explain.StatusInvalid:
		return exitStatus(exitNo)
	}
	return nil
}
