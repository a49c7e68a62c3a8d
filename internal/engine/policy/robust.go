package policy

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/sorting"
)

// RobustOptions are the limits of Robust.
type RobustOptions struct {
	// Disturbances is how many draws of a run may have another than their most likely outcome.
	Disturbances int
	// Goal is to be reached within the horizon in every such run, which ends there; else every such run
	// is to keep the rules for the horizon.
	Goal                bool
	MinHorizon, Horizon int // the shortest of these is taken, where there is a goal; else the longest
	Memory              int64
	States              int                             // at most; 0 for any number
	Report              func(states int, remaining int) // as in Options
}

// RobustSolution is a policy that holds in every run with a bounded number of disturbances.
type RobustSolution struct {
	Exists  bool    // else there is no such policy for any of the horizons
	Worst   float64 // the least reward of such a run, which is as great as possible
	Horizon int
	States  int
	Pairs   int64

	s      *Solution // its states are pairs of a state and the number of disturbances left
	budget int
}

// Robust finds the policy whose worst reward is the greatest, by backward induction over states and the
// number of disturbances that are left: the policy chooses an action, and then an adversary an outcome
// (Iyengar, Robust dynamic programming, 2005).
func Robust(ctx context.Context, p Process, o RobustOptions) (*RobustSolution, error) {
	if o.MinHorizon < 1 || o.Horizon < o.MinHorizon || o.Horizon > MaxHorizon {
		return nil, fmt.Errorf("the horizons %d..%d are not within 1..%d", o.MinHorizon, o.Horizon, MaxHorizon)
	}
	b := Options{Objective: Reward, Horizon: o.Horizon, Memory: o.Memory / int64(o.Disturbances+1), States: o.States}
	if o.Goal {
		b.Objective = Success
	}
	var tell func(int)
	if o.Report != nil {
		tell = func(n int) { o.Report(n, o.Horizon) }
	}
	t, err := build(ctx, p, b, true, tell)
	if err != nil {
		return nil, err
	}
	n := o.Disturbances + 1
	if int64(t.states())*int64(n) > math.MaxUint32 {
		return nil, fmt.Errorf("%w: %d states with up to %d disturbances", ErrTooLarge, t.states(), o.Disturbances)
	}
	r := &RobustSolution{States: t.states(), Pairs: int64(len(t.actions)), s: &Solution{t: t}, budget: o.Disturbances}
	return r, r.induct(ctx, o)
}

// worstAtEnd is the value of a state in which no step is left or none is taken.
func worstAtEnd(k Kind, goal bool) float64 {
	if k&Broken != 0 || goal && k&Goal == 0 {
		return math.Inf(-1)
	}
	return 0
}

// induct computes the worst rewards with 1, 2, … steps left.
func (r *RobustSolution) induct(ctx context.Context, o RobustOptions) error {
	t, n := r.s.t, r.budget+1
	values, before := make([]float64, t.states()*n), make([]float64, t.states()*n)
	action := slices.Repeat([]uint16{none}, t.states()*n)
	for i := range before {
		before[i] = worstAtEnd(t.kinds[i/n], o.Goal)
	}
	copy(values, before)
	for left := 1; left <= o.Horizon; left++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for i := range t.levels[o.Horizon-left] {
			r.improve(values, before, action, i, left)
		}
		values, before = before, values
		if o.Report != nil {
			o.Report(t.states(), o.Horizon-left)
		}
		if r.Worst = before[r.budget]; left >= o.MinHorizon && (left == o.Horizon || o.Goal && !math.IsInf(r.Worst, -1)) {
			r.Horizon, r.Exists = left, !math.IsInf(r.Worst, -1)
			break
		}
	}
	r.s.horizon = r.Horizon
	r.s.sort(t.states() * n)
	return nil
}

// improve computes the worst rewards of a state for each number of disturbances left.
func (r *RobustSolution) improve(values, before []float64, action []uint16, i, left int) {
	t, n := r.s.t, r.budget+1
	a, end := t.firstAction[i], t.firstAction[i+1]
	if a == end {
		for b := range n {
			if values[i*n+b] = before[i*n+b]; !closed(t.kinds[i], t.objective) {
				values[i*n+b] = math.Inf(-1) // nothing is legal here
			}
		}
		return
	}
	for b := range n {
		best, choice, kept := math.Inf(-1), none, math.Inf(-1)
		k := t.firstNext[i]
		for c := a; c < end; c++ {
			d := &t.dist[t.distributions[c]]
			v := math.Inf(1)
			for j := int64(d.first); j < int64(d.first+d.n); j++ {
				if e := int(t.events[j]); e <= b {
					v = min(v, t.more[j]+before[int(t.next[k+j-int64(d.first)])*n+b-e])
				}
			}
			k += int64(d.n)
			v += t.amounts[t.rewards[c]]
			if v > best || choice == none {
				best, choice = v, int(c-a)
			}
			if int(c-a) == int(action[i*n+b]) {
				kept = v
			}
		}
		if values[i*n+b] = best; kept < best || action[i*n+b] == none {
			r.s.changes = append(r.s.changes, change{uint32(i*n + b), uint16(left), uint16(choice)})
			action[i*n+b] = uint16(choice)
		}
	}
}

// RobustRow is a Row for runs with some disturbances so far.
type RobustRow struct {
	Row
	Disturbances int
}

// State returns a packed state by its number.
func (r *RobustSolution) State(i int) []uint64 { return r.s.t.key(i) }

// Rows lists what the policy does, by state and disturbances so far.
func (r *RobustSolution) Rows() []RobustRow {
	t, n := r.s.t, r.budget+1
	type pair struct{ state, spent int }
	steps := map[pair][]int{}
	now := map[pair]bool{{0, 0}: true}
	compare := func(a, b pair) int {
		if a.state != b.state {
			return a.state - b.state
		}
		return a.spent - b.spent
	}
	for step := 1; step <= r.Horizon; step++ {
		next := map[pair]bool{}
		for at := range now {
			key, left := at.state*n+r.budget-at.spent, r.Horizon-step+1
			c := r.s.choice(key, left)
			if c == none {
				continue
			}
			steps[at] = append(steps[at], step)
			k := t.firstNext[at.state]
			a := t.firstAction[at.state]
			for b := a; b < a+int64(c); b++ {
				k += int64(t.dist[t.distributions[b]].n)
			}
			d := &t.dist[t.distributions[a+int64(c)]]
			for j := range d.n {
				if spent := at.spent + int(t.events[d.first+j]); spent <= r.budget {
					next[pair{int(t.next[k+int64(j)]), spent}] = true
				}
			}
		}
		now = next
	}
	var rows []RobustRow
	places := slices.Collect(maps.Keys(steps))
	sorting.Stable(places, compare)
	for _, at := range places {
		first := len(rows)
		for _, step := range steps[at] {
			c := r.s.choice(at.state*n+r.budget-at.spent, r.Horizon-step+1)
			a := t.actions[t.firstAction[at.state]+int64(c)]
			if m := len(rows); m > first && rows[m-1].Action == a && rows[m-1].To == step-1 {
				rows[m-1].To = step
			} else {
				rows = append(rows, RobustRow{Row{at.state, step, step, a}, at.spent})
			}
		}
	}
	return rows
}
