// Package policy implements the use case of planning with chance: a policy is found, an evaluator that
// knows no solver computes what it is worth, and what is printed is that.
package policy

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/big"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/execution/decision"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Request asks for a policy.
type Request struct {
	Objective policy.Objective // "" for success if there is a goal, else reward
	Horizon   int              // 0 is the problem's own
	// Robust asks for a policy that holds in every run with a bounded number of disturbances; nil for
	// one that is good on average.
	Robust  *Robust
	Blind   bool // find a plan: what to do at each step, whatever is seen
	Certify bool // make a table that proves the bound
	Limits  engine.Limits
	States  int // that may be reached within the horizon, at most; 0 for as many as fit memory
	// Online asks for no more than a rule where dynamic programming does not fit: a search is to follow at each step,
	// of PlanTime; without a time, of a fixed number of trials. Dynamic programming that only takes
	// long goes on beside it, on a second thread.
	Online   bool
	alone    bool // there are no bounds where dynamic programming does not end
	PlanTime time.Duration
	Seed     uint64                      // of runs, where the value is sampled
	Report   func(states, remaining int) // may be nil
	// Interval is told the bounds where dynamic programming does not fit; they may be infinite. It may be nil.
	Interval func(lower, upper float64)
	Now      func() time.Time
	Started  time.Time
}

// model is a problem with chance, in the forms that a solver and the evaluator take.
type model struct {
	p       *load.Problem
	of      *factored.Problem // without a network
	process process
	chance  validate.Chance
	start   factored.Valuation
	rows    *load.Problem // with the model as it was learned
	memory  *validate.Memory
}

// learned reports whether the model was learned.
func (m *model) learned() bool { return m.of != m.p.Problem && m.p.Learned() }

// hasGoal reports whether a problem with chance has a goal.
func hasGoal(p *load.Problem) bool {
	return p.Truth != nil && p.Truth.Goal != nil || p.Declared != nil && len(p.Problem.Goal) > 0
}

// process is a decision process whose states and actions can be shown.
type process interface {
	policy.Process
	Unpack(val factored.Valuation, state []uint64) error
	Action(val factored.Valuation, id uint32) error
}

// newModel makes the model of a problem that was loaded with load.Ref.Chance.
func newModel(p *load.Problem) (*model, error) {
	t := p.Truth
	if t == nil && p.HasModel() {
		return newLearned(p)
	}
	changes := decision.Changes{Rules: p.Required}
	switch {
	case t == nil || t.Compiled == nil || p.Network != nil:
		return nil, errors.New("policies are made for RDDL, and for what was learned or declared of a task without RDDL; expected --domain, or a bundled problem with --model rddl")
	case p.OwnReward:
		changes.Reward = &p.Problem.Reward
	}
	if len(p.Timed) > 0 {
		return nil, errTimed
	}
	start, err := startOf(p.Problem)
	if err != nil {
		return nil, err
	}
	process, err := decision.New(t.Sim, t.Compiled, t.Goal, start, changes)
	if err != nil {
		return nil, err
	}
	return &model{p, p.Problem, process, t.Compiled.Outcomes(), start, p, validate.NewMemory()}, nil
}

var errTimed = errors.New("--require with @STEP holds at one step, and policies follow rules that hold at all; expected rules without steps")

// newLearned makes the model of a learned problem.
func newLearned(p *load.Problem) (*model, error) {
	if len(p.Timed) > 0 {
		return nil, errTimed
	}
	for _, a := range p.Assumed() {
		if a.How == load.Forecast {
			return nil, fmt.Errorf("--given: %s, and policies are for inputs that do not change; expected one value", a.Says)
		}
	}
	start, err := startOf(p.Problem)
	if err != nil {
		return nil, err
	}
	final, err := p.Final()
	if err != nil {
		return nil, err
	}
	of := withoutModel(p.Problem)
	process, err := decision.NewLearned(of, chance.NewTransition(p.Problem, p.Network, p.Chance, final), start)
	if err != nil {
		return nil, err
	}
	return &model{p, of, process, chance.NewTransition(p.Problem, p.Network, p.Chance, final), start, p, validate.NewMemory()}, nil
}

