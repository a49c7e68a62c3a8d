package execute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// run is one call of Run.
type run struct {
	p        *load.Problem
	real     *Real
	r        RunRequest
	d        *RunDocument
	reward   *simulator.Reward
	now      *simulator.Answer // the last observation
	taken    int
	earliest int // step after which the goal may hold at first
	deadline int // step after which the goal must hold
	judge    *support.Judge
	drawn    map[string]bool // names of variables
	rest     planned
	ahead    *plan.Ahead  // nil where engines alone plan
	last     []app.Values // what is left of the last plan, also after a surprise
	rng      *rand.Rand   // of actions in place of a plan; nil until needed
}

// planned is what a plan has left: its actions, and the state in which each is taken.
type planned struct{ actions, states []app.Values }

// Run acts in the real system: it plans from the observed state, takes some steps of the
// plan, and plans again. A surprise, a state other than the plan expected, ends the steps of
// a plan early.
//
// Until the goal holds, plans end at a deadline, so that horizons shrink and no plan can
// postpone the goal indefinitely. If no plan from the observed state meets the deadline, the
// deadline is moved to what a plan needs, up to Steps. Without a goal to reach every plan has
// the same horizon. With a range of horizons each plan is the best of the range, which shrinks with
// the deadline where there is a goal.
//
// With a determinised model, surprises are expected, and the model cannot prove that there is
// no way on. Plans then end with the run at the latest, and when no plan is found the run takes the
// next step of the last plan, no action, or a random legal one.
//
// The document is not nil once per step was taken, even with an error, which is one of
// package simulator.
func Run(ctx context.Context, p *load.Problem, real *Real, r RunRequest) (*RunDocument, error) {
	if err := NoTimed(p); err != nil {
		return nil, err
	}
	if err := real.RequireFull("planning"); err != nil {
		return nil, err
	}
	p = p.Stepwise()
	if err := r.complete(p); err != nil {
		return nil, err
	}
	x := &run{p: p, real: real, r: r, reward: real.NewReward(), earliest: r.Horizon.Min, deadline: r.Horizon.Max, judge: support.NewJudge(load.Scoped(p)), drawn: p.Drawn()}
	x.d = &RunDocument{
		Schema: app.Schema, Problem: p.Problem.Name, Altered: p.Altered, Simulator: real.Name, Horizon: r.Horizon.Max, Every: r.Every,
		Plans: []RunPlan{}, Steps: []RunStep{}, Assumed: p.Assumed(),
	}
	if r.Horizon.Min < r.Horizon.Max {
		x.d.MinHorizon = r.Horizon.Min
	}
	predicted := measured(p, real)
	err := x.begin(ctx)
	if err == nil && r.PlanTime > 0 && r.Follow == nil && x.d.Until == UntilSteps {
		x.ahead, err = plan.NewAhead(p, r.Seed)
	}
	for err == nil && x.d.Status == "" {
		err = x.round(ctx)
	}
	if r.Follow != nil {
		x.d.Drift, x.d.Robust = r.Follow.Drift(), stated(r.Follow)
	}
	switch {
	case err == nil:
	case errors.Is(err, simulator.ErrBudget), ctx.Err() != nil:
		x.d.Status, x.d.Says, err = RunStopped, err.Error(), nil
		if ctx.Err() != nil {
			x.d.Says = context.Cause(ctx).Error()
		}
	default:
		x.d.Status, x.d.Says = RunFailed, err.Error()
	}
	if x.now != nil && x.now.State != nil && !x.now.Unseen() {
		x.d.Final = app.ValuesOf(p.Problem, factored.State, x.now.State, true)
	}
	x.d.Reward, x.d.Simulations, x.d.Recorded = x.reward.Sum(), real.Steps(), real.Recorded()
	x.d.Predicted, x.d.OutOfRange = predicted.Errors(), real.Outside()
	if x.taken == 0 && x.d.Status == RunFailed {
		return nil, err
	}
	return x.d, err
}

