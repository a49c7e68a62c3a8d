package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Consequence is the first thing that follows from doing something else at a step.
type Consequence string

// The consequences. AsGood and Better are of completions that an engine proved
// to be the best.
const (
	Illegal    Consequence = "illegal"     // a constraint is broken at once, or in the state after
	DeadEnd    Consequence = "dead-end"    // the constraints cannot be kept to the end, with or without the goal
	GoalMissed Consequence = "goal-missed" // the constraints can be kept, the goal is out of reach
	CostsMore  Consequence = "costs-more"  // the best completion is worth less than the plan
	AsGood     Consequence = "as-good"     // it is worth as much
	Better     Consequence = "better"      // it is worth more: the plan is not optimal
	NotKnown   Consequence = "unknown"     // a limit was reached
)

// Difference is a part of the reward that counts more or less in the best completion
// than in the plan.
type Difference struct {
	What      string // a condition or an integer
	Integer   bool   // the values of an integer are summed, otherwise steps are counted
	Weight    int64  // scaled
	Plan      int64  // steps of the whole plan in which it counts, or the sum over all steps
	Otherwise int64  // the same with the completion
}

// Outcome is what comes of a change at a step.
type Outcome struct {
	Consequence Consequence
	Failure     *validate.Failure // where Illegal
	// Reward is that of the whole plan with the change and its best completion,
	// scaled; nil where there is no such reward, or it is not known.
	Reward *int64
	// Against are constraints of C and G, a minimal set, that no completion keeps
	// together; only where DeadEnd or GoalMissed, and nil after a limit.
	Against []Member
	// Differences say why the reward is another, the weightiest first.
	Differences []Difference
}

// Alternative is a joint action that was tried instead of the plan's.
type Alternative struct {
	// Dropped is the index of the action variable that is left out; -1 for a
	// joint action that is legal and gives more reward in this step than the
	// plan's.
	Dropped int
	Action  factored.Valuation
	Outcome
}

// Step is one step of a plan with what was tried there.
type Step struct {
	Step         int   // 1..H
	Reward       int64 // of this step, scaled
	Alternatives []Alternative
	// Omitted reports whether more joint actions give more reward in this step than
	// were tried.
	Omitted bool
	// Others is what comes of the best joint action other than the plan's, OtherAction, which
	// is nil if there is none.
	Others      Outcome
	OtherAction factored.Valuation
}

// Forces is what forces a plan.
type Forces struct {
	Reward int64 // of the plan, scaled
	Steps  []Step
	// Complete is false where a limit was reached: then some outcomes are
	// NotKnown.
	Complete bool
}

// Options say how a plan is explained.
type Options struct {
	// Engine completes changed plans.
	Engine engine.Engine
	Limits engine.Limits
	// Most bounds the cheaper joint actions that are tried at a step; 8 when 0.
	Most int
	// Step is told of each step when it is explained; it may be nil.
	Step func(Step)
	// Completed is told of each change whose outcome was decided by an engine, before
	// Step; it may be nil. Its error ends the explanation.
	Completed func(Completion) error
}

// trial tries changes of one plan.
type trial struct {
	ctx   context.Context
	task  engine.Task
	trace *factored.Trace
	o     Options
	total int64 // reward of the plan
	// rewards are those of its steps.
	rewards []int64
}

