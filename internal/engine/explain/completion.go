package explain

import (
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
)

// Completion is what an engine decided of a plan that is changed at one step.
type Completion struct {
	Step int // at which the plan is changed, 1..H
	// Alternative is the index of the joint action in Step.Alternatives; -1 stands for
	// all joint actions but the plan's.
	Alternative int
	Task        engine.Task // the steps from Step on, as Changed returns it
	Horizon     int         // number of these steps
	Result      *engine.Result
}

// decided tells of a decision.
func (x *trial) decided(o opening, t engine.Task, res *engine.Result) error {
	if x.o.Completed == nil {
		return nil
	}
	return x.o.Completed(Completion{Step: o.t, Alternative: o.alternative, Task: t, Horizon: x.left(o.t), Result: res})
}

// Changed returns the task of what is left of a plan at a step, 1..H, when its joint
// action there is action, or with other anything but action. Without goal the plan need
// not reach the goal. The outcome DeadEnd is about the task without goal, all others about
// the one with it.
func Changed(t engine.Task, trace *factored.Trace, step int, action factored.Valuation, other, goal bool) (engine.Task, error) {
	x := &trial{task: t, trace: trace}
	q, err := x.after(opening{t: step, action: action, other: other}, goal)
	return engine.Task{Problem: q, Network: t.Network}, err
}
