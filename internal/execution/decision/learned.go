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
	plain bool // constraints can be evaluated one by one: they are about no auxiliary variables, or say what they were written as
	paid  []*payment
	rules rules
	// follows reports whether rules or payments depend on what follows.
	follows bool
	to      spread
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
	l.plain = !asksAuxiliary(p)
	if l.paid = payments(p); slices.ContainsFunc(l.paid, func(x *payment) bool { return x.readsAuxiliary() }) {
		l.paid = nil
	}
	l.rules = rulesOf(p)
	l.follows = !l.plain || l.paid == nil || l.rules.after < len(l.rules.all) || slices.ContainsFunc(l.paid, func(x *payment) bool { return len(x.next) > 0 })
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

// asksAuxiliary reports whether a constraint asks for something of auxiliary bits, and does not say what it was written as.
func asksAuxiliary(p *factored.Problem) bool {
	for _, cs := range [][]factored.Constraint{p.Global, p.Goal, p.Transition} {
		for i := range cs {
			if cs[i].Defines || cs[i].Written != nil {
				continue
			}
			if slices.ContainsFunc(cs[i].Terms, func(t factored.Term) bool { return p.Kind(t.Lit.Bit) == factored.Auxiliary }) {
				return true
			}
		}
	}
	return false
}

// holds evaluates a condition on a step, or on a state where next is nil. It needs no auxiliary variables where asksAuxiliary is false.
func holds(c *factored.Constraint, now, next factored.Valuation) bool {
	switch {
	case c.Defines:
		return true
	case c.Written != nil:
		return c.Written.Holds(now, next)
	}
	return c.Holds(now, next)
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
		if c := &l.p.Global[i]; !l.p.HasAction(c) && !hasNext(c) && !holds(c, l.now, nil) {
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
		if !holds(&l.p.Goal[i], l.now, nil) {
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

// rules are the constraints on steps, apart from definitions: those on what follows come last, from after on.
type rules struct {
	all   []*factored.Constraint
	after int
}

func rulesOf(p *factored.Problem) (r rules) {
	var last []*factored.Constraint
	for _, cs := range [][]factored.Constraint{p.Global, p.Transition} {
		for i := range cs {
			switch c := &cs[i]; {
			case c.Defines:
			case readsNext(c):
				last = append(last, c)
			default:
				r.all = append(r.all, c)
			}
		}
	}
	r.after = len(r.all)
	r.all = append(r.all, last...)
	return r
}

// readsNext reports whether a constraint is about what follows.
func readsNext(c *factored.Constraint) (next bool) {
	if c.Written != nil {
		c.Written.Reads(func(_ *factored.Variable, then bool) { next = next || then })
	}
	return next || hasNext(c)
}

// legal reports whether some of the rules hold in the step from now to next.
func (l *Learned) legal(rules []*factored.Constraint) bool {
	return !slices.ContainsFunc(rules, func(c *factored.Constraint) bool { return !holds(c, l.now, l.next) })
}

// pay sums up the payments that depend on what follows, or those that do not.
func (l *Learned) pay(after bool) (sum int64) {
	for _, x := range l.paid {
		if len(x.next) > 0 == after {
			sum += x.of(l.now, l.next)
		}
	}
	return sum
}

// result is an outcome of an action.
type result struct {
	p        float64
	reward   int64 // in the scale of the problem
	unlikely int
	broken   bool // a value is not in its range
}

// drawn is what is drawn in a step, with packed values.
type drawn struct {
	*factored.Draw
	p    []float64
	bits []uint64 // of each row
}

// spread is what an action leads to in a state.
type spread struct {
	draws   []drawn
	packed  []uint64 // the values of the draws before each
	results []result
	states  []uint64 // packed, of each result
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
		if l.plain && !l.legal(l.rules.all[:l.rules.after]) {
			continue
		}
		if err := l.prepare(); err != nil {
			return err
		}
		legal, err := l.results(0, result{p: 1, reward: l.pay(false)})
		if err != nil {
			return err
		}
		if !legal {
			continue
		}
		x.Action(uint32(id))
		for i, r := range l.to.results {
			next := l.to.states[i*l.words : (i+1)*l.words]
			if err := x.Outcome(r.p, float64(r.reward)/float64(l.p.Reward.Scale), r.unlikely, next); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepare makes ready what is drawn in the state with the action of now.
func (l *Learned) prepare() error {
	draws, err := l.t.Draws(l.now)
	if err != nil {
		return err
	}
	to := &l.to
	to.draws, to.results, to.states = to.draws[:0], to.results[:0], to.states[:0]
	for _, d := range draws {
		x := drawn{Draw: d, p: make([]float64, len(d.Values)), bits: make([]uint64, len(d.Values)*l.words)}
		for i, row := range d.Values {
			x.p[i], _ = d.Probability[i].Float64()
			for j, v := range d.Variables[:len(row)] {
				if !l.fields[l.place[v]].put(x.bits[i*l.words:], row[j]) {
					return fmt.Errorf("the next value %d of %s is outside its range", row[j], l.p.Variables[v].Name)
				}
			}
		}
		to.draws = append(to.draws, x)
	}
	to.packed = slices.Grow(to.packed[:0], (len(draws)+1)*l.words)[:(len(draws)+1)*l.words]
	clear(to.packed[:l.words])
	return nil
}

// results adds the outcomes of the draws from one on, after what those before gave; legal is false if one of them breaks a rule.
func (l *Learned) results(draw int, r result) (legal bool, err error) {
	to := &l.to
	packed := to.packed[draw*l.words : (draw+1)*l.words]
	if draw == len(to.draws) {
		return l.result(packed, r)
	}
	d := &to.draws[draw]
	for i, row := range d.Values {
		for w, b := range d.bits[i*l.words : (i+1)*l.words] {
			to.packed[(draw+1)*l.words+w] = packed[w] | b
		}
		if l.follows {
			for j, v := range d.Variables[:len(row)] {
				if err := l.p.Variables[v].Set(l.next, row[j]); err != nil {
					return false, err
				}
			}
		}
		next := result{r.p * d.p[i], r.reward, r.unlikely + d.Disturbances[i], r.broken || row == nil}
		if legal, err := l.results(draw+1, next); !legal || err != nil {
			return false, err
		}
	}
	return true, nil
}

// result adds one outcome.
func (l *Learned) result(packed []uint64, r result) (legal bool, err error) {
	to := &l.to
	switch {
	case r.broken:
		r.reward, packed = 0, l.broken
	case l.plain && !l.legal(l.rules.all[l.rules.after:]):
		return false, nil
	case !l.plain:
		if f, err := validate.CheckStep(l.p, nil, l.now, l.next); f != nil || err != nil {
			return false, err
		}
	}
	switch {
	case r.broken:
	case l.paid == nil:
		r.reward, _ = validate.StepReward(l.p, l.now, l.next)
	case l.follows:
		r.reward += l.pay(true)
	}
	to.results, to.states = append(to.results, r), append(to.states, packed...)
	return true, nil
}
