package sim

import (
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// Runner is one simulation in progress. It belongs to one goroutine.
type Runner struct {
	s    *Simulator
	m    machine
	step int // steps taken since the initial state
	work workspace
	show func() // when set, called with the step's fluents in place
}

// Simulator is what the runner steps.
func (r *Runner) Simulator() *Simulator { return r.s }

// Steps is the number of steps taken since Reset or SetState.
func (r *Runner) Steps() int { return r.step }

// load sets a state and clears the rest.
func (r *Runner) load(state []float64) {
	clear(r.m.vals)
	for i, f := range r.s.states {
		r.m.vals[f] = state[i]
	}
	r.setActions(r.s.noop)
	r.step = 0
	r.m.fault = fault{}
}

func (r *Runner) setActions(action []float64) {
	for i, f := range r.s.actions {
		r.m.vals[f] = action[i]
	}
}

// Reset returns to the initial state. It returns the error of CheckState: a violated
// invariant is reported, but the runner may continue.
func (r *Runner) Reset() error {
	r.load(r.s.initialState)
	return r.CheckState()
}

// SetState sets the present state, given in the order of Simulator.States. It returns the
// error of CheckState.
func (r *Runner) SetState(state []float64) error {
	if len(state) != len(r.s.states) {
		return at(ground.Pos{}, "a state has %d values, expected %d", len(state), len(r.s.states))
	}
	r.load(state)
	return r.CheckState()
}

// State returns the present state in dst, which it grows as needed.
func (r *Runner) State(dst []float64) []float64 {
	dst = dst[:0]
	for _, f := range r.s.states {
		dst = append(dst, r.m.vals[f])
	}
	return dst
}

// Value returns the value of a fluent: of a state fluent in the present state, of any other
// the last value that was set or computed.
func (r *Runner) Value(fluent int) float64 { return r.m.vals[fluent] }

// CheckState returns, as a *Violation, the first invariant that does not hold in the present
// state or the first state fluent whose value its type or range excludes; or, as a
// *source.Error, an invariant that cannot be evaluated.
func (r *Runner) CheckState() error {
	for _, f := range r.s.states {
		if !r.s.admits(f, r.m.vals[f]) {
			return r.outside(f, r.m.vals[f])
		}
	}
	return r.checkInvariants()
}

func (r *Runner) checkInvariants() error {
	return r.check(r.s.beforeStates, r.s.invariants, Invariant)
}

// Terminal reports whether the present state ends an episode.
func (r *Runner) Terminal() (bool, error) {
	if len(r.s.terminations) == 0 {
		return false, nil
	}
	if err := r.compute(r.s.beforeStates, r.badValue); err != nil {
		return false, err
	}
	for i := range r.s.terminations {
		c := &r.s.terminations[i]
		holds := c.holds(&r.m)
		if r.m.fault.node != nil {
			return false, r.takeFault("termination condition " + c.src.Text)
		}
		if holds {
			return true, nil
		}
	}
	return false, nil
}

// CheckAction returns, as a *Violation, the first precondition that the joint action violates
// in the present state, too many actions that are not at their default, or a value that the
// action's type or range excludes; or, as a *source.Error, a precondition that cannot be
// evaluated.
func (r *Runner) CheckAction(action []float64) error {
	if len(action) != len(r.s.actions) {
		return at(ground.Pos{}, "a joint action has %d values, expected %d", len(action), len(r.s.actions))
	}
	r.setActions(action)
	count := 0
	for i, f := range r.s.actions {
		if !r.s.admits(f, action[i]) {
			return r.outside(f, action[i])
		}
		if action[i] != r.s.noop[i] {
			count++
		}
	}
	if r.s.p.MaxActions >= 0 && count > r.s.p.MaxActions {
		return r.tooMany(count)
	}
	return r.check(r.s.beforeActions, r.s.preconditions, Precondition)
}

// Legal reports whether no precondition forbids a joint action, of values that its fluents have, in the present state.
func (r *Runner) Legal(action []float64) (bool, error) {
	r.setActions(action)
	c, err := r.broken(r.s.beforeActions, r.s.preconditions, Precondition)
	return c == nil, err
}

// Step takes the joint action, given in the order of Simulator.Actions, and returns the
// reward of the step. If CheckAction refuses the action, or the step cannot be evaluated, the
// state is unchanged. If the state after the step violates an invariant, the step is taken,
// and its reward is returned together with the *Violation.
func (r *Runner) Step(action []float64) (reward float64, err error) {
	if err := r.CheckAction(action); err != nil {
		return 0, err
	}
	return r.Advance(action)
}

// Advance is Step without the checks of the joint action, for callers that drew a legal one.
func (r *Runner) Advance(action []float64) (reward float64, err error) {
	if len(action) != len(r.s.actions) {
		return 0, at(ground.Pos{}, "a joint action has %d values, expected %d", len(action), len(r.s.actions))
	}
	r.setActions(action)
	if err := r.compute(r.s.assigns, r.badValue); err != nil {
		return 0, err
	}
	reward = r.s.reward(&r.m)
	if reward-reward != 0 {
		r.m.fail(r.s.p.Reward, "the reward is not a finite number")
	}
	if r.m.fault.node != nil {
		return 0, r.takeFault("reward")
	}
	if r.show != nil {
		r.show()
	}
	for _, f := range r.s.states {
		r.m.vals[f] = r.m.next[f]
	}
	r.step++
	return reward, r.checkInvariants()
}

// compute evaluates cpfs in order. An error of bad, about a value that its fluent does not have, ends it.
func (r *Runner) compute(list []assign, bad func(*assign, float64) error) error {
	m := &r.m
	for i := range list {
		a := &list[i]
		v := a.value(m)
		if m.fault.node != nil {
			return r.takeFault("cpf of " + r.s.p.Fluents[a.fluent].Name)
		}
		if a.check != checkNone && !a.admits(v) {
			if err := bad(a, v); err != nil {
				return err
			}
		}
		if a.next {
			m.next[a.fluent] = v
		} else {
			m.vals[a.fluent] = v
		}
	}
	return nil
}

// admits reports whether v is a value of the fluent.
func (a *assign) admits(v float64) bool {
	switch a.check {
	case checkTruth:
		return v == 0 || v == 1
	case checkReal:
		return v-v == 0 && v >= a.lo && v <= a.hi
	case checkInt:
		return v >= a.lo && v <= a.hi && v == math.Trunc(v) && math.Abs(v) <= 1<<53
	}
	return v >= a.lo && v <= a.hi && v == math.Trunc(v)
}

// admits reports whether v, which comes from outside, is a value of fluent f.
func (s *Simulator) admits(f int, v float64) bool {
	if v-v != 0 {
		return false
	}
	fl := &s.p.Fluents[f]
	if r, ok := s.ranges.Of(fl); ok && (v < r.Lo || v > r.Hi) {
		return false
	}
	return fl.Type == ground.Real || v == math.Trunc(v)
}

// check reports the first condition that does not hold.
func (r *Runner) check(before []assign, conds []condition, kind Kind) error {
	c, err := r.broken(before, conds, kind)
	if err != nil || c == nil {
		return err
	}
	return r.violation(kind, c)
}

// broken is the first condition that does not hold; nil for none.
func (r *Runner) broken(before []assign, conds []condition, kind Kind) (*condition, error) {
	if len(conds) == 0 {
		return nil, nil
	}
	if err := r.compute(before, r.badValue); err != nil {
		return nil, err
	}
	for i := range conds {
		c := &conds[i]
		holds := c.holds(&r.m)
		if r.m.fault.node != nil {
			return nil, r.takeFault(kind.String() + " " + c.src.Text)
		}
		if !holds {
			return c, nil
		}
	}
	return nil, nil
}
