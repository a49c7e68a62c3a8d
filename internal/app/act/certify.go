package act

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/certify/learned"
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/acting"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// certify writes the proof of the bound, and has it checked.
func (x *run) certify(ctx context.Context, res *acting.Result) error {
	began := x.r.Now()
	defer func() { x.d.Seconds.Certify = x.r.Now().Sub(began).Seconds() }()
	rec := recordOf(x.p.Problem, x.r.Horizon, res)
	err := atomicfile.Write(filepath.Join(x.r.Folder, LearnedFile), rec.Write)
	if err != nil {
		return err
	}
	checked, err := check(ctx, x.p.Problem, rec)
	switch {
	case ctx.Err() != nil:
		x.d.NoProof = context.Cause(ctx).Error()
		return nil
	case err != nil:
		return fmt.Errorf("%w: the checker refuses what was concluded: %w", app.ErrInternal, err)
	}
	scale := func(reward int64) int64 { return reward * checked.Optimistic.Reward.Scale / x.p.Problem.Reward.Scale }
	a := certify.Answer{Horizon: x.r.Horizon, Status: res.Status, Trace: checked.Plan}
	if res.Bound != nil {
		bound := scale(*res.Bound)
		a.Bound = &bound
	}
	switch {
	case res.Status == engine.Unknown && res.Bound == nil:
		x.d.NoProof = "nothing bounds the reward"
		return nil
	case res.Status == engine.Unknown && checked.Plan != nil:
		a.Status = engine.Feasible
	}
	if checked.Plan != nil {
		var told plan.Document
		told.Tell(checked.Optimistic, checked.Plan) // with rewards that were learned
		x.d.Plan, x.d.Trace = told.Plan, told.Trace
		a.Reward = scale(*res.Reward)
	}
	err = certify.Write(ctx, engine.Task{Problem: checked.Optimistic}, []certify.Answer{a}, x.r.Folder, certify.Options{Limits: x.r.Limits, Large: x.r.Large, Again: x.r.Again})
	switch {
	case errors.Is(err, certify.ErrNoProof), ctx.Err() != nil:
		x.d.NoProof = strings.TrimPrefix(err.Error(), certify.ErrNoProof.Error()+": ")
	case err != nil:
		return err
	default:
		x.d.Certificate = &x.r.Folder
	}
	return nil
}

// Certify checks a folder of learning by acting: that each clause follows from the rows for every function of the class,
// that the plan was observed, and that the proof shows the bound for the problem with the clauses. What is refused is in
// the report; errors are about files that cannot be read, and the end of ctx.
func Certify(ctx context.Context, dir string, p *load.Problem) (*certify.Report, error) {
	name := filepath.Join(dir, LearnedFile)
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rec, err := learned.Read(name, f)
	if err != nil {
		return nil, err
	}
	refused := &certify.Report{Schema: app.Schema, Answer: filepath.Join(dir, certify.AnswerFile), Claims: []certify.Claim{}, Unchecked: []string{}}
	if rec.Reward != nil {
		p = unrewarded(p)
	}
	checked, err := check(ctx, p.Problem, rec)
	if err == nil {
		err = holds(checked)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		refused.Refused = fmt.Sprintf("%s: %v", name, err)
		return refused, nil
	}
	r, err := certify.Check(ctx, certify.Files{Folder: dir}, &certify.Against{Task: engine.Task{Problem: checked.Optimistic}})
	if err != nil || !r.Accepted {
		return r, err
	}
	r.Learned = &certify.Learned{File: name, Rows: len(rec.Rows), Clauses: len(rec.Clauses), K: rec.K, All: checked.All}
	data, err := os.ReadFile(r.Answer)
	if err != nil {
		return nil, err
	}
	d := &Document{}
	if err := app.ReadExact(r.Answer, data, d, "an answer as fdplan learn --json prints it"); err != nil {
		r.Accepted, r.Refused = false, err.Error()
		return r, nil
	}
	e := certify.Expected{Answer: d.again(p.Problem, rec, checked, r.Shown.Bound), Unchecked: []string{"simulator", "steps", "resets", "whole", "experiment", "unsafe", "learned", "network", "stopped", "certificate", "no_proof", "seconds"}}
	if r.Unchecked, err = e.Compare(data); err != nil {
		r.Accepted, r.Refused = false, err.Error()
	}
	r.Trusted = []string{"that the steps of " + name + " were observed in the system, and its initial state", "that " + d.Assuming, "the checkers themselves"}
	return r, nil
}

// again derives the answer anew, from the record, the plan and the bound that the proof shows.
func (d *Document) again(p *factored.Problem, rec *learned.Record, c *learned.Checked, bound *float64) *Document {
	out := *d
	out.Schema, out.Problem, out.Horizon, out.K, out.Clauses = app.Schema, p.Name, rec.Horizon, rec.K, len(rec.Clauses)
	out.Rows, out.Assuming, out.Bound = 0, assuming(rec.K, c.All, rec.Functions != nil, rec.Reward), bound
	for _, r := range rec.Rows {
		if strings.Fields(r)[2] != "-" {
			out.Rows++
		}
	}
	out.Plan, out.Trace, out.Reward, out.Model = nil, nil, nil, nil
	if m := rec.Model; m != nil {
		out.Model = &acting.Extent{States: m.States, Steps: m.Steps}
	}
	if c.Plan != nil {
		var told plan.Document
		told.Tell(c.Optimistic, c.Plan)
		out.Plan, out.Trace = told.Plan, told.Trace
		sum := c.Reward
		for t := 0; t < c.Plan.Horizon() && rec.Reward == nil; t++ {
			r, _ := validate.StepReward(p, c.Plan.Steps[t], c.Plan.Steps[t+1])
			sum += r
		}
		out.Reward = app.RewardOf(p, sum)
	}
	if d.Verdict != "" { // which the answers of older versions lack
		out.Verdict = out.sentence()
	}
	return &out
}

// check checks a record, and the model if it says that it is known.
func check(ctx context.Context, p *factored.Problem, rec *learned.Record) (*learned.Checked, error) {
	c, err := learned.Check(ctx, p, rec)
	if err != nil {
		return nil, err
	}
	known := *p
	known.Inputs, known.Outputs = nil, nil
	known.Global = slices.DeleteFunc(slices.Clone(p.Global), func(r factored.Constraint) bool { return !r.Defines })
	return c, c.CheckModel(ctx, func(now, next factored.Valuation) bool {
		if next == nil {
			return validate.CheckPart(p, validate.State, now) == nil
		}
		f, err := validate.CheckStep(&known, nil, now, next)
		return err == nil && f == nil && validate.CheckPart(p, validate.Action, now) == nil && validate.CheckPart(p, validate.State, next) == nil
	})
}

// holds replays the plan in the problem with the clauses.
func holds(c *learned.Checked) error {
	if c.Plan == nil {
		return nil
	}
	report, err := validate.Check(c.Optimistic, nil, validate.FromTrace(c.Plan))
	if err == nil && !report.Valid {
		err = fmt.Errorf("the plan does not hold: %v", report.Failure)
	}
	return err
}
