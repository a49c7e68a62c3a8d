package incremental

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/problem/factored"
)

// recheck replays what earlier runs say has failed, and makes what fails indeed
// the known state. Transitions are taken from these replays alone.
func (x *loop) recheck(ctx context.Context) error {
	if x.o.Known == nil {
		return nil
	}
	checked, seen := &State{}, map[Seen]bool{}
	x.out.Known = checked // what is known when the run ends here
	for i, f := range x.o.Known.Failures {
		actions := append([]factored.Valuation{}, f.Trace.Steps[:f.Depth]...)
		if f.Depth < x.horizon {
			// The plan goes on: a termination condition fails then, and the goal
			// is not yet asked for.
			actions = append(actions, make(factored.Valuation, x.t.Problem.NumBits()))
		}
		run, err := x.sys.Replay(ctx, f.Trace.Steps[0], actions)
		if err != nil {
			return fmt.Errorf("replaying landmark %d: %w", i+1, err)
		}
		x.out.Rechecked++
		if run.Failure == nil || run.Failure.Prefix > f.Depth {
			x.out.Forgotten++
			continue
		}
		f.Text = run.Failure.Error()
		checked.Failures = append(checked.Failures, f)
		if x.rows == nil {
			continue
		}
		for t := 1; t < len(run.Answers); t++ {
			now := merge(x.t.Problem, run.Answers[t-1].State, actions[t-1])
			if s := seenOf(x.t.Problem, now, run.Answers[t].State); !seen[s] {
				seen[s] = true
				checked.Seen = append(checked.Seen, s)
			}
		}
	}
	x.o.Known = checked
	return nil
}
