package explain

import (
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// from is the problem that is left at step t: it begins in the plan's state. With
// goal false it ends anywhere that C allows. What it adds is marked as definitions,
// so that no minimal set names it.
func (x *trial) from(t int, goal bool) *factored.Problem {
	q := x.task.Problem.Clone()
	q.Initial = x.trace.Steps[t-1].Fix(q.Bits(factored.State), "")
	for i := range q.Initial {
		q.Initial[i].Defines = true
	}
	if !goal {
		q.Goal = nil
	}
	return q
}

// fixed is a constraint that fixes a bit.
func fixed(b factored.Bit, next, value bool) factored.Constraint {
	c := factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: b, Next: next}}}, Op: factored.EQ, Defines: true}
	if value {
		c.K = 1
	}
	return c
}

// opening is how the steps from t on begin: with one joint action, or with any
// other than that.
type opening struct {
	t      int
	action factored.Valuation
	other  bool
	// alternative is the index of the action in Step.Alternatives; -1 with other.
	alternative int
}

// after is from with the first joint action as o wants it, stated over a state bit
// that is true at the first step alone.
func (x *trial) after(o opening, goal bool) (*factored.Problem, error) {
	q := x.from(o.t, goal)
	name := "first"
	for _, taken := q.Lookup(name); taken; _, taken = q.Lookup(name) {
		name += "'"
	}
	id, err := q.AddVariable(factored.Variable{Name: name, Kind: factored.State, Bool: true})
	if err != nil {
		return nil, err
	}
	first := q.Variables[id].First
	q.Initial = append(q.Initial, fixed(first, false, true))
	q.Transition = append(q.Transition, fixed(first, true, false))
	unless := []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: first, Neg: true}}}
	differ := slices.Clone(unless)
	for _, b := range q.Bits(factored.Action) {
		l := factored.Lit{Bit: b, Neg: !o.action[b]}
		if differ = append(differ, factored.Term{Coef: 1, Lit: l.Not()}); !o.other {
			q.Global = append(q.Global, factored.Constraint{Terms: append(slices.Clone(unless), factored.Term{Coef: 1, Lit: l}), Op: factored.GE, K: 1, Defines: true})
		}
	}
	if o.other {
		// The literal of an action bit keeps the constraint from step H+1.
		q.Global = append(q.Global, factored.Constraint{Terms: differ, Op: factored.GE, K: 1, Defines: true})
	}
	return q, nil
}
