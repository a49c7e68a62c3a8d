package decision

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Learned is the decision process of a learned model. It belongs to one goroutine.
type Learned struct {
	p       *factored.Problem // without a network
	t       *chance.Transition
	plain   bool // constraints and reward can be evaluated one by one: there are no auxiliary variables
	fields  []part
	words   int
	start   []uint64
	actions []factored.Valuation
	now     factored.Valuation
	next    factored.Valuation
	packed  []uint64
	broken  []uint64
}

// part is where a packed state has a variable.
type part struct {
	variable int
	word     int
	shift    uint
	mask     uint64
}

// maxActions bounds the joint actions that are tried in a state.
const maxActions = 1 << 14

// NewLearned makes the process of a transition of p, a problem without a network. start has the states in which runs
// begin.
func NewLearned(p *factored.Problem, t *chance.Transition, start factored.Valuation) (*Learned, error) {
	l := &Learned{p: p, t: t, words: 1, now: make(factored.Valuation, p.NumBits()), next: make(factored.Valuation, p.NumBits())}
	l.plain = !mentionsAuxiliary(p)
	used := uint(1) // the first bit tells a state with a value that its variable does not have
	joint := int64(1)
	for i := range p.Variables {
		v := &p.Variables[i]
		n := v.Hi - v.Lo + 1
		if v.Kind == factored.Action {
			if joint *= n; n <= 0 || joint > maxActions {
				return nil, fmt.Errorf("there are more than %d joint actions; a policy tries all of them in each state", maxActions)
			}
		}
		if v.Kind != factored.State {
			continue
		}
		width := uint(bits.Len64(uint64(n - 1)))
		if used+width > 64 {
			l.words++
			used = 0
		}
		l.fields = append(l.fields, part{i, l.words - 1, used, 1<<width - 1})
		used += width
	}
	l.packed, l.broken = make([]uint64, l.words), make([]uint64, l.words)
	l.broken[0] = 1
	l.pack(l.packed, start)
	l.start = append(l.start, l.packed...)
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

// Words implements policy.Process.
func (l *Learned) Words() int { return l.words }

// MostStates implements policy.Bounded.
func (l *Learned) MostStates() float64 {
	n := 1.0
	for _, f := range l.fields {
		v := &l.p.Variables[f.variable]
		n *= float64(v.Hi - v.Lo + 1)
	}
	return n
}

// Start implements policy.Process.
func (l *Learned) Start(state []uint64) { copy(state, l.start) }

func (l *Learned) pack(out []uint64, val factored.Valuation) {
	clear(out)
	for _, f := range l.fields {
		v := &l.p.Variables[f.variable]
		out[f.word] |= uint64(v.Value(val)-v.Lo) & f.mask << f.shift
	}
}

// Unpack sets the states in a valuation.
func (l *Learned) Unpack(val factored.Valuation, state []uint64) error {
	for _, f := range l.fields {
		v := &l.p.Variables[f.variable]
		if err := v.Set(val, v.Lo+int64(state[f.word]>>f.shift&f.mask)); err != nil {
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
		l.pack(l.packed, l.next)
		r.next = append([]uint64(nil), l.packed...)
	}
	return append(all, r), true, nil
}
