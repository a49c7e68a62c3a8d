package simulator

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/problem/factored"
)

// Run is a plan that was replayed.
type Run struct {
	// Answers are the observations at steps 1, 2, …, up to H+1 or up to where the plan
	// failed, including the state that violates a rule.
	Answers []*Answer
	Reward  *float64 // of the steps taken; nil if unknown
	Failure *Failure // nil if the plan holds
	Asked   int      // steps requested from the system
}

// Failure describes where a plan fails in the real system.
type Failure struct {
	*Violation
	// Step is the step of the plan whose action or state is at fault; H+1 for the goal.
	Step int
	// Prefix is the number of joint actions to blame: in a deterministic system every plan
	// that begins in the same state with the same first Prefix joint actions fails too.
	Prefix int
}

func (f *Failure) Error() string { return f.Text(f.Step) }

// fails returns the failure of a call after prefix actions had been requested.
func fails(v *Violation, prefix int) *Failure {
	f := &Failure{Violation: v, Step: prefix, Prefix: prefix}
	if v.After {
		f.Step++
	}
	return f
}

// memory keeps the answers of a session by call, for comparison.
type memory map[string]*memorized

// memorized is an answer with the number of steps that the session had then requested. The
// answer to a reset is stored under its state alone.
type memorized struct {
	answer *Answer
	step   int
}

// place is the position of a replay, as a key of the memory: the state or, if that is not
// fully observed or has inputs, which the time may decide, everything that led to it.
func (s *Session) place(history string, a *Answer) string {
	if s.info.Partial || s.inputs {
		return history
	}
	key := "s" + a.State.Key(s.p.Bits(factored.State))
	for _, o := range a.Outside { // the state of the system is another than the one that is shown
		key += fmt.Sprintf("o%q=%v;", o.Variable, o.Value)
	}
	return key
}

// remember stores an answer, or compares it with the stored one. before and action are nil
// for a reset.
func (s *Session) remember(key string, before *Answer, action factored.Valuation, a *Answer) (fresh bool, err error) {
	known := s.memory[key]
	if known == nil {
		s.memory[key] = &memorized{a, s.used}
		return true, nil
	}
	first, second := contradiction(s.p, known.answer, a)
	if len(first) == 0 {
		return false, nil
	}
	return false, s.nonDeterminism(before, action, first, second, known.step)
}

// replay is one call of Replay.
type replay struct {
	s       *Session
	start   factored.Valuation // nil for the system's own
	origin  string             // key of the start
	actions []factored.Valuation
	answers []*Answer
	at      int // number of actions after which the system now is; -1 if it is elsewhere
}

// Replay performs a plan's joint actions one by one from a state or, with nil, from the
// system's own initial state, and reports where the plan fails: a violated rule, a terminal
// state before the end, a goal that does not hold at the end, or a start that differs from
// the state of a system that can only be reset to its own state.
//
// The session remembers all answers. A system that declares itself deterministic is not asked
// the same question again. Any other system is, and an answer that differs from the first is
// ErrNonDeterminism.
func (s *Session) Replay(ctx context.Context, start factored.Valuation, actions []factored.Valuation) (*Run, error) {
	used := s.used
	r := &replay{s: s, start: start, actions: actions, at: -1, origin: "r"}
	if start != nil && s.info.AnyState {
		r.origin += start.Key(s.p.Bits(factored.State))
	}
	run := &Run{}
	failure, err := r.run(ctx)
	if err != nil {
		return nil, err
	}
	run.Answers, run.Failure, run.Asked = r.answers, failure, s.used-used
	sum := s.NewReward()
	for t := 1; t < len(r.answers); t++ {
		sum.Add(r.answers[t-1], actions[t-1], r.answers[t])
	}
	run.Reward = sum.Sum()
	return run, nil
}

func (r *replay) run(ctx context.Context) (*Failure, error) {
	s := r.s
	known := s.memory[r.origin]
	if known == nil || !s.info.Deterministic {
		if err := r.reset(ctx); err != nil {
			return nil, err
		}
		known = s.memory[r.origin]
	}
	first := known.answer
	if first.State == nil {
		return fails(first.Violation, 0), nil
	}
	r.answers = append(r.answers, first)
	if r.start != nil {
		if asked, shown := Differing(s.p, &Answer{State: r.start}, first); len(asked) > 0 {
			return fails(&Violation{
				Group: "initial", Constraint: joinValues(asked), Values: shown, After: true,
				say: func(step int) string {
					return fmt.Sprintf("step %d: the plan begins with %s, the simulator with %s", step, joinValues(asked), joinValues(shown))
				},
			}, 0), nil
		}
	}
	if first.Violation != nil {
		return fails(first.Violation, 0), nil
	}
	history := r.origin
	for t, action := range r.actions {
		before := r.answers[t]
		if before.Terminal {
			return fails(&Violation{
				Group: "termination", Constraint: "a termination condition holds", After: true,
				say: func(step int) string {
					return fmt.Sprintf("step %d: a termination condition holds, but the plan goes on", step)
				},
			}, t), nil
		}
		key := s.place(history, before) + "a" + action.Key(s.p.Bits(factored.Action))
		a, err := r.take(ctx, key, t)
		if err != nil {
			return nil, err
		}
		if a.State != nil {
			r.answers = append(r.answers, a)
		}
		if a.Violation != nil {
			return fails(a.Violation, t+1), nil
		}
		history = key
	}
	h := len(r.actions)
	broken, err := s.Goal(r.answers[h])
	if err != nil || broken == nil {
		return nil, err
	}
	return fails(broken, h), nil
}

// reset resets the system and compares the shown state with the one shown before.
func (r *replay) reset(ctx context.Context) error {
	to := r.start
	if !r.s.info.AnyState {
		to = nil
	}
	a, err := r.s.Reset(ctx, to)
	if err != nil {
		return err
	}
	r.at = 0
	_, err = r.s.remember(r.origin, nil, nil, a)
	return err
}

// take returns the answer to action t (from 0), from memory if that suffices.
func (r *replay) take(ctx context.Context, key string, t int) (*Answer, error) {
	if known := r.s.memory[key]; known != nil && r.s.info.Deterministic {
		if r.at == t {
			r.at = -1 // the system itself stays behind
		}
		return known.answer, nil
	}
	if err := r.bring(ctx, t); err != nil {
		return nil, err
	}
	return r.ask(ctx, key, t)
}

// ask lets the system, which is at the right place, perform action t.
func (r *replay) ask(ctx context.Context, key string, t int) (*Answer, error) {
	before := r.answers[t]
	a, err := r.s.step(ctx, before, r.actions[t])
	if err != nil {
		return nil, err
	}
	r.at = t + 1
	fresh, err := r.s.remember(key, before, r.actions[t], a)
	if err == nil && fresh {
		err = r.s.observed(before, r.actions[t], a)
	}
	return a, err
}

// bring moves the system to where action t is to be taken: directly if possible, otherwise by
// all earlier actions.
func (r *replay) bring(ctx context.Context, t int) error {
	switch {
	case r.at == t:
		return nil
	case r.s.info.AnyState && !r.s.info.Partial && len(r.answers[t].Outside) == 0:
		_, err := r.s.Reset(ctx, r.answers[t].State)
		r.at = t
		return err
	}
	if err := r.reset(ctx); err != nil {
		return err
	}
	history := r.origin
	for u := range t {
		history = r.s.place(history, r.answers[u]) + "a" + r.actions[u].Key(r.s.p.Bits(factored.Action))
		if _, err := r.ask(ctx, history, u); err != nil {
			return err
		}
	}
	return nil
}
