package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/engine/scenario"
	"github.com/fdplan/fdplan/problem/factored"
)

// ScenariosFile is the name of the file of a proof by scenarios in the folder of a certificate.
const ScenariosFile = "scenarios.json"

// Scenarios is the file of a proof that no plan or policy holds in all of some scenarios.
type Scenarios struct {
	Question
	Disturbances int  `json:"disturbances"`
	Blind        bool `json:"blind"`
	// Scenarios are events: see factored.Event.
	Scenarios [][]factored.Event `json:"scenarios"`
	Horizons  []scenario.Refuted `json:"horizons"`
}

// ask is the question for a plan or policy that holds in some scenarios.
func (m *model) ask(goal, blind bool, disturbances int) (*scenario.Question, error) {
	q := &scenario.Question{Problem: m.of, Start: m.start, Disturbances: disturbances, Goal: goal, Blind: blind}
	if m.p.Truth == nil || m.p.Truth.Compiled == nil || m.learned() {
		return nil, fmt.Errorf("%w: the model has no RDDL", scenario.ErrUnsuited)
	}
	q.Draws = m.p.Truth.Compiled.Steps()
	return q, scenario.Suits(q)
}

// either has dynamic programming find an answer or, where that is not expected to fit memory or time, a search by scenarios.
func (m *model) either(ctx context.Context, r Request, goal bool, n int, exact func(ctx context.Context, outcomes int) error) (*Document, error) {
	q, unsuited := m.ask(goal, r.Blind, n)
	if unsuited != nil || r.States > 0 {
		err := exact(ctx, 0)
		if errors.Is(err, policy.ErrTooLarge) && r.States == 0 {
			err = fmt.Errorf("%w; %w", err, unsuited)
		}
		return nil, err
	}
	within, cancel, outcomes := r.exact(ctx)
	defer cancel()
	err := exact(within, outcomes)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: the time for it is over", policy.ErrTooLarge)
	}
	if !errors.Is(err, policy.ErrTooLarge) {
		return nil, err
	}
	d, failed := m.scenarios(ctx, r, q)
	if failed != nil {
		return nil, fmt.Errorf("%w; scenarios: %w", err, failed)
	}
	d.Seconds = r.Now().Sub(r.Started).Seconds()
	return d, nil
}

// scenarios answers by a search by scenarios.
func (m *model) scenarios(ctx context.Context, r Request, q *scenario.Question) (*Document, error) {
	o := scenario.Options{MinHorizon: r.Horizon, MaxHorizon: r.Horizon, Limits: r.Limits}
	if o.Limits.Memory /= 2; q.Goal && r.Robust.MinHorizon > 0 {
		o.MinHorizon = r.Robust.MinHorizon
	}
	s, err := scenario.Solve(ctx, q, o)
	if err != nil {
		return nil, err
	}
	d := &Document{
		Schema: app.Schema, Problem: m.p.Problem.Name, Objective: r.Objective, Horizon: s.Horizon, Goal: q.Goal, Learned: m.learned(), Engine: "search by scenarios", Status: engine.Infeasible,
		Disturbances: &q.Disturbances, From: r.Robust.MinHorizon, Blind: r.Blind, Scenarios: len(s.Scenarios),
		Table: Table{Variables: stateNames(m.p.Problem), States: [][]any{}, Actions: []app.Values{}, Rows: [][]int{}, Ranges: rangesOf(m.p.Problem)},
	}
	if s.Found {
		d.take(m, s)
		if err := d.guarantee(m, *app.RewardOf(m.p.Problem, s.Reward)); err != nil {
			return nil, err
		}
		if !s.Best {
			d.Status, d.Bound = engine.Feasible, nil
		}
		if s.Stopped != nil {
			d.Stopped = app.Stopped(ctx)
		}
	}
	if r.Certify {
		return d, d.proveScenarios(ctx, r, q, s)
	}
	return d, nil
}

// take writes what a search by scenarios found into d.
func (d *Document) take(m *model, s *scenario.Solution) {
	if d.Blind {
		var actions []factored.Valuation
		for _, r := range s.Rows {
			for len(actions) < r.Step {
				actions = append(actions, nil)
			}
			actions[r.Step-1] = r.Now
		}
		d.Plan = stepsOf(m.p.Problem, actions)
		return
	}
	var rows []Row
	for _, r := range s.Rows {
		rows = append(rows, Row{r.Step, r.Step, r.Now})
	}
	d.Act(m.p.Problem, string(d.Objective), rows)
	for i, r := range s.Rows {
		d.Table.Rows[i] = append(d.Table.Rows[i], r.Spent)
	}
}