// withoutModel is a problem all of whose next values are drawn, some with one outcome, so that nothing is left for a network to give.
func withoutModel(p *factored.Problem) *factored.Problem {
	of := p.WithoutFunctions()
	of.Inputs, of.Outputs = nil, nil
	return of
}

// startOf returns the initial state, all of which must be given.
func startOf(p *factored.Problem) (factored.Valuation, error) {
	val, open := load.StartOf(p)
	if open != nil {
		return nil, fmt.Errorf("the initial state leaves %s open; a policy begins in one state", open.Name)
	}
	return val, nil
}

// Plan finds the best policy of a problem with chance.
func Plan(ctx context.Context, p *load.Problem, r Request) (*Document, error) {
	if r.Horizon == 0 {
		if r.Horizon = p.Problem.Horizon; r.Horizon == 0 {
			return nil, fmt.Errorf("%s: %w", p.Problem.Name, app.ErrNoHorizon)
		}
	}
	if err := p.CheckHorizon(r.Horizon); err != nil {
		return nil, err
	}
	d, err := find(ctx, p, r)
	if d != nil {
		d.Assumed, d.Altered = p.Assumed(), p.Altered
	}
	return d, err
}

// find is Plan for a horizon.
func find(ctx context.Context, p *load.Problem, r Request) (*Document, error) {
	hasGoal := hasGoal(p)
	if r.Objective == "" {
		if r.Objective = policy.Reward; hasGoal {
			r.Objective = policy.Success
		}
	}
	if r.Objective == policy.Success && !hasGoal {
		return nil, fmt.Errorf("%s has no goal to reach; expected --goal, or --maximize reward", p.Problem.Name)
	}
	m, err := newModel(p)
	if err != nil {
		return nil, err
	}
	r.Limits = app.Limits(r.Limits)
	switch {
	case r.Robust != nil:
		return m.robust(ctx, r, hasGoal)
	case r.Blind:
		return m.blind(ctx, r, hasGoal, nil)
	}
	d := &Document{Schema: app.Schema, Problem: p.Problem.Name, Objective: r.Objective, Horizon: r.Horizon, Goal: hasGoal, Learned: m.learned(), Engine: "dynamic programming", Status: engine.Unknown}
	if p.LearnedReward && r.Objective == policy.Reward {
		d.LearnedReward = p.RewardRows
	}
	if d.Learned {
		d.Earlier = p.Earlier
	}
	if r.Online {
		return m.online(ctx, p, r, d)
	}
	f, refused := m.factored(r.Objective, true)
	r.alone = refused != nil
	out, err := m.exactly(ctx, p, r, d)
	if errors.Is(err, policy.ErrTooLarge) && r.States == 0 {
		if refused != nil {
			return d, fmt.Errorf("%w; there are no bounds either: %w; expected fewer steps or coarser ranges (init --bins); run --robust acts where quantities are learned as functions", err, refused)
		}
		err = m.bounded(ctx, r, d, f)
		d.Seconds = r.Now().Sub(r.Started).Seconds()
		return d, err
	}
	return out, err
}

// exactly makes d the answer of dynamic programming.
func (m *model) exactly(ctx context.Context, p *load.Problem, r Request, d *Document) (*Document, error) {
	s, err := m.solve(ctx, r)
	if err != nil {
		return nil, err
	}
	d.States, d.Pairs, d.Updates = s.States, s.Pairs, s.Updates
	if math.IsInf(s.Value, -1) {
		d.Status = engine.Infeasible
	} else if err = d.tell(m, s); err == nil {
		if d, m, s, err = d.apart(ctx, p, r, m, s); err == nil {
			d, err = d.cautious(ctx, p, r, m, s)
		}
	}
	if err != nil {
		return nil, err
	}
	return d.finish(ctx, m, s, r)
}

// finish proves an answer where that is asked for, and notes the time.
func (d *Document) finish(ctx context.Context, m *model, s *policy.Solution, r Request) (*Document, error) {
	if r.Certify {
		if err := d.prove(ctx, m, s); err != nil {
			return nil, err
		}
	}
	d.Seconds = r.Now().Sub(r.Started).Seconds()
	return d, nil
}

