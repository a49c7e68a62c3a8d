package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app/act"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/request"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
)

type runCmd struct {
	request.Execution
	progressFlags
	JSON  bool   `name:"json" help:"Print one JSON object."`
	Learn string `help:"Learn on the way, as learn --resets no does, until a plan is proven: the folder for everything that is seen." placeholder:"FOLDER"`
	Out   string `short:"o" help:"Write the answer to a file." placeholder:"FILE"`
}

// Run acts in the simulator; the exit status is 4 if the run does not achieve its purpose.
func (c *runCmd) Run(ctx context.Context, a *environment) error {
	if c.SimulatorRef.Name == "" {
		return errors.New("missing flags: --simulator=rddl|COMMAND|rddlsim:HOST:PORT")
	}
	if c.Learn != "" {
		return c.learn(ctx, a)
	}
	c.SimulatorRef.Seed = c.Effort.Seed
	at, ref, err := execute.Join(ctx, c.SimulatorRef, c.Ref)
	if err != nil {
		return limited(ctx, err)
	}
	defer at.Leave()
	ref.Chance = c.Policy.Given
	p, err := loadProblem(ctx, ref, c.Changes)
	if err != nil {
		return err
	}
	q := c.EpisodesRequest
	r := &q.RunRequest
	r.Seed, r.Limits, r.Now = c.Effort.Seed, a.limits(c.Effort), a.now
	progress := c.planning(a, p.Task)
	r.Phase, r.Plan, r.Step = progress.Engine, progress.RunPlan, progress.RunStep
	again, err := c.follow(ctx, a, p, r)
	if err != nil {
		return limited(ctx, err)
	}
	if c.Episodes > 0 || at.IsServer() {
		q.Simulator, q.Again = at, again
		return c.episodes(ctx, a, q, p, progress)
	}
	real, err := c.SimulatorRef.Open(ctx, p, r.Seed)
	if err != nil {
		return limited(ctx, err)
	}
	live := !c.JSON && (c.Out == "" || c.Out == "-")
	if live { // a run may be long: its steps are printed as they are taken
		r.Plan = func(l execute.RunPlan) { progress.RunPlan(l); progress.Clear(); writeRunPlan(a.out, &l) }
		r.Step = func(l execute.RunStep) { progress.RunStep(l); writeRunStep(a.out, &l) }
	}
	d, err := execute.Run(ctx, p, real, *r)
	progress.Clear()
	// The recording is complete only when it is closed.
	err = errors.Join(err, real.Close())
	if d == nil {
		return limited(ctx, err)
	}
	if err = errors.Join(err, c.tell(a, d, live)); err != nil {
		return err
	}
	if w := d.Warning(); w != "" {
		a.warn(w)
	}
	return endOfRun(d)
}

// learn learns on the way.
func (c *runCmd) learn(ctx context.Context, a *environment) error {
	in := c.SimulatorRef
	in.MaxSteps = c.Steps
	l := &learnCmd{progressFlags: c.progressFlags, JSON: c.JSON}
	l.Ref, l.Changes, l.Effort, l.Out = c.Ref, c.Changes, c.Effort, c.Learn
	return l.begin(ctx, a, in, c.Horizon, act.ResetsNo)
}

// tell prints a run, whose steps have been printed if it is live, or writes it to a file.
func (c *runCmd) tell(a *environment, d *execute.RunDocument, live bool) error {
	text := runText(d)
	if live {
		text = func(w io.Writer) { writeRunEnd(w, d) }
	}
	if !isShared(c.Out) {
		return a.answer(c.JSON, c.Out, d, text)
	}
	err := a.answer(c.JSON, "", d, text)
	return errors.Join(err, a.share(c.Out, shared{of: c.Ref, changes: c.Changes, doc: d, steps: len(d.Steps) > 0, text: runText(d)}))
}

// runText writes a run with its steps.
func runText(d *execute.RunDocument) func(io.Writer) {
	return func(w io.Writer) {
		writeRunSteps(w, d)
		writeRunEnd(w, d)
	}
}

// endOfRun is the exit status of a run: 4 if it did not achieve its purpose.
func endOfRun(d *execute.RunDocument) error {
	switch d.Status {
	case execute.RunGoal, execute.RunDone:
		return nil
	case execute.RunStopped:
		if len(d.Steps) > 0 {
			return nil
		}
		return fmt.Errorf("%w: %s", errLimit, d.Says)
	}
	return exitStatus(exitNo)
}