// Plan tries, at each step of a plan, everything before fixed, what costs less: to
// leave out each action that is taken, and joint actions that give more reward in
// that step. The trace has to be a valid one.
func Plan(ctx context.Context, t engine.Task, trace *factored.Trace, o Options) (*Forces, error) {
	if o.Most <= 0 {
		o.Most = 8
	}
	report, err := validate.Check(t.Problem, t.Network, validate.FromTrace(trace))
	if err != nil {
		return nil, err
	}
	if !report.Valid {
		return nil, fmt.Errorf("the plan to explain is invalid: %w", report.Failure)
	}
	x := &trial{ctx: ctx, task: t, trace: trace, o: o, total: report.Reward}
	for i := range trace.Horizon() {
		r, err := x.worth(t.Problem.Reward, trace.Steps[i], trace.Steps[i+1])
		if err != nil {
			return nil, err
		}
		x.rewards = append(x.rewards, r)
	}
	f := &Forces{Reward: report.Reward, Complete: true}
	for i := range trace.Horizon() {
		s, err := x.step(i + 1)
		if err != nil {
			return nil, fmt.Errorf("step %d of the plan: %w", i+1, err)
		}
		f.Complete = f.Complete && s.Others.Consequence != NotKnown &&
			!slices.ContainsFunc(s.Alternatives, func(a Alternative) bool { return a.Consequence == NotKnown })
		f.Steps = append(f.Steps, *s)
		if o.Step != nil {
			o.Step(*s)
		}
	}
	return f, nil
}

// step tries what can be tried at step t.
func (x *trial) step(t int) (*Step, error) {
	p := x.task.Problem
	now := x.trace.Steps[t-1]
	s := &Step{Step: t, Reward: x.rewards[t-1]}
	for i, v := range p.OfKind(factored.Action) {
		if v.Value(now) == v.Default {
			continue
		}
		without := slices.Clone(now)
		if err := v.Set(without, v.Default); err != nil {
			continue // its range has no default
		}
		s.Alternatives = append(s.Alternatives, Alternative{Dropped: i, Action: without})
	}
	cheaper, omitted, err := x.cheaper(t, s.Reward)
	if err != nil {
		return nil, err
	}
	s.Omitted = omitted
	for _, a := range cheaper {
		if !slices.ContainsFunc(s.Alternatives, func(b Alternative) bool { return x.sameAction(a, b.Action) }) {
			s.Alternatives = append(s.Alternatives, Alternative{Dropped: -1, Action: a})
		}
	}
	for i := range s.Alternatives {
		if s.Alternatives[i].Outcome, err = x.try(t, i, s.Alternatives[i].Action); err != nil {
			return nil, err
		}
	}
	return s, x.others(t, s)
}

// sameAction compares joint actions.
func (x *trial) sameAction(a, b factored.Valuation) bool {
	return !slices.ContainsFunc(x.task.Problem.Bits(factored.Action), func(bit factored.Bit) bool { return a[bit] != b[bit] })
}

// before is the reward of the steps before t.
func (x *trial) before(t int) int64 {
	var sum int64
	for _, r := range x.rewards[:t-1] {
		sum += r
	}
	return sum
}

// worth is what reward gives for one step, by the checker, because auxiliary variables may
// earn it, which are not part of a trace.
func (x *trial) worth(reward factored.Reward, now, next factored.Valuation) (int64, error) {
	q := x.task.Problem.Clone()
	q.Initial, q.Goal, q.Reward = nil, nil, reward
	report, err := validate.Check(q, x.task.Network, validate.Plan{Actions: []factored.Valuation{now}, States: []factored.Valuation{now, next}})
	if err != nil {
		return 0, err
	}
	if !report.Valid {
		return 0, fmt.Errorf("a step of a valid plan is invalid: %w", report.Failure)
	}
	return report.Reward, nil
}

// left is the number of steps from t on.
func (x *trial) left(t int) int { return x.trace.Horizon() - t + 1 }

// cheaper returns legal joint actions that give more reward in step t than least,
// the most rewarding first.
func (x *trial) cheaper(t int, least int64) (actions []factored.Valuation, omitted bool, err error) {
	task := engine.Task{Problem: x.from(t, false), Network: x.task.Network}
	s, err := conflict.PB{}.Open(x.ctx, task, 1)
	for err == nil {
		var res *engine.Result
		res, err = s.Solve(x.ctx, x.o.Limits, nil)
		switch {
		case err != nil:
		case res.Status == engine.Unknown || res.Status == engine.Feasible:
			return actions, true, nil
		case res.Status == engine.Infeasible || res.Reward <= least:
			return actions, false, nil
		case len(actions) == x.o.Most:
			return actions, true, nil
		default:
			actions = append(actions, res.Trace.Steps[0])
			err = s.Exclude(engine.Landmark{Trace: res.Trace, Depth: 1})
		}
	}
	if x.ctx.Err() != nil {
		return actions, true, nil
	}
	return nil, false, err
}

