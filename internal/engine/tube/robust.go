package tube

import (
	"context"
	"math"
	"slices"
)

// trials bounds the plans that are tried for one horizon.
const trials = 12

// Robust looks for a plan of a number of steps that holds against every error within the bands, and returns it with its
// tube. Margins of rules and goal are those that the tube of the plan before needed (tube-based model predictive control,
// Mayne, Seron, Raković, 2005, open loop): where the model is linear they are the same for all plans. If the plan does
// not hold, it is the one whose tube breaks something latest; that there is none is not proven.
func (t *Task) Robust(ctx context.Context, horizon int, reward *Linear) (plan [][]int64, tube *Tube, err error) {
	aim := Aim{Horizon: horizon, Reward: reward}
	var near [][]int64
	wide := 0
	for range trials {
		next, _ := NewPlanner(t, aim).Plan(near)
		reach, err := t.Reach(ctx, next)
		if err != nil && tube != nil {
			break // the time is over: what was tried stands
		}
		if err != nil {
			return nil, nil, err
		}
		if tube == nil || reach.Broken == 0 || tube.Broken != 0 && reach.Broken > tube.Broken {
			plan, tube = next, reach
		}
		if tube.Broken == 0 || near != nil && slices.EqualFunc(near, next, slices.Equal[[]int64]) {
			break
		}
		near = next
		if aim.Margin = t.margins(next, reach); t.wider(aim.Margin[horizon]) {
			if wide++; wide > 1 {
				break // where the model is linear, that is so of all plans
			}
		}
	}
	return plan, tube, nil
}

// wider reports whether the errors alone are more than two sides of the goal leave, or one side and the ranges of the states.
func (t *Task) wider(margin []float64) bool {
	for i := range t.Goal {
		g := &t.Goal[i]
		least := float64(g.C)
		for s, c := range g.X {
			least += min(float64(c)*float64(t.States[s].Lo), float64(c)*float64(t.States[s].Hi))
		}
		if !g.beats(least/float64(g.D) + margin[len(t.Rules)+i]) {
			return true
		}
		if j, width := t.opposite(i); j >= 0 && margin[len(t.Rules)+i]+margin[len(t.Rules)+j] > width {
			return true
		}
	}
	return false
}

// Wide returns the first step from which on a tube of a plan, seen as a range, is wider than two sides of the goal leave; 0
// if there is none.
func (t *Task) Wide(tube *Tube) int {
	for k := len(tube.Low) - 1; k >= 0; k-- {
		fits := true
		for i := range t.Goal {
			if j, width := t.opposite(i); j >= 0 {
				span := 0.0
				for s, c := range t.Goal[i].X {
					span += math.Abs(float64(c)) / float64(t.Goal[i].D) * float64(tube.High[k][s]-tube.Low[k][s])
				}
				fits = fits && span <= width
			}
		}
		if fits {
			return (k + 1) % len(tube.Low)
		}
	}
	return 0
}

// margins returns by how much the tube of a plan exceeds the course without errors.
func (t *Task) margins(plan [][]int64, tube *Tube) [][]float64 {
	states := t.Course(plan)
	out := make([][]float64, len(states))
	atoms := slices.Concat(t.Rules, t.Goal)
	for k, x := range states {
		out[k] = make([]float64, len(atoms))
		for i, e := range tube.Excess[k] {
			var u []int64
			if k < len(plan) && atoms[i].Acts() {
				u = plan[k]
			}
			if !math.IsInf(e, -1) {
				out[k][i] = max(0, e-float64(atoms[i].value(x, u))/float64(atoms[i].D))
			}
		}
	}
	return out
}

// Course returns the states that a plan leads to without errors.
func (t *Task) Course(plan [][]int64) [][]int64 {
	states := [][]int64{t.Start}
	zero := make([]int64, len(t.States))
	for k, u := range plan {
		next := make([]int64, len(t.States))
		t.Step(next, states[k], u, zero, k+1)
		states = append(states, next)
	}
	return states
}