func writeRunPlan(w io.Writer, l *execute.RunPlan) {
	if l.Status == engine.Infeasible {
		fmt.Fprintf(w, "      no plan of %s in the model", counted.Of(l.Horizon, "step"))
	} else {
		fmt.Fprintf(w, "      plan of %s, %s", counted.Of(l.Horizon, "step"), l.Status)
	}
	if l.Reward != nil {
		fmt.Fprintf(w, ", reward %v", *l.Reward)
	}
	fmt.Fprintf(w, ", in %.3f s\n", l.Seconds)
	if l.Instead != "" {
		fmt.Fprintf(w, "      instead: %s\n", map[string]string{"rest": "the rest of the last plan", "noop": "no action", "random": "a random legal action"}[l.Instead])
	}
}

func writeRunStep(w io.Writer, l *execute.RunStep) {
	fmt.Fprintf(w, "%4d  %s", l.Step, actions(l.Action))
	if l.Reward != nil {
		fmt.Fprintf(w, ", reward %v", *l.Reward)
	}
	fmt.Fprintf(w, ", in %.3f s\n", l.Seconds)
	if l.Probability != nil && *l.Probability == 0 {
		fmt.Fprintf(w, "      never in the model\n")
	}
	if l.Differs != nil {
		fmt.Fprintf(w, "      not as planned: %s\n", differing(l.Differs))
	}
}

// writeNext writes what to do.
func writeNext(w io.Writer, next []string) {
	for _, l := range next {
		fmt.Fprintf(w, "  - %s\n", l)
	}
}

// writeRunSteps writes plans and steps in chronological order.
func writeRunSteps(w io.Writer, d *execute.RunDocument) {
	plans := d.Plans
	before := func(step int) {
		for len(plans) > 0 && plans[0].Step <= step {
			writeRunPlan(w, &plans[0])
			plans = plans[1:]
		}
	}
	for i := range d.Steps {
		before(d.Steps[i].Step)
		writeRunStep(w, &d.Steps[i])
	}
	before(len(d.Steps) + 1)
}

func writeRunEnd(w io.Writer, d *execute.RunDocument) {
	says := map[execute.RunStatus]string{
		execute.RunGoal:     "the goal holds",
		execute.RunDone:     "done",
		execute.RunMissed:   "the goal does not hold",
		execute.RunNoPlan:   "no plan in the model",
		execute.RunViolated: "a rule was broken",
		execute.RunStopped:  "stopped",
		execute.RunFailed:   "the simulator failed",
	}[d.Status]
	fmt.Fprintf(w, "%s: %s after %s", d.Problem, says, counted.Of(len(d.Steps), "step"))
	if d.Reward != nil {
		fmt.Fprintf(w, ", reward %v", *d.Reward)
	}
	fmt.Fprintf(w, ", %d not as planned\n", d.Surprises)
	writeSentence(w, load.Assumptions(d.Assumed))
	if d.Predicted != nil {
		fmt.Fprintf(w, "predictions: %v\n", d.Predicted)
	}
	writeOutside(w, d.OutOfRange)
	if d.Failure != nil {
		fmt.Fprintf(w, "broken: %s\n", d.Failure.Text)
	}
	if d.Says != "" && d.Status != execute.RunFailed { // which is printed on standard error
		fmt.Fprintf(w, "%s\n", d.Says)
	}
	writeStated(w, d.Robust)
	if d.Drift != "" {
		fmt.Fprintf(w, "drift: %s\n", d.Drift)
	}
	writeNext(w, d.Next)
	writeSentence(w, d.Note())
	if d.Recorded > 0 {
		fmt.Fprintf(w, "recorded: %s\n", counted.Of(d.Recorded, "transition"))
	}
	fmt.Fprintf(w, "latency: %s, %.3f s on average, %.3f s at most; %s, %.3f s on average, %.3f s at most\n",
		counted.Of(d.PlanLatency.Count, "plan"), d.PlanLatency.Mean, d.PlanLatency.Max, counted.Of(d.StepLatency.Count, "step"), d.StepLatency.Mean, d.StepLatency.Max)
}
