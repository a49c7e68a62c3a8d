// Package validate is the independent checker. It replays a plan against the definition of
// the problem, the tuple <S, A, C, T, I, G, R> and the network, and shares no code with the
// models or the engines. It is written to be easy to read and verify rather than fast:
// constraints are evaluated directly, and the network unit by unit from its weights.
package validate

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Plan is the input of the checker: a joint action for each step and, if known, the visited
// states.
type Plan struct {
	// Actions contains the action bits of steps 1..H.
	Actions []factored.Valuation
	// States contains the state bits of steps 1..H+1, or is nil. If nil, the states follow
	// from the initial state, and the plan is valid if the constraints allow any run.
	States []factored.Valuation
}

// FromTrace returns the plan of a trace, with its states.
func FromTrace(t *factored.Trace) Plan {
	return Plan{Actions: t.Steps[:t.Horizon()], States: t.Steps}
}

// Value is a variable and its value, for a report; Next is set for a variable of the
// following step.
type Value struct {
	Name  string
	Next  bool
	Value int64
	Bool  bool
	Shown string // the value as people read it: 3, true, left, 200–400 kg
}

func (v Value) String() string {
	name := v.Name
	if v.Next {
		name += "'"
	}
	return name + "=" + v.Shown
}

// Failure describes what is wrong with a plan.
type Failure struct {
	Step   int     // 1..H+1
	Group  string  // initial, global, transition, goal, network or reward
	What   string  // the constraint, or the output of the network
	Words  string  // the constraint in plain English; "" for the network
	Origin string  // where the constraint comes from; "" for the network
	Values []Value // of the variables that the constraint mentions
}

func (f *Failure) Error() string {
	s := fmt.Sprintf("step %d: the %s constraint %s fails", f.Step, f.Group, f.What)
	if f.Group == "network" {
		s = fmt.Sprintf("step %d: %s", f.Step, f.What)
	}
	if f.Origin != "" {
		s += fmt.Sprintf(" (%s)", f.Origin)
	}
	for i, v := range f.Values {
		sep := ", "
		if i == 0 {
			sep = "; "
		}
		s += sep + v.String()
	}
	return s
}

// Report is the verdict on a plan.
type Report struct {
	Valid   bool
	Failure *Failure        // of an invalid plan: the fault of the run that got furthest
	Trace   *factored.Trace // of a valid plan: the run that was found
	Reward  int64           // of that run, in the scale of the problem
}

// Check replays plan. An error means malformed input; an invalid plan is not an error.
func Check(p *factored.Problem, net *bnn.Network, plan Plan) (*Report, error) {
	if (net == nil) != (len(p.Outputs) == 0) {
		return nil, fmt.Errorf("the problem has %d learned bits but the network is %v", len(p.Outputs), net)
	}
	if len(plan.Actions) == 0 {
		return nil, fmt.Errorf("the plan has no step")
	}
	if plan.States != nil && len(plan.States) != len(plan.Actions)+1 {
		return nil, fmt.Errorf("the trace has %d states; a plan of %d steps passes %d", len(plan.States), len(plan.Actions), len(plan.Actions)+1)
	}
	if plan.States == nil && len(plan.Actions) > maxDepth {
		return nil, fmt.Errorf("the plan has %d steps and no trace; without a trace at most %d are checked", len(plan.Actions), maxDepth)
	}
	c := &checker{p: p, net: net, plan: plan, dead: map[string]bool{}}
	c.sort()
	tr := &factored.Trace{Steps: make([]factored.Valuation, len(plan.Actions)+1)}
	if c.first(tr) {
		rep := &Report{Valid: true, Trace: tr}
		for _, r := range c.rewards {
			rep.Reward += r
		}
		return rep, nil
	}
	return &Report{Failure: c.failure}, nil
}

// maxDepth bounds the steps of a plan without states, which are searched depth first.
const maxDepth = 100_000

// grouped is a constraint with the name of its group.
type grouped struct {
	*factored.Constraint
	group string
}

// checker searches the steps depth first. It tries both values of a bit that neither the
// trace, nor the network, nor the constraints determine.
type checker struct {
	p       *factored.Problem
	net     *bnn.Network
	plan    Plan
	initial []grouped // I, and C without actions, over step 1
	step    []grouped // C and T, over steps t and t+1
	last    []grouped // G, and C without actions, over step H+1
	failure *Failure
	dead    map[string]bool // "step:state" from which no run was found
	rewards []int64
	paid    []slot // see rewarded
	// mentions are those of the lists that were solved, by their first constraints.
	mentions map[*grouped]*mentions
}