// complete sets what the request leaves open.
func (r *RunRequest) complete(p *load.Problem) error {
	if r.Follow != nil {
		r.Horizon = bind.Steps(r.Follow.Horizon())
		if r.Steps = min(cmp.Or(r.Steps, r.Horizon.Max), r.Horizon.Max); r.Until == UntilAuto && !r.Follow.Success() {
			r.Until = UntilSteps
		}
	}
	if r.Horizon.Max == 0 {
		if r.Horizon = bind.Steps(p.Problem.Horizon); r.Horizon.Max == 0 {
			return fmt.Errorf("%s: %w", p.Problem.Name, app.ErrNoHorizon)
		}
	}
	r.Steps, r.Every = cmp.Or(r.Steps, r.Horizon.Max), max(1, r.Every)
	if r.Now == nil {
		r.Now = time.Now
	}
	return nil
}

// begin resets the system and determines the purpose of the run.
func (x *run) begin(ctx context.Context) error {
	start, err := initial(x.p, x.real)
	if err != nil {
		return err
	}
	if x.now, err = x.real.Reset(ctx, start); err != nil {
		return err
	}
	x.d.Until = x.r.Until
	if x.violated(x.now, 1) {
		return nil
	}
	holds, err := x.goal()
	if err != nil {
		return err
	}
	hasGoal := len(x.p.Problem.Goal) > 0 || x.now.Goal != nil
	switch {
	case x.r.Until == UntilGoal && !hasGoal:
		return fmt.Errorf("%s has no goal to run until", x.p.Problem.Name)
	case x.r.Until == UntilGoal, x.r.Until == UntilSteps:
	case hasGoal && !holds:
		x.d.Until = UntilGoal
	default:
		x.d.Until = UntilSteps
	}
	x.arrived(holds)
	return nil
}

func (x *run) goal() (holds bool, err error) {
	if x.now.Unseen() {
		return false, nil
	}
	v, err := x.real.Goal(x.now)
	return err == nil && v == nil, err
}

// arrived ends the run if it has achieved its purpose or cannot continue.
func (x *run) arrived(holds bool) {
	ended := x.now.Terminal || x.taken >= x.r.Steps
	switch {
	case x.d.Until == UntilGoal && holds:
		x.d.Status = RunGoal
	case x.d.Until == UntilGoal && ended:
		x.d.Status = RunMissed
	case ended:
		x.d.Status = RunDone
	}
	switch {
	case x.d.Status == "" || !x.now.Terminal:
	case !x.now.Unseen():
		x.d.Says = "a termination condition holds"
	case x.d.Status == RunMissed || x.taken < x.r.Steps:
		x.d.Says = "the simulator ended the episode and does not show its last state"
	}
}

// violated ends the run if an answer violates a rule.
func (x *run) violated(a *simulator.Answer, step int) bool {
	if a.Violation == nil {
		return false
	}
	x.d.Status = RunViolated
	x.d.Failure = app.SimulatorFault(&simulator.Failure{Violation: a.Violation, Step: step})
	return true
}

// round makes a plan and takes its first steps, or takes a step as a policy says.
func (x *run) round(ctx context.Context) error {
	if x.r.Follow != nil {
		return x.choose(ctx)
	}
	lo, hi := x.r.Horizon.Min, x.r.Horizon.Max
	latest := x.r.Steps - x.taken // at least 1
	switch {
	case x.d.Until == UntilGoal:
		// The last plan can miss the goal at its last step, where steps are left: hi is 0.
		lo, hi = max(1, x.earliest-x.taken), x.deadline-x.taken
	case x.p.Determinized != "":
		lo, hi = min(lo, latest), min(hi, latest)
	}
	var doc *plan.Document
	var err error
	if hi >= lo {
		doc, err = x.plan(ctx, lo, hi)
	}
	if err == nil && (doc == nil || doc.Status == engine.Infeasible) && x.d.Until == UntilGoal && latest > hi {
		doc, err = x.plan(ctx, hi+1, latest)
	}
	switch {
	case err != nil:
		return err
	case doc.Plan == nil && x.p.Determinized != "":
		return x.goOn(ctx)
	case doc.Status == engine.Infeasible:
		x.d.Status = RunNoPlan
		x.tellNoPlan()
		return nil
	case doc.Status == engine.Unknown:
		x.d.Status, x.d.Says = RunStopped, "no plan was found before "+doc.Stopped
		return nil
	}
	switch end := x.taken + *doc.Horizon; {
	case x.d.Until != UntilGoal:
	case x.r.Horizon.Min == x.r.Horizon.Max:
		x.earliest, x.deadline = end, end
	default:
		x.deadline = max(x.deadline, end)
	}
	x.rest = planned{doc.Plan, doc.Trace}
	for t := 0; t < min(x.r.Every, len(doc.Plan)) && x.d.Status == ""; t++ {
		if surprised, err := x.follow(ctx); err != nil || surprised {
			return err
		}
	}
	return nil
}

