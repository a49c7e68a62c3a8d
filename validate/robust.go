package validate

import (
	"fmt"
	"slices"

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
	// Run is that run, step by step; where none fails, one of the least reward.
	Run []Hop
	// Walk has the states that were evaluated, and takes further steps from them.
	Walk *Walk

	first *hop   // of the run
	rest  *Worst // after it
}

// Hop is a step of a run: the state before it, the disturbances so far, the draws that do not have their first outcome by rank, and
// the reward of the step.
type Hop struct {
	State  factored.Valuation
	Spent  int
	Events []factored.Event
	Reward int64
}

// hop is a step of a run: outcome k of what was done in a state after some disturbances.
type hop struct {
	step, at, spent int
	branch          *branch
	k               int
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
	w := &worst{evaluation: e, act: act, most: disturbances, known: map[[3]int]*Worst{}}
	out, err := w.from(1, first, 0)
	if err != nil {
		return nil, err
	}
	found := *out
	for v := out; v != nil && v.first != nil; v = v.rest {
		found.Run = append(found.Run, w.hop(v.first))
	}
	found.States, found.Walk = len(e.nodes), walkOf(&e.graph)
	return &found, nil
}

// worst computes the guarantees from each state, step and number of disturbances so far.
type worst struct {
	*evaluation
	act   RobustPolicy
	most  int // disturbances
	known map[[3]int]*Worst
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
	w.budget = w.most - spent
	b, failure, err := w.branch(step, n, action)
	if err != nil || failure != nil {
		return &Worst{Failure: failure}, err
	}
	out, worst, sure := &Worst{}, -1, 0.0
	for k, j := range b.next {
		now := spent + b.events[k]
		if sure += b.p[k]; now > w.most {
			out.Excess += b.p[k]
			continue
		}
		v, err := w.from(step+1, j, now)
		if err != nil {
			return nil, err
		}
		if v.Failure != nil {
			return &Worst{Failure: v.Failure, first: &hop{step, at, spent, b, k}, rest: v}, nil
		}
		out.Excess += b.p[k] * v.Excess
		if r := v.Reward + b.reward[k]; worst < 0 || r < out.Reward {
			out.Reward, out.rest, worst = r, v, k
		}
	}
	if b.pruned { // the outcomes that are not listed have more disturbances
		out.Excess += max(0, 1-sure)
	}
	if worst >= 0 {
		out.first = &hop{step, at, spent, b, worst}
	}
	return out, nil
}

// hop is a step as it is told.
func (w *worst) hop(of *hop) Hop {
	b, k := of.branch, of.k
	out := Hop{State: w.nodes[of.at].state, Spent: of.spent, Reward: b.reward[k]}
	var picked []int
	var from func(d, spent int) bool
	from = func(d, spent int) bool {
		if d == len(b.drawn) {
			k--
			return k < 0
		}
		for i, n := range b.drawn[d].Disturbances {
			if b.pruned && spent+n > b.budget {
				continue
			}
			picked = append(picked, i)
			if from(d+1, spent+n) {
				return true
			}
			picked = picked[:d]
		}
		return false
	}
	from(0, 0)
	for d, i := range picked {
		draw := b.drawn[d]
		if rank := slices.Index(draw.Ranked(), i); rank > 0 {
			out.Events = append(out.Events, factored.Event{Step: of.step, Variable: draw.Variables[0], Rank: rank, Most: draw.Disturbances[i]})
		}
	}
	return out
}
