package validate

import (
	"fmt"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// RobustPolicy says what to do in a state at a step, from 1, after a number of disturbances: draws that
// did not have their most likely outcome.
type RobustPolicy func(step, disturbances int, state factored.Valuation) factored.Valuation

// Worst is what a policy guarantees in all runs with a bounded number of disturbances.
type Worst struct {
	Reward int64 // the least, in the scale of the problem
	// Excess is the probability of a run with more disturbances, in floating point.
	Excess float64
	States int
	// Failure is how a run breaks a rule or misses the goal; nil if none does.
	Failure *Failure
	// Walk has the states that were evaluated, and takes further steps from them.
	Walk *Walk
}

// WorstCase follows a policy through all runs with at most so many disturbances. Each of them has to reach the goal,
// where it ends, if there is to be one, and otherwise to keep the rules for all steps.
func WorstCase(p *factored.Problem, net *bnn.Network, chance Chance, start factored.Valuation, act RobustPolicy, horizon, disturbances int, goal bool) (*Worst, error) {
	e := &evaluation{horizon: horizon, success: goal}
	e.prepare(p, net, chance)
	first, err := e.node(start)
	if err != nil {
		return nil, err
	}
	w := &worst{evaluation: e, act: act, budget: disturbances, known: map[[3]int]*Worst{}}
	out, err := w.from(1, first, 0)
	if err != nil {
		return nil, err
	}
	found := *out
	found.States, found.Walk = len(e.nodes), walkOf(&e.graph)
	return &found, nil
}

// worst computes the guarantees from each state, step and number of disturbances so far.
type worst struct {
	*evaluation
	act    RobustPolicy
	budget int
	known  map[[3]int]*Worst
}

func (w *worst) from(step, at, spent int) (*Worst, error) {
	key := [3]int{step, at, spent}
	if v := w.known[key]; v != nil {
		return v, nil
	}
	v, err := w.compute(step, at, spent)
	w.known[key] = v
	return v, err
}

func (w *worst) compute(step, at, spent int) (*Worst, error) {
	n := w.nodes[at]
	over := step > w.horizon
	switch {
	case n.broken != nil:
		f := *n.broken
		f.Step = step
		return &Worst{Failure: &f}, nil
	case w.success && n.goal, !w.success && (n.ends || over):
		return &Worst{}, nil
	case n.ends || over:
		return &Worst{Failure: &Failure{Step: step, Group: "goal", What: "the goal does not hold at the end of a run"}}, nil
	}
	action := w.act(step, spent, n.state)
	if action == nil {
		return &Worst{Failure: &Failure{Step: step, Group: "policy", What: fmt.Sprintf("the policy has no action after %d disturbances", spent)}}, nil
	}
	b, failure, err := w.branch(step, n, action)
	if err != nil || failure != nil {
		return &Worst{Failure: failure}, err
	}
	out, some := &Worst{}, false
	for k, j := range b.next {
		now := spent + b.events[k]
		if now > w.budget {
			out.Excess += b.p[k]
			continue
		}
		v, err := w.from(step+1, j, now)
		if err != nil || v.Failure != nil {
			return v, err
		}
		out.Excess += b.p[k] * v.Excess
		if r := v.Reward + b.reward[k]; !some || r < out.Reward {
			out.Reward, some = r, true
		}
	}
	return out, nil
}