// follow takes the next step of the plan at hand. A surprise ends the plan.
func (x *run) follow(ctx context.Context) (surprised bool, err error) {
	action, expected := x.rest.actions[0], x.rest.states[1]
	x.rest = planned{x.rest.actions[1:], x.rest.states[1:]}
	x.last = x.rest.actions
	if surprised, err = x.step(ctx, action, expected); surprised {
		x.rest = planned{}
	}
	return surprised, err
}

// plan asks for a plan from the observed state.
func (x *run) plan(ctx context.Context, lo, hi int) (*plan.Document, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	q, err := x.p.From(x.now.State, x.taken+1, hi)
	if err != nil {
		return nil, err
	}
	began := x.r.Now()
	doc, err := x.ask(ctx, engine.Task{Problem: q, Network: x.p.Network}, lo, hi)
	if err != nil {
		return nil, err
	}
	if doc.Status == engine.Unknown && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	line := RunPlan{Step: x.taken + 1, Horizon: hi, Status: doc.Status, Reward: doc.Reward, Seconds: x.r.Now().Sub(began).Seconds()}
	if doc.Horizon != nil {
		line.Horizon = *doc.Horizon
	}
	if doc.Plan == nil && x.p.Determinized != "" {
		line.Instead = x.instead()
	}
	x.d.Plans = append(x.d.Plans, line)
	x.d.PlanLatency.add(line.Seconds)
	if x.r.Plan != nil {
		x.r.Plan(line)
	}
	return doc, nil
}

// step takes an action and compares the state after it with the expected one, nil for none.
func (x *run) step(ctx context.Context, action, expected app.Values) (surprised bool, err error) {
	p := x.p.Problem
	bits, err := app.BitsOf(p, action)
	if err != nil {
		return false, err
	}
	line := RunStep{Step: x.taken + 1, State: app.ValuesOf(p, factored.State, x.now.State, true), Action: action}
	if err := x.noteSupport(&line, bits); err != nil {
		return false, err
	}
	began := x.r.Now()
	a, err := x.real.Step(ctx, x.now, bits)
	if err != nil {
		return false, err
	}
	line.Seconds = x.r.Now().Sub(began).Seconds()
	if a.State != nil {
		line.Reward = x.reward.Add(x.now, bits, a)
		if expected != nil {
			want, err := app.BitsOf(p, expected)
			if err != nil {
				return false, err
			}
			line.Differs = app.DifferenceOf(p, x.taken+2, want, a)
		}
		if x.r.Follow != nil {
			if err := x.compare(&line, bits, a); err != nil {
				return false, err
			}
		}
		x.taken++
		x.now = a
		x.d.Steps = append(x.d.Steps, line)
		x.d.StepLatency.add(line.Seconds)
		if x.r.Step != nil {
			x.r.Step(line)
		}
		if line.Differs != nil {
			x.d.Surprises++
		}
	}
	at := line.Step
	if a.Violation != nil && a.Violation.After {
		at++
	}
	if x.violated(a, at) {
		return false, nil
	}
	holds, err := x.goal()
	if err != nil {
		return false, err
	}
	x.arrived(holds)
	return line.Differs != nil, nil
}

// noteSupport records what the training rows tell about a step.
func (x *run) noteSupport(line *RunStep, action factored.Valuation) error {
	if x.judge == nil {
		return nil
	}
	now := slices.Clone(action)
	for _, b := range x.p.Problem.Bits(factored.State) {
		now[b] = x.now.State[b]
	}
	e, err := x.judge.Evidence(now)
	if err != nil {
		return support.Known(err)
	}
	if x.r.Follow != nil && e.Disputes(x.drawn) {
		return nil // a policy does not rely on one outcome
	}
	if line.Evidence = &e; e.Kind == support.Unseen {
		line.Unsupported = e.Next
	}
	return nil
}

// NoTimed refuses conditions on single steps, where many plans are made.
func NoTimed(p *load.Problem) error {
	if len(p.Timed) == 0 {
		return nil
	}
	return fmt.Errorf("--require %s: a condition on step %d is about one plan, and many are made here; expected conditions on every step", p.Timed[0].Text, p.Timed[0].Step)
}