// try finds out what comes of another joint action at step t, alternative i.
func (x *trial) try(t, i int, action factored.Valuation) (Outcome, error) {
	report, err := validate.Check(x.from(t, false), x.task.Network, validate.Plan{Actions: []factored.Valuation{action}})
	if err != nil {
		return Outcome{}, err
	}
	if !report.Valid {
		f := *report.Failure
		f.Step += t - 1
		return Outcome{Consequence: Illegal, Failure: &f}, nil
	}
	out, _, err := x.complete(opening{t: t, action: action, alternative: i})
	return out, err
}

// others finds out what comes of the best joint action at step t that is not the
// plan's.
func (x *trial) others(t int, s *Step) error {
	out, best, err := x.complete(opening{t: t, action: x.trace.Steps[t-1], other: true, alternative: -1})
	if err != nil {
		return err
	}
	if s.Others = out; best != nil {
		s.OtherAction = best.Steps[0]
	}
	return nil
}

// solve finds the best completion.
func (x *trial) solve(o opening, goal bool) (*engine.Result, engine.Task, error) {
	q, err := x.after(o, goal)
	if err != nil {
		return nil, engine.Task{}, err
	}
	task := engine.Task{Problem: q, Network: x.task.Network}
	res, err := x.o.Engine.Solve(x.ctx, engine.Query{Task: task, MinHorizon: x.left(o.t), MaxHorizon: x.left(o.t)}, x.o.Limits, nil)
	return res, task, err
}

// complete compares the best completion of an opening with the plan, and returns
// that completion.
func (x *trial) complete(o opening) (Outcome, *factored.Trace, error) {
	res, task, err := x.solve(o, true)
	if err != nil {
		return Outcome{}, nil, err
	}
	switch res.Status {
	case engine.Infeasible:
		out, err := x.missed(o, task, res)
		return out, nil, err
	case engine.Optimal:
	default:
		return Outcome{Consequence: NotKnown}, nil, nil
	}
	if err := x.decided(o, task, res); err != nil {
		return Outcome{}, nil, err
	}
	sum := x.before(o.t) + res.Reward
	out := Outcome{Reward: &sum, Consequence: AsGood}
	switch {
	case sum < x.total:
		out.Consequence = CostsMore
	case sum > x.total:
		out.Consequence = Better
	}
	if sum != x.total {
		if out.Differences, err = x.differences(o.t, res.Trace); err != nil {
			return Outcome{}, nil, err
		}
	}
	return out, res.Trace, nil
}

// missed tells a goal that is out of reach from constraints that cannot be kept,
// and which they are.
func (x *trial) missed(o opening, task engine.Task, res *engine.Result) (Outcome, error) {
	out := Outcome{Consequence: DeadEnd}
	if len(task.Problem.Goal) > 0 {
		free, without, err := x.solve(o, false)
		if err != nil {
			return Outcome{}, err
		}
		switch free.Status {
		case engine.Infeasible:
			task, res = without, free
		case engine.Unknown:
			return Outcome{Consequence: NotKnown}, nil
		default:
			out.Consequence = GoalMissed
		}
	}
	if err := x.decided(o, task, res); err != nil {
		return Outcome{}, err
	}
	mus, err := FindMUS(x.ctx, task, x.left(o.t), x.o.Limits)
	switch {
	case errors.Is(err, ErrStopped):
		return out, nil
	case err != nil:
		return Outcome{}, err
	}
	for _, m := range mus.Members {
		for i := range m.Steps {
			m.Steps[i] += o.t - 1
		}
		out.Against = append(out.Against, m)
	}
	return out, nil
}
