package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/draw"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/progress"
)

// suits refuses what goes with other questions than that for a policy.
func (c *planCmd) suits() error {
	if c.Robust == "" && c.WithinLog {
		return errWithinLog
	}
	if c.Robust != "" && (c.Policy || c.Incremental || c.Safe || c.Proof != "" || c.URL != "" || c.SimulatorRef.Name != "" || c.Confirm || c.Engine != "auto") {
		return errors.New("--robust plans by tubes of quantities; expected it without --policy, --incremental, --safe, --proof, --confirm, --connect, --engine and --simulator")
	}
	if c.Robust != "" && c.Certify != "" && c.Horizon.Min != c.Horizon.Max {
		return errors.New("a certificate of --robust is about one horizon; expected a single number")
	}
	if err := c.Aim.Check(c.Policy, c.Determinize, c.Horizon); err != nil {
		return err
	}
	if c.Policy && (c.Incremental || c.Safe || c.Proof != "" || c.URL != "" || c.SimulatorRef.Name != "" || c.Confirm) {
		return errors.New("--policy answers another question than --incremental, --safe, --proof, --confirm, --connect and --simulator do; expected it without these")
	}
	return nil
}

// findPolicy finds a policy and prints what it is worth.
func (c *planCmd) findPolicy(ctx context.Context, a *environment) error {
	ref := c.Ref
	ref.Chance = true
	p, err := loadProblem(ctx, ref, c.Changes)
	if err != nil {
		return limited(ctx, err)
	}
	report := c.progressFlags.reporter(a)
	r, err := c.Aim.Request(c.Horizon)
	if err != nil {
		return err
	}
	r.Limits, r.Now, r.Started, r.Certify = a.limits(c.Effort), a.now, a.started, c.Certify != ""
	r.Report = func(states, left int) {
		report.Report(progress.Event{Kind: "phase", Phase: "policy", Line: fmt.Sprintf("%s, %s left to solve", counted.Of(states, "state"), counted.Of(left, "step"))})
	}
	r.Seed = c.Effort.Seed
	r.Interval = func(lower, upper float64) {
		report.Report(progress.Event{Kind: "phase", Phase: "policy", Line: fmt.Sprintf("between %.6g and %.6g", lower, upper)})
	}
	d, err := policy.Plan(ctx, p, r)
	report.Clear()
	if err != nil {
		return limited(ctx, err)
	}
	if err := d.Write(string(c.Certify)); err != nil {
		return err
	}
	if d.NoProof != nil {
		a.warn(d.NoProof.Error())
	}
	if err := c.writePolicy(a, d); err != nil {
		return err
	}
	if err := a.answer(c.JSON, "", d, func(w io.Writer) { writePolicy(w, d) }); err != nil {
		return err
	}
	if d.Status == engine.Infeasible {
		return exitStatus(exitNo)
	}
	return nil
}

// writePolicy writes the file of the policy, or its picture.
func (c *planCmd) writePolicy(a *environment, d *policy.Document) error {
	switch {
	case c.Out == "" || c.Out == "-":
		return nil
	case isPicture(c.Out):
		if d.Value == nil {
			return nil
		}
		p, err := draw.Policy(d, nil)
		if err != nil {
			return err
		}
		if !isShared(c.Out) {
			return writePicture(a, p, d.Problem, c.Out)
		}
		return a.share(c.Out, shared{of: c.Ref, doc: d, steps: true, certificate: string(c.Certify), text: func(w io.Writer) { writePolicy(w, d) }, picture: p})
	}
	d.Policy = &c.Out
	return a.toFile(c.Out, func(w io.Writer) error { return app.WriteJSON(w, d) })
}

// mostRows bounds the rows of a policy that are printed.
const mostRows = 12

