package simulator

import (
	"context"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Transition is an observed step, from the state and the action in Now to the state in Next.
type Transition struct {
	Now, Next factored.Valuation
	Reward    *float64 // that the system gave; nil for none
}

// Options control what a session adds to a system.
type Options struct {
	// MaxSteps bounds the steps requested from the system; 0 means no bound. Resets do not
	// count.
	MaxSteps int
	// Rules of the problem, against which observations are checked. A state that is not fully
	// observed is checked by the system alone.
	Rules []Rules
	// OwnReward replaces the system's reward by the problem's.
	OwnReward bool
	// Observe, if set, is called with the observed transitions: every one under Step, each
	// one once under Replay; not with those from or to values that their variables do not have, or to a
	// state that is not shown. Its error ends the call.
	Observe func(Transition) error
}

// Session is one use of a System. It belongs to one goroutine.
type Session struct {
	p      *factored.Problem
	sys    System
	info   Info
	o      Options
	used   int
	memory memory
	inputs bool // the problem has some

	outside []Outside
	watch   func(before *Answer, action factored.Valuation, a *Answer)
}

// NewSession returns a session that uses a system for a problem. Closing the session closes
// the system.
func NewSession(p *factored.Problem, sys System, o Options) *Session {
	return &Session{p: p, sys: sys, info: sys.Info(), o: o, memory: memory{}, inputs: len(p.Given()) > 0}
}

// Info describes the system.
func (s *Session) Info() Info { return s.info }

// Steps returns the number of steps requested from the system.
func (s *Session) Steps() int { return s.used }

// Outside lists the values that the system sent and that their variables do not have, in the order in which it
// sent them.
func (s *Session) Outside() []Outside { return s.outside }

// Watch has watch called with every step for which Options.Observe is called, and with those from and to values that
// their variables do not have, but not with states that are observed in part.
func (s *Session) Watch(watch func(before *Answer, action factored.Valuation, a *Answer)) {
	s.watch = watch
}

// Close ends the system.
func (s *Session) Close() error { return s.sys.Close() }

// RequireFull refuses a system that does not show the whole state; what names the purpose
// that needs it.
func (s *Session) RequireFull(what string) error {
	if s.info.Partial {
		return &PartialError{What: what}
	}
	return nil
}

// Reset puts the system into a state or, with nil, into its own initial state, and checks it.
func (s *Session) Reset(ctx context.Context, state factored.Valuation) (*Answer, error) {
	a, err := s.sys.Reset(ctx, state)
	if err != nil {
		return nil, err
	}
	if state != nil && a.State != nil {
		if asked, shown := Differing(s.p, &Answer{State: state}, a); len(asked) > 0 {
			return nil, fmt.Errorf("%w: it was asked for %s and shows %s", ErrReset, joinValues(asked), joinValues(shown))
		}
	}
	s.note(a)
	s.judgeState(a)
	return a, nil
}

// note notes the values that their variables do not have.
func (s *Session) note(a *Answer) {
	for i := range a.Outside {
		a.Outside[i].Step = s.used
	}
	s.outside = append(s.outside, a.Outside...)
}

// judgeState checks a state against the rules.
func (s *Session) judgeState(a *Answer) {
	if a.State == nil || len(a.Missing) > 0 {
		return
	}
	for _, r := range s.o.Rules {
		if a.Violation == nil {
			a.Violation = r.State(a.State)
		}
	}
}

// Step lets the system perform a joint action in the state before, which must be the state of
// its last answer. An action that the rules forbid is not sent to the system.
func (s *Session) Step(ctx context.Context, before *Answer, action factored.Valuation) (*Answer, error) {
	a, err := s.step(ctx, before, action)
	if err == nil {
		err = s.observed(before, action, a)
	}
	return a, err
}

// Allows reports whether the rules allow an action in the state of an answer.
func (s *Session) Allows(before *Answer, action factored.Valuation) bool {
	now := Join(s.p, before.State, action)
	return !slices.ContainsFunc(s.o.Rules, func(r Rules) bool { return r.Action(now) != nil })
}

// AllowsState reports whether the rules allow a state.
func (s *Session) AllowsState(state factored.Valuation) bool {
	return !slices.ContainsFunc(s.o.Rules, func(r Rules) bool { return r.State(state) != nil })
}

// step is Step without calling the observer.
func (s *Session) step(ctx context.Context, before *Answer, action factored.Valuation) (*Answer, error) {
	now := Join(s.p, before.State, action)
	whole := len(before.Missing) == 0
	if whole {
		for _, r := range s.o.Rules {
			if v := r.Action(now); v != nil {
				return &Answer{Violation: v}, nil
			}
		}
	}
	if s.o.MaxSteps > 0 && s.used >= s.o.MaxSteps {
		return nil, fmt.Errorf("%w: %d were allowed", ErrBudget, s.o.MaxSteps)
	}
	s.used++
	a, err := s.sys.Step(ctx, action)
	if err != nil {
		return nil, err
	}
	s.note(a)
	s.judgeState(a)
	if a.State == nil || !whole || len(a.Missing) > 0 {
		return a, nil
	}
	for _, r := range s.o.Rules {
		if a.Violation == nil {
			a.Violation = r.Step(now, a.State)
		}
	}
	return a, nil
}

// observed calls the observer with a step that was taken.
func (s *Session) observed(before *Answer, action factored.Valuation, a *Answer) error {
	if s.watch != nil && a.State != nil && len(before.Missing)+len(a.Missing) == 0 {
		s.watch(before, action, a)
	}
	if s.o.Observe == nil || a.State == nil || a.Unseen() || len(before.Outside)+len(a.Outside) > 0 {
		return nil
	}
	for _, x := range []*Answer{before, a} {
		if len(x.Missing) > 0 {
			return &PartialError{What: "recording transitions", Missing: x.Missing}
		}
	}
	return s.o.Observe(Transition{Now: Join(s.p, before.State, action), Next: a.State, Reward: a.Reward})
}

// Goal evaluates the goal in a state that was answered: by the system if it does so,
// otherwise by the rules. It returns nil if the goal holds or there is none.
func (s *Session) Goal(a *Answer) (*Violation, error) {
	if a.Goal != nil {
		if a.Goal.Holds {
			return nil, nil
		}
		return goalFails(a.Goal), nil
	}
	if len(s.o.Rules) > 0 && len(a.Missing) > 0 {
		return nil, &PartialError{What: "the goal, which it does not judge itself,", Missing: a.Missing}
	}
	for _, r := range s.o.Rules {
		if v := r.Goal(a.State); v != nil {
			return v, nil
		}
	}
	return nil, nil
}

func goalFails(g *Verdict) *Violation {
	return &Violation{
		Group: "goal", Constraint: g.Text, Values: g.Values, After: true,
		say: func(step int) string {
			text := fmt.Sprintf("step %d: the goal %s does not hold", step, g.Text)
			if len(g.Values) > 0 {
				text += "; " + joinValues(g.Values)
			}
			return text
		},
	}
}

// Join combines a state and an action in one valuation.
func Join(p *factored.Problem, state, action factored.Valuation) factored.Valuation {
	out := make(factored.Valuation, p.NumBits())
	for b := range out {
		switch p.Kind(factored.Bit(b)) {
		case factored.State:
			out[b] = state[b]
		case factored.Action:
			out[b] = action[b]
		}
	}
	return out
}

// Reward sums the rewards of steps: the system's, or the problem's if they replace them or
// the system has none.
type Reward struct {
	p       *factored.Problem
	own     bool // uses the problem's
	unknown bool // the problem's cannot be determined
	mine    int64
	sum     float64
}

// NewReward starts a sum of rewards.
func (s *Session) NewReward() *Reward {
	return &Reward{p: s.p, own: s.o.OwnReward}
}

// Add adds the reward of a step and returns it, nil if it is unknown.
func (r *Reward) Add(before *Answer, action factored.Valuation, a *Answer) *float64 {
	if a.Reward == nil {
		r.own = true
	} else {
		r.sum += *a.Reward
	}
	if a.State == nil || len(before.Missing)+len(a.Missing) > 0 {
		r.unknown = true
	}
	var x int64
	if !r.unknown {
		var ok bool
		x, ok = validate.StepReward(r.p, Join(r.p, before.State, action), a.State)
		r.unknown = !ok // only the model determines which of its values is rewarded
		r.mine += x
	}
	switch {
	case !r.own:
		return a.Reward
	case r.unknown:
		return nil
	}
	f := r.p.Reward.Float(x)
	return &f
}

// Sum returns the reward so far, nil if it is unknown.
func (r *Reward) Sum() *float64 {
	switch {
	case !r.own:
		sum := r.sum
		return &sum
	case r.unknown:
		return nil
	}
	f := r.p.Reward.Float(r.mine)
	return &f
}