// proveScenarios prepares the proof that there is no plan over some horizons.
func (d *Document) proveScenarios(ctx context.Context, r Request, q *scenario.Question, s *scenario.Solution) error {
	if len(s.Refuted) == 0 {
		d.NoProof = fmt.Errorf("%w: that no other has a better worst reward is not known", certify.ErrNoProof)
		return nil
	}
	c := &Scenarios{d.question(), q.Disturbances, q.Blind, s.Scenarios, s.Refuted}
	tasks, err := c.joint(q)
	if err != nil {
		return err
	}
	d.Proof = &Proof{Scenarios: len(s.Scenarios)}
	d.write = func(dir string) error {
		for i, x := range c.Horizons {
			err := certify.Write(ctx, tasks[i], []certify.Answer{{Horizon: x.Horizon, Status: engine.Infeasible}}, dir, certify.Options{Limits: r.Limits})
			if errors.Is(err, certify.ErrNoProof) {
				d.NoProof, d.Proof = err, nil
				return nil
			}
			if err != nil {
				return err
			}
		}
		d.Proof.Certificate = dir
		return certify.WriteFiles(dir, map[string]any{ScenariosFile: c, certify.AnswerFile: d})
	}
	return nil
}

// joint lists the joint problems of the horizons.
func (c *Scenarios) joint(q *scenario.Question) (tasks []engine.Task, err error) {
	for _, x := range c.Horizons {
		if x.Scenarios < 1 || x.Scenarios > len(c.Scenarios) {
			return nil, fmt.Errorf("horizon %d is of %d scenarios; expected 1 to %d", x.Horizon, x.Scenarios, len(c.Scenarios))
		}
		of := *q
		of.Horizon, of.Above = x.Horizon, x.Above
		t, err := scenario.Task(&of, c.Scenarios[:x.Scenarios])
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// againScenarios derives an answer anew: the plan or policy is followed, and for each horizon before it, or each of all, the joint problem of
// the scenarios is made from the definition of the problem, and the proof that it has no solution is read.
func (d *Document) againScenarios(ctx context.Context, m *model, dir string, r *certify.Report) (*Document, error) {
	name := filepath.Join(dir, ScenariosFile)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c := &Scenarios{}
	if err := readTable(name, data, c, &c.Question); err != nil {
		return nil, err
	}
	out := d.anew(m)
	out.Bound = nil
	out.Goal = hasGoal(m.p) && d.Objective == policy.Success
	if differs := c.differs(d, out.Goal, &c.Disturbances); differs != "" || c.Blind != d.Blind || c.Problem != out.Problem {
		return nil, fmt.Errorf("%w: %s: %s", errRefused, name, cmp.Or(differs, "it is of another question"))
	}
	q, err := m.ask(out.Goal, c.Blind, c.Disturbances)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errRefused, name, err)
	}
	tasks, err := c.joint(q)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errRefused, name, err)
	}
	proven := map[int]bool{}
	for i, x := range c.Horizons {
		if err := r.Refuted(ctx, dir, x.Horizon, &tasks[i]); err != nil || !r.Accepted {
			return nil, cmp.Or(err, errRefused)
		}
		switch {
		case x.Above == nil:
			proven[x.Horizon] = true
		case x.Horizon == d.Horizon:
			out.Bound = app.RewardOf(m.p.Problem, *x.Above)
		}
	}
	return &out, d.restate(m, &out, c, proven)
}

// restate writes what was shown into out.
func (d *Document) restate(m *model, out *Document, c *Scenarios, proven map[int]bool) error {
	last := d.Horizon
	out.Status, out.Exact, out.Excess, out.Evaluated = engine.Infeasible, "", nil, ""
	if d.Value != nil {
		last--
		out.Status = engine.Feasible
		if err := out.followed(m); err != nil {
			return err
		}
		if out.Table.Ranges = rangesOf(m.p.Problem); out.Bound != nil && *out.Bound <= *out.Value {
			out.Status = engine.Optimal
		}
	}
	for h := cmp.Or(d.From, d.Horizon); out.Goal && h <= last || h == last; h++ {
		if !proven[h] {
			return fmt.Errorf("%w: that there is none of horizon %d is not proven", errRefused, h)
		}
	}
	if out.Proof = (&Proof{Scenarios: len(c.Scenarios)}); d.Proof != nil {
		out.Proof.Certificate = d.Proof.Certificate
	}
	return nil
}