// writePolicy writes the answer as text.
func writePolicy(b io.Writer, d *policy.Document) {
	fmt.Fprintf(b, "%s: %s\n", d.Problem, d.Says())
	if d.Value == nil && d.Sampled == nil {
		writeTable(b, d)
		writeSentence(b, load.Assumptions(d.Assumed))
		writeSentence(b, d.Note())
		return
	}
	writeSteps(b, d.Plan)
	what := "policy"
	if d.Blind {
		what = "plan"
	}
	for k, r := range d.Table.Rows {
		if k == mostRows && len(d.Table.Rows) > mostRows+1 {
			fmt.Fprintf(b, "      and %s more; -o FILE writes all\n", counted.Of(len(d.Table.Rows)-k, "row"))
			break
		}
		after := ""
		if d.Disturbances != nil {
			after = fmt.Sprintf(", disturbed %d", r[4])
		}
		fmt.Fprintf(b, "%s  %s%s: %s\n", steps(r[1], r[2]), d.Text(r[0]), after, actions(d.Table.Actions[r[3]]))
	}
	switch {
	case d.Excess != nil:
		fmt.Fprintf(b, "The evaluator followed the %s through %s, in all runs with at most %s.\n", what, counted.Of(d.Reached, "state"), counted.Of(*d.Disturbances, "disturbance"))
		fmt.Fprintf(b, "A run of it has more with probability %s, if draws are independent and their probabilities right.\n", plan.Percent(*d.Excess))
	case d.Rule != nil:
		fmt.Fprintf(b, "Elsewhere the policy %s. It was followed in %s: %.6g on average, standard error %.2g.\n", d.Sampled.By, counted.Of(d.Sampled.Runs, "run"), d.Sampled.Mean, d.Sampled.Error)
	default:
		how := "in exact fractions"
		if d.Evaluated != "exactly" {
			how = "with bounds on what rounding can do"
		}
		fmt.Fprintf(b, "The evaluator followed the %s through %s %s: %s.\n", what, counted.Of(d.Reached, "state"), how, d.Worth())
	}
	writePolicyEnd(b, d)
}

// writePolicyEnd writes what a policy rests on, where it is and what it took.
func writePolicyEnd(b io.Writer, d *policy.Document) {
	if d.Unseen != nil && *d.Unseen > 0 {
		fmt.Fprintf(b, "In %s no row of the log has the policy's action: what follows there is the model's guess, and the value rests on it.\n", counted.Of(*d.Unseen, "state"))
	}
	if d.Disputed > 0 {
		fmt.Fprintf(b, "In %s rows of the log have other next values than the model", counted.Of(d.Disputed, "state"))
		if d.Agree != nil {
			fmt.Fprintf(b, "; as few as %s of them agree", plan.Percent(*d.Agree))
		}
		io.WriteString(b, ". The value holds if those rows are wrong.\n")
	}
	writeSentence(b, d.Counts())
	writeSentence(b, d.Caution())
	writeSentence(b, d.LearnedReward.Warning())
	writeSentence(b, d.Supported.Thin())
	writeUnlike(b, d.Supported)
	writeTable(b, d)
	writeSentence(b, load.Assumptions(d.Assumed))
	writeSentence(b, d.Note())
	if d.Policy != nil {
		fmt.Fprintf(b, "policy: %s\n", *d.Policy)
	}
	app.WriteStopped(b, d.Stopped)
	size := fmt.Sprintf("%s, %s", counted.Of(d.States, "state"), counted.Of(int(d.Pairs), "state-action pair"))
	if d.Scenarios > 0 {
		size = counted.Of(d.Scenarios, "scenario")
	}
	fmt.Fprintf(b, "%s, %s, %.3f s\n", d.Engine, size, d.Seconds)
}

// writeUnlike writes parts of contexts whose rows are unlike the others. The answer begins with the first of them, unless
// states without rows, or an unknown end of a range, are worse.
func writeUnlike(b io.Writer, s *policy.Supported) {
	if s == nil {
		return
	}
	for i, x := range s.Unlike {
		if i == 0 && s.Unleft == 0 && len(s.Beyond) == 0 {
			continue
		}
		if i == mostUnlike {
			fmt.Fprintf(b, "In %s more, rows are unlike the others.\n", counted.Of(len(s.Unlike)-i, "part"))
			break
		}
		writeSentence(b, x.Unlike())
	}
}

// mostUnlike bounds the parts of contexts that are printed.
const mostUnlike = 3

