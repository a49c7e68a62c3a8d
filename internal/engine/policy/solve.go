package policy

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync/atomic"

	"github.com/fdplan/fdplan/internal/routine"
)

// none is the action of a state in which none is taken.
const none = math.MaxUint16

// Options are the limits of Solve.
type Options struct {
	Objective Objective
	Horizon   int
	// Worst asks for the greatest of the least rewards of all runs in which at most so many draws have another than their most likely
	// outcome: with Success the goal is to be reached in each of them, which ends there, else each is to keep the rules for the horizon.
	Worst        bool
	Disturbances int
	MinHorizon   int                             // with Worst and Success, the shortest horizon of a range, of which the shortest is taken; 0 for no range
	Threads      int                             // at least 1
	Memory       int64                           // bytes for states, outcomes and the policy
	States       int                             // at most; 0 for any number
	Outcomes     int                             // of all states and actions, at most; 0 for any number
	Report       func(states int, remaining int) // states so far, and steps still to be solved; may be nil
}

// atEnd is the value of a state in which no step is left or none is taken.
func (o *Options) atEnd(k Kind) float64 {
	switch {
	case o.Worst && o.Objective == Success && k&Goal == 0, k&Broken != 0 && (o.Worst || o.Objective == Reward):
		return math.Inf(-1)
	case !o.Worst && o.Objective == Success && k&(Goal|Broken) == Goal:
		return 1
	}
	return 0
}

// Solution is a policy that maximises its objective, by dynamic programming in floating point.
type Solution struct {
	Value   float64 // of the start; minus infinity if every action can break a rule
	Horizon int     // with a range, that of the policy; the longest if there is none
	States  int     // that can be reached within the horizon
	Pairs   int64   // of these states and their legal actions
	Updates int64   // outcomes that were looked at, over all steps

	t       *table
	o       Options
	n       int      // numbers of disturbances left
	changes []change // by place and number of steps left
	first   []int64  // of each place, among changes
}

// change is that a place, which is n times a state and a number of disturbances left, has another action from a number of steps left on.
type change struct {
	place  uint32
	left   uint16
	action uint16 // among those of the state
}

// MaxHorizon is the longest horizon.
const MaxHorizon = math.MaxUint16

// Solve finds the best policy of a process, by backward induction over states and, for the worst case, the number of
// disturbances that are left: there the policy chooses an action, and then an adversary an outcome (Iyengar, Robust dynamic
// programming, 2005). The error wraps ErrTooLarge if it does not fit memory.
//
// Among the best actions it takes, with n steps left, that for n-1 if it is one of them, and otherwise the
// first: so no policy postpones what can be had sooner, and most states keep their actions for most of the steps.
func Solve(ctx context.Context, p Process, o Options) (*Solution, error) {
	if o.MinHorizon == 0 {
		o.MinHorizon = o.Horizon
	}
	if o.MinHorizon < 1 || o.Horizon < o.MinHorizon || o.Horizon > MaxHorizon {
		return nil, fmt.Errorf("the horizons %d..%d are not within 1..%d", o.MinHorizon, o.Horizon, MaxHorizon)
	}
	var tell func(int)
	if o.Report != nil {
		tell = func(n int) { o.Report(n, o.Horizon) }
	}
	n := 1
	if o.Worst {
		n += o.Disturbances
		o.Memory /= int64(n)
	}
	t, err := build(ctx, p, o, tell)
	if err != nil {
		return nil, err
	}
	if int64(t.states())*int64(n) > math.MaxUint32 {
		return nil, fmt.Errorf("%w: %d states with up to %d disturbances", ErrTooLarge, t.states(), o.Disturbances)
	}
	s := &Solution{States: t.states(), Pairs: int64(len(t.actions)), t: t, o: o, n: n}
	err = s.induct(ctx, o.Horizon, func(left int, values []float64, found []change) (done bool, err error) {
		if left == 0 {
			return false, nil
		}
		s.changes = append(s.changes, found...)
		s.Updates += t.firstNext[t.levels[o.Horizon-left]]
		if o.Report != nil {
			o.Report(t.states(), o.Horizon-left)
		}
		s.Value, s.Horizon = values[n-1], left
		return o.Worst && o.Objective == Success && left >= o.MinHorizon && s.Exists(), nil
	})
	s.sort(t.states() * n)
	return s, err
}

