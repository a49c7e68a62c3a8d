package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
	outcome "github.com/fdplan/fdplan/internal/engine/explain"
)

type explainCmd struct {
	problemFlags
	changeFlags
	limits
	Plan         string      `arg:"" optional:"" help:"Plan to explain, as fdplan plan --json prints it; - for standard input; default: an optimal one is found."`
	Horizon      stepsFlag   `short:"H" help:"Number of steps; default: the plan's, or the problem's own." placeholder:"N"`
	Engine       string      `help:"Engine that completes changed plans: ${enum}." enum:"${explainers}" default:"auto"`
	Alternatives atLeastFlag `help:"Maximal number of joint actions with more reward to try at each step." default:"8" placeholder:"N"`
	Bound        bool        `help:"Say which tables, prices and rules bound the reward of all plans."`
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
	if c.Bound {
		return c.explainBound(ctx, a, task)
	}
	var data []byte
	if c.Plan != "" {
		if data, err = readPlan(c.Plan); err != nil {
			return err
		}
	}
	progress := c.progressFlags.plan(a, task.Task)
	d, err := explain.Explain(ctx, task, explain.Request{
		PlanFile: c.Plan, PlanData: data, Horizon: int(c.Horizon), Engine: c.Engine, Limits: c.engine(a), Most: int(c.Alternatives), Report: progress.Engine,
	})
	progress.Clear()
	if err != nil {
		return limited(ctx, err)
	}
	if err := a.answer(c.JSON, c.Out, d, func(w io.Writer) error { return writeExplanation(w, d) }); err != nil {
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

// writeExplanation writes the answer as text.
func writeExplanation(w io.Writer, d *explain.Explanation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", d.Problem, d.Status)
	if d.Reward != nil {
		fmt.Fprintf(&b, ", reward %v", *d.Reward)
	}
	fmt.Fprintf(&b, ", horizon %d\n", d.Horizon)
	writeDeterminized(&b, d.Determinized)
	switch {
	case d.Failure != nil:
		fmt.Fprintf(&b, "%s\n", d.Failure.Text)
	case d.Conflict != nil:
		if err := writeConflict(&b, d.Conflict); err != nil {
			return err
		}
	case d.Best != nil && *d.Best != *d.Reward:
		fmt.Fprintf(&b, "It is not optimal: the best reward is %v.\n", *d.Best)
	case d.Best == nil && d.Reward != nil:
		fmt.Fprintf(&b, "Whether it is optimal is not known.\n")
	}
	for i := range d.Steps {
		s := &d.Steps[i]
		fmt.Fprintf(&b, "%4d  %s\n", s.Step, actions(s.Action))
		for j := range s.Alternatives {
			alt := &s.Alternatives[j]
			what := "instead " + actions(alt.Action)
			if alt.Without != "" {
				what = "without " + alt.Without
			}
			fmt.Fprintf(&b, "        %s: %s\n", what, consequence(&alt.OutcomeLine))
		}
		if s.Omitted {
			fmt.Fprintf(&b, "        and others that give more reward in this step were not tried\n")
		}
		what := "any other action"
		if s.Others.Action != nil {
			what = "the best other action, " + actions(s.Others.Action)
		}
		fmt.Fprintf(&b, "        %s: %s\n", what, consequence(&s.Others.OutcomeLine))
	}
	if d.Stopped != "" {
		fmt.Fprintf(&b, "Stopped early: %s.\n", d.Stopped)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeConflict lists a minimal unsatisfiable subset.
func writeConflict(w io.Writer, c *explain.ConflictLine) error {
	switch {
	case len(c.Constraints) == 0:
		fmt.Fprintf(w, "The transition alone allows no run of this length, whatever the constraints.\n")
		return nil
	case c.Transition:
		fmt.Fprintf(w, "With how states follow from actions, these cannot hold together:\n")
	default:
		fmt.Fprintf(w, "These cannot hold together, however states follow from actions:\n")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, m := range c.Constraints {
		fmt.Fprintf(t, "  %s\t%s\t%s\t# %s\n", m.Group, brief(m.Constraint), stepList(m.Steps), m.Origin)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	switch {
	case c.Minimal && len(c.Constraints) == 1 && len(c.Constraints[0].Steps) == 1:
		fmt.Fprintf(w, "Without it there is no such conflict.\n")
	case c.Minimal:
		fmt.Fprintf(w, "Without any one of them, or any one of its steps, the others can.\n")
	default:
		fmt.Fprintf(w, "Not all of them may be needed.\n")
	}
	return nil
}

// stepList writes steps as "step 3", or with ranges as "steps 1..3, 5".
func stepList(steps []int) string {
	if len(steps) == 1 {
		return fmt.Sprintf("step %d", steps[0])
	}
	var parts []string
	for i := 0; i < len(steps); {
		j := i
		for j+1 < len(steps) && steps[j+1] == steps[j]+1 {
			j++
		}
		switch {
		case j > i+1:
			parts = append(parts, fmt.Sprintf("%d..%d", steps[i], steps[j]))
			i = j + 1
		default:
			parts = append(parts, fmt.Sprint(steps[i]))
			i++
		}
	}
	return "steps " + strings.Join(parts, ", ")
}

// against names the constraints that cannot be kept.
func against(members []explain.MemberLine) string {
	var parts []string
	for i, m := range members {
		if i == maxReasons {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprintf("%s at %s", brief(m.Constraint), stepList(m.Steps)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; against " + strings.Join(parts, ", ")
}

// brief shortens a constraint to what fits a line.
func brief(constraint string) string {
	const most, tail = 60, 20
	r := []rune(constraint)
	if len(r) <= most {
		return constraint
	}
	return string(r[:most-tail-3]) + " … " + string(r[len(r)-tail:])
}

// maxReasons bounds the reward terms that a line of text lists.
const maxReasons = 3

// consequence describes the consequence of a change.
func consequence(o *explain.OutcomeLine) string {
	switch o.Consequence {
	case outcome.Illegal:
		return o.Failure.Text
	case outcome.DeadEnd:
		return "the constraints cannot be kept to the end" + against(o.Against)
	case outcome.GoalMissed:
		return "the goal is out of reach" + against(o.Against)
	case outcome.AsGood:
		return fmt.Sprintf("as good, reward %v", *o.Reward)
	case outcome.CostsMore, outcome.Better:
		text := fmt.Sprintf("costs %v more, reward %v at best", *o.Loss, *o.Reward)
		if o.Consequence == outcome.Better {
			text = fmt.Sprintf("better by %v, reward %v", -*o.Loss, *o.Reward)
		}
		var why []string
		for i, x := range o.Because {
			if i == maxReasons {
				why = append(why, "…")
				break
			}
			why = append(why, fmt.Sprintf("%s in %s instead of %d", x.Literal, counted.Of(x.Otherwise, "step"), x.Plan))
		}
		if len(why) > 0 {
			text += "; " + strings.Join(why, ", ")
		}
		return text
	}
	return "not known, a limit was reached"
}