func (c *checker) sort() {
	for i := range c.p.Initial {
		c.initial = append(c.initial, grouped{&c.p.Initial[i], "initial"})
	}
	for i := range c.p.Goal {
		c.last = append(c.last, grouped{&c.p.Goal[i], "goal"})
	}
	for i := range c.p.Global {
		g := grouped{&c.p.Global[i], "global"}
		c.step = append(c.step, g)
		if !c.p.HasAction(g.Constraint) {
			c.initial = append(c.initial, g)
			c.last = append(c.last, g)
		}
	}
	for i := range c.p.Transition {
		c.step = append(c.step, grouped{&c.p.Transition[i], "transition"})
	}
}

// first tries every initial state that the plan and I allow.
func (c *checker) first(tr *factored.Trace) bool {
	q := newQuestion(c.p, 1)
	var open []slot
	for _, b := range c.p.Bits(factored.State) {
		if c.plan.States != nil {
			q.set(slot{bit: b}, c.plan.States[0][b])
		} else {
			open = append(open, slot{bit: b})
		}
	}
	aux := slots(c.p, factored.Auxiliary, false)
	return c.solve(q, c.initial, open, func() bool {
		return c.completable(q, c.initial, aux) && c.from(1, q.valuation(false), tr)
	})
}

// from runs the plan from state at step t.
func (c *checker) from(t int, state factored.Valuation, tr *factored.Trace) bool {
	if c.plan.States != nil { // every step is checked on its own
		for ; t <= len(c.plan.States); t++ {
			if !c.tryFrom(t, c.plan.States[t-1], tr) {
				return false
			}
		}
		return true
	}
	key := fmt.Sprint(t, ":", state)
	if c.dead[key] {
		return false
	}
	ok := c.tryFrom(t, state, tr)
	if !ok {
		c.dead[key] = true
	}
	return ok
}

// tryFrom checks step t and, if the states are not given, the steps after it.
func (c *checker) tryFrom(t int, state factored.Valuation, tr *factored.Trace) bool {
	q := newQuestion(c.p, t)
	for _, b := range c.p.Bits(factored.State) {
		q.set(slot{bit: b}, state[b])
	}
	aux := slots(c.p, factored.Auxiliary, false)
	if t == len(c.plan.Actions)+1 {
		return c.solve(q, c.last, aux, func() bool {
			tr.Steps[t-1] = c.shown(q.valuation(false))
			return true
		})
	}
	for _, b := range c.p.Bits(factored.Action) {
		q.set(slot{bit: b}, c.plan.Actions[t-1][b])
	}
	c.network(q)
	c.functions(q)
	var open []slot
	for _, s := range slots(c.p, factored.State, true) {
		switch {
		case c.plan.States != nil && !c.agree(t, q, s):
			return false
		case q.get(s) == unknown:
			open = append(open, s)
		}
	}
	// Auxiliary bits come last and only need some value: their choice cannot make a later
	// step fail.
	return c.solve(q, c.step, open, func() bool {
		now, then := q.valuation(false), q.valuation(true)
		reward, ok := c.complete(q, aux, then)
		if !ok || c.plan.States == nil && !c.from(t+1, then, tr) {
			return false
		}
		c.rewards = append(c.rewards, reward)
		tr.Steps[t-1] = c.shown(now)
		return true
	})
}

// shown returns a valuation as a trace has it, without auxiliary bits.
func (c *checker) shown(v factored.Valuation) factored.Valuation {
	for _, b := range c.p.Bits(factored.Auxiliary) {
		v[b] = false
	}
	return v
}

// completable reports whether some values of the auxiliary bits satisfy cs.
func (c *checker) completable(q *question, cs []grouped, aux []slot) bool {
	mark := len(q.log)
	ok := c.solve(q, cs, aux, func() bool { return true })
	q.back(mark)
	return ok
}

// complete returns the reward of a step whose states and action are known. If auxiliary bits
// have a reward, it is the best over their values.
func (c *checker) complete(q *question, aux []slot, then factored.Valuation) (reward int64, ok bool) {
	paid := c.rewarded()
	mark := len(q.log)
	c.solve(q, c.step, paid, func() bool {
		if c.completable(q, c.step, aux) {
			r := c.p.Reward.StepReward(q.valuation(false), then)
			if !ok || r > reward {
				reward, ok = r, true
			}
		}
		return ok && len(paid) == 0
	})
	q.back(mark)
	return reward, ok && c.pays(q, then, reward)
}

// pays reports whether the reward of a step is that of the expression that it was written as.
func (c *checker) pays(q *question, then factored.Valuation, reward int64) bool {
	w := c.p.Reward.Written
	if w == nil {
		return true
	}
	worth := w.Worth(q.valuation(false), then)
	if worth != nil && worth.Cmp(big.NewRat(reward, max(1, c.p.Reward.Scale))) == 0 {
		return true
	}
	if c.further(q.t) {
		c.failure = &Failure{Step: q.t, Group: "reward", What: fmt.Sprintf("%s, which is not the sum of its terms, %v", w, c.p.Reward.Float(reward))}
	}
	return false
}

