package proofs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	outcomes "github.com/fdplan/fdplan/internal/engine/explain"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// checker is one call of checkExplanation.
type checker struct {
	dir    string
	name   string // of the file
	e      explain.Explanation
	p      *certify.Against // nil without a problem
	of     *load.Problem    // that p is made of
	r      *certify.Report
	plan   validate.Plan   // with a problem
	trace  *factored.Trace // with a problem
	broken int             // changes that break a rule at once
}

// checkExplanation reads the certificate of an explanation: the proof of the best plan, or that
// there is none, and of what comes of each change. With a problem the plan is replayed, and so is
// each change that breaks a rule at once, and all else that the explanation says is derived anew.
func checkExplanation(ctx context.Context, dir string, p *certify.Against, of *load.Problem) (*certify.Report, error) {
	x := &checker{dir: dir, name: filepath.Join(dir, File), p: p, of: of}
	data, err := os.ReadFile(x.name)
	if err != nil {
		return nil, err
	}
	if err := app.ReadExact(x.name, data, &x.e, "an explanation as fdplan explain --json prints it"); errors.As(err, new(*app.NamesError)) {
		return &certify.Report{Schema: app.Schema, Answer: x.name, Refused: err.Error(), Claims: []certify.Claim{}, Unchecked: []string{}}, nil
	} else if err != nil {
		return nil, err
	}
	if x.e.Schema != app.Schema {
		return nil, source.Errorf(x.name, 1, 0, `expected an explanation with "schema":%d`, app.Schema)
	}
	if x.r, err = certify.Check(ctx, certify.Files{Folder: dir, Restate: bareAnswer(p)}, p); err != nil {
		return nil, err
	}
	if !x.r.Accepted {
		return x.r, nil
	}
	if err := x.whole(); err != nil {
		return nil, err
	}
	for i := range x.e.Steps {
		s := &x.e.Steps[i]
		for j := range s.Alternatives {
			if err := x.change(ctx, i, j, s.Alternatives[j].Action, &s.Alternatives[j].OutcomeLine); err != nil {
				return nil, err
			}
		}
		if err := x.change(ctx, i, -1, nil, &s.Others.OutcomeLine); err != nil {
			return nil, err
		}
	}
	x.trust()
	return x.r, x.restate(data)
}

func (x *checker) refuse(format string, args ...any) {
	if x.r.Refused == "" {
		x.r.Refused = x.name + ": " + fmt.Sprintf(format, args...)
	}
	x.r.Accepted = false
}

// trust adds what stays unproven.
func (x *checker) trust() {
	add := func(what string) { x.r.Trusted = append(x.r.Trusted, what) }
	if x.broken > 0 && x.p == nil {
		add("that the changes that break a rule at once do; with --problem they are replayed")
	}
	if x.e.Conflict != nil {
		add("that the constraints which the explanation lists are those that exclude each other")
	}
	if len(x.e.Steps) > 0 {
		add("the reasons that the explanation gives for what comes of a change")
	}
}

// same compares sums of rewards, which are rounded.
func same(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a)) }

// whole compares the explanation with the answer over the whole horizon, and replays its plan.
func (x *checker) whole() error {
	whole, err := readAnswer(x.dir)
	if err != nil {
		return err
	}
	switch {
	case whole.Horizon != x.e.Horizon:
		x.refuse("it is about horizon %d, the answer about %d", x.e.Horizon, whole.Horizon)
	case (x.e.Status == string(engine.Infeasible)) != (whole.Status == engine.Infeasible):
		x.refuse("it says %s, the answer %s", x.e.Status, whole.Status)
	case x.e.Best != nil && (whole.Status != engine.Optimal || whole.Reward == nil || *whole.Reward != *x.e.Best):
		x.refuse("the best reward of the answer is not %v", *x.e.Best)
	case x.e.Status == string(engine.Optimal) && (x.e.Best == nil || x.e.Reward == nil || *x.e.Best != *x.e.Reward):
		x.refuse("it says optimal of a plan that has less than the best reward")
	}
	if len(x.e.Steps) == 0 {
		return nil
	}
	sum := 0.0
	for i := range x.e.Steps {
		sum += x.e.Steps[i].Reward
	}
	if len(x.e.Steps) != x.e.Horizon || x.e.Reward == nil || !same(sum, *x.e.Reward) {
		x.refuse("its steps are not those of a plan of %d steps with its reward", x.e.Horizon)
	}
	if x.p == nil {
		return nil
	}
	return x.replay()
}

// replay reads the plan of the explanation and replays it, and each part from its beginning.
func (x *checker) replay() error {
	actions := make([]app.Values, len(x.e.Steps))
	for i := range x.e.Steps {
		actions[i] = x.e.Steps[i].Action
	}
	plan, err := x.readPlan(actions, x.e.Trace)
	if err != nil {
		x.refuse("%v", err)
		return nil
	}
	report, err := validate.Check(x.p.Task.Problem, x.p.Task.Network, plan)
	if err != nil {
		return err
	}
	if !report.Valid {
		x.refuse("the plan fails: %v", report.Failure)
		return nil
	}
	plan = validate.FromTrace(report.Trace) // the states may have been left out
	x.plan, x.trace = plan, report.Trace
	open := x.p.Task.Problem.Clone()
	open.Goal = nil
	sum := 0.0
	for i := range x.e.Steps {
		sum += x.e.Steps[i].Reward
		report, err := validate.Check(open, x.p.Task.Network, validate.Plan{Actions: plan.Actions[:i+1], States: plan.States[:i+2]})
		if err != nil {
			return err
		}
		if !report.Valid || !same(*app.RewardOf(open, report.Reward), sum) {
			x.refuse("the rewards of its first %d steps are others", i+1)
			return nil
		}
	}
	return nil
}

