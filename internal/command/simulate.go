package command

import (
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/source"
)

type simulateCmd struct {
	problemFlags
	bounds
	Plan   string `help:"Plan to run, as fdplan plan --json prints it." placeholder:"FILE" xor:"what"`
	Policy string `help:"Policy to run: noop, random or exploration." placeholder:"NAME" xor:"what"`
	Steps  int    `help:"Number of steps; default: the instance's horizon, or the plan's."`
	Seed   uint64 `help:"Seed of the policy and of random draws." default:"0"`
	judgeFlags
	CSV  bool   `name:"csv" help:"Print every step as CSV."`
	JSON bool   `name:"json" help:"Print one JSON object." xor:"form"`
	Out  string `short:"o" help:"Write the answer to a file." placeholder:"FILE"`
}

// Run simulates; the exit status is 4 if the plan or the policy violates a rule.
func (c *simulateCmd) Run(a *environment) error {
	ctx, cancel := c.context(a)
	defer cancel()
	if err := c.checkJudge(); err != nil {
		return err
	}
	p, err := c.loadTruth(ctx)
	if err != nil {
		return err
	}
	if c.Rddlsim != "" {
		return c.judge(ctx, a, p)
	}
	r := execute.Simulation{Policy: c.Policy, Steps: c.Steps, Seed: c.Seed}
	if c.Plan != "" {
		if r.PlanData, err = source.ReadFile(c.Plan); err != nil {
			return err
		}
		r.PlanFile = c.Plan
	}
	var res *execute.Simulated
	err = a.toFile(c.Out, func(w io.Writer) error {
		if c.CSV {
			r.CSV = w
		}
		if res, err = execute.Simulate(p, r); err != nil {
			return err
		}
		switch {
		case c.CSV:
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
