package command

import (
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/engine"
)

type explainCmd struct {
	problemFlags
	changeFlags
	limits
	Plan         string      `arg:"" optional:"" help:"Plan to explain, as fdplan plan --json prints it; - for standard input; default: an optimal one is found."`
	Horizon      stepsFlag   `short:"H" help:"Number of steps; default: the plan's, or the problem's own." placeholder:"N"`
	Engine       string      `help:"Engine that completes changed plans: ${enum}." enum:"${explainers}" default:"auto"`
	Alternatives atLeastFlag `help:"Maximal number of joint actions with more reward to try at each step." default:"8" placeholder:"N"`
	Constraints  bool        `help:"Show the rules as constraints over the variables, too."`
	Bound        bool        `help:"Say which tables, prices and rules bound the reward of all plans."`
	Certify      certifyFlag `help:"Write proofs of the answer, and of what comes of each change, to a folder (default: certificate), and check them; see certify." placeholder:"DIR"`
	ProofFormat  string      `help:"Version of the proofs' format: ${enum}." enum:"1.2,2.0,3.0" default:"2.0"`
	JSON         bool        `name:"json" help:"Print one JSON object."`
	Out          string      `short:"o" help:"Write the answer to a file." placeholder:"FILE"`
}

// stepsFlag is one horizon.
type stepsFlag int

// UnmarshalText parses a single horizon.
func (s *stepsFlag) UnmarshalText(text []byte) error {
	var h horizonFlag
	if err := h.UnmarshalText(text); err != nil || h.min != h.max {
		return fmt.Errorf("%q is not a horizon here; expected a number from 1 to 1000000", text)
	}
	*s = stepsFlag(h.min)
	return nil
}

// atLeastFlag is a positive count.
type atLeastFlag int

// UnmarshalText reads a number from 1 on.
func (n *atLeastFlag) UnmarshalText(text []byte) error {
	if _, err := fmt.Sscanf(string(text)+"\n", "%d\n", (*int)(n)); err != nil || *n < 1 {
		return fmt.Errorf("%q is not a count; expected a number from 1 on", text)
	}
	return nil
}

// Run explains; the exit status is 4 if there is no plan, or the plan is invalid.
func (c *explainCmd) Run(a *environment) error {
	if c.Domain != "" && c.Plan == "" { // the problem is named by flags
		c.Problem, c.Plan = "", c.Problem
	}
	ctx, cancel := c.context(a)
	defer cancel()
	task, err := c.load(ctx, &c.changeFlags)
	if err != nil {
		return err
	}
	switch {
	case c.Bound && c.Certify.folder != "":
		return errors.New("--bound has no certificate; expected --certify without it")
	case c.Bound:
		return c.explainBound(ctx, a, task)
	}
	var data []byte
	if c.Plan != "" {
		if data, err = readPlan(c.Plan); err != nil {
			return err
		}
	}
	progress := c.progressFlags.plan(a, task.Task)
	request := explain.Request{
		PlanFile: c.Plan, PlanData: data, Horizon: int(c.Horizon), Engine: c.Engine, Limits: c.engine(a), Most: int(c.Alternatives), Report: progress.Engine,
	}
	proofs, err := c.proofs(ctx, a, &request)
	if err != nil {
		return err
	}
	d, err := explain.Explain(ctx, task, request)
	progress.Clear()
	if err == nil {
		err = proofs.finish(ctx, a, d)
	}
	if err != nil {
		return limited(ctx, err)
	}
	if err := a.answer(c.JSON, c.Out, d, func(w io.Writer) error { return writeExplanation(w, d, c.Constraints) }); err != nil {
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
