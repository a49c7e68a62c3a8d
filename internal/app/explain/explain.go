// Package explain implements the use cases of explaining and proving: why there is
// no plan, what forces a plan, and whether a property holds in every step.
package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/explain"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Explanation is the answer of `fdplan explain`.
type Explanation struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	load.Altered
	Horizon int `json:"horizon"`
	// Status is optimal, feasible, infeasible or unknown, as for a plan, or invalid for a
	// plan that the checker refuses.
	Status string   `json:"status"`
	Reward *float64 `json:"reward"` // of the plan
	Best   *float64 `json:"best"`   // proven best reward of the horizon
	// Conflict explains a horizon without a plan, Failure an invalid plan, Steps a plan.
	Conflict *ConflictLine `json:"conflict"`
	Failure  *app.Fault    `json:"failure"`
	Steps    []ForceLine   `json:"steps"`
	Trace    []app.Values  `json:"trace"` // of the plan: every state variable of its states
	// Chance is how the plan fares where draws are drawn; absent if that is not known, and where nothing is drawn.
	Chance *plan.Chance `json:"chance,omitempty"`
	// Assumed says what the answer assumes of inputs; absent without.
	Assumed []load.Assumed `json:"assumed,omitempty"`
	// Stopped is the limit that ended the run, absent if none did.
	Stopped string `json:"stopped,omitempty"`
	// Certificate is the folder with proofs of what is said, absent without one.
	Certificate string `json:"certificate,omitempty"`
}

// ConflictLine is a minimal unsatisfiable subset of the constraints.
type ConflictLine struct {
	Constraints []MemberLine `json:"constraints"`
	// Transition reports whether the transitions are needed for the contradiction.
	Transition bool `json:"transition"`
	Minimal    bool `json:"minimal"` // no constraint can be left out; false after a limit
	Checks     int  `json:"checks"`  // number of solver calls
}

// MemberLine is one constraint of such a set.
type MemberLine struct {
	Group      string `json:"group"`          // initial, global or goal
	Words      string `json:"words"`          // what it states, in plain English
	Rule       string `json:"rule,omitempty"` // what the user wrote, where it is known
	Constraint string `json:"constraint"`
	Origin     string `json:"origin"`
	Steps      []int  `json:"steps"` // at which it is needed
}

// ForceLine is a step of a plan with the alternatives tried there.
type ForceLine struct {
	Step         int               `json:"step"`
	Action       app.Values        `json:"action"`
	Reward       float64           `json:"reward"` // of this step
	Alternatives []AlternativeLine `json:"alternatives"`
	Omitted      bool              `json:"omitted"` // further ones would give more reward in this step
	Others       OthersLine        `json:"others"`
	// Evidence is what the training rows tell about the step; absent if that is unknown.
	Evidence *support.Evidence `json:"evidence,omitempty"`
	// Break is the outcome that breaks the plan here; absent if there is none, or that is unknown.
	Break *policy.Break `json:"break,omitempty"`
}

// AlternativeLine is a joint action that was tried instead of the plan's.
type AlternativeLine struct {
	Without string     `json:"without,omitempty"` // the action that is left out; absent for another joint action
	Action  app.Values `json:"action"`
	OutcomeLine
}

// OthersLine is the best result of any other joint action.
type OthersLine struct {
	Action app.Values `json:"action"` // null if none can be completed, or it is unknown
	OutcomeLine
}

// OutcomeLine is the consequence of a change.
type OutcomeLine struct {
	Consequence explain.Consequence `json:"consequence"`
	Failure     *app.Fault          `json:"failure,omitempty"` // of an illegal one
	Reward      *float64            `json:"reward"`            // of the whole plan with the change and the best completion; null if there is none
	Loss        *float64            `json:"loss"`              // relative to the plan; null if reward is
	// Against are constraints that no completion can satisfy together, if the consequence is
	// dead-end or goal-missed.
	Against []MemberLine     `json:"against,omitempty"`
	Because []DifferenceLine `json:"because,omitempty"` // if the reward differs
}

// DifferenceLine is a part of the reward that counts otherwise: a condition that holds in
// another number of steps, or an integer with another sum.
type DifferenceLine struct {
	Literal   string  `json:"literal"`
	Integer   bool    `json:"integer,omitempty"` // an integer: plan and otherwise are sums of its values
	Weight    float64 `json:"weight"`
	Plan      int64   `json:"plan"`      // steps
	Otherwise int64   `json:"otherwise"` // steps
}