// readPlan reads joint actions and states; a nil trace is none.
func (x *checker) readPlan(actions, trace []app.Values) (validate.Plan, error) {
	data, err := json.Marshal(map[string]any{"schema": app.Schema, "plan": actions, "trace": trace})
	if err != nil {
		return validate.Plan{}, err
	}
	return app.ReadPlan(x.p.Task.Problem, x.name, data)
}

// change checks what the explanation says of a change at step i, from 0, with an alternative,
// or any other joint action if that is -1.
func (x *checker) change(ctx context.Context, i, alternative int, action app.Values, o *explain.OutcomeLine) error {
	if x.p != nil && x.trace == nil {
		return nil // the plan itself was refused
	}
	switch o.Consequence {
	case outcomes.NotKnown:
		if dir := folder(x.dir, i+1, alternative); certify.Has(dir, "") {
			x.refuse("step %d: %s has a proof of what it says is not known", i+1, dir)
		}
		return nil
	case outcomes.Illegal:
		if x.broken++; alternative < 0 {
			x.refuse("step %d: only one joint action is illegal, not all others", i+1)
			return nil
		}
	}
	var against *certify.Against
	if x.p != nil {
		joint := x.trace.Steps[i]
		if alternative >= 0 {
			var err error
			if joint, err = x.action(action); err != nil {
				x.refuse("step %d: %v", i+1, err)
				return nil
			}
		}
		t, err := outcomes.Changed(x.p.Task, x.trace, i+1, joint, alternative < 0, o.Consequence != outcomes.DeadEnd && o.Consequence != outcomes.Illegal)
		if err != nil {
			return err
		}
		if o.Consequence == outcomes.Illegal {
			return x.illegal(i, t, joint)
		}
		against = &certify.Against{Task: t}
	}
	if o.Consequence == outcomes.Illegal {
		return nil
	}
	dir := folder(x.dir, i+1, alternative)
	r, err := certify.Check(ctx, certify.Files{Folder: dir, Restate: bareAnswer(against)}, against)
	if errors.Is(err, fs.ErrNotExist) {
		x.refuse("%s has no proof of what it says", dir)
		return nil
	}
	if err != nil {
		return err
	}
	x.r.Claims = append(x.r.Claims, r.Claims...)
	if !r.Accepted {
		why := r.Refused
		if why == "" {
			why = "a proof is refused"
		}
		x.refuse("%s: %s", dir, why)
		return nil
	}
	return x.compare(dir, i, o)
}

// action is the joint action of an alternative.
func (x *checker) action(values app.Values) (factored.Valuation, error) {
	plan, err := x.readPlan([]app.Values{values}, nil)
	if err != nil {
		return nil, err
	}
	return plan.Actions[0], nil
}

// illegal replays a change that breaks a rule at once.
func (x *checker) illegal(i int, t engine.Task, action factored.Valuation) error {
	report, err := validate.Check(t.Problem, t.Network, validate.Plan{Actions: []factored.Valuation{action}})
	if err == nil && report.Valid {
		x.refuse("step %d: an alternative that is said to be illegal breaks no rule at once", i+1)
	}
	return err
}

// compare compares what is said of a change with the answer in its folder.
func (x *checker) compare(dir string, i int, o *explain.OutcomeLine) error {
	a, err := readAnswer(dir)
	if err != nil {
		return err
	}
	before := 0.0
	for j := range i {
		before += x.e.Steps[j].Reward
	}
	completes := a.Status == engine.Optimal && a.Reward != nil && o.Reward != nil && x.e.Reward != nil && same(before+*a.Reward, *o.Reward)
	ok := false
	switch o.Consequence {
	case outcomes.DeadEnd, outcomes.GoalMissed:
		ok = a.Status == engine.Infeasible
	case outcomes.CostsMore:
		ok = completes && *o.Reward < *x.e.Reward
	case outcomes.AsGood:
		ok = completes && same(*o.Reward, *x.e.Reward)
	case outcomes.Better:
		ok = completes && *o.Reward > *x.e.Reward
	}
	if !ok || a.Horizon != x.e.Horizon-i {
		x.refuse("%s does not show %s", dir, o.Consequence)
	}
	return nil
}

// readAnswer reads the answer in a folder.
func readAnswer(dir string) (*bare, error) {
	data, err := os.ReadFile(filepath.Join(dir, certify.AnswerFile))
	if err != nil {
		return nil, err
	}
	var a bare
	return &a, app.ReadExact(filepath.Join(dir, certify.AnswerFile), data, &a, "an answer")
}
