package learned

import (
	"context"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// Model is what is within reach by steps that the rules allow: a row or clauses tell all next values of each.
type Model struct {
	From   []string `json:"from"` // states that episodes begin in, the start first
	States int      `json:"states"`
	Steps  int      `json:"steps"` // that were not refused
}

// reacher is one check of a model.
type reacher struct {
	*checker
	legal           func(now, next factored.Valuation) bool
	onState, onStep []*factored.Constraint // rules
	rows            map[string]string      // next states by state and action
	queue           []factored.Valuation
	seen            map[string]bool
	steps           int
}

// CheckModel checks that nothing within reach is open, by looking at all of it, if the record says so. The function given reports whether a state,
// with nil for the next one, or a step obeys the rules and the known part of the transition.
func (x *Checked) CheckModel(ctx context.Context, legal func(now, next factored.Valuation) bool) error {
	if x.checker.r.Model == nil {
		return nil
	}
	return x.checker.model(ctx, legal)
}

func (c *checker) model(ctx context.Context, legal func(now, next factored.Valuation) bool) error {
	m := c.r.Model
	x := &reacher{checker: c, legal: legal, onState: c.rulesOn(c.states), onStep: c.rulesOn(slices.Concat(c.states, c.actions)), rows: map[string]string{}, seen: map[string]bool{}}
	for _, r := range c.rows {
		x.rows[digits(r.now, c.states)+digits(r.now, c.actions)] = digits(r.next, c.states)
	}
	for _, r := range c.refused {
		x.rows[digits(r, c.states)+digits(r, c.actions)] = "-"
	}
	if len(m.From) == 0 || m.From[0] != c.r.Start {
		return fmt.Errorf("the model is not one from the start")
	}
	for _, text := range m.From {
		from := make(factored.Valuation, c.p.NumBits())
		if err := c.valuation(text, c.states, from); err != nil {
			return fmt.Errorf("model: %w", err)
		}
		x.meet(from)
	}
	states := 0
	for ; len(x.queue) > 0; x.queue = x.queue[1:] {
		if err := ctx.Err(); err != nil {
			return err
		}
		now := x.queue[0]
		if c.ended[digits(now, c.states)] {
			continue
		}
		states++
		if err := fill(now, c.actions, x.onStep, func() error { return x.step(now) }); err != nil {
			return err
		}
	}
	if states != m.States || x.steps != m.Steps {
		return fmt.Errorf("the model has %d states and %d steps within reach; the record says %d and %d", states, x.steps, m.States, m.Steps)
	}
	return nil
}

// meet adds a state, unless a rule forbids it.
func (x *reacher) meet(state factored.Valuation) {
	if key := digits(state, x.states); !x.seen[key] && x.legal(state, nil) {
		x.seen[key] = true
		x.queue = append(x.queue, slices.Clone(state))
	}
}

// step looks at where a step leads.
func (x *reacher) step(now factored.Valuation) error {
	next := make(factored.Valuation, x.p.NumBits())
	if text, ok := x.rows[digits(now, x.states)+digits(now, x.actions)]; ok {
		if text == "-" {
			return nil
		}
		if err := x.valuation(text, x.states, next); err != nil {
			return err
		}
		if x.legal(now, next) {
			x.steps++
			x.meet(next)
		}
		return nil
	}
	told := map[factored.Bit]bool{}
	for i := range x.r.Clauses {
		if c := &x.r.Clauses[i]; !slices.ContainsFunc(c.If, func(k Condition) bool { return digits(now, x.vars[k.Variable]) != k.Is }) {
			b := x.learned[slices.Index(x.r.Learned, c.Next)]
			told[b], next[b] = true, c.Value
		}
	}
	open := slices.DeleteFunc(slices.Clone(x.states), func(b factored.Bit) bool { return told[b] })
	legal := false
	err := fill(next, open, x.onState, func() error {
		if !x.legal(now, next) {
			return nil
		}
		for _, b := range x.learned {
			if !told[b] {
				return fmt.Errorf("model: nothing tells the next value of %s in state %s with action %s", x.p.BitName(b), digits(now, x.states), digits(now, x.actions))
			}
		}
		legal = true
		x.meet(next)
		return nil
	})
	if legal {
		x.steps++
	}
	return err
}

// fill gives open bits all values with which rules on these and the others may hold.
func fill(val factored.Valuation, open []factored.Bit, rules []*factored.Constraint, leaf func() error) error {
	for _, r := range rules {
		var least, most int64
		for _, t := range r.Terms {
			if isOpen := slices.Contains(open, t.Lit.Bit); isOpen || val[t.Lit.Bit] != t.Lit.Neg {
				most += max(t.Coef, 0)
				least += min(t.Coef, 0)
				if !isOpen {
					most, least = most+min(t.Coef, 0), least+max(t.Coef, 0)
				}
			}
		}
		if r.Op != factored.LE && most < r.K || r.Op != factored.GE && least > r.K {
			return nil
		}
	}
	if len(open) == 0 {
		return leaf()
	}
	for _, on := range []bool{false, true} {
		val[open[0]] = on
		if err := fill(val, open[1:], rules, leaf); err != nil {
			return err
		}
	}
	return nil
}
