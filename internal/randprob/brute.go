package randprob

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// BruteForce finds the best scaled reward over the horizon by enumerating all states,
// actions, auxiliary values and next states of every step; feasible is false if nothing
// satisfies the constraints. It stores the best reward from each state on, which is exact
// because constraints connect at most two steps. It needs few bits: time grows with
// 2^(2*state+action+auxiliary bits).
func BruteForce(p *factored.Problem, net *bnn.Network, horizon int) (reward int64, feasible bool) {
	b := newBrute(p, net)
	after := b.last()
	for t := horizon; t >= 1; t-- {
		after = b.step(t, after)
	}
	for _, v := range after {
		if v.feasible && (!feasible || v.reward > reward) {
			reward, feasible = v.reward, true
		}
	}
	return reward, feasible
}

// Replay evaluates valuations of steps 1..H+1, including auxiliary bits, and returns their
// scaled reward, or an error that names what they violate.
func Replay(p *factored.Problem, net *bnn.Network, steps []factored.Valuation) (int64, error) {
	b := newBrute(p, net)
	last := len(steps) - 1
	if !all(p.Initial, steps[0], nil) {
		return 0, errors.New("an initial constraint fails")
	}
	if !all(p.Goal, steps[last], nil) {
		return 0, errors.New("a goal fails")
	}
	var reward int64
	for t, now := range steps {
		if !b.globals(now, t == last) {
			return 0, fmt.Errorf("a global constraint fails at step %d", t+1)
		}
		if t == last {
			break
		}
		if !all(p.Transition, now, steps[t+1]) {
			return 0, fmt.Errorf("a transition fails at step %d", t+1)
		}
		if !b.agrees(b.predict(now), steps[t+1]) {
			return 0, fmt.Errorf("the network says otherwise at step %d", t+1)
		}
		reward += b.p.Reward.StepReward(now, steps[t+1])
	}
	return reward, nil
}

// value is the best reward from a state on.
type value struct {
	reward   int64
	feasible bool
}

type brute struct {
	p                    *factored.Problem
	net                  *bnn.Network
	states, actions, aux []factored.Bit
	known                map[[2]int][]edge // by state and action; those of the first step with ^action
}

func newBrute(p *factored.Problem, net *bnn.Network) *brute {
	return &brute{p, net, p.Bits(factored.State), p.Bits(factored.Action), p.Bits(factored.Auxiliary), map[[2]int][]edge{}}
}

// edge is a legal step with its best reward over the auxiliary bits.
type edge struct {
	to     int
	reward int64
}

// set writes the bits of number into the valuation.
func set(val []bool, bits []factored.Bit, number int) {
	for i, b := range bits {
		val[b] = number>>i&1 == 1
	}
}

// last evaluates the states of step H+1: goals, and the global constraints without an action.
func (b *brute) last() []value {
	out := make([]value, 1<<len(b.states))
	val := make([]bool, b.p.NumBits())
	for s := range out {
		set(val, b.states, s)
		for u := range 1 << len(b.aux) {
			set(val, b.aux, u)
			if b.globals(val, true) && all(b.p.Goal, val, nil) {
				out[s].feasible = true
			}
		}
	}
	return out
}

// step computes the values of the states of step t from those of step t+1.
func (b *brute) step(t int, after []value) []value {
	out := make([]value, 1<<len(b.states))
	for s := range out {
		for a := range 1 << len(b.actions) {
			for _, e := range b.successors(s, a, t == 1) {
				v := after[e.to]
				if r := v.reward + e.reward; v.feasible && (!out[s].feasible || r > out[s].reward) {
					out[s] = value{r, true}
				}
			}
		}
	}
	return out
}

// successors lists the successors of a state under a joint action, at the first step or a later one.
func (b *brute) successors(s, a int, first bool) []edge {
	key := [2]int{s, a}
	if first {
		key[1] = ^a
	}
	if f, ok := b.known[key]; ok {
		return f
	}
	now, next := make([]bool, b.p.NumBits()), make([]bool, b.p.NumBits())
	set(now, b.states, s)
	set(now, b.actions, a)
	learned := b.predict(now)
	best := map[int]int64{}
	for u := range 1 << len(b.aux) {
		set(now, b.aux, u)
		if !b.globals(now, false) || first && !all(b.p.Initial, now, nil) {
			continue
		}
		for to := range 1 << len(b.states) {
			set(next, b.states, to)
			if !b.agrees(learned, next) || !all(b.p.Transition, now, next) {
				continue
			}
			r := b.p.Reward.StepReward(now, next)
			if old, ok := best[to]; !ok || r > old {
				best[to] = r
			}
		}
	}
	f := []edge{}
	for to := range 1 << len(b.states) {
		if r, ok := best[to]; ok {
			f = append(f, edge{to, r})
		}
	}
	b.known[key] = f
	return f
}

// globals evaluates the global constraints; at the last step those with an action do not
// apply.
func (b *brute) globals(val []bool, lastStep bool) bool {
	for i := range b.p.Global {
		if c := &b.p.Global[i]; !(lastStep && b.p.HasAction(c)) && !c.Holds(val, nil) {
			return false
		}
	}
	return true
}

func all(cs []factored.Constraint, now, next []bool) bool {
	return !slices.ContainsFunc(cs, func(c factored.Constraint) bool { return !c.Holds(now, next) })
}

// predict evaluates the network unit by unit.
func (b *brute) predict(now []bool) []bool {
	if b.net == nil {
		return nil
	}
	var in []bool
	for _, bit := range b.p.Inputs {
		in = append(in, now[bit])
	}
	for i := range b.net.Layers {
		l := &b.net.Layers[i]
		out := make([]bool, len(l.Thresholds))
		for j := range out {
			agree := int32(0)
			for k, x := range in {
				if w := l.Weights[j*l.Inputs+k]; w == 1 && x || w == -1 && !x {
					agree++
				}
			}
			out[j] = agree >= l.Thresholds[j]
		}
		in = out
	}
	return in
}

func (b *brute) agrees(learned, next []bool) bool {
	for i, x := range learned {
		if next[b.p.Outputs[i]] != x {
			return false
		}
	}
	return true
}
