package tube

import (
	"context"
	"errors"
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// ErrNodes is returned where a question about a step is still open after most nodes of the search.
var ErrNodes = errors.New("the search for a step has reached its limit")

// Step looks for a step from any state that keeps the rules of a problem and its conditions on transitions, as far as these are
// linear over its integers and over next values with a function. Without a step that is proven; whether one is right has to be
// checked, since the others are left out. Each of most nodes is a linear program.
func Step(ctx context.Context, p *factored.Problem, network *bnn.Network, most int64) (*factored.Trace, error) {
	l := &Layout{p: p, place: map[int]int{}, next: map[int]int{}}
	t, err := l.question()
	if err != nil {
		return nil, err
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
		return nil, context.Cause(ctx)
	case !o.Proven():
		return nil, ErrNodes
	case o.Plan == nil:
		return nil, nil
	}
	return l.Trace(network, t.Next, o.Plan)
}

// question returns the task whose plans of one step are those steps: its actions are the values before the step and the joint
// action; its states repeat these, and then have the next values that are asked for.
func (l *Layout) question() (*Task, error) {
	functions := functionsOf(l.p)
	rules, conditions, next := l.asked(functions)
	n := len(l.Actions)
	l.States = slices.Clone(l.Actions)
	for k, i := range next {
		l.next[i] = n + k
		l.States = append(l.States, i)
	}
	t, err := l.task(rules, conditions, func(at, i int) Next {
		same := l.linear()
		if at >= n {
			return Next{Function: l.clamped(functions[i])}
		}
		same.U[at] = 1
		return Next{Function: &Function{Leaf: same}}
	})
	for i := range t.States {
		t.Start = append(t.Start, t.States[i].Lo)
	}
	for i := range t.Goal { // it is about the states that repeat the values before
		a := &t.Goal[i]
		for j, c := range a.U {
			a.X[j], a.U[j] = a.X[j]+c, 0
		}
	}
	return t, errors.Join(err, t.Check())
}

// asked lists the rules of the first state and action and the conditions on the step, those of the state after it among them, as
// far as they can be taken, and the states whose next values these ask for; l gets all whose values before the step matter.
func (l *Layout) asked(functions map[int]*factored.Function) (rules, conditions []factored.Constraint, next []int) {
	add := func(to *[]factored.Constraint, c factored.Constraint) {
		if c.Defines || c.Function || l.always(&c) {
			return
		}
		w, _ := l.form(&c, true)
		if w == nil {
			r, lo, hi := l.ends(&c)
			if lo > hi {
				return
			}
			w = &weighted{by: map[ref]int64{r: 1}}
		}
		for r := range w.by {
			if r.next && functions[r.variable] == nil {
				return
			}
		}
		*to = append(*to, c)
		for r := range w.by {
			if r.next {
				see(&next, r.variable)
			} else {
				see(&l.Actions, r.variable)
			}
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
	for i := range l.p.Variables { // what is not 0 needs a value
		if v := &l.p.Variables[i]; v.Kind != factored.Auxiliary && (v.Lo > 0 || v.Hi < 0) {
			see(&l.Actions, i)
		}
	}
	slices.Sort(next) // the order of a map is none
	for _, i := range next {
		for _, r := range functions[i].Reads() {
			see(&l.Actions, r)
		}
	}
	slices.Sort(l.Actions)
	for k, i := range l.Actions {
		l.place[i] = k
	}
	return rules, conditions, next
}

// see adds a variable to a list that may have it.
func see(of *[]int, i int) {
	if !slices.Contains(*of, i) {
		*of = append(*of, i)
	}
}