// rewarded lists the auxiliary bits that have a reward.
func (c *checker) rewarded() []slot {
	if c.paid == nil {
		c.paid = []slot{}
		for _, r := range c.p.Reward.Terms {
			if s := (slot{bit: r.Lit.Bit}); c.p.Kind(r.Lit.Bit) == factored.Auxiliary && !slices.Contains(c.paid, s) {
				c.paid = append(c.paid, s)
			}
		}
	}
	return c.paid
}

// StepReward returns the reward of a step whose states and action are known. It is false if that
// depends on auxiliary bits that these do not determine.
func StepReward(p *factored.Problem, now, next factored.Valuation) (reward int64, ok bool) {
	c := &checker{p: p}
	paid := c.rewarded()
	if len(paid) == 0 {
		return p.Reward.StepReward(now, next), true
	}
	for _, part := range []struct {
		name string
		of   []factored.Constraint
	}{{"global", p.Global}, {"transition", p.Transition}} {
		for i := range part.of {
			if part.of[i].Defines {
				c.step = append(c.step, grouped{&part.of[i], part.name})
			}
		}
	}
	q := newQuestion(p, 0)
	for _, k := range []factored.Kind{factored.State, factored.Action} {
		for _, b := range p.Bits(k) {
			q.set(slot{bit: b}, now[b])
		}
	}
	for _, b := range p.Bits(factored.State) {
		q.set(slot{b, true}, next[b])
	}
	several := false
	c.solve(q, c.step, paid, func() bool {
		r := p.Reward.StepReward(q.valuation(false), next)
		several = ok && r != reward
		reward, ok = r, true
		return several
	})
	return reward, ok && !several
}

// agree sets a next-state bit to the trace's value, unless the network determined another.
func (c *checker) agree(t int, q *question, s slot) bool {
	v := c.plan.States[t][s.bit]
	if was := q.get(s); was != unknown && was != truth(v) {
		owner, _ := c.p.Owner(s.bit)
		if c.further(t) {
			c.failure = &Failure{Step: t, Group: "network", What: c.disagreement(t, q, s), Values: q.values([]factored.Term{{Lit: factored.Lit{Bit: owner.First}}})}
		}
		return false
	}
	q.set(s, v)
	return true
}

// disagreement describes a next-state bit for which the network and the trace differ, by the
// values of its variable if the network determines all of it.
func (c *checker) disagreement(t int, q *question, s slot) string {
	const text = "the network computes %s' = %v, the trace has %v"
	v, _ := c.p.Owner(s.bit)
	for i := range v.Width {
		if b := v.First + factored.Bit(i); q.get(slot{b, true}) == unknown || !slices.Contains(c.p.Outputs, b) {
			return fmt.Sprintf("the network computes that %s is %v, the trace has %v", c.p.Condition(factored.Lit{Bit: s.bit, Next: true}), q.get(s) == yes, q.get(s) != yes)
		}
	}
	return fmt.Sprintf(text, v.Name, v.Show(v.Value(q.valuation(true))), v.Show(v.Value(c.plan.States[t])))
}

// further reports whether a failure at step t is that of the run that got furthest.
func (c *checker) further(t int) bool { return c.failure == nil || t > c.failure.Step }

// network evaluates the learned transition from its definition: a unit is
// active when at least its threshold of inputs agree with their weights.
func (c *checker) network(q *question) {
	if c.net == nil {
		return
	}
	in := make([]bool, len(c.p.Inputs))
	for i, b := range c.p.Inputs {
		in[i] = q.get(slot{bit: b}) == yes
	}
	for l := range c.net.Layers {
		layer := &c.net.Layers[l]
		out := make([]bool, layer.Units())
		for j := range out {
			agree := int32(0)
			for i, w := range layer.Row(j) {
				if w > 0 && in[i] || w < 0 && !in[i] {
					agree++
				}
			}
			out[j] = agree >= layer.Thresholds[j]
		}
		in = out
	}
	for j, b := range c.p.Outputs {
		q.set(slot{bit: b, next: true}, in[j])
	}
}

// CheckStep checks a single step: that C allows the state and action of now together, and
// that T leads from them to the state of next. C need not hold at the following state. It
// returns the failure, or nil if the step is right.
func CheckStep(p *factored.Problem, net *bnn.Network, now, next factored.Valuation) (*Failure, error) {
	c := &checker{p: p, net: net, dead: map[string]bool{}}
	if (net == nil) != (len(p.Outputs) == 0) {
		return nil, fmt.Errorf("the problem has %d learned bits but the network is %v", len(p.Outputs), net)
	}
	c.plan = Plan{Actions: []factored.Valuation{now}, States: []factored.Valuation{now, next}}
	c.sort()
	c.last = nil
	tr := &factored.Trace{Steps: make([]factored.Valuation, 2)}
	if !c.from(1, now, tr) {
		return c.failure, nil
	}
	return nil, nil
}
