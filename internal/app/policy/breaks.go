package policy

import (
	"context"
	"errors"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Break is the outcome of a step of a plan that costs it most: its probability times what is lost by it is the greatest.
type Break struct {
	Probability float64 `json:"probability"`
	// State has the variables with other values than planned after the step, and Planned what was planned of these.
	State   app.Values `json:"state"`
	Planned app.Values `json:"planned"`
	// Value is what the rest of the plan has after that, and Otherwise what it has if the step goes as planned: the
	// probability of reaching the goal, or the expected reward.
	Value     float64 `json:"value"`
	Otherwise float64 `json:"otherwise"`
	// Lost is the probability of all outcomes of the step that lower the value.
	Lost float64 `json:"lost"`
}

// Breaks tells for each step of a plan which outcome breaks it, if all steps before it went as planned; nil for a step
// that none does. p is the problem with its draws, and trace the plan. It returns nil where too much can happen.
func Breaks(ctx context.Context, p *load.Problem, trace *factored.Trace) ([]*Break, error) {
	m, err := newModel(p)
	if err != nil {
		return nil, err
	}
	o := policy.Success
	if !hasGoal(p) {
		o = policy.Reward
	}
	x := &rest{w: validate.NewWalk(m.of, m.chance), trace: trace, success: o == policy.Success, scale: float64(m.of.Reward.Scale), known: map[[2]int]float64{}}
	var out []*Break
	for t := range trace.Horizon() {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		b, err := x.breaks(p.Problem, t)
		if errors.Is(err, validate.ErrManyStates) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// rest computes what the rest of a plan is worth.
type rest struct {
	w       *validate.Walk
	trace   *factored.Trace
	success bool
	scale   float64
	known   map[[2]int]float64 // by step and state
}

// value is that of a state after t steps.
func (x *rest) value(t, state int) (float64, error) {
	switch {
	case x.success && x.w.Goal(state):
		return 1, nil
	case t == x.trace.Horizon() || x.w.Over(state):
		return 0, nil
	}
	key := [2]int{t, state}
	if v, ok := x.known[key]; ok {
		return v, nil
	}
	next, err := x.w.Step(state, x.trace.Steps[t])
	if err == nil && x.w.States() > mostStates {
		err = validate.ErrManyStates
	}
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, n := range next {
		v, err := x.value(t+1, n.State)
		if err != nil {
			return 0, err
		}
		sum += n.P * (v + x.reward(n))
	}
	x.known[key] = sum
	return sum, nil
}

// reward is that of an outcome, where rewards count.
func (x *rest) reward(n validate.Arrival) float64 {
	if x.success {
		return 0
	}
	return float64(n.Reward) / x.scale
}

// breaks finds the outcome of step t+1 that costs most.
func (x *rest) breaks(p *factored.Problem, t int) (*Break, error) {
	from, err := x.w.Number(x.trace.Steps[t])
	if err != nil || x.w.Over(from) || x.success && x.w.Goal(from) {
		return nil, err
	}
	planned, err := x.w.Number(x.trace.Steps[t+1])
	if err != nil {
		return nil, err
	}
	next, err := x.w.Step(from, x.trace.Steps[t])
	if err != nil {
		return nil, err
	}
	var worst *Break
	state, lost := 0, 0.0
	for _, n := range next {
		if n.State != planned {
			continue
		}
		v, err := x.value(t+1, planned)
		if err != nil {
			return nil, err
		}
		worst = &Break{Otherwise: v + x.reward(n)}
	}
	if worst == nil { // a mean, for example, is never drawn
		return nil, nil
	}
	most := 0.0
	for _, n := range next {
		v, err := x.value(t+1, n.State)
		if err != nil {
			return nil, err
		}
		v += x.reward(n)
		if cost := n.P * (worst.Otherwise - v); n.State != planned && cost > 1e-12 {
			lost += n.P
			if cost > most {
				most, state = cost, n.State
				worst.Probability, worst.Value = n.P, v
			}
		}
	}
	if worst.Lost = lost; most == 0 {
		return nil, nil
	}
	then := x.w.State(state)
	if then == nil {
		return worst, nil
	}
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == factored.State && v.Value(then) != v.Value(x.trace.Steps[t+1]) {
			worst.State = append(worst.State, app.Entry{Name: v.Name, Value: v.Show(v.Value(then))})
			worst.Planned = append(worst.Planned, app.Entry{Name: v.Name, Value: v.Show(v.Value(x.trace.Steps[t+1]))})
		}
	}
	return worst, nil
}

// Fares is OfPlan for a trace, with what breaks its steps; both are nil where nothing is known.
func Fares(ctx context.Context, p *load.Problem, trace *factored.Trace, r Request) (*plan.Chance, []*Break) {
	var steps []app.Values
	for _, val := range trace.Steps[:trace.Horizon()] {
		steps = append(steps, app.ValuesOf(p.Problem, factored.Action, val, true))
	}
	c, err := OfPlan(ctx, p, steps, r)
	if err != nil || c == nil {
		return nil, nil
	}
	b, err := Breaks(ctx, p, trace)
	if err != nil {
		return c, nil
	}
	return c, b
}