// Exists reports whether there is a policy; where there is none, each action can break a rule, or the worst run misses the goal.
func (s *Solution) Exists() bool { return !math.IsInf(s.Value, -1) }

// induct passes the values with 0, 1, 2, … steps left, one after the other until it is done, with the changes of action by place: those of the
// states that can be reached in so few steps that as many are left, by places. The slice is reused.
func (s *Solution) induct(ctx context.Context, horizon int, pass func(left int, values []float64, found []change) (done bool, err error)) error {
	t, n := s.t, s.n
	before := make([]float64, t.states()*n)
	for i := range before {
		before[i] = s.o.atEnd(t.kinds[i/n])
	}
	values, action := slices.Clone(before), slices.Repeat([]uint16{none}, len(before))
	for left := 0; left <= horizon; left++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// Where so many steps are left, only so many were taken.
		states := t.levels[horizon-left]
		var found []change
		if left > 0 {
			found = s.pass(values, before, action, states, left)
			values, before = before, values
		}
		if done, err := pass(left, before[:states*n], found); done || err != nil {
			return err
		}
	}
	return nil
}

// Values passes the values with 0, 1, 2, … steps left, as induct, those of the worst case by state and number of disturbances left; minus
// infinity where nothing is guaranteed. They are as exact as floating point is.
func (s *Solution) Values(ctx context.Context, pass func(left int, values []float64) error) error {
	return s.induct(ctx, s.Horizon, func(left int, values []float64, _ []change) (bool, error) { return false, pass(left, values) })
}

// Open reports whether an action may be taken in a state: no run ends there.
func (s *Solution) Open(i int) bool { return !closed(s.t.kinds[i], s.t.objective) }

// chunk is the number of states that a thread solves at a time; tests make it smaller.
var chunk = 1 << 14

// pass computes the values of the first n states with some steps left, and lists the changes of action by
// state.
func (s *Solution) pass(values, before []float64, action []uint16, n, left int) []change {
	chunks := (n + chunk - 1) / chunk
	found := make([][]change, chunks)
	improve := s.t.improve
	if s.o.Worst {
		improve = s.improveWorst
	}
	work := func(k int) { found[k] = improve(values, before, action, k*chunk, min(n, (k+1)*chunk), left) }
	if threads := min(s.o.Threads, chunks); threads > 1 {
		var next atomic.Int64
		var group routine.Group
		for range threads {
			group.Go(func() {
				for k := int(next.Add(1)) - 1; k < chunks; k = int(next.Add(1)) - 1 {
					work(k)
				}
			})
		}
		group.Wait()
	} else {
		for k := range chunks {
			work(k)
		}
	}
	return slices.Concat(found...)
}

// slack is the relative difference up to which two actions are equally good: rounding alone makes it.
const slack = 1e-14

// improve computes the values of some states from those with one step less left.
func (t *table) improve(values, before []float64, action []uint16, from, to, left int) (changes []change) {
	k := t.firstNext[from]
	for i := from; i < to; i++ {
		a, end := t.firstAction[i], t.firstAction[i+1]
		if a == end {
			if values[i] = before[i]; !closed(t.kinds[i], t.objective) {
				values[i] = t.stuck // nothing is legal here
			}
			continue
		}
		best, choice := math.Inf(-1), none
		kept, was := math.Inf(-1), a+int64(action[i])
		for b := a; b < end; b++ {
			d := &t.dist[t.distributions[b]]
			p := t.p[d.first : d.first+d.n]
			next := t.next[k : k+int64(len(p))]
			v := d.more + t.amounts[t.rewards[b]]
			for j, q := range p {
				v += q * before[next[j]]
			}
			k += int64(len(p))
			if v > best || choice == none {
				best, choice = v, int(b-a)
			}
			if b == was {
				kept = v
			}
		}
		if values[i] = kept; kept < best-slack*math.Abs(best) || action[i] == none {
			values[i] = best
			changes = append(changes, change{uint32(i), uint16(left), uint16(choice)})
			action[i] = uint16(choice)
		}
	}
	return changes
}

