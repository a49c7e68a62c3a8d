package certify

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/verify"
)

// Holds is the status of a property that no step breaks, in the answer of verify.
const Holds = "holds"

// Property returns the task whose plans of one step are the counterexamples to a
// property of some steps, of any if that is empty. That it has none is what a certificate of
// the property shows.
func Property(t engine.Task, property string, steps verify.Steps) (engine.Task, error) {
	if steps == "" {
		steps = verify.AnyNext
	}
	if steps != verify.AnyNext && steps != verify.LegalNext {
		return t, fmt.Errorf("next_states is %q; expected %s or %s", steps, verify.AnyNext, verify.LegalNext)
	}
	p, err := verify.Refuting(t.Problem, property, steps)
	if err == nil {
		t.Problem = p
	}
	return t, err
}

// NoCounterexample is what is known of that task where the property holds.
func NoCounterexample() []Answer { return []Answer{{Horizon: 1, Status: engine.Infeasible}} }
