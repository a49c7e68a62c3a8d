package incremental

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// recheck replays what earlier runs say has failed, and makes what fails indeed
// the known state. Transitions are taken from these replays alone.
func (x *loop) recheck(ctx context.Context) error {
	if x.o.Known == nil {
		return nil
	}
	checked := &State{}
	x.out.Known = checked // what is known when the run ends here
	for i, f := range x.o.Known.Failures {
		run, err := replay(ctx, x.sys, x.t.Problem, x.horizon, f)
		if err != nil {
			return fmt.Errorf("replaying landmark %d: %w", i+1, err)
		}
		x.out.Rechecked++
		if run.Failure == nil || run.Failure.Prefix > f.Depth {
			x.out.Forgotten++
			continue
		}
		f.Text, f.Observed = run.Failure.Error(), observed(x.t.Problem, run)
		checked.Failures = append(checked.Failures, f)
	}
	x.o.Known = checked
	return nil
}

// replay tries the plans of a failure again, as far as they are the same.
func replay(ctx context.Context, sys *simulator.Session, p *factored.Problem, horizon int, f Failure) (*simulator.Run, error) {
	actions := append([]factored.Valuation{}, f.Trace.Steps[:f.Depth]...)
	if f.Depth < horizon {
		// The plan goes on: a termination condition fails then, and the goal
		// is not yet asked for.
		actions = append(actions, make(factored.Valuation, p.NumBits()))
	}
	return sys.Replay(ctx, f.Trace.Steps[0], actions)
}

// observed are the states of a run, as Failure has them.
func observed(p *factored.Problem, run *simulator.Run) (states []string) {
	for _, a := range run.Answers {
		text := ""
		if len(a.Outside) == 0 {
			text = bitText(p.Bits(factored.State), a.State)
		}
		states = append(states, text)
	}
	return states
}

// Confirm replays what is known to fail. The error wraps ErrHolds if the system
// does not show it, or shows other states up to there than those that were kept.
func (s *State) Confirm(ctx context.Context, sys *simulator.Session, p *factored.Problem, horizon int) error {
	for i, f := range s.Failures {
		run, err := replay(ctx, sys, p, horizon, f)
		switch {
		case err != nil:
			return fmt.Errorf("replaying landmark %d: %w", i+1, err)
		case run.Failure == nil || run.Failure.Prefix > f.Depth:
			return fmt.Errorf("%w: landmark %d: the plans do not fail within %s", ErrHolds, i+1, counted.Of(f.Depth, "step"))
		}
		for t, have := range observed(p, run) {
			if t <= f.Depth && t < len(f.Observed) && have != f.Observed[t] {
				return fmt.Errorf("%w: landmark %d: the state at step %d is another", ErrHolds, i+1, t+1)
			}
		}
	}
	return nil
}

// ErrHolds is wrapped by the error for plans that do not fail as a State says.
var ErrHolds = errors.New("the system does not show what is noted")
