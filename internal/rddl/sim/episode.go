package sim

import "errors"

// End is why an episode ended.
type End uint8

// The ends of an episode.
const (
	AtHorizon  End = iota // all requested steps were taken
	AtTerminal            // a termination condition holds
	AtPlanEnd             // the policy has no further action
	AtError               // a violation or an evaluation error
)

func (e End) String() string {
	return [...]string{"horizon", "termination", "end of plan", "error"}[e]
}

// Episode is the outcome of Run.
type Episode struct {
	Steps      int     // taken
	Reward     float64 // undiscounted sum
	Discounted float64 // the sum with the problem's discount, the first step undiscounted
	End        End
}

// Run resets the runner and lets the policy act for the given number of steps, or for the
// problem's horizon if that is 0 or less. t, which may be nil, records the steps. An error, a
// *Violation or an evaluation error, is returned with the episode up to it; a step into a
// state that violates an invariant counts.
func (r *Runner) Run(p Policy, steps int, t *Trace) (Episode, error) {
	if err := r.Reset(); err != nil {
		return Episode{End: AtError}, err
	}
	return r.Continue(p, steps, t)
}

// Continue is like Run but starts from the present state.
func (r *Runner) Continue(p Policy, steps int, t *Trace) (Episode, error) {
	e := Episode{End: AtError}
	if steps <= 0 {
		steps = r.s.p.Horizon
	}
	var action []float64
	weight := 1.0
	for {
		done, err := r.Terminal()
		if err != nil {
			return e, err
		}
		if done || e.Steps >= steps {
			if e.End = AtHorizon; done {
				e.End = AtTerminal
			}
			return e, t.last(r)
		}
		action, err = p.Act(r, action)
		if errors.Is(err, ErrPlanEnd) {
			e.End = AtPlanEnd
			return e, t.last(r)
		}
		if err != nil {
			return e, err
		}
		before := r.step
		t.before(r)
		reward, err := r.Step(action)
		if r.step > before {
			e.Steps++
			e.Reward += reward
			e.Discounted += weight * reward
			weight *= r.s.p.Discount
			if werr := t.after(r, reward); werr != nil {
				return e, werr
			}
		}
		if err != nil {
			if r.step > before {
				return e, errors.Join(err, t.last(r))
			}
			return e, err
		}
	}
}