// improveWorst is improve for the worst case.
func (s *Solution) improveWorst(values, before []float64, action []uint16, from, to, left int) (changes []change) {
	t, n := s.t, s.n
	for i := from; i < to; i++ {
		a, end := t.firstAction[i], t.firstAction[i+1]
		for b := range n {
			at := i*n + b
			if a == end {
				if values[at] = before[at]; !closed(t.kinds[i], t.objective) {
					values[at] = t.stuck
				}
				continue
			}
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
				if int(c-a) == int(action[at]) {
					kept = v
				}
			}
			if values[at] = best; kept < best || action[at] == none {
				changes = append(changes, change{uint32(at), uint16(left), uint16(choice)})
				action[at] = uint16(choice)
			}
		}
	}
	return changes
}

// sort orders the changes by place, of n; those of a place stay in order.
func (s *Solution) sort(n int) {
	s.first = make([]int64, n+1)
	for _, c := range s.changes {
		s.first[c.place+1]++
	}
	for i := range n {
		s.first[i+1] += s.first[i]
	}
	at := append([]int64(nil), s.first...)
	sorted := make([]change, len(s.changes))
	for _, c := range s.changes {
		sorted[at[c.place]] = c
		at[c.place]++
	}
	s.changes = sorted
}

// choice returns the action of a place with a number of steps left, among those of the state; none for none.
func (s *Solution) choice(place, left int) int {
	list := s.changes[s.first[place]:s.first[place+1]]
	i, found := slices.BinarySearchFunc(list, left, func(c change, left int) int { return int(c.left) - left })
	if !found {
		i--
	}
	if i < 0 {
		return none
	}
	return int(list[i].action)
}

// Row says what a policy does in a state that it can reach: an action at some steps.
type Row struct {
	State        int // number of the state, see Solution.State
	From, To     int // the first and the last of these steps, from 1
	Action       uint32
	Disturbances int // of the run so far, where they are bounded
}

// State returns a packed state by its number.
func (s *Solution) State(i int) []uint64 { return s.t.key(i) }

// Rows lists what the policy does in the states that it can reach, by state and disturbances so far. But for the worst case, a state has
// rows from the first to the last step at which it can be reached.
func (s *Solution) Rows() []Row {
	steps := map[uint32][]int{}
	for k, layer := range s.layers() {
		for _, i := range layer {
			if old := steps[i]; !s.o.Worst && old != nil {
				for len(old) <= k-old[0] {
					old = append(old, old[0]+len(old))
				}
				steps[i] = old
			}
			steps[i] = append(steps[i], k+1)
		}
	}
	var rows []Row
	places := slices.Collect(maps.Keys(steps))
	slices.SortStableFunc(places, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(int(a)/s.n, int(b)/s.n), cmp.Compare(b, a))
	})
	for _, i := range places {
		state, at := int(i)/s.n, len(rows)
		for _, step := range steps[i] {
			c := none
			if step <= s.Horizon {
				c = s.choice(int(i), s.Horizon-step+1)
			}
			if c == none {
				break
			}
			a := s.t.actions[s.t.firstAction[state]+int64(c)]
			if n := len(rows); n > at && rows[n-1].Action == a && rows[n-1].To == step-1 {
				rows[n-1].To = step
			} else {
				rows = append(rows, Row{state, step, step, a, s.n - 1 - int(i)%s.n})
			}
		}
	}
	return rows
}

// layers lists the places that the policy can reach at each step.
func (s *Solution) layers() [][]uint32 {
	layers := [][]uint32{{uint32(s.n - 1)}}
	for step := 1; step <= s.Horizon; step++ {
		seen := map[uint32]bool{}
		var next []uint32
		for _, i := range layers[step-1] {
			for _, j := range s.successors(int(i), s.Horizon-step+1) {
				if !seen[j] {
					seen[j] = true
					next = append(next, j)
				}
			}
		}
		layers = append(layers, next)
	}
	return layers
}

// successors lists the places that the policy's action can lead to.
func (s *Solution) successors(place, left int) []uint32 {
	c := s.choice(place, left)
	if c == none {
		return nil
	}
	t := s.t
	d, next := t.outcomes(place/s.n, c)
	if !s.o.Worst {
		return next
	}
	var out []uint32
	for j, i := range next {
		if rest := place%s.n - int(t.events[int(d.first)+j]); rest >= 0 {
			out = append(out, i*uint32(s.n)+uint32(rest))
		}
	}
	return out
}
