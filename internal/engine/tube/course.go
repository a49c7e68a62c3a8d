package tube

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

// Course is what the errors of some steps are, whatever the plan or, with aims, as it is followed.
type Course struct {
	errs [][]int64 // by steps
	aims []*aim    // of states; nil for none
}

// aim has the error of a state be what brings it, as near as its band allows, to where it was before or to the value next to a
// condition. Two courses that keep to one side of the conditions of a function are compared as if it were linear, and errors that
// outweigh all actions hold a state for ever.
type aim struct {
	state int
	test  *Atom // reads no action; nil to stay
	holds bool  // the side
	until int   // the step
}

// constant returns the course of all greatest or all least errors of k steps.
func (t *Task) constant(k int, high bool) Course {
	errs := make([]int64, len(t.Next))
	for i := range t.Next {
		if errs[i] = t.Next[i].Low; high {
			errs[i] = t.Next[i].High
		}
	}
	return Course{errs: slices.Repeat([][]int64{errs}, k)}
}

// held returns the course in which states stay where they are for so many steps, and then one without aims.
func (t *Task) held(steps int, then Course) Course {
	out := t.constant(steps, false)
	out.errs = append(out.errs, then.errs...)
	out.aims = make([]*aim, len(t.Next))
	for i := range t.Next {
		if t.wavers(i) {
			out.aims[i] = &aim{state: i, until: steps}
		}
	}
	return out
}

// wavers reports whether a state has an error.
func (m *Model) wavers(i int) bool { return m.Next[i].Given == nil && m.Next[i].Low < m.Next[i].High }

// aimed returns the courses of k steps with aims: the one that stays, and for each state and each condition of its function or of the goal
// those that keep next to the condition.
func (t *Task) aimed(k int) []Course {
	out := []Course{t.held(k, Course{})}
	for i := range t.Next {
		if !t.wavers(i) {
			continue
		}
		for _, a := range t.Next[i].Function.tests(nil) {
			for _, high := range []bool{true, false} {
				if c := t.constant(k, high); t.aims(a, i) {
					c.aims = make([]*aim, len(t.Next))
					c.aims[i] = &aim{state: i, test: a, holds: high == (a.X[i] > 0), until: k - 1}
					out = append(out, c)
				}
			}
		}
		for g := range t.Goal {
			if c := t.held(k, Course{}); t.aims(&t.Goal[g], i) {
				c.aims[i] = &aim{state: i, test: &t.Goal[g], until: k}
				out = append(out, c)
			}
		}
	}
	return out
}

// tests lists the tests of f that read no action.
func (f *Function) tests(out []*Atom) []*Atom {
	if f.If == nil {
		return out
	}
	if !f.If.Acts() {
		out = append(out, f.If)
	}
	return f.Else.tests(f.Then.tests(out))
}

// aims reports whether the other states that a test reads are known before state i is.
func (t *Task) aims(a *Atom, i int) bool {
	for j, c := range a.X {
		if c != 0 && j > i && t.lagged(j) < 0 {
			return false
		}
	}
	return a.X[i] != 0
}

// aim returns the aim of a state in a step, nil for none.
func (c *Course) aim(i, step int) *aim {
	if c.aims == nil || c.aims[i] == nil || step >= c.aims[i].until {
		return nil
	}
	return c.aims[i]
}

// target is the greatest integer that is at most the sum of share times the values after the step, or before it where before is so, and
// least, over by, plus beyond.
type target struct {
	share     []int64
	before    bool
	least, by int64
	beyond    int64
}

// target returns the value that an aim goes for.
func (a *aim) target() target {
	if a.test == nil {
		share := make([]int64, a.state+1)
		share[a.state] = 1
		return target{share: share, before: true, by: 1}
	}
	// f*value + rest + C <= 0 is the test, or < 0
	f, sign := a.test.X[a.state], int64(1)
	if f < 0 {
		sign = -1
	}
	out := target{share: make([]int64, len(a.test.X)), by: abs(f), least: -sign * a.test.C}
	if a.test.Strict {
		out.least -= sign
	}
	for j, x := range a.test.X {
		if j != a.state {
			out.share[j] = -sign * x
		}
	}
	if f < 0 { // the least value that holds, in place of the greatest one
		out.least += out.by - 1
	}
	if !a.holds {
		out.beyond = sign
	}
	return out
}

// toward goes on with the errors of an aim, from the value without them.
func (r *refuter) toward(a *aim, v row, next, x []row, then func(row) bool) bool {
	n, to := &r.t.Next[a.state], a.target()
	whole := true
	for _, f := range to.share {
		whole = whole && f%to.by == 0
	}
	goal := constant(integer.FloorDiv(to.least, to.by) + to.beyond)
	if !whole {
		goal = r.sum(float64(to.least)/float64(to.by)+float64(to.beyond), 1, r.variable(-1, 0), 0, row{})
	}
	for j, f := range to.share {
		if f != 0 {
			goal = r.sum(0, 1, goal, float64(f)/float64(to.by), known(r.t, &to, j, next, x))
		}
	}
	low, high := v.plus(float64(n.Low)), v.plus(float64(n.High))
	after, before := r.sum(0, 1, low, -1, goal), r.sum(0, 1, goal, -1, high)
	past, short := after.negated(), before.negated()
	return r.under([]row{after, before}, func() bool { return then(goal) }) &&
		r.under([]row{past}, func() bool { return then(low) }) &&
		r.under([]row{short}, func() bool { return then(high) })
}

// known returns what a target reads of state j.
func known[T any](t *Task, to *target, j int, next, x []T) T {
	if to.before {
		return x[j]
	}
	if from := t.lagged(j); from >= 0 {
		return x[from]
	}
	return next[j]
}

// Err returns the error of state i in step s of a course, from 0, where v is its next value without one; next has the states before
// it, and x those before the step.
func (t *Task) Err(c *Course, i, s int, v float64, next, x []float64) float64 {
	a := c.aim(i, s)
	if a == nil {
		return float64(c.errs[s][i])
	}
	to := a.target()
	sum := float64(to.least)
	for j, f := range to.share {
		if f != 0 {
			sum += float64(f) * known(t, &to, j, next, x)
		}
	}
	n := &t.Next[i]
	return min(float64(n.High), max(float64(n.Low), math.Floor(sum/float64(to.by))+float64(to.beyond)-v))
}

// Follows reports whether the errors of a course depend on the plan.
func (c *Course) Follows() bool { return c.aims != nil }