// Request selects what to explain and how.
type Request struct {
	Plan         bind.Plan `arg:"" optional:"" http:"yes" help:"Plan to explain, as fdplan plan --json prints it; - for standard input; default: an optimal one is found."`
	Horizon      bind.One  `http:"yes" short:"H" help:"Number of steps; default: the plan's, or the problem's own." placeholder:"N"`
	Engine       string    `http:"yes" help:"Engine that completes changed plans: ${enum}." enum:"${explainers}" default:"auto"`
	Alternatives int       `http:"yes" help:"Maximal number of joint actions with more reward to try at each step." default:"8" min:"1" placeholder:"N"`

	Limits engine.Limits         `name:"-"`
	Report func(engine.Progress) `name:"-"`
	Drawn  *load.Problem         `name:"-"` // the problem with its draws; nil where nothing is drawn
	Now    func() time.Time      `name:"-"`
	// Solved is told of the answer over the whole horizon before it is explained, and
	// Completed of each completion of a changed plan. Both may be nil; their errors end the
	// explanation.
	Solved    func(t engine.Task, horizon int, res *engine.Result) error `name:"-"`
	Completed func(explain.Completion) error                             `name:"-"`

	rule  func(origin string) string // what the user wrote, "" for nothing
	judge *support.Judge
}

// StatusInvalid is the status of a plan that the checker refuses.
const StatusInvalid = "invalid"

// Explain explains why there is no plan, or what forces the one that is given or found. After
// a limit the document contains what is known; its status is unknown if that is nothing.
func Explain(ctx context.Context, problem *load.Problem, r Request) (*Explanation, error) {
	t := problem.Task
	r.Limits, r.rule, r.judge = app.Limits(r.Limits), problem.RuleText, support.NewJudge(load.Scoped(problem))
	if r.Engine == "" {
		r.Engine = registry.Auto
	}
	if of, ok := registry.Find(r.Engine); !ok || !of.Explains {
		return nil, fmt.Errorf("there is no engine %q to explain with; expected one of %v", r.Engine, registry.Names(registry.Explaining))
	}
	e, err := registry.New(registry.Options{Engine: r.Engine})
	if err != nil {
		return nil, err
	}
	if r.Report == nil {
		r.Report = func(engine.Progress) {}
	}
	d := &Explanation{Schema: app.Schema, Problem: t.Problem.Name, Altered: problem.Altered, Horizon: int(r.Horizon), Status: string(engine.Unknown), Assumed: problem.Assumed()}
	trace, err := d.given(t, &r)
	if err != nil {
		return nil, err
	}
	if d.Status == StatusInvalid {
		return d, nil
	}
	if err := d.length(problem); err != nil {
		return nil, err
	}
	res, err := engine.InTime(e).Solve(ctx, engine.Query{Task: t, MinHorizon: d.Horizon, MaxHorizon: d.Horizon}, r.Limits, r.Report)
	if err == nil && r.Solved != nil {
		err = r.Solved(t, d.Horizon, res)
	}
	if err != nil {
		return nil, err
	}
	d.Stopped = res.Reason
	switch {
	case res.Status == engine.Infeasible && trace != nil:
		return nil, fmt.Errorf("%w: engine %s says that there is no plan, the checker accepts that of %s", app.ErrInternal, r.Engine, r.Plan.File)
	case res.Status == engine.Infeasible:
		d.Status = string(engine.Infeasible)
		return d, d.conflict(ctx, t, r)
	case res.Status == engine.Optimal:
		d.Best = app.RewardOf(t.Problem, res.Reward)
		if d.Reward != nil && *d.Reward == *d.Best {
			d.Status = string(engine.Optimal)
		}
	}
	if trace == nil {
		if trace = res.Trace; trace == nil {
			return d, nil
		}
		d.Status, d.Reward = string(res.Status), app.RewardOf(t.Problem, res.Reward)
	}
	err = d.forces(ctx, t, trace, e, r)
	d.breaks(ctx, trace, r)
	return d, err
}

// length takes the problem's own horizon if none is asked for, and checks it.
func (d *Explanation) length(problem *load.Problem) error {
	if d.Horizon == 0 {
		d.Horizon = problem.Task.Problem.Horizon
	}
	if d.Horizon == 0 {
		return fmt.Errorf("%s: %w", problem.Task.Problem.Name, app.ErrNoHorizon)
	}
	return problem.CheckHorizon(d.Horizon)
}

// breaks says what breaks the steps of a plan where outcomes are drawn.
func (d *Explanation) breaks(ctx context.Context, trace *factored.Trace, r Request) {
	if r.Drawn == nil || ctx.Err() != nil {
		return
	}
	var breaks []*policy.Break
	d.Chance, breaks = policy.Fares(ctx, r.Drawn, trace, policy.Request{Limits: r.Limits, Now: r.Now, Started: r.Now()})
	for i := range min(len(breaks), len(d.Steps)) {
		d.Steps[i].Break = breaks[i]
	}
}

// given checks the plan of the request, if there is one, and returns its trace.
// The status is StatusInvalid if the checker refuses it.
func (d *Explanation) given(t engine.Task, r *Request) (*factored.Trace, error) {
	if r.Plan.File == "" {
		return nil, nil
	}
	plan, err := app.ReadPlan(t.Problem, r.Plan.File, r.Plan.Text)
	if err != nil {
		return nil, err
	}
	if d.Horizon == 0 {
		d.Horizon = len(plan.Actions)
	}
	if d.Horizon != len(plan.Actions) {
		return nil, fmt.Errorf("%s: its plan has %d steps; expected %d, the horizon", r.Plan.File, len(plan.Actions), d.Horizon)
	}
	report, err := validate.Check(t.Problem, t.Network, plan)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Plan.File, err)
	}
	if !report.Valid {
		d.Status, d.Failure = StatusInvalid, r.fault(t.Problem, report.Failure)
		return nil, nil
	}
	d.Status, d.Reward = string(engine.Feasible), app.RewardOf(t.Problem, report.Reward)
	return report.Trace, nil
}

