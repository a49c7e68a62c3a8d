package tube

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// Engine is Maximise as an engine.Engine, for problems whose rules, goal, reward and functions are linear over their
// integers. It knows nothing of others.
type Engine struct{}

var _ engine.Engine = Engine{}

// Name is "pieces".
func (Engine) Name() string { return "pieces" }

// What it is worth to look at: a state of many values, in a problem of few variables.
const (
	manyValues    = 64
	mostVariables = 512
)

// Suits reports whether a problem has a state of many values that goes on by a function.
func (Engine) Suits(t engine.Task) bool {
	return len(t.Problem.Variables) <= mostVariables && slices.ContainsFunc(t.Problem.Functions, func(f factored.Function) bool {
		v := &t.Problem.Variables[f.Variable]
		return v.Hi-v.Lo >= manyValues
	})
}

// Solve answers each horizon by itself. Unknown with a reason is what it knows of a problem of another kind.
func (e Engine) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	t, layout, reward, err := linear(q.Task.Problem)
	if err != nil {
		return &engine.Result{Status: engine.Unknown, Reason: err.Error()}, nil
	}
	solve := func(ctx context.Context, h int, report func(engine.Progress)) (*engine.Result, error) {
		x := &run{q.Task, t, layout, reward, h, &engine.Result{Status: engine.Unknown, Stats: map[string]int64{}}}
		return x.solve(ctx, l.Of(q, h), report)
	}
	var last *engine.Result
	if q.MinHorizon < q.MaxHorizon {
		if last, err = early(ctx, q, report, solve); err != nil {
			return nil, err
		}
	}
	return engine.EachHorizon(ctx, q, report, func(h int, report func(engine.Progress)) (*engine.Result, error) {
		if h < q.MaxHorizon || last == nil || last.Trace == nil && last.Status != engine.Infeasible {
			return solve(ctx, h, report)
		}
		if last.Status == engine.Feasible {
			r, err := solve(ctx, h, report)
			if err != nil || r.Trace != nil && r.Reward >= last.Reward {
				return r, err
			}
			last.Reason = r.Reason
		}
		return last, nil
	})
}

// earlyWork is what the last horizon may take before the others: some ten seconds.
const earlyWork = 40_000_000

// early solves the last of several horizons, as far as little work goes: a goal is reached with steps to spare far sooner than it is
// shown how many are too few.
func early(ctx context.Context, q engine.Query, report func(engine.Progress), solve func(context.Context, int, func(engine.Progress)) (*engine.Result, error)) (*engine.Result, error) {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return solve(limited, q.MaxHorizon, func(p engine.Progress) {
		if p.Work > earlyWork {
			cancel(errEarly)
		}
		if report != nil {
			p.Phase, p.Bound = fmt.Sprintf("horizon %d, %s", q.MaxHorizon, p.Phase), nil
			report(p)
		}
	})
}

var errEarly = errors.New("the last horizon has had its work before the others")

// run is a query about one horizon.
type run struct {
	task    engine.Task
	linear  *Task
	layout  *Layout
	reward  *Linear
	horizon int
	res     *engine.Result
}

// solve finds a plan of the best reward.
func (x *run) solve(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	var err error
	res := x.res
	o := x.linear.Maximise(ctx, x.horizon, x.reward, func(o *Optimum, work int64) {
		if err == nil {
			err = x.take(o)
		}
		p := engine.Progress{Phase: fmt.Sprintf("pieces, %d nodes", o.Nodes), Bound: res.Bound, Trace: res.Trace, Work: work}
		if res.Trace != nil {
			l.Shared.Offer(res.Trace, res.Reward)
			p.Reward = &res.Reward
		}
		if res.Bound != nil {
			l.Shared.Lower(*res.Bound)
		}
		report(p)
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("engine pieces: %w", err)
	case o.Bound == math.MinInt64:
		res.Status, res.Bound = engine.Infeasible, nil
	case o.Proven():
		res.Status = engine.Optimal
	default:
		if res.Reason = context.Cause(ctx).Error(); res.Trace != nil {
			res.Status = engine.Feasible
		}
	}
	res.Stats["nodes"] = o.Nodes
	return res, nil
}

// linear translates a problem.
func linear(p *factored.Problem) (*Task, *Layout, *Linear, error) {
	if slices.ContainsFunc(p.Transition, func(c factored.Constraint) bool { return !c.Function && !c.Defines }) {
		return nil, nil, nil, errors.New("next values depend on more than functions")
	}
	t, layout, err := FromProblem(p, nil, nil, true)
	if err != nil {
		return nil, nil, nil, err
	}
	reward := layout.Reward()
	if reward == nil {
		return nil, nil, nil, errors.New("the reward is no sum of quantities")
	}
	return t, layout, reward, t.CheckForm(reward)
}

// take notes what is known.
func (x *run) take(o *Optimum) (err error) {
	if o.Bound != math.MaxInt64 && o.Bound != math.MinInt64 {
		bound := o.Bound
		x.res.Bound = &bound
	}
	if o.Plan != nil && (x.res.Trace == nil || o.Reward > x.res.Reward) {
		x.res.Horizon, x.res.Reward = x.horizon, o.Reward
		x.res.Trace, err = x.layout.Trace(x.task.Network, x.linear.Next, o.Plan)
	}
	return err
}

// Trace follows a plan without errors, in all states of the problem; next is that of the task's states.
func (l *Layout) Trace(network *bnn.Network, next []Next, plan [][]int64) (*factored.Trace, error) {
	p := l.p
	now, _ := p.InitialBits()
	t := chance.NewTransition(p, network, nil, nil)
	tr := &factored.Trace{}
	for _, u := range plan {
		if err := l.Action(now, u); err != nil {
			return nil, err
		}
		tr.Steps = append(tr.Steps, now)
		after := make(factored.Valuation, p.NumBits())
		values := t.Predict(now)
		for s, i := range l.States {
			if n := &next[s]; n.Given != nil {
				values[i] = n.Given[min(len(tr.Steps), len(n.Given))-1]
			}
		}
		for i, x := range values {
			if v := &p.Variables[i]; v.Kind == factored.State {
				if err := v.Set(after, x); err != nil {
					return nil, err
				}
			}
		}
		now = after
	}
	tr.Steps = append(tr.Steps, now)
	return tr, nil
}
