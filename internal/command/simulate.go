package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/request"
	"github.com/fdplan/fdplan/internal/counted"
)

type simulateCmd struct {
	request.Simulate
	judgeFlags
	Table bool   `name:"csv" help:"Print every step as CSV."`
	JSON  bool   `name:"json" help:"Print one JSON object." xor:"form"`
	Out   string `short:"o" help:"Write the answer to a file." placeholder:"FILE"`
}

// Run simulates; the exit status is 4 if the plan or the policy violates a rule.
func (c *simulateCmd) Run(ctx context.Context, a *environment) error {
	if err := c.checkJudge(); err != nil {
		return err
	}
	if c.Reward.Given() || len(c.Require) > 0 {
		return errors.New("simulate follows the problem's own reward and rules; expected validate or run, which have --reward and --require")
	}
	p, err := loadProblem(ctx, truthRef(c.Ref), load.Changes{Edits: c.Edits, Given: c.Given})
	if err != nil {
		return err
	}
	if c.Rddlsim != "" {
		return c.judge(ctx, a, p)
	}
	r := c.Simulation
	if err := readPlan(&r.Plan); err != nil {
		return err
	}
	var res *execute.Simulated
	err = a.toFile(c.Out, func(w io.Writer) error {
		if c.Table {
			r.CSV = w
		}
		if res, err = execute.Simulate(ctx, p, r); err != nil {
			return err
		}
		switch {
		case c.Table:
			if res.Failure != nil {
				fmt.Fprintf(a.err, "fdplan: %s\n", res.Failure.Text)
			}
			return nil
		case c.JSON:
			return app.WriteJSON(w, res)
		}
		_, err := fmt.Fprintf(w, "%s: %s, reward %v, %s\n", res.Problem, counted.Of(res.Steps, "step"), res.Reward, res.End)
		if err == nil && res.Failure != nil {
			_, err = fmt.Fprintf(w, "broken: %s\n", res.Failure.Text)
		}
		return err
	})
	if err == nil && res.Failure != nil {
		return exitStatus(exitNo)
	}
	return err
}