// writeTable writes what the table of a certificate shows.
func writeTable(b io.Writer, d *policy.Document) {
	if p := d.Proof; p != nil && p.Scenarios > 0 {
		what := "There is none"
		if d.Bound != nil {
			what = fmt.Sprintf("None is worth more than %v at worst", *d.Bound)
			if d.From > 0 {
				what += ", nor is there one with fewer steps"
			}
		} else if d.Value != nil {
			what = "With fewer steps there is none"
		}
		fmt.Fprintf(b, "%s: the checker read proofs that nothing else holds in all of %s: %s.\n", what, counted.Of(p.Scenarios, "scenario"), p.Certificate)
	} else if p != nil {
		what, says := "There is none", "compared %s in %s with every legal action, exactly"
		if d.Sampled != nil {
			says = "computed %s of %s anew, rounding up"
		}
		if d.Bound != nil {
			what = fmt.Sprintf("No policy is worth more than %v", *d.Bound)
			if d.Blind {
				what = fmt.Sprintf("No plan that sees nothing is worth more than %v", *d.Bound)
			}
		}
		fmt.Fprintf(b, "%s: the checker "+says, what, counted.Of(int(p.Bounds), "bound"), counted.Of(p.States, "state"))
		if d.Blind {
			fmt.Fprintf(b, ", and tried every action from %s of states that they do not settle", counted.Of(p.Sets, "set"))
		}
		fmt.Fprintf(b, ": %s.\n", p.Certificate)
	}
}

// steps writes the first and the last step of a row.
func steps(from, to int) string {
	if from == to {
		return fmt.Sprintf("%7d", from)
	}
	return fmt.Sprintf("%7s", fmt.Sprintf("%d-%d", from, to))
}

// follow has a run follow a policy, if that is asked for. The function that it returns then does so for further runs.
func (c *runCmd) follow(ctx context.Context, a *environment, p *load.Problem, r *execute.RunRequest) (again func() execute.Chooser, err error) {
	switch {
	case c.Robust == "" && c.WithinLog:
		return nil, errWithinLog
	case c.Robust != "":
		return c.eachStep(ctx, a, p, r)
	}
	f, err := c.follower(ctx, a, p)
	if err != nil || f == nil {
		return nil, err
	}
	r.Follow = f
	return func() execute.Chooser { return f.Again() }, nil
}

// follower follows the policy of the flags; nil if there is none.
func (c *runCmd) follower(ctx context.Context, a *environment, p *load.Problem) (*policy.Follower, error) {
	if err := c.Aim.Check(c.Policy.Given, c.Determinize, c.Horizon); err != nil || !c.Policy.Given {
		return nil, err
	}
	given := c.Policy.File != ""
	switch {
	case given && (c.Aim != policy.Aim{} || c.Horizon.Max > 0):
		return nil, errors.New("the file of --policy has its own horizon and objective; expected neither -H nor --maximize, --failures or --blind")
	case c.Every != 1:
		return nil, errors.New("a policy says what to do at each step; expected no --replan-every")
	}
	r, err := c.Aim.Request(c.Horizon)
	if err != nil {
		return nil, err
	}
	r.Limits, r.Now, r.Started, r.Seed, r.PlanTime = a.limits(c.Effort), a.now, a.started, c.Effort.Seed, time.Duration(c.PlanTime)
	if !given {
		return policy.NewFollower(ctx, p, nil, r)
	}
	if err := readPlan(&c.Policy.Plan); err != nil {
		return nil, err
	}
	d, err := policy.Read(p, c.Policy.File, c.Policy.Text)
	if err != nil {
		return nil, err
	}
	return policy.NewFollower(ctx, p, d, r)
}

// chance adds to the plan of a model with chance how it fares where draws are drawn.
func (c *planCmd) chance(ctx context.Context, a *environment, p *load.Problem, d *execute.Document) {
	if d.Plan == nil || ctx.Err() != nil {
		return
	}
	if p = drawn(ctx, p, c.Ref, c.Changes); p == nil {
		return
	}
	var err error
	if d.Chance, err = policy.OfPlan(ctx, p, d.Plan, policy.Request{Limits: a.limits(c.Effort), Now: a.now, Started: a.started}); err != nil {
		d.Chance = nil
	}
}