// solve is dynamic programming, in as much time as there is for it.
func (m *model) solve(ctx context.Context, r Request) (*policy.Solution, error) {
	within, cancel, outcomes := r.exact(ctx)
	defer cancel()
	memory := r.Limits.Memory / 2
	if r.aside() { // searches hold some too
		memory /= 2
	}
	s, err := policy.Solve(within, m.process, policy.Options{Objective: r.Objective, Horizon: r.Horizon, Threads: r.Limits.Threads, Memory: memory, States: r.States, Outcomes: outcomes, Report: r.Report})
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: the time for it is over", policy.ErrTooLarge)
	}
	return s, err
}

// tolerance is the relative distance of value and bound below which they are said to meet: the bound is
// computed in floating point.
const tolerance = 1e-9

// tell writes a policy into d, and lets the evaluator say what it is worth.
func (d *Document) tell(m *model, s *policy.Solution) error {
	f := d.Table.fill(m, s.State)
	for _, r := range s.Rows() {
		if err := f.row(r); err != nil {
			return err
		}
	}
	d.evidence(f)
	if err := d.verify(m, s.Value); err != nil {
		return err
	}
	var err error
	d.Supported, err = d.supports(m)
	return err
}

// verify lets the evaluator say what a policy is worth that was found to have a value.
func (d *Document) verify(m *model, found float64) error {
	odds, err := d.evaluate(m)
	if err != nil {
		return fmt.Errorf("%w: evaluating the policy: %w", app.ErrInternal, err)
	}
	if odds.Failure != nil {
		return fmt.Errorf("%w: the evaluator refuses the policy: %w", app.ErrInternal, odds.Failure)
	}
	if err := d.Table.follow(m, odds.Walk); err != nil {
		return fmt.Errorf("%w: following the policy: %w", app.ErrInternal, err)
	}
	d.Beyond = m.p.Beyond(states(odds.Walk))
	upper := d.worth(m, odds)
	if value := *d.Value; math.Abs(value-found) > tolerance*math.Max(1, math.Abs(value)) {
		return fmt.Errorf("%w: %s found the value %v, the evaluator %v", app.ErrInternal, d.Engine, found, value)
	}
	d.Bound = d.Value
	if bound := math.Max(upper, found); bound > *d.Value {
		d.Bound = &bound
	}
	d.Status = engine.Optimal
	return nil
}

// states yields those that the evaluator came to.
func states(w *validate.Walk) iter.Seq[factored.Valuation] {
	return func(yield func(factored.Valuation) bool) {
		for i := range w.States() {
			if s := w.State(i); s != nil && !yield(s) {
				return
			}
		}
	}
}

// worth writes the evaluator's verdict into d. It returns an upper bound on the value, which is only as exact as the
// evaluator is.
func (d *Document) worth(m *model, odds *validate.Odds) (upper float64) {
	d.Reached, d.Steps = odds.States, odds.Steps
	scale := big.NewRat(1, 1)
	if d.Objective == policy.Reward {
		scale.SetInt64(m.p.Problem.Reward.Scale)
	}
	exact := new(big.Rat).Quo(odds.Lower, scale)
	value, _ := exact.Float64()
	d.Value, d.Exact = &value, ""
	if d.Evaluated = "exactly"; !odds.Exact() {
		d.Evaluated = "within rounding"
	} else if text := exact.RatString(); len(text) <= maxFraction {
		d.Exact = text
	}
	upper, _ = new(big.Rat).Quo(odds.Upper, scale).Float64()
	return upper
}

// evaluate computes what the table is worth, from the definition of the problem alone.
func (d *Document) evaluate(m *model) (*validate.Odds, error) {
	table, err := d.act(m.p.Problem)
	if err != nil {
		return nil, err
	}
	if d.Blind && d.Objective == policy.Success {
		return validate.PlanSuccess(m.of, nil, m.chance, m.start, d.steps, 0)
	}
	act := func(step int, state factored.Valuation) factored.Valuation { return table(step, 0, state) }
	if d.Objective == policy.Success {
		return validate.Success(m.of, nil, validate.Remembering(m.chance, m.memory), m.start, act, d.Horizon)
	}
	return validate.ExpectedReward(m.of, nil, validate.Remembering(m.chance, m.memory), m.start, act, d.Horizon)
}
