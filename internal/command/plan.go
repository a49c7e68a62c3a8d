package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/act"
	"github.com/fdplan/fdplan/internal/app/domain"
	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/proofs"
	"github.com/fdplan/fdplan/internal/app/request"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/pddl"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

type planCmd struct {
	request.Plan
	progressFlags
	Connect
	WorkersOnly bool   `help:"With --connect, leave all the work to the workers; else this process works too, and the problem is divided after a second."`
	JSON        bool   `name:"json" help:"Print one JSON object."`
	Out         string `short:"o" help:"Write the answer to a file; if it ends in .html, as a page that says all about it and needs no network; .svg, .png and .gif are pictures; .toml is the problem with its changes as a task of its own, beside the answer." placeholder:"FILE"`
}

// Run plans and prints the document.
func (c *planCmd) Run(ctx context.Context, a *environment) error {
	if err := c.suits(); err != nil || c.Policy {
		if err == nil {
			err = c.findPolicy(ctx, a)
		}
		return err
	}
	if c.Robust != "" {
		return c.againstErrors(ctx, a)
	}
	if c.Incremental && c.Optimistic && !c.Safe {
		l := &learnCmd{progressFlags: c.progressFlags, JSON: c.JSON}
		l.Ref, l.Changes, l.Effort, l.Out = c.Ref, c.Changes, c.Effort, c.Out
		return l.begin(ctx, a, c.SimulatorRef, c.Horizon, act.ResetsYes)
	}
	task, early, none, err := c.load(ctx, a)
	switch {
	case err != nil:
		return err
	case none != nil:
		return c.tell(a, &execute.Document{Document: *none}, nil)
	}
	progress := c.planning(a, task.Task)
	request := plan.Request{Query: c.Query, Limits: a.limits(c.Effort), Report: progress.Engine, Now: a.now, Started: a.started, Loaded: a.now(), Outright: early}
	if err := c.check(); err != nil {
		return err
	}
	if c.Optimistic && (!c.Safe || c.SimulatorRef.Name == "") {
		return errors.New("--optimistic tries what --safe leaves out; expected --safe and --simulator too, or --incremental, to act until a plan is proven")
	}
	if c.Proof != "" && c.Horizon.Min != c.Horizon.Max {
		return errors.New("a proof is about one horizon; expected a single number, not a range, or --certify")
	}
	maker, err := a.proofs(c.Certify, c.Proof, c.ProofFormat, request.Limits)
	if err != nil {
		return err
	}
	end, err := c.divide(ctx, a, &request)
	if err != nil {
		return limited(ctx, err)
	}
	defer end()
	if isTask(c.Out) {
		if err := a.saveTask(task, c.Out, c.Horizon.Max); err != nil {
			return err
		}
		c.Out = ""
	}
	doc, err := c.solve(ctx, a, task, request, maker, progress)
	if err == nil {
		c.chance(ctx, a, task, doc)
	}
	progress.Clear()
	if err != nil {
		return err
	}
	return c.tell(a, doc, maker.None)
}

// load loads the problem, after a search for a plan of one in PDDL; none is the answer where it was not loaded.
func (c *planCmd) load(ctx context.Context, a *environment) (p *load.Problem, early *plan.Outright, none *plan.Document, err error) {
	if early, err = c.outright(ctx, a); err != nil {
		return nil, nil, nil, limited(ctx, err)
	}
	if p, err = loadProblem(ctx, c.Ref, c.Changes); err == nil {
		return p, early, nil, nil
	}
	if early != nil {
		if d, failed := early.Answer(ctx, err, a.now().Sub(a.started)); d != nil || failed != nil {
			return nil, nil, d, failed
		}
	}
	if ctx.Err() == nil {
		return nil, nil, nil, err
	}
	return nil, nil, plan.Unloaded(ctx, cmp.Or(c.Ref.Name, c.Domain), c.Query, a.now().Sub(a.started)), nil
}

