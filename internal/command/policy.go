package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
	solver "github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/progress"
)

// policyFlags ask for a policy in place of a plan.
type policyFlags struct {
	Policy   bool   `help:"Find a policy, which says what to do in each state, for a problem that draws at random (docs/policies.md)."`
	Failures string `help:"With --policy, hold in every run with at most so many disturbances, draws that do not have their most likely outcome; P% takes so many that a run has more with at most that probability." placeholder:"N|P%"`
	Maximize string `help:"What a policy maximises: success, the probability that the goal is reached, or reward, the expected sum; default: success if there is a goal." enum:"success,reward," default:"" placeholder:"WHAT"`
}

// suits refuses what goes with other questions.
func (f *policyFlags) suits(c *planCmd) error {
	switch {
	case !f.Policy && (f.Maximize != "" || f.Failures != ""):
		return errors.New("--maximize and --failures tell what a policy is to achieve; expected --policy too")
	case !f.Policy:
		return nil
	case c.Determinize != "none":
		return errors.New("--determinize leaves nothing to chance, and --policy plans with it; expected one of them")
	case c.Incremental, c.Safe, c.Proof != "", c.Certify.folder != "", c.URL != "", c.Simulator != "", c.Confirm:
		return errors.New("--policy answers another question than --incremental, --safe, --proof, --certify, --confirm, --connect and --simulator do; expected it without these")
	case c.Horizon.min != c.Horizon.max && f.Failures == "":
		return errors.New("--policy takes one horizon, unless --failures is given; expected -H N")
	}
	return nil
}

// robust reads --failures; nil if it is not given.
func robust(text string, h horizonFlag) (*policy.Robust, error) {
	if text == "" {
		return nil, nil
	}
	r := &policy.Robust{}
	if h.min < h.max {
		r.MinHorizon = h.min
	}
	var err error
	if share, ok := strings.CutSuffix(text, "%"); ok {
		r.Risk, err = strconv.ParseFloat(strings.TrimSpace(share), 64)
		if r.Risk /= 100; err == nil && r.Risk > 0 && r.Risk < 1 {
			return r, nil
		}
	} else if r.Disturbances, err = strconv.Atoi(text); err == nil && r.Disturbances >= 0 && r.Disturbances <= mostFailures {
		return r, nil
	}
	return nil, fmt.Errorf("--failures %s: expected a number of disturbances up to %d, or a probability above 0%% and below 100%%", text, mostFailures)
}

// mostFailures bounds --failures.
const mostFailures = 1000

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
	r.Horizon = c.Horizon.max
	if r.Robust, err = robust(c.Failures, c.Horizon); err != nil {
		return err
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
		after := ""
		if d.Disturbances != nil {
			after = fmt.Sprintf(", disturbed %d", r[4])
		}
		fmt.Fprintf(&b, "%s  %s%s: %s\n", steps(r[1], r[2]), d.Table.Text(r[0]), after, actions(d.Table.Actions[r[3]]))
	}
	if d.Excess != nil {
		fmt.Fprintf(&b, "The evaluator followed the policy through %s, in all runs with at most %s.\n", counted.Of(d.Reached, "state"), counted.Of(*d.Disturbances, "disturbance"))
		fmt.Fprintf(&b, "A run of it has more with probability %s, if draws are independent and their probabilities right.\n", plan.Percent(*d.Excess))
		writePolicyEnd(&b, d)
		_, err := io.WriteString(w, b.String())
		return err
	}
	how := "in exact fractions"
	if d.Evaluated != "exactly" {
		how = "with bounds on what rounding can do"
	}
	fmt.Fprintf(&b, "The evaluator followed the policy through %s %s: %s.\n", counted.Of(d.Reached, "state"), how, d.Worth())
	writePolicyEnd(&b, d)
	_, err := io.WriteString(w, b.String())
	return err
}

// writePolicyEnd writes what a policy rests on, where it is and what it took.
func writePolicyEnd(b *strings.Builder, d *policy.Document) {
	if d.Unseen != nil && *d.Unseen > 0 {
		fmt.Fprintf(b, "In %s no row of the log has the policy's action: what follows there is the model's guess, and the value rests on it.\n", counted.Of(*d.Unseen, "state"))
	}
	if d.Disputed > 0 {
		fmt.Fprintf(b, "In %s rows of the log have other next values than the model", counted.Of(d.Disputed, "state"))
		if d.Agree != nil {
			fmt.Fprintf(b, "; as few as %s of them agree", plan.Percent(*d.Agree))
		}
		b.WriteString(". The value holds if those rows are wrong.\n")
	}
	if d.Policy != nil {
		fmt.Fprintf(b, "policy: %s\n", *d.Policy)
	}
	fmt.Fprintf(b, "%s, %s, %s, %.3f s\n", d.Engine, counted.Of(d.States, "state"), counted.Of(int(d.Pairs), "state-action pair"), d.Seconds)
}

