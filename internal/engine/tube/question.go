package tube

import (
	"context"
	"errors"
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// ErrNodes is returned where a question about a step is still open after most nodes of the search.
var ErrNodes = errors.New("the search for a step has reached its limit")

// Step looks for a step from any state that keeps the rules of a problem and its conditions on transitions, if these are linear
// over its integers and the functions of their next values. No step is a proof. Next values without a function are taken to be
// anything, and rules that are not linear are left out: whether it is one has to be checked. Each of most nodes is a linear
// program.
func Step(ctx context.Context, p *factored.Problem, network *bnn.Network, most int64) (now, next factored.Valuation, err error) {
	l := &Layout{p: p, place: map[int]int{}, next: map[int]int{}}
	t, err := l.question()
	if err != nil {
		return nil, nil, err
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	reward := l.linear()
	o := t.Maximise(inner, 1, &reward, func(o *Optimum, _ int64) {
		if o.Nodes >= most {
			stop()
		}
	})
	switch {
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case !o.Proven():
		return nil, nil, ErrNodes
	case o.Plan == nil:
		return nil, nil, nil
	}
	return l.found(network, o.Plan[0])
}

// question returns the task whose plans of one step are those steps: its actions are the values before the step, the joint action
// and next values without a function; its states repeat these, and then have the next values that functions give.
func (l *Layout) question() (*Task, error) {
	rules, conditions := l.asked()
	functions := functionsOf(l.p)
	see := func(r ref) {
		at, of := l.place, &l.Actions
		if r.next {
			at = l.next
		}
		if r.next && functions[r.variable] != nil {
			of = &l.States
		}
		if _, seen := at[r.variable]; !seen {
			at[r.variable] = len(*of)
			*of = append(*of, r.variable)
		}
	}
	for _, c := range slices.Concat(rules, conditions) {
		for _, t := range c.Terms {
			v, _ := l.p.Owner(t.Lit.Bit)
			see(ref{l.index(v), t.Lit.Next})
		}
	}
	of := l.States
	for _, i := range of {
		for _, r := range functions[i].Reads() {
			see(ref{variable: r})
		}
	}
	for _, i := range of {
		l.next[i] += len(l.Actions)
	}
	l.States = slices.Concat(l.Actions, of)
	t := &Task{Model: &Model{}}
	for at, i := range l.States {
		v := &l.p.Variables[i]
		t.States, t.Start = append(t.States, Quantity{v.Name, v.Lo, v.Hi}), append(t.Start, v.Lo)
		if at >= len(l.Actions) {
			t.Next = append(t.Next, Next{Function: l.clamped(functions[i])})
			continue
		}
		same := l.linear()
		same.U[at] = 1
		t.Next = append(t.Next, Next{Function: &Function{Leaf: same}})
	}
	t.Actions = t.States[:len(l.Actions)]
	var err error
	if t.Rules, err = l.atoms(rules); err != nil {
		return nil, err
	}
	if t.Goal, err = l.atoms(conditions); err != nil {
		return nil, err
	}
	for i := range t.Goal { // is about the states that repeat the values before
		a := &t.Goal[i]
		for j := range a.U {
			a.X[j], a.U[j] = a.X[j]+a.U[j], 0
		}
	}
	return t, t.Check()
}

// asked lists the rules of the first state and action and the conditions on the step, those of the state after it among them, as
// far as they are linear.
func (l *Layout) asked() (rules, conditions []factored.Constraint) {
	add := func(to *[]factored.Constraint, c factored.Constraint) {
		if c.Defines || c.Function || l.always(&c) {
			return
		}
		w, _ := l.form(&c, true)
		if _, lo, hi := l.ends(&c); w != nil || lo <= hi {
			*to = append(*to, c)
		}
	}
	for _, c := range l.p.Global {
		add(&rules, c)
		if !l.p.HasAction(&c) {
			c.Terms = slices.Clone(c.Terms)
			for i := range c.Terms {
				c.Terms[i].Lit.Next = true
			}
			add(&conditions, c)
		}
	}
	for _, c := range l.p.Transition {
		add(&conditions, c)
	}
	return rules, conditions
}

// found writes a step of the task as one of the problem. What the task does not have is as near to 0 as its range allows.
func (l *Layout) found(network *bnn.Network, u []int64) (now, next factored.Valuation, err error) {
	p := l.p
	now, next = make(factored.Valuation, p.NumBits()), make(factored.Valuation, p.NumBits())
	for i := range p.Variables {
		v := &p.Variables[i]
		x := min(v.Hi, max(v.Lo, 0))
		if at, is := l.place[i]; is {
			x = u[at]
		}
		if v.Kind != factored.Auxiliary {
			err = errors.Join(err, v.Set(now, x))
		}
	}
	values := chance.NewTransition(p, network, nil, nil).Predict(now)
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == factored.State {
			x := values[i]
			if at, is := l.next[i]; is && at < len(u) {
				x = u[at]
			}
			err = errors.Join(err, v.Set(next, x))
		}
	}
	return now, next, err
}