// outright looks for a plan of a problem in PDDL before it is compiled; nil where more is asked than any plan.
func (c *planCmd) outright(ctx context.Context, a *environment) (*plan.Outright, error) {
	if c.Horizon.Max > 0 || c.Safe || c.Certify != "" || c.Proof != "" || c.SimulatorRef.Name != "" || !c.Changes.None() || isShared(c.Out) || isTask(c.Out) {
		return nil, nil
	}
	early, err := plan.NewOutright(ctx, c.Ref, a.limits(c.Effort).Memory/8)
	if early != nil {
		early.Begin(ctx)
	}
	return early, err
}

// divide has the work sent to the workers of a server, if one is named. The returned function
// ends the connection.
func (c *planCmd) divide(ctx context.Context, a *environment, r *plan.Request) (func(), error) {
	if c.URL == "" {
		if c.WorkersOnly {
			return nil, errors.New("--workers-only needs the server of the workers; expected --connect too")
		}
		return func() {}, nil
	}
	if c.Incremental || c.Solver != "" {
		return nil, errors.New("--connect divides one query among workers; expected neither --incremental nor --solver")
	}
	to, end, err := c.coordinator(ctx, a, "plan", int64(c.Memory))
	if err != nil {
		return nil, err
	}
	certify := c.Certify != ""
	o := plan.Division{Engine: c.Engine, Proof: certify || c.Proof != "", Literal: certify, WorkersOnly: c.WorkersOnly}
	if r.Divide, err = to.Plan(o); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// tell prints the answer, and why it has no proof, if that was asked for. Its error is the
// exit status.
func (c *planCmd) tell(a *environment, doc *execute.Document, unproved error) error {
	text := func(w io.Writer) { writePlan(w, doc) }
	if c.PDDL != "" && doc.Metric != nil && c.Out != "" && c.Out != "-" {
		text = func(w io.Writer) { writePDDL(w, doc) }
	}
	out := c.Out
	if isShared(out) {
		out = ""
	}
	if err := a.answer(c.JSON, out, doc, text); err != nil {
		return err
	}
	if isShared(c.Out) && doc.Status != engine.Unknown {
		s := shared{of: c.Ref, changes: c.Changes, doc: doc, steps: doc.Plan != nil, text: text, verdict: doc.Verdict}
		if doc.Proof != nil && doc.Proof.Certificate != nil {
			s.certificate = *doc.Proof.Certificate
		}
		if err := a.share(c.Out, s); err != nil {
			return err
		}
	}
	if unproved != nil {
		a.warn(unproved.Error())
	}
	if w := doc.Warning(); w != "" {
		a.warn(w)
	}
	switch doc.Status {
	case engine.Infeasible:
		if doc.Safe != nil && doc.Safe.Held != nil {
			return nil
		}
		return exitStatus(exitNo)
	case engine.Unknown:
		a.complain(fmt.Errorf("no plan was found before %s", doc.Stopped))
		return exitStatus(exitLimit)
	}
	if c.SimulatorRef.Name != "" && doc.Valid.Simulator != nil && !*doc.Valid.Simulator {
		return exitStatus(exitNo)
	}
	return nil
}

// solve plans as the flags ask for.
func (c *planCmd) solve(ctx context.Context, a *environment, p *load.Problem, r plan.Request, m *proofs.Maker, progress *events.Planning) (doc *execute.Document, err error) {
	q := p
	if c.Safe && p.InPDDL() {
		return c.sides(ctx, p, r, m)
	}
	if c.Safe {
		if q, err = support.Safe(p); err != nil {
			return nil, err
		}
	}
	if c.Incremental {
		doc, err = c.loop(ctx, a, q, r, progress, m)
	} else {
		doc, err = c.once(ctx, q, r, m)
	}
	if err == nil && c.Safe {
		switch {
		case c.Optimistic:
			r.Try = c.tryOnce(p)
		case c.SimulatorRef.Name != "" && c.SimulatorRef.Name != "rddl":
			r.Try = plan.Untried // it may be a device
		}
		err = limited(ctx, doc.Bracket(ctx, p, r, m.Unseen(ctx, r.Horizon.Max)))
	}
	if err != nil {
		return nil, err
	}
	return doc, m.Answer(doc)
}

// sides plans with the safe side of a learned PDDL domain, and bounds by the optimistic one, whose file is beside it.
func (c *planCmd) sides(ctx context.Context, p *load.Problem, r plan.Request, m *proofs.Maker) (*execute.Document, error) {
	if c.Incremental || c.SimulatorRef.Name != "" {
		return nil, errors.New("--safe with --pddl plans with both sides of a learned domain; expected neither --incremental nor --simulator")
	}
	ref := c.Ref
	ref.PDDL = domain.OptimisticFile(c.PDDL)
	if _, err := os.Stat(ref.PDDL); err != nil {
		return nil, fmt.Errorf("--safe needs the optimistic side of %s, which fdplan train writes beside it: %s cannot be opened: %w", c.PDDL, ref.PDDL, source.Cause(err))
	}
	o, err := loadProblem(ctx, ref, c.Changes)
	if err != nil {
		return nil, limited(ctx, err)
	}
	doc, err := c.once(ctx, p, r, m)
	if err != nil {
		return nil, err
	}
	if err := doc.Enclose(ctx, o, r); err != nil {
		return nil, limited(ctx, err)
	}
	return doc, m.Answer(doc)
}

// tryOnce tries a plan in the simulator, which it starts for that.
func (c *planCmd) tryOnce(p *load.Problem) func(context.Context, *factored.Trace) (*simulator.Run, error) {
	return func(ctx context.Context, tr *factored.Trace) (*simulator.Run, error) {
		real, err := c.SimulatorRef.Open(ctx, p, c.Effort.Seed)
		if err != nil {
			return nil, err
		}
		run, err := real.Try(ctx, tr)
		return run, errors.Join(err, real.Close())
	}
}

// once plans, and tries the plan once.
func (c *planCmd) once(ctx context.Context, p *load.Problem, r plan.Request, m *proofs.Maker) (*execute.Document, error) {
	real, err := c.SimulatorRef.Open(ctx, p, c.Effort.Seed)
	if err != nil {
		return nil, limited(ctx, err)
	}
	if real != nil {
		r.Try, r.System = real.Try, real.Name
	}
	d, err := m.Plan(ctx, p, r)
	if err = limited(ctx, errors.Join(err, real.Close())); err != nil {
		return nil, err
	}
	return &execute.Document{Document: *d}, nil
}

// writePlan writes the answer as text.
func writePlan(b io.Writer, d *execute.Document) {
	fmt.Fprintf(b, "%s: %s", d.Problem, statusWords(d))
	if d.Reward != nil {
		fmt.Fprintf(b, ", reward %v, horizon %d", *d.Reward, *d.Horizon)
	} else if d.Horizon != nil {
		fmt.Fprintf(b, ", horizon %d", *d.Horizon)
	}
	if d.Status != engine.Optimal && d.Bound != nil {
		fmt.Fprintf(b, ", bound %v", *d.Bound)
		if d.Gap != nil {
			fmt.Fprintf(b, " (gap %.0f %%)", 100**d.Gap)
		}
	}
	fmt.Fprintf(b, "\n")
	if d.ByOther() {
		fmt.Fprintf(b, "%s\n", claimed(&d.Document))
	}
	fails := d.Valid.Simulator != nil && !*d.Valid.Simulator
	if fails {
		fmt.Fprintf(b, "In the simulator the plan FAILS: %s\n", d.SimulatorSays)
	}
	writeSteps(b, d.Plan)
	if d.Loop != nil {
		writeLoop(b, d)
	}
	for _, h := range d.Horizons {
		fmt.Fprintf(b, "horizon %d: %s", h.Horizon, h.Status)
		if h.Reward != nil {
			fmt.Fprintf(b, ", reward %v", *h.Reward)
		}
		fmt.Fprintf(b, "\n")
	}
	writeVerdict(b, d)
	writeRobust(b, d.Robust)
	writeOutside(b, d.OutOfRange)
	app.WriteStopped(b, d.Stopped)
	fmt.Fprintf(b, "engine %s, %.3f s\n", d.Engine, d.Seconds.Total)
}

// writeSentence writes a text as a sentence; nothing for "".
func writeSentence(w io.Writer, text string) {
	if text != "" {
		fmt.Fprintf(w, "%s%s.\n", strings.ToUpper(text[:1]), text[1:])
	}
}

// writePDDL writes the plan in the format of the planning competitions.
func writePDDL(w io.Writer, d *execute.Document) {
	var steps [][]pddl.Step
	for _, s := range d.Plan {
		var together []pddl.Step
		for _, a := range s {
			together = append(together, pddl.StepOf(a.Name))
		}
		steps = append(steps, together)
	}
	_ = pddl.WritePlan(w, steps, *d.Metric)
}

// writeVerdict writes what is known of the plan, but for a failure.
func writeVerdict(b io.Writer, d *execute.Document) {
	if d.Valid.Model != nil {
		fmt.Fprintf(b, "The checker replayed the plan in the model: valid.\n")
	}
	switch {
	case d.Metric != nil:
		fmt.Fprintf(b, "In PDDL the plan reaches the goal, with metric %v%s.\n", *d.Metric, unproven(d))
	case d.Simulated != nil:
		fmt.Fprintf(b, "In the simulator the plan holds, with reward %v.\n", *d.Simulated)
	case d.Valid.Simulator != nil && *d.Valid.Simulator:
		fmt.Fprintf(b, "In the simulator the plan holds.\n")
	}
	switch {
	case d.ByOther() && !*d.Proof.Checked:
		fmt.Fprintf(b, "With --confirm fdplan checks the claim.\n")
	case d.StartBreaks != nil, d.Next != nil:
		writeSentence(b, d.Verdict)
		writeNext(b, d.Next)
	case d.Status == engine.Infeasible && d.Loop == nil && d.Safe == nil && d.Robust == nil:
		fmt.Fprintf(b, "%s has no such plan; fdplan explain shows which rules exclude each other.\n", modelOf(d))
	}
	if d.Proof != nil && d.Proof.Certificate != nil {
		fmt.Fprintf(b, "The checker accepted the proof in %s.\n", *d.Proof.Certificate)
	}
	if d.Plan != nil {
		writeSentence(b, d.LearnedReward.Warning())
	}
	if d.Safe != nil {
		fmt.Fprintf(b, "%v.\n", d.Safe)
		if h := d.Safe.Held; h != nil {
			writeSteps(b, h.Plan)
		}
	}
	if d.Chance != nil {
		writeSentence(b, d.Chance.String())
	}
	writeSentence(b, load.Assumptions(d.Assumed))
	writeSentence(b, d.Note)
	writeSentence(b, d.Unrounded.String())
}

// unproven says what is known of the metric where a plan was not proven to be cheapest.
func unproven(d *execute.Document) string {
	if d.Status != engine.Feasible || *d.Metric == *d.Reward { // with these equal, the metric is no cost
		return ""
	}
	if d.Bound == nil {
		return ", not proven cheapest"
	}
	return fmt.Sprintf(", not proven cheapest (at least %v)", *d.Metric+*d.Reward-*d.Bound)
}

// statusWords is the status in words. What Algorithm 1 finds in a learned model is about that.
func statusWords(d *execute.Document) string {
	switch {
	case d.Status == engine.Infeasible && d.Safe != nil:
		return "no plan with supported steps only"
	case d.Status == engine.Infeasible && d.Loop != nil && d.Learned:
		return "no plan in the learned model"
	case d.Status == engine.Infeasible && d.Robust != nil:
		return "no plan holds against every error within the bands, proven"
	}
	return string(d.Status)
}

// writeSteps writes the actions of a plan.
func writeSteps(w io.Writer, plan []app.Values) {
	for t, step := range plan {
		fmt.Fprintf(w, "%4d  %s\n", t+1, actions(step))
	}
}

// modelOf names the model that an answer is about.
func modelOf(d *execute.Document) string {
	if d.Learned {
		return "The learned model"
	}
	return "The model"
}

// actions names the actions of a step.
func actions(step app.Values) string { return step.Text() }

// claimed is the line about what stands on an outside solver's word.
func claimed(d *plan.Document) string {
	what := "claimed " + string(d.Status)
	if d.Status != engine.Optimal && d.Status != engine.Infeasible {
		what = "bound claimed"
	}
	if *d.Proof.Checked {
		return fmt.Sprintf("%s by %s; proved by fdplan too", what, d.Proof.By)
	}
	return fmt.Sprintf("%s by %s; not checked by fdplan", what, d.Proof.By)
}