// drawn returns a problem with its draws; nil if it has none, or they cannot be listed.
func drawn(ctx context.Context, p *load.Problem, ref load.Ref, changes load.Changes) *load.Problem {
	switch {
	case !policy.Draws(p):
		return nil
	case p.Determinized == "":
		return p
	}
	ref.Determinize, ref.Chance = "none", true
	p, err := loadProblem(ctx, ref, changes)
	if err != nil {
		return nil
	}
	return p
}

// policy explains the policy of a file.
func (c *explainCmd) policy(ctx context.Context, a *environment, file bind.Plan) error {
	if c.Bound || c.Certify != "" || c.Horizon > 0 {
		return errors.New("a policy has its own horizon, and no certificate of this kind; expected none of --bound, --certify and -H")
	}
	ref := c.Ref
	ref.Chance = true
	p, err := loadProblem(ctx, ref, c.Changes)
	if err != nil {
		return limited(ctx, err)
	}
	d, err := explain.Policy(p, file.File, file.Text)
	if err != nil {
		return err
	}
	if err := a.answer(c.JSON, c.Out, d, func(w io.Writer) { writePolicyExplanation(w, d) }); err != nil {
		return err
	}
	if !d.Valid {
		return exitStatus(exitNo)
	}
	return nil
}

// mostOthers bounds the outcomes of a step that are printed.
const mostOthers = 4

// writePolicyExplanation writes the answer as text.
func writePolicyExplanation(b io.Writer, d *explain.PolicyExplanation) {
	worth := func(x float64) string {
		if d.Success {
			return "success " + plan.Percent(x)
		}
		return fmt.Sprintf("expected reward %.6g", x)
	}
	fmt.Fprintf(b, "%s: %s\n", d.Problem, d.Says)
	if len(d.Steps) > 0 {
		fmt.Fprintf(b, "The most likely run, and what the policy does after other outcomes:\n")
	}
	for i := range d.Steps {
		s := &d.Steps[i]
		fmt.Fprintf(b, "%s  %v: %s; %s\n", steps(s.From, s.To), s.State, actions(s.Action), worth(s.Value))
		if s.Waits && len(s.Outcomes) > 0 {
			fmt.Fprintf(b, "         waits for\n")
		}
		rest := 0.0
		for k := range s.Outcomes {
			o := &s.Outcomes[k]
			if rest += o.Probability; k >= mostOthers {
				continue
			}
			rest -= o.Probability
			fmt.Fprintf(b, "        %8s  %s\n", plan.Percent(o.Probability), afterOutcome(o, worth))
		}
		if more := len(s.Outcomes) - mostOthers; more > 0 {
			fmt.Fprintf(b, "        %8s  %s\n", plan.Percent(rest), counted.Of(more, "other outcome"))
		}
	}
}

// afterOutcome says what a policy does after an outcome other than the most likely one.
func afterOutcome(o *explain.PolicyOutcome, worth func(float64) string) string {
	if o.State == nil {
		return "a value outside its range: the run has failed"
	}
	text := fmt.Sprintf("%s, not %s: ", o.State.All(), o.Planned.All())
	switch {
	case o.Goal && o.Then == nil:
		return text + "the goal"
	case o.Then == nil:
		return text + "the run ends; " + worth(o.Value)
	case o.Instead:
		return text + "then " + actions(*o.Then) + " instead; " + worth(o.Value)
	}
	return text + "then " + actions(*o.Then) + "; " + worth(o.Value)
}

// policy computes anew what a policy is worth; the exit status is 4 if it breaks a rule, or if the file says
// another value.
func (c *validateCmd) policy(ctx context.Context, a *environment) error {
	if c.SimulatorRef.Name != "" {
		return errors.New("a policy is followed in a simulator by run --policy; expected no --simulator")
	}
	ref := c.Ref
	ref.Chance = true
	p, err := loadProblem(ctx, ref, c.Changes)
	if err != nil {
		return limited(ctx, err)
	}
	d, err := policy.Read(p, c.Plan.File, c.Plan.Text)
	if err != nil {
		return err
	}
	v, err := d.Judge(p)
	if err != nil {
		return err
	}
	err = a.answer(c.JSON, c.Out, v, func(w io.Writer) { fmt.Fprintf(w, "%s: %s\n", v.Problem, v.Says) })
	if err == nil && !v.Valid {
		return exitStatus(exitNo)
	}
	return err
}