// steps writes the first and the last step of a row.
func steps(from, to int) string {
	if from == to {
		return fmt.Sprintf("%7d", from)
	}
	return fmt.Sprintf("%7s", fmt.Sprintf("%d-%d", from, to))
}

// policyFlag is the file of a policy. The flag may stand alone.
type policyFlag struct {
	given bool
	file  string
}

// Decode takes the next word as the file unless it is a flag.
func (f *policyFlag) Decode(ctx *kong.DecodeContext) error {
	f.given, f.file = true, optional(ctx, "")
	return nil
}

// follow has a run follow a policy, if that is asked for. The function that it returns then does so for further runs.
func (c *runCmd) follow(ctx context.Context, a *environment, p *load.Problem, r *execute.RunRequest) (again func() execute.Chooser, err error) {
	f, err := c.follower(ctx, a, p)
	if err != nil || f == nil {
		return nil, err
	}
	r.Policy = f
	return func() execute.Chooser { return f.Again() }, nil
}

// follower follows the policy of the flags; nil if there is none.
func (c *runCmd) follower(ctx context.Context, a *environment, p *load.Problem) (*policy.Follower, error) {
	switch {
	case !c.Policy.given && (c.Maximize != "" || c.Failures != ""):
		return nil, errors.New("--maximize and --failures tell what a policy is to achieve; expected --policy too")
	case !c.Policy.given:
		return nil, nil
	case c.Determinize != "none":
		return nil, errors.New("--determinize leaves nothing to chance, and --policy plans with it; expected one of them")
	case c.Policy.file != "" && (c.Maximize != "" || c.Failures != "" || c.Horizon.max > 0):
		return nil, errors.New("the file of --policy has its own horizon and objective; expected neither -H nor --maximize nor --failures")
	case c.Horizon.min != c.Horizon.max && c.Failures == "":
		return nil, errors.New("--policy takes one horizon, unless --failures is given; expected -H N")
	case c.ReplanEvery != 1 || c.PlanTime != 0:
		return nil, errors.New("a policy is not made again for each step; expected neither --replan-every nor --plan-time")
	}
	r := policy.Request{Objective: solver.Objective(c.Maximize), Horizon: c.Horizon.max, Limits: c.engine(a), Now: a.now, Started: a.started}
	var err error
	if r.Robust, err = robust(c.Failures, c.Horizon); err != nil {
		return nil, err
	}
	if c.Policy.file == "" {
		return policy.NewFollower(ctx, p, nil, r)
	}
	data, err := readPlan(c.Policy.file)
	if err != nil {
		return nil, err
	}
	d, err := policy.Read(p, c.Policy.file, data)
	if err != nil {
		return nil, err
	}
	return policy.NewFollower(ctx, p, d, r)
}

// chance adds to the plan of a model with chance how it fares where draws are drawn.
func (c *planCmd) chance(ctx context.Context, a *environment, p *load.Problem, d *execute.Document) error {
	if d.Plan == nil || !policy.Draws(p) || ctx.Err() != nil {
		return nil
	}
	if p.Determinized != "" {
		if c.Reward != "" || len(c.Require) > 0 {
			return nil
		}
		ref := c.problemFlags.ref()
		ref.Determinize, ref.Chance = "", true
		var err error
		if p, err = c.loadRef(ctx, ref, &c.changeFlags); err != nil {
			return nil // draws that cannot be listed: nothing is known
		}
	}
	var err error
	if d.Chance, err = policy.OfPlan(ctx, p, d.Plan, policy.Request{Limits: c.engine(a), Now: a.now, Started: a.started}); err != nil {
		d.Chance = nil
	}
	return nil
}

// policy computes anew what a policy is worth; the exit status is 4 if it breaks a rule, or if the file says
// another value.
func (c *validateCmd) policy(ctx context.Context, a *environment, data []byte) error {
	if c.Simulator != "" {
		return errors.New("a policy is followed in a simulator by run --policy; expected no --simulator")
	}
	ref := c.problemFlags.ref()
	ref.Chance = true
	p, err := c.loadRef(ctx, ref, &c.changeFlags)
	if err != nil {
		return limited(ctx, err)
	}
	d, err := policy.Read(p, c.Plan, data)
	if err != nil {
		return err
	}
	v, err := d.Judge(p)
	if err != nil {
		return err
	}
	err = a.answer(c.JSON, c.Out, v, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %s\n", v.Problem, v.Says)
		return err
	})
	if err == nil && !v.Valid {
		return exitStatus(exitNo)
	}
	return err
}
