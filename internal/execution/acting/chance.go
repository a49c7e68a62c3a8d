package acting

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Chance is what is wanted of a run in a system that draws next states at random.
type Chance struct {
	// Success has the probability count that the goal is reached; else the expected sum of rewards does.
	Success bool
	// Gap is how much less than the best policy the one that is found may be worth: of probabilities their difference, of rewards
	// the difference divided by that of the policy, or by 1 if that is less.
	Gap float64
	// Doubt is the probability that some interval is wrong, at most.
	Doubt float64
	// Narrowed is called where an interval has changed; its error ends the run. May be nil.
	Narrowed func(*ChanceResult) error
}

// ChanceResult is what is known of the policies of a system that draws.
type ChanceResult struct {
	Steps, Resets, Rows int
	States, Pairs       int // that were seen: states, and actions in them
	// Lower bounds what Policy is worth, and Upper what any policy is; -Inf for one that breaks a rule.
	Lower, Upper float64
	Policy       []Choice // what to do in each state that was seen to be reached, by step
	Proven       bool     // the two are within the gap, or no policy keeps the rules
	Reason       string   // why it ended before that
	Start        factored.Valuation
}

// Choice is what a policy does in a state at a step, from 1.
type Choice struct {
	Step int
	Now  factored.Valuation // state and action
}

// firstLook is after how many steps of an action in a state its outcomes are looked at first; each time after that, there are a quarter
// more.
const firstLook = 8

// mostJoint bounds the joint actions, all of which are looked at in each state.
const mostJoint = 1 << 12

// gambler is one call of LearnChance.
type gambler struct {
	*graph
	o           Options
	sys         *simulator.Session
	out         *ChanceResult
	joint       []factored.Valuation
	least, most float64 // rewards of a step
	lots        []*lot
	places      map[string]int
	start       int
	lower       [][]float64 // by steps that are left and state
	upper       [][]float64
	tops        map[[2]int][]*pair // actions with the greatest upper bound, by steps that are left and state
	stale       bool               // they are not those of the last rounds
}

// lot is a state with its actions.
type lot struct {
	*node
	broken bool // a rule is broken
	pairs  []*pair
}

// pair is an action in a state. Its counts tell apart the outcomes that were seen before they began, so that they are those of
// independent draws among outcomes that do not depend on them. Where others were seen, they begin anew.
type pair struct {
	action  factored.Valuation
	refused bool
	order   int // among all, in the order in which they were taken first; 0 for never
	taken   int
	seen    []int // where it led, in the order in which that was seen first
	rewards []float64
	times   int            // that counts began
	looks   int            // at these
	n, next int            // steps that were counted, and those at the next look
	counts  []int          // of the outcomes that are told apart, and of all others
	is      factored.Range // the narrowest of all looks; no outcomes before the first one
}

// LearnChance acts in a system that draws the next state at random, from a distribution that state and action determine: each
// episode follows the policy that would be best if all probabilities were the best ones in their intervals, until the
// worst ones leave some policy within a gap of that. All intervals hold together with a probability of 1 - Doubt: the i-th pair
// of a state and an action has a share 1/i(i+1) of the doubt, its t-th counts a share 1/t(t+1) of that, the r-th look at these a share 1/r(r+1) of that, and each
// of the 2m+1 tails of the probabilities of m outcomes and of all others the same share (Clopper and Pearson, 1934). Errors are as for Learn.
func LearnChance(ctx context.Context, p *factored.Problem, sys *simulator.Session, o Options, c Chance) (*ChanceResult, error) {
	g := &gambler{graph: newGraph(p), o: o, sys: sys, places: map[string]int{}, stale: true}
	g.out = &ChanceResult{Lower: math.Inf(-1), Upper: math.Inf(1)}
	if err := errors.Join(g.list(0, make(factored.Valuation, p.NumBits())), g.amounts(ctx, c.Success)); err != nil {
		return nil, err
	}
	for _, t := range o.Known {
		if err := g.remember(t, c); err != nil {
			return nil, err
		}
	}
	var err error
	for err == nil && !g.out.Proven && g.out.Reason == "" {
		if err = ctx.Err(); err == nil {
			err = g.episode(ctx, c)
		}
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		g.out.Reason, err = context.Cause(ctx).Error(), nil
	case errors.Is(err, simulator.ErrBudget):
		g.out.Reason, err = err.Error(), nil
	}
	if g.out.Start != nil {
		g.value(c)
		g.follow(c)
	}
	return g.out, err
}

