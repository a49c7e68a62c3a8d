package scenario

import (
	"fmt"
	"math"
	"slices"

	joint "github.com/fdplan/fdplan/certify/scenario"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// choices are what a solution of the joint problem does: by step or, where states are seen, by the states that its runs pass. In
// others it does what it does in the most similar one.
type choices struct {
	q      *Question
	plan   []factored.Valuation // of the run without disturbances
	states []factored.Bit
	places map[string]*place
	steps  [][]*place // by step, from 0
}

// place is a state at a step of the run of a scenario, after some disturbances.
type place struct {
	state, action factored.Valuation
	spent         int
	reward        int64            // so far
	events        []factored.Event // likewise
}

// choices reads a solution.
func (s *solver) choices(j *joint.Joint, t *factored.Trace) *choices {
	c := &choices{q: s.q, plan: j.Actions(t, 0), states: s.q.Problem.Bits(factored.State), places: map[string]*place{}, steps: make([][]*place, t.Horizon())}
	if s.q.Blind {
		return c
	}
	for w, events := range s.Scenarios {
		c.read(j, t, w, events)
	}
	return c
}

// read adds the states that the run of a scenario passes.
func (c *choices) read(j *joint.Joint, t *factored.Trace, w int, events []factored.Event) {
	actions := j.Actions(t, w)
	spent, passed := 0, 0
	for i, state := range j.States(t, w) {
		// Of several runs, the one with the least reward so far is prepared best for what is to come.
		key, x := c.key(i+1, spent, state), &place{state, actions[i], spent, j.Total(t, w, i+1), events[:passed:passed]}
		if was := c.places[key]; was == nil {
			c.places[key] = x
			c.steps[i] = append(c.steps[i], x)
		} else if x.reward < was.reward {
			*was = *x
		}
		before := passed
		for passed < len(events) && events[passed].Step == i+1 {
			spent += events[passed].Most
			passed++
		}
		if passed > before && !c.happen(x, events[before:passed]) {
			return // what follows belongs to a run with fewer disturbances
		}
	}
}

// happen reports whether events are outcomes in the context of a place, with as many disturbances as they have at most.
func (c *choices) happen(x *place, events []factored.Event) bool {
	now := slices.Clone(x.state)
	for b, on := range x.action {
		now[b] = now[b] || on
	}
	draws, err := c.q.Draws.Draws(now)
	if err != nil {
		return false
	}
	for _, e := range events {
		for _, d := range draws {
			if len(d.Variables) == 0 || d.Variables[0] != e.Variable {
				continue
			}
			if ranked := d.Ranked(); e.Rank >= len(ranked) || d.Disturbances[ranked[e.Rank]] != e.Most {
				return false
			}
		}
	}
	return true
}

func (c *choices) key(step, spent int, state factored.Valuation) string {
	return fmt.Sprint(step, ",", spent, ",", state.Key(c.states))
}

// action is what is done in a state.
func (c *choices) action(step, spent int, state factored.Valuation) factored.Valuation {
	if c.q.Blind {
		return c.plan[step-1]
	}
	if x := c.places[c.key(step, spent, state)]; x != nil {
		return x.action
	}
	best, least := c.plan[step-1], math.MaxInt
	for _, x := range c.steps[step-1] {
		// One with fewer disturbances so far is prepared for more to come.
		unlike := 0
		switch {
		case x.spent > spent:
			unlike = 2
		case x.spent < spent:
			unlike = 1
		}
		for _, b := range c.states {
			if x.state[b] != state[b] {
				unlike += 3
			}
		}
		if unlike < least {
			best, least = x.action, unlike
		}
	}
	return best
}

// scenario has the events of a run, in place of those that led to a state the ones of the scenario that was planned for there, unless the
// run had less reward. So it is none of those that were planned for: these come to such states at all steps, and break nothing.
func (c *choices) scenario(run []validate.Hop) (events []factored.Event) {
	reward := int64(0)
	for i, hop := range run {
		if x := c.places[c.key(i+1, hop.Spent, hop.State)]; x != nil && x.reward <= reward {
			events = append(events[:0:0], x.events...)
		}
		events = append(events, hop.Events...)
		if c.q.Above != nil { // else none is asked for, and places have none
			reward += hop.Reward
		}
	}
	return events
}
