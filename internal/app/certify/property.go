package certify

import (
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/verify"
)

// Holds is the status of a property that no step breaks, in the answer of verify.
const Holds = "holds"

// Property returns the task whose plans of one step are the counterexamples to a
// property. That it has none is what a certificate of the property shows.
func Property(t engine.Task, property string) (engine.Task, error) {
	p, err := verify.Refuting(t.Problem, property)
	if err == nil {
		t.Problem = p
	}
	return t, err
}

// NoCounterexample is what is known of that task where the property holds.
func NoCounterexample() []Answer { return []Answer{{Horizon: 1, Status: engine.Infeasible}} }
