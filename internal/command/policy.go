package command

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
	solver "github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/progress"
)

// policyFlags ask for a policy in place of a plan.
type policyFlags struct {
	Policy   bool   `help:"Find a policy, which says what to do in each state, for a problem that draws at random (docs/policies.md)."`
	Maximize string `help:"What a policy maximises: success, the probability that the goal is reached, or reward, the expected sum; default: success if there is a goal." enum:"success,reward," default:"" placeholder:"WHAT"`
}

// suits refuses what goes with other questions.
func (f *policyFlags) suits(c *planCmd) error {
	switch {
	case !f.Policy && f.Maximize != "":
		return errors.New("--maximize tells what a policy is to maximise; expected --policy too")
	case !f.Policy:
		return nil
	case c.Determinize != "none":
		return errors.New("--determinize leaves nothing to chance, and --policy plans with it; expected one of them")
	case c.Incremental, c.Safe, c.Proof != "", c.Certify.folder != "", c.URL != "", c.Simulator != "", c.Confirm:
		return errors.New("--policy answers another question than --incremental, --safe, --proof, --certify, --confirm, --connect and --simulator do; expected it without these")
	case c.Horizon.min != c.Horizon.max:
		return errors.New("--policy takes one horizon; expected -H N")
	}
	return nil
}

// policy finds a policy and prints what it is worth.
func (c *planCmd) policy(a *environment) error {
	ctx, cancel := c.context(a)
	defer cancel()
	ref := c.ref()
	ref.Chance = true
	p, err := c.loadRef(ctx, ref, &c.changeFlags)
	if err != nil {
		return limited(ctx, err)
	}
	report := c.progressFlags.reporter(a)
	r := policy.Request{
		Objective: solver.Objective(c.Maximize), Horizon: c.Horizon.min, Limits: c.engine(a), Now: a.now, Started: a.started,
		Report: func(states, left int) {
			report.Report(progress.Event{Kind: "phase", Phase: "policy", Line: fmt.Sprintf("%s, %s left to solve", counted.Of(states, "state"), counted.Of(left, "step"))})
		},
	}
	d, err := policy.Plan(ctx, p, r)
	report.Clear()
	if err != nil {
		return limited(ctx, err)
	}
	if c.Out != "" && c.Out != "-" {
		d.Policy = &c.Out
		if err := a.toFile(c.Out, func(w io.Writer) error { return app.WriteJSON(w, d) }); err != nil {
			return err
		}
	}
	if err := a.answer(c.JSON, "", d, func(w io.Writer) error { return writePolicy(w, d) }); err != nil {
		return err
	}
	if d.Status == engine.Infeasible {
		return exitStatus(exitNo)
	}
	return nil
}

// mostRows bounds the rows of a policy that are printed.
const mostRows = 12

// writePolicy writes the answer as text.
func writePolicy(w io.Writer, d *policy.Document) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", d.Problem, d.Says())
	if d.Value == nil {
		_, err := io.WriteString(w, b.String())
		return err
	}
	for k, r := range d.Table.Rows {
		if k == mostRows && len(d.Table.Rows) > mostRows+1 {
			fmt.Fprintf(&b, "      and %s more; -o FILE writes all\n", counted.Of(len(d.Table.Rows)-k, "row"))
			break
		}
		fmt.Fprintf(&b, "%s  %s: %s\n", steps(r[1], r[2]), d.Table.Text(r[0]), actions(d.Table.Actions[r[3]]))
	}
	how := "in exact fractions"
	if d.Evaluated != "exactly" {
		how = "with bounds on what rounding can do"
	}
	fmt.Fprintf(&b, "The evaluator followed the policy through %s %s: %s.\n", counted.Of(d.Reached, "state"), how, d.Worth())
	if d.Policy != nil {
		fmt.Fprintf(&b, "policy: %s\n", *d.Policy)
	}
	fmt.Fprintf(&b, "%s, %s, %s, %.3f s\n", d.Engine, counted.Of(d.States, "state"), counted.Of(int(d.Pairs), "state-action pair"), d.Seconds)
	_, err := io.WriteString(w, b.String())
	return err
}

// steps writes the first and the last step of a row.
func steps(from, to int) string {
	if from == to {
		return fmt.Sprintf("%7d", from)
	}
	return fmt.Sprintf("%7s", fmt.Sprintf("%d-%d", from, to))
}
