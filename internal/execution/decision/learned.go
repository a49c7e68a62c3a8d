package decision

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Learned is the decision process of a learned model. It belongs to one goroutine.
type Learned struct {
	p     *factored.Problem // without a network
	t     *chance.Transition
	plain bool // constraints and reward can be evaluated one by one: there are no auxiliary variables
	layout
	actions []factored.Valuation
	now     factored.Valuation
	next    factored.Valuation
}

// maxActions bounds the joint actions that are tried in a state.
const maxActions = 1 << 14

// NewLearned makes the process of a transition of p, a problem without a network. start has the states in which runs
// begin.
func NewLearned(p *factored.Problem, t *chance.Transition, start factored.Valuation) (*Learned, error) {
	l := &Learned{p: p, t: t, now: make(factored.Valuation, p.NumBits()), next: make(factored.Valuation, p.NumBits())}
	l.plain = !mentionsAuxiliary(p)
	joint, states := int64(1), []int(nil)
	for i := range p.Variables {
		v := &p.Variables[i]
		n := v.Hi - v.Lo + 1
		if v.Kind == factored.Action {
			if joint *= n; n <= 0 || joint > maxActions {
				return nil, fmt.Errorf("there are more than %d joint actions; a policy tries all of them in each state", maxActions)
			}
		}
		if v.Kind == factored.State {
			states = append(states, i)
		}
	}
	l.layout = newLayout(states, func(i int) *factored.Variable { return &p.Variables[i] })
	var err error
	if l.start, err = l.Pack(start); err != nil {
		return nil, err
	}
	return l, l.list(0, make(factored.Valuation, p.NumBits()))
}

// mentionsAuxiliary reports whether a constraint or the reward is on auxiliary bits.
func mentionsAuxiliary(p *factored.Problem) bool {
	for _, cs := range [][]factored.Constraint{p.Initial, p.Global, p.Goal, p.Transition} {
		for i := range cs {
			for _, t := range cs[i].Terms {
				if p.Kind(t.Lit.Bit) == factored.Auxiliary {
					return true
				}
			}
		}
	}
	return slices.ContainsFunc(p.Reward.Terms, func(r factored.RewardTerm) bool { return p.Kind(r.Lit.Bit) == factored.Auxiliary })
}

// list makes the joint actions, from variable k on.
func (l *Learned) list(k int, val factored.Valuation) error {
	if k == len(l.p.Variables) {
		l.actions = append(l.actions, append(factored.Valuation(nil), val...))
		return nil
	}
	v := &l.p.Variables[k]
	if v.Kind != factored.Action {
		return l.list(k+1, val)
	}
	for x := v.Lo; x <= v.Hi; x++ {
		if err := v.Set(val, x); err != nil {
			return err
		}
		if err := l.list(k+1, val); err != nil {
			return err
		}
	}
	return nil
}

// Action sets the actions in a valuation to those of a joint action.
func (l *Learned) Action(val factored.Valuation, id uint32) error {
	for _, b := range l.p.Bits(factored.Action) {
		val[b] = l.actions[id][b]
	}
	return nil
}

// Kind implements policy.Process.
func (l *Learned) Kind(state []uint64) (k policy.Kind, err error) {
	if state[0]&1 == 1 {
		return policy.Broken, nil
	}
	clear(l.now)
	if err := l.Unpack(l.now, state); err != nil {
		return 0, err
	}
	if !l.state() {
		return policy.Broken, nil
	}
	ends, err := l.t.Ends(l.now)
	if ends {
		k = policy.End
	}
	if len(l.p.Goal) > 0 && l.goal() {
		k |= policy.Goal
	}
	return k, err
}

// state reports whether the rules about states hold.
func (l *Learned) state() bool {
	if !l.plain {
		return validate.CheckPart(l.p, validate.State, l.now) == nil
	}
	for i := range l.p.Global {
		if c := &l.p.Global[i]; !l.p.HasAction(c) && !hasNext(c) && !c.Holds(l.now, nil) {
			return false
		}
	}
	return true
}

func (l *Learned) goal() bool {
	if !l.plain {
		return validate.CheckPart(l.p, validate.Goal, l.now) == nil
	}
	for i := range l.p.Goal {
		if !l.p.Goal[i].Holds(l.now, nil) {
			return false
		}
	}
	return true
}

func hasNext(c *factored.Constraint) bool {
	for _, t := range c.Terms {
		if t.Lit.Next {
			return true
		}
	}
	return false
}

// legal reports whether a step keeps the rules, those about the next state alone apart.
func (l *Learned) legal() (bool, error) {
	if !l.plain {
		f, err := validate.CheckStep(l.p, nil, l.now, l.next)
		return f == nil, err
	}
	for _, cs := range [][]factored.Constraint{l.p.Global, l.p.Transition} {
		for i := range cs {
			if !cs[i].Holds(l.now, l.next) {
				return false, nil
			}
		}
	}
	return true, nil
}

// reward is that of a step.
func (l *Learned) reward() float64 {
	sum := int64(0)
	if l.plain {
		sum = l.p.Reward.StepReward(l.now, l.next)
	} else {
		sum, _ = validate.StepReward(l.p, l.now, l.next)
	}
	return float64(sum) / float64(l.p.Reward.Scale)
}

// result is one outcome of an action.
type result struct {
	p, reward float64
	unlikely  int
	next      []uint64
}

// Expand implements policy.Process.
func (l *Learned) Expand(state []uint64, x *policy.Expansion) error {
	clear(l.now)
	if err := l.Unpack(l.now, state); err != nil {
		return err
	}
	for id := range l.actions {
		if err := l.Action(l.now, uint32(id)); err != nil {
			return err
		}
		draws, err := l.t.Draws(l.now)
		if err != nil {
			return err
		}
		results, legal, err := l.results(nil, draws, result{p: 1})
		if err != nil {
			return err
		}
		if !legal {
			continue
		}
		x.Action(uint32(id))
		for _, r := range results {
			x.Outcome(r.p, r.reward, r.unlikely, r.next)
		}
	}
	return nil
}

// results adds the outcomes of draws to those before; legal is false if one of them breaks a rule of the step.
func (l *Learned) results(all []result, draws []*factored.Draw, r result) (_ []result, legal bool, err error) {
	if len(draws) > 0 {
		d := draws[0]
		for i, row := range d.Values {
			if row == nil {
				r.next = l.broken
			}
			for j, v := range d.Variables[:len(row)] {
				if err := l.p.Variables[v].Set(l.next, row[j]); err != nil {
					return nil, false, err
				}
			}
			f, _ := d.Probability[i].Float64()
			var ok bool
			if all, ok, err = l.results(all, draws[1:], result{p: r.p * f, unlikely: r.unlikely + d.Disturbances[i], next: r.next}); !ok || err != nil {
				return nil, false, err
			}
			if row == nil {
				r.next = nil
			}
		}
		return all, true, nil
	}
	if r.next == nil {
		if legal, err := l.legal(); !legal || err != nil {
			return nil, false, err
		}
		r.reward = l.reward()
		if r.next, err = l.Pack(l.next); err != nil {
			return nil, false, err
		}
	}
	return append(all, r), true, nil
}
