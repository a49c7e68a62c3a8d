package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/act"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/request"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
)

type learnCmd struct {
	request.Learn
	progressFlags
	JSON bool `name:"json" help:"Print one JSON object."`
}

// begin acts where another command goes on with learn, which has set what the two share. The data set that the other command records to is
// learned from, if it is there.
func (c *learnCmd) begin(ctx context.Context, a *environment, in execute.SimulatorRef, h bind.Horizon, resets string) error {
	if c.Out == "" {
		return errors.New("missing folder for everything that is seen; expected -o FOLDER")
	}
	if h.Min != h.Max {
		return errors.New("learning by acting is about one horizon; expected a single number, not a range")
	}
	if err := app.Binder().SetDefaults(&c.Request); err != nil {
		return err
	}
	c.Simulator, c.SimulatorTimeout = cmp.Or(in.Name, "rddl"), in.Timeout
	c.Horizon, c.Steps, c.Resets = h.Max, in.MaxSteps, resets
	if _, err := os.Stat(in.Record); err == nil {
		c.Data = in.Record
	}
	return c.Run(ctx, a)
}

// Run acts in the system until a plan is proven; the exit status is 3 if a limit came before there was any plan, and 4
// if there is none.
func (c *learnCmd) Run(ctx context.Context, a *environment) error {
	if c.Gap == "" && c.Maximize != "" {
		return errors.New("--maximize tells what a policy is to achieve; expected --gap too")
	}
	c.Ref.Untrained = true
	p, err := loadProblem(ctx, c.Ref, c.Changes)
	if err != nil {
		return err
	}
	progress := c.reporter(a)
	r := c.Request
	r.Folder, r.Seed, r.Limits, r.Now, r.Large, r.Again = c.Out, c.Effort.Seed, a.limits(c.Effort), a.now, a.large, a.again
	r.Gap, r.Success = c.Gap.Value(), c.Gap != "" && c.Maximize != "reward" && (c.Maximize != "" || len(p.Problem.Goal) > 0)
	if progress.Enabled() {
		r.Progress = events.Acting(progress, p.Problem, r.Steps)
	}
	d, err := act.Run(ctx, p, execute.SimulatorRef{Name: c.Simulator, Timeout: c.SimulatorTimeout}, r)
	progress.Clear()
	if d == nil {
		return limited(ctx, err)
	}
	if err = errors.Join(err, a.answer(c.JSON, "", d, func(w io.Writer) { writeLearned(w, d) })); err != nil {
		return err
	}
	switch {
	case d.Status == engine.Infeasible:
		return exitStatus(exitNo)
	case d.Status == engine.Unknown:
		return fmt.Errorf("%w: %s", errLimit, d.Stopped)
	}
	return nil
}

// writePolicyRows writes the first rows of a policy.
func writePolicyRows(w io.Writer, c *act.Chance) {
	const few = 12
	for i, r := range c.Policy {
		if i == few {
			fmt.Fprintf(w, "      and %s; answer.json has all\n", counted.Of(len(c.Policy)-i, "other row"))
			break
		}
		steps := fmt.Sprint(r.From)
		if r.To > r.From {
			steps += fmt.Sprint("-", r.To)
		}
		fmt.Fprintf(w, "%7s  %s: %s\n", steps, actions(r.State), actions(r.Action))
	}
	if c.File != "" {
		fmt.Fprintf(w, "policy: %s\n", c.File)
	}
	fmt.Fprintf(w, "seen: %s in %s\n", counted.Of(c.Pairs, "action"), counted.Of(c.States, "state"))
}

// fewUnsafe is how many unsafe steps are written as text.
const fewUnsafe = 5

// writeLearned writes the answer as text.
func writeLearned(w io.Writer, d *act.Document) {
	fmt.Fprintf(w, "%s: %s, horizon %d, after %s", d.Problem, d.Status, d.Horizon, counted.Of(d.Steps, "step"))
	if d.Resets > 1 {
		fmt.Fprintf(w, " and %s", counted.Of(d.Resets-1, "reset"))
	}
	fmt.Fprintln(w)
	writeSteps(w, d.Plan)
	fmt.Fprintln(w, d.Verdict)
	if c := d.Chance; c != nil {
		writePolicyRows(w, c)
	}
	if m := d.Model; m != nil {
		fmt.Fprintf(w, "The model is known: each next value of the %s that the rules allow in the %s within reach, if the same is so.\n",
			counted.Of(m.Steps, "step"), counted.Of(m.States, "state"))
	}
	if d.Chance == nil {
		fmt.Fprintf(w, "seen: %s; %s about next values follow from them\n", counted.Of(d.Rows, "different step"), counted.Of(d.Clauses, "clause"))
	}
	for _, l := range d.Learned {
		fmt.Fprintf(w, "  %s: functions of %s, %s\n", l.Name, counted.Of(l.Variables, "variable"), counted.Of(l.Clauses, "clause"))
	}
	if d.Stopped != "" {
		fmt.Fprintf(w, "Stopped: %s.\n", d.Stopped)
	}
	if e := d.Experiment; e != nil {
		fmt.Fprintf(w, "Next it would try, from %v:\n", e.State)
		writeSteps(w, e.Actions)
	}
	for i, u := range d.Unsafe {
		if i == fewUnsafe {
			fmt.Fprintf(w, "  and %s\n", counted.Of(len(d.Unsafe)-i, "other step"))
			break
		}
		fmt.Fprintf(w, "  not tried: %s in %v, which may break %s\n", actions(u.Action), u.State, u.Rule)
	}
	if n := d.Network; n != nil {
		fmt.Fprintf(w, "network: %s in %s, %d of %s wrong", n.Shape, n.File, n.Wrong, counted.Of(n.Rows, "row"))
		if n.Clauses != nil {
			fmt.Fprintf(w, "; proven to have the next values of %d of %s", *n.Clauses, counted.Of(d.Clauses, "clause"))
		}
		fmt.Fprintln(w)
	}
	switch {
	case d.Certificate != nil:
		fmt.Fprintf(w, "The checker accepted the clauses and the proof in %s.\n", *d.Certificate)
	case d.NoProof != "":
		fmt.Fprintf(w, "No proof: %s.\n", d.NoProof)
	}
	fmt.Fprintf(w, "%.3f s, of which the proof took %.3f s\n", d.Seconds.Total, d.Seconds.Certify)
}

// checkLearned checks the folder of learning by acting.
func (c *certifyCmd) checkLearned(ctx context.Context, a *environment) error {
	if c.Problem == "" && c.Domain == "" {
		return errors.New("the certificate of learn is about a problem; expected --problem or --domain")
	}
	p, err := loadProblem(ctx, load.Ref{Name: c.Problem, Source: c.Source, Untrained: true}, c.Changes)
	if err != nil {
		return err
	}
	return c.report(ctx, a, func() (*certify.Report, error) { return act.Certify(ctx, c.Dir, p) })
}
