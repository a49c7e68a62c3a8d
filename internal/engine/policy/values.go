package policy

import (
	"context"
	"slices"
)

// Values passes the values with 0, 1, 2, … steps left, one after the other: those of the states that can
// be reached in so few steps that as many are left, by their numbers. The slice is reused. They are as exact as floating
// point is.
func (s *Solution) Values(ctx context.Context, pass func(left int, values []float64) error) error {
	t := s.t
	before := make([]float64, t.states())
	for i, k := range t.kinds {
		before[i] = atEnd(k, s.o.Objective)
	}
	action := slices.Repeat([]uint16{none}, t.states())
	return each(ctx, t, s.horizon, 1, before, pass, func(values, before []float64, n, left int) {
		s.pass(values, before, action, n, left)
	})
}

// Values passes the worst rewards with 0, 1, 2, … steps left, each state's by the number of disturbances left,
// state by state; minus infinity where there is none that is guaranteed. Else it is as Solution.Values.
func (r *RobustSolution) Values(ctx context.Context, pass func(left int, values []float64) error) error {
	t, n := r.s.t, r.budget+1
	before := make([]float64, t.states()*n)
	for i := range before {
		before[i] = worstAtEnd(t.kinds[i/n], t.objective == Success)
	}
	action := slices.Repeat([]uint16{none}, t.states()*n)
	again := &RobustSolution{s: &Solution{t: t}, budget: r.budget}
	return each(ctx, t, r.Horizon, n, before, pass, func(values, before []float64, states, left int) {
		for i := range states {
			again.improve(values, before, action, i, left)
		}
		again.s.changes = again.s.changes[:0]
	})
}

// each runs backward induction from the values with no step left, of n numbers a state.
func each(ctx context.Context, t *table, horizon, n int, before []float64, pass func(int, []float64) error, improve func(values, before []float64, states, left int)) error {
	values := slices.Clone(before)
	for left := 0; left <= horizon; left++ {
		states := t.levels[horizon-left]
		if left > 0 {
			improve(values, before, states, left)
			values, before = before, values
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := pass(left, before[:states*n]); err != nil {
			return err
		}
	}
	return nil
}

// Open reports whether an action may be taken in a state: no run ends there.
func (s *Solution) Open(i int) bool { return !closed(s.t.kinds[i], s.t.objective) }

// Open is as Solution.Open.
func (r *RobustSolution) Open(i int) bool { return r.s.Open(i) }
