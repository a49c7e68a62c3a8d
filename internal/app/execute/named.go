package execute

import (
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/source"
)

// readNamed reads the actions of a plan for RDDL that can only be simulated, and its first
// state if it has states.
func readNamed(s *sim.Simulator, name string, data []byte) (actions sim.Plan, start []float64, err error) {
	steps, err := app.ReadSteps(name, data)
	if err != nil {
		return nil, nil, err
	}
	for i, step := range steps.Plan {
		action, err := s.ActionNamed(step)
		if err != nil {
			return nil, nil, source.Errorf(name, 1, 0, "plan step %d: %v", i+1, err)
		}
		actions = append(actions, action)
	}
	if len(steps.Trace) == 0 {
		return actions, nil, nil
	}
	if start, err = s.StateNamed(steps.Trace[0]); err != nil {
		return nil, nil, source.Errorf(name, 1, 0, "trace step 1: %v", err)
	}
	return actions, start, nil
}