// list makes the joint actions, from variable i on.
func (g *gambler) list(i int, val factored.Valuation) error {
	switch {
	case i == len(g.p.Variables):
		if g.joint = append(g.joint, slices.Clone(val)); len(g.joint) > mostJoint {
			return fmt.Errorf("there are more than %d joint actions; with chance, all of them are looked at in each state", mostJoint)
		}
		return nil
	case g.p.Variables[i].Kind != factored.Action:
		return g.list(i+1, val)
	}
	v := &g.p.Variables[i]
	for x := v.Lo; x <= v.Hi; x++ {
		if err := errors.Join(v.Set(val, x), g.list(i+1, val)); err != nil {
			return err
		}
	}
	return nil // the next value of an earlier one sets it anew
}

// amounts finds the least and the greatest reward of a step, whatever is learned.
func (g *gambler) amounts(ctx context.Context, success bool) error {
	if success {
		return nil
	}
	for _, sign := range []int64{1, -1} {
		q := g.p.Clone()
		q.Inputs, q.Outputs, q.Initial, q.Goal = nil, nil, nil, nil
		q.Reward.Terms = slices.Clone(q.Reward.Terms)
		q.Reward.Constant *= sign
		for i := range q.Reward.Terms {
			q.Reward.Terms[i].Weight *= sign
		}
		r, err := conflict.PB{}.Solve(ctx, engine.Query{Task: engine.Task{Problem: q}, MinHorizon: 1, MaxHorizon: 1}, g.o.Limits, nil)
		if err != nil {
			return err
		}
		if r.Bound == nil {
			return fmt.Errorf("nothing bounds the reward of a step; expected rules that allow one")
		}
		if g.most = q.Reward.Float(*r.Bound); sign > 0 {
			g.least = g.most
		}
	}
	g.least, g.most = -g.most, g.least
	return nil
}

// place is the number of a state; one in which the system or the problem saw a rule broken is another than the same without.
func (g *gambler) place(state factored.Valuation, broken bool) int {
	n := g.at(state)
	key := n.key
	if broken = broken || !n.legal; broken {
		key += "broken"
	}
	i, ok := g.places[key]
	if !ok {
		i = len(g.lots)
		l := &lot{node: n, broken: broken}
		for _, a := range g.joint {
			if !broken && validate.CheckPart(g.p, validate.Action, g.join(n.state, a)) == nil && g.sys.Allows(&simulator.Answer{State: n.state}, a) {
				l.pairs = append(l.pairs, &pair{action: a, next: firstLook, counts: make([]int, 1)})
			}
		}
		g.places[key], g.lots, g.stale = i, append(g.lots, l), true
	}
	return i
}

// remember takes a step that was observed before.
func (g *gambler) remember(t simulator.Transition, c Chance) error {
	l := g.lots[g.place(t.Now, false)]
	i := slices.IndexFunc(l.pairs, func(x *pair) bool { return t.Now.Key(g.actions) == x.action.Key(g.actions) })
	if i < 0 {
		return nil // the rules of now do not allow it
	}
	l.lasts = true
	return g.take(l, l.pairs[i], g.place(t.Next, false), c)
}