// conflict explains a horizon without a plan.
func (d *Explanation) conflict(ctx context.Context, t engine.Task, r Request) error {
	r.Report(engine.Progress{Phase: "looking for the constraints that exclude each other"})
	core, err := explain.FindMUS(ctx, t, d.Horizon, r.Limits)
	switch {
	case errors.Is(err, explain.ErrStopped):
		d.Stopped = err.Error()
		return nil
	case errors.Is(err, explain.ErrFeasible):
		return fmt.Errorf("%w: engine %s says that there is no plan; %w", app.ErrInternal, r.Engine, err)
	case err != nil:
		return err
	}
	d.Conflict = &ConflictLine{Constraints: []MemberLine{}, Transition: core.Transition, Minimal: core.Minimal, Checks: core.Checks}
	for _, m := range core.Members {
		d.Conflict.Constraints = append(d.Conflict.Constraints, r.member(m))
	}
	if !core.Minimal {
		d.Stopped = cmp.Or(app.Stopped(ctx), "a limit was reached before the set was shown to be minimal")
	}
	return nil
}

// member converts a member of a minimal set.
func (r *Request) member(m explain.Member) MemberLine {
	rule := r.rule(m.Origin)
	return MemberLine{Group: m.Group, Words: cmp.Or(m.Words, rule, m.What), Rule: rule, Constraint: m.What, Origin: m.Origin, Steps: m.Steps}
}

// fault converts a failure of the checker.
func (r *Request) fault(p *factored.Problem, f *validate.Failure) *app.Fault {
	out := app.CheckerFault(p, f)
	out.Rule = r.rule(f.Origin)
	out.Words = cmp.Or(f.Words, out.Rule, f.What)
	return out
}

// forces explains a plan.
func (d *Explanation) forces(ctx context.Context, t engine.Task, trace *factored.Trace, e engine.Engine, r Request) error {
	p := t.Problem
	r.Report(engine.Progress{Phase: "trying other actions at step 1"})
	f, err := explain.Plan(ctx, t, trace, explain.Options{
		Engine: e, Limits: r.Limits, Most: r.Alternatives, Completed: r.Completed,
		Step: func(s explain.Step) {
			r.Report(engine.Progress{Phase: fmt.Sprintf("trying other actions at step %d", s.Step+1)})
		},
	})
	if err != nil {
		return err
	}
	outcome := func(o *explain.Outcome) OutcomeLine {
		line := OutcomeLine{Consequence: o.Consequence}
		if o.Failure != nil {
			line.Failure = r.fault(p, o.Failure)
		}
		if o.Reward != nil {
			line.Reward, line.Loss = app.RewardOf(p, *o.Reward), app.RewardOf(p, f.Reward-*o.Reward)
		}
		for _, m := range o.Against {
			line.Against = append(line.Against, r.member(m))
		}
		for _, x := range o.Differences {
			line.Because = append(line.Because, DifferenceLine{Literal: x.What, Integer: x.Integer, Weight: p.Reward.Float(x.Weight), Plan: x.Plan, Otherwise: x.Otherwise})
		}
		return line
	}
	for _, val := range trace.Steps {
		d.Trace = append(d.Trace, app.ValuesOf(p, factored.State, val, true))
	}
	for i := range f.Steps {
		s := &f.Steps[i]
		line := ForceLine{
			Step: s.Step, Action: app.ValuesOf(p, factored.Action, trace.Steps[i], false), Reward: p.Reward.Float(s.Reward),
			Alternatives: []AlternativeLine{}, Omitted: s.Omitted, Others: OthersLine{OutcomeLine: outcome(&s.Others)},
		}
		for j := range s.Alternatives {
			a := &s.Alternatives[j]
			alt := AlternativeLine{Action: app.ValuesOf(p, factored.Action, a.Action, false), OutcomeLine: outcome(&a.Outcome)}
			if a.Dropped >= 0 {
				alt.Without = p.Variables[a.Dropped].Name
			}
			line.Alternatives = append(line.Alternatives, alt)
		}
		if s.OtherAction != nil {
			line.Others.Action = app.ValuesOf(p, factored.Action, s.OtherAction, false)
		}
		d.Steps = append(d.Steps, line)
	}
	if !f.Complete {
		d.Stopped = cmp.Or(app.Stopped(ctx), "a limit was reached before all was tried")
	}
	return d.Note(r.judge, trace)
}

// Note adds what the training rows tell about the steps; nothing if j is nil.
func (d *Explanation) Note(j *support.Judge, trace *factored.Trace) error {
	if j == nil {
		return nil
	}
	steps, err := j.Steps(trace)
	if err != nil {
		return support.Known(err)
	}
	for i := range d.Steps {
		d.Steps[i].Evidence = &steps[i].Evidence
	}
	return nil
}
