package command

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
)

type runCmd struct {
	problemFlags
	changeFlags
	limits
	simulatorFlags
	Horizon     horizonFlag  `short:"H" help:"Steps of a plan, or a range N..M, whose best reward is found, the shortest on a tie; with a goal to reach, the number of steps within which to reach it; default: the problem's own." placeholder:"N"`
	ReplanEvery int          `help:"Steps to take before planning again." default:"1" placeholder:"K"`
	Steps       int          `help:"Maximal number of steps to take; default: the horizon." placeholder:"N"`
	Until       string       `help:"Run until the goal holds or for all steps: ${enum}; auto is the goal, unless there is none or it holds at the start." enum:"auto,goal,steps" default:"auto"`
	PlanTime    durationFlag `help:"Time for each plan; the best plan found by then is used." placeholder:"TIME"`
	Engine      string       `help:"Engine: ${enum}." enum:"${engines}" default:"auto"`
	Policy      policyFlag   `help:"Follow a policy in place of plans: that of a file of plan --policy -o, or one that is made now." placeholder:"FILE"`
	Failures    string       `help:"With --policy, hold in every run with at most so many disturbances; see plan." placeholder:"N|P%"`
	Maximize    string       `help:"What a policy that is made now maximises: success or reward; default: success if there is a goal." enum:"success,reward," default:"" placeholder:"WHAT"`
	Episodes    int          `help:"Run so many episodes, seeded --seed and on, and compare the average reward with that of doing nothing and of random actions." placeholder:"N"`
	JSON        bool         `name:"json" help:"Print one JSON object."`
	Out         string       `short:"o" help:"Write the answer to a file." placeholder:"FILE"`
}

// check refuses counts that are none.
func (c *runCmd) check() error {
	for _, n := range []struct {
		flag  string
		value int
	}{{"--steps", c.Steps}, {"--episodes", c.Episodes}, {"--replan-every", c.ReplanEvery}} {
		if n.value < 0 || n.value == 0 && n.flag == "--replan-every" {
			return fmt.Errorf("%s %d is not a number of steps; expected at least 1", n.flag, n.value)
		}
	}
	if c.Simulator == "" {
		return errors.New("missing flags: --simulator=rddl|COMMAND|rddlsim:HOST:PORT")
	}
	return nil
}

// Run acts in the simulator; the exit status is 4 if the run does not achieve its purpose.
func (c *runCmd) Run(a *environment) error {
	if err := c.check(); err != nil {
		return err
	}
	ctx, cancel := c.context(a)
	defer cancel()
	at, ref, err := execute.Join(ctx, c.simulatorFlags.ref(c.Seed), c.problemFlags.ref())
	if err != nil {
		return limited(ctx, err)
	}
	defer at.Leave()
	ref.Chance = c.Policy.given
	p, err := c.loadRef(ctx, ref, &c.changeFlags)
	if err != nil {
		return err
	}
	r := execute.RunRequest{
		Engine: c.Engine, MinHorizon: c.Horizon.min, Horizon: c.Horizon.max, Every: c.ReplanEvery, Steps: c.Steps, Until: execute.Until(c.Until), Seed: c.Seed,
		PlanTime: time.Duration(c.PlanTime), Limits: c.engine(a), Now: a.now,
	}
	progress := c.progressFlags.plan(a, p.Task)
	r.Phase, r.Plan, r.Step = progress.Engine, progress.RunPlan, progress.RunStep
	again, err := c.follow(ctx, a, p, &r)
	if err != nil {
		return limited(ctx, err)
	}
	if c.Episodes > 0 || at.IsServer() {
		return c.episodes(ctx, a, execute.EpisodesRequest{RunRequest: r, Episodes: c.Episodes, Simulator: at, Again: again}, p, progress)
	}
	real, err := c.open(ctx, p, c.Seed)
	if err != nil {
		return limited(ctx, err)
	}
	live := !c.JSON && (c.Out == "" || c.Out == "-")
	if live { // a run may be long: its steps are printed as they are taken
		r.Plan = func(l execute.RunPlan) { progress.RunPlan(l); progress.Clear(); writeRunPlan(a.out, &l) }
		r.Step = func(l execute.RunStep) { progress.RunStep(l); writeRunStep(a.out, &l) }
	}
	d, err := execute.Run(ctx, p, real, r)
	progress.Clear()
	// The recording is complete only when it is closed.
	err = errors.Join(err, real.Close())
	if d == nil {
		return limited(ctx, err)
	}
	printed := a.answer(c.JSON, c.Out, d, func(w io.Writer) error {
		if !live {
			writeRunSteps(w, d)
		}
		return writeRunEnd(w, d)
	})
	if err = errors.Join(err, printed); err != nil {
		return err
	}
	if w := d.Warning(); w != "" {
		a.warn(w)
	}
	return endOfRun(d)
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

func writeRunEnd(w io.Writer, d *execute.RunDocument) error {
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
	if d.Drift != "" {
		fmt.Fprintf(w, "drift: %s\n", d.Drift)
	}
	writeNext(w, d.Next)
	writeDeterminized(w, d.Determinized)
	if d.Recorded > 0 {
		fmt.Fprintf(w, "recorded: %s\n", counted.Of(d.Recorded, "transition"))
	}
	_, err := fmt.Fprintf(w, "latency: %s, %.3f s on average, %.3f s at most; %s, %.3f s on average, %.3f s at most\n",
		counted.Of(d.PlanLatency.Count, "plan"), d.PlanLatency.Mean, d.PlanLatency.Max, counted.Of(d.StepLatency.Count, "step"), d.StepLatency.Mean, d.StepLatency.Max)
	return err
}