// episode follows the most optimistic policy from the start.
func (g *gambler) episode(ctx context.Context, c Chance) error {
	now, err := g.sys.Reset(ctx, nil)
	if err != nil {
		return err
	}
	at := g.place(now.State, now.Violation != nil)
	if g.out.Start == nil {
		if err := begins(g.p, g.states, now); err != nil {
			return err
		}
		g.start, g.out.Start = at, g.lots[at].state
	} else if at != g.start {
		return fmt.Errorf("%w: a reset leads to another state than the first", ErrSystem)
	}
	g.out.Resets++
	if err := g.lots[at].arrive(g.p, now.Terminal, g.o.Ends); err != nil {
		return err
	}
	if g.stale {
		g.value(c)
		if c.Narrowed != nil {
			err = c.Narrowed(g.out)
		}
		if g.out.Proven || err != nil {
			return err
		}
	}
	for left := g.o.Horizon; left > 0 && !g.over(at, c); left-- {
		if g.stale && len(g.lots) > len(g.upper[0]) {
			g.value(c) // of states that were never seen before
		}
		x := g.best(at, left, c)
		if x == nil {
			return nil
		}
		if g.o.Steps > 0 && g.out.Steps >= g.o.Steps {
			g.out.Reason = fmt.Sprintf("--steps: the limit of %d was reached", g.o.Steps)
			return nil
		}
		if now, at, err = g.step(ctx, now, at, x, c); err != nil {
			return err
		}
	}
	return nil
}

// over reports whether nothing is left to be done in a state.
func (g *gambler) over(at int, c Chance) bool {
	l := g.lots[at]
	return l.broken || l.ends || c.Success && l.goal
}

// step takes an action.
func (g *gambler) step(ctx context.Context, now *simulator.Answer, at int, x *pair, c Chance) (*simulator.Answer, int, error) {
	l := g.lots[at]
	a, err := g.sys.Step(ctx, now, g.join(l.state, x.action))
	if err != nil {
		return nil, 0, err
	}
	g.out.Steps++
	if a.State == nil {
		x.refused, g.stale = true, true
		return now, at, nil
	}
	if len(a.Outside) > 0 {
		return nil, 0, outside(a, g.out.Steps)
	}
	l.lasts = true
	next := g.place(a.State, a.Violation != nil)
	if err := errors.Join(g.take(l, x, next, c), g.lots[next].arrive(g.p, a.Terminal, g.o.Ends)); err != nil {
		return nil, 0, err
	}
	if a.Reward != nil && !g.o.OwnReward && !c.Success {
		err = unpaid(x.rewards[slices.Index(x.seen, next)], *a.Reward, g.out.Steps)
	}
	return a, next, err
}

// take counts an outcome.
func (g *gambler) take(l *lot, x *pair, next int, c Chance) error {
	i := slices.Index(x.seen, next)
	if i < 0 {
		reward := 0.0
		if !c.Success {
			scaled, ok := validate.StepReward(g.p, g.join(l.state, x.action), g.lots[next].state)
			if !ok {
				return errors.New("state, action and next state do not tell the reward of a step; expected --reward, or a goal whose probability counts")
			}
			reward = g.p.Reward.Float(scaled)
		}
		i = len(x.seen)
		x.seen, x.rewards = append(x.seen, next), append(x.rewards, reward)
		g.out.Rows, g.stale = g.out.Rows+1, true
	}
	if x.order == 0 {
		g.out.Pairs++
		x.order = g.out.Pairs
	}
	x.counts[min(i, len(x.counts)-1)]++
	x.taken++
	if x.n++; x.n == x.next {
		x.look(c.Doubt)
		g.stale = true
	}
	return nil
}

// look draws conclusions from the counts.
func (x *pair) look(doubt float64) {
	x.looks++
	m := len(x.counts) - 1
	if x.next += max(firstLook, x.n/4); m > 0 {
		share := doubt
		for _, i := range []int{x.order, x.times, x.looks} {
			share /= float64(i) * float64(i+1)
		}
		confidence := 1 - 2*share/float64(2*m+1)
		is := factored.Range{}
		for _, k := range x.counts[:m] {
			low, high := coverage.Interval(x.n, k, confidence)
			is.Low, is.High = append(is.Low, low), append(is.High, high)
		}
		_, is.Other = coverage.Interval(x.n, x.counts[m], confidence)
		if x.is.Low == nil || width(&is) < width(&x.is) {
			x.is = is
		}
	}
	if x.counts[m] > 0 {
		x.times++
		x.looks, x.n, x.next, x.counts = 0, 0, firstLook, make([]int, len(x.seen)+1)
	}
}

// width is how much of the probability is not settled.
func width(d *factored.Range) float64 {
	sum := d.Other
	for i := range d.Low {
		sum += d.High[i] - d.Low[i]
	}
	return sum
}

// value computes what states are worth, at least by some policy and at most by any, by backward induction.
func (g *gambler) value(c Chance) {
	g.lower, g.upper, g.tops, g.stale = nil, nil, map[[2]int][]*pair{}, false
	for left := range g.o.Horizon + 1 {
		low, up := make([]float64, len(g.lots)), make([]float64, len(g.lots))
		for i, l := range g.lots {
			switch {
			case c.Success && l.goal && !l.broken:
				low[i], up[i] = 1, 1
			case l.broken && !c.Success, !c.Success && left > 0 && !l.ends:
				low[i], up[i] = math.Inf(-1), math.Inf(-1)
			}
			for _, x := range l.pairs {
				if left > 0 && !g.over(i, c) && !x.refused {
					low[i] = max(low[i], g.worth(x, left, c, g.lower, 1))
					up[i] = max(up[i], g.worth(x, left, c, g.upper, -1))
				}
			}
		}
		g.lower, g.upper = append(g.lower, low), append(g.upper, up)
	}
	o := g.out
	o.States, o.Lower, o.Upper = len(g.lots), g.lower[g.o.Horizon][g.start], g.upper[g.o.Horizon][g.start]
	unit := 1.0
	if !c.Success {
		unit = max(1, math.Abs(o.Lower))
	}
	o.Proven = o.Upper-o.Lower <= c.Gap*unit+1e-9 || math.IsInf(o.Upper, -1)
}

// worth is that of an action with so many steps left, by the values after it: at least with the sign 1, at most with -1.
func (g *gambler) worth(x *pair, left int, c Chance, after [][]float64, sign float64) float64 {
	limit := 0.0 // of what was never seen
	switch {
	case c.Success && sign < 0:
		limit = 1
	case sign < 0:
		limit = g.most + max(0, g.most)*float64(left-1)
	case !c.Success:
		limit = g.least + min(0, g.least)*float64(left-1)
	}
	v := make([]float64, len(x.is.Low))
	for i, next := range x.seen {
		value := x.rewards[i] + after[left-1][next]
		if math.IsInf(value, -1) {
			return value // it may break a rule
		}
		if i < len(v) {
			v[i] = sign * value
		}
	}
	if len(v) == 0 {
		return limit
	}
	return sign * max(x.is.Least(v, sign*limit), sign*limit)
}

// best is the action that is worth most, if probabilities are the best ones, and of several the one that was taken least; nil if
// there is none.
func (g *gambler) best(at, left int, c Chance) (best *pair) {
	key := [2]int{left, at}
	top, ok := g.tops[key]
	if !ok {
		for _, x := range g.lots[at].pairs {
			if !math.IsInf(g.upper[left][at], -1) && !x.refused && g.worth(x, left, c, g.upper, -1) >= g.upper[left][at]-1e-12 {
				top = append(top, x)
			}
		}
		g.tops[key] = top
	}
	for _, x := range top {
		if !x.refused && (best == nil || x.taken < best.taken) {
			best = x
		}
	}
	return best
}

// follow lists what the policy does where it was seen to come: what is worth most at least, and of that what may be worth most.
func (g *gambler) follow(c Chance) {
	layer, met := []int{g.start}, map[int]bool{}
	for left := g.o.Horizon; left > 0; left-- {
		var next []int
		clear(met)
		for _, at := range layer {
			if g.over(at, c) {
				continue
			}
			var best *pair
			low, up := math.Inf(-1), math.Inf(-1)
			for _, x := range g.lots[at].pairs {
				if x.refused {
					continue
				}
				l, u := g.worth(x, left, c, g.lower, 1), g.worth(x, left, c, g.upper, -1)
				if l > low+1e-12 || l > low-1e-12 && u > up+1e-12 {
					best, low, up = x, l, u
				}
			}
			if best == nil {
				continue
			}
			g.out.Policy = append(g.out.Policy, Choice{g.o.Horizon - left + 1, g.join(g.lots[at].state, best.action)})
			for _, n := range best.seen {
				if !met[n] {
					met[n] = true
					next = append(next, n)
				}
			}
		}
		layer = next
	}
}
