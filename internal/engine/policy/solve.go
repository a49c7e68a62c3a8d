package policy

import (
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
	Threads   int                             // at least 1
	Memory    int64                           // bytes for states, outcomes and the policy
	States    int                             // at most; 0 for any number
	Outcomes  int                             // of all states and actions, at most; 0 for any number
	Report    func(states int, remaining int) // states so far, and steps still to be solved; may be nil
}

// Solution is a policy that maximises its objective, by dynamic programming in floating point.
type Solution struct {
	Value   float64 // of the start; minus infinity if every action can break a rule
	States  int     // that can be reached within the horizon
	Pairs   int64   // of these states and their legal actions
	Updates int64   // outcomes that were looked at, over all steps

	t       *table
	o       Options
	horizon int
	changes []change // by state and number of steps left
	first   []int64  // of each state, among changes
}

// change is that a state has another action from a number of steps left on.
type change struct {
	state  uint32
	left   uint16
	action uint16 // among those of the state; none for none
}

// MaxHorizon is the longest horizon.
const MaxHorizon = math.MaxUint16

// Solve finds the best policy of a process. The error wraps ErrTooLarge if it does not fit memory.
//
// Among the best actions it takes, with n steps left, that for n-1 if it is one of them, and otherwise the
// first: so no policy postpones what can be had sooner, and most states keep their actions for most of the steps.
func Solve(ctx context.Context, p Process, o Options) (*Solution, error) {
	if o.Horizon < 1 || o.Horizon > MaxHorizon {
		return nil, fmt.Errorf("the horizon %d is outside 1..%d", o.Horizon, MaxHorizon)
	}
	var tell func(int)
	if o.Report != nil {
		tell = func(n int) { o.Report(n, o.Horizon) }
	}
	t, err := build(ctx, p, o, o.Objective == Reward, tell)
	if err != nil {
		return nil, err
	}
	s := &Solution{States: t.states(), Pairs: int64(len(t.actions)), t: t, o: o, horizon: o.Horizon}
	return s, s.induct(ctx)
}

// atEnd is the value of a state in which no step is left.
func atEnd(k Kind, o Objective) float64 {
	switch {
	case o == Success && k&(Goal|Broken) == Goal:
		return 1
	case o == Reward && k&Broken != 0:
		return math.Inf(-1)
	}
	return 0
}

// induct computes the values with 1, 2, … steps left.
func (s *Solution) induct(ctx context.Context) error {
	t := s.t
	values, before := make([]float64, t.states()), make([]float64, t.states())
	for i, k := range t.kinds {
		before[i] = atEnd(k, s.o.Objective)
	}
	copy(values, before)
	action := make([]uint16, t.states())
	for i := range action {
		action[i] = none
	}
	for left := 1; left <= s.horizon; left++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// Where so many steps are left, only so many were taken.
		n := t.levels[s.horizon-left]
		s.changes = append(s.changes, s.pass(values, before, action, n, left)...)
		s.Updates += t.firstNext[n]
		values, before = before, values
		if s.o.Report != nil {
			s.o.Report(t.states(), s.horizon-left)
		}
	}
	s.Value = before[0]
	s.sort(t.states())
	return nil
}

// chunk is the number of states that a thread solves at a time.
const chunk = 1 << 14

// pass computes the values of the first n states with some steps left, and lists the changes of action by
// state.
func (s *Solution) pass(values, before []float64, action []uint16, n, left int) []change {
	chunks := (n + chunk - 1) / chunk
	found := make([][]change, chunks)
	work := func(k int) {
		to := min(n, (k+1)*chunk)
		found[k] = s.t.improve(values, before, action, k*chunk, to, left)
	}
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

// sort orders the changes by state, of n; those of a state stay in order.
func (s *Solution) sort(n int) {
	s.first = make([]int64, n+1)
	for _, c := range s.changes {
		s.first[c.state+1]++
	}
	for i := range n {
		s.first[i+1] += s.first[i]
	}
	at := append([]int64(nil), s.first...)
	sorted := make([]change, len(s.changes))
	for _, c := range s.changes {
		sorted[at[c.state]] = c
		at[c.state]++
	}
	s.changes = sorted
}

// choice returns the action of a state with a number of steps left, among those of the state.
func (s *Solution) choice(state, left int) int {
	list := s.changes[s.first[state]:s.first[state+1]]
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
	State    int // number of the state, see Solution.State
	From, To int // the first and the last of these steps, from 1
	Action   uint32
}

// State returns a packed state by its number.
func (s *Solution) State(i int) []uint64 { return s.t.key(i) }

// Rows lists what the policy does in the states that it can reach, by state. A state has
// rows from the first to the last step at which it can be reached.
func (s *Solution) Rows() []Row {
	t := s.t
	first, last := map[uint32]int{}, map[uint32]int{}
	for k, layer := range s.layers() {
		for _, i := range layer {
			if _, ok := first[i]; !ok {
				first[i] = k + 1
			}
			last[i] = k + 1
		}
	}
	var rows []Row
	for _, i := range slices.Sorted(maps.Keys(first)) {
		at := len(rows)
		for step := first[i]; step <= min(last[i], s.horizon); step++ {
			c := s.choice(int(i), s.horizon-step+1)
			if c == none {
				break
			}
			a := t.actions[t.firstAction[i]+int64(c)]
			if n := len(rows); n > at && rows[n-1].Action == a {
				rows[n-1].To = step
			} else {
				rows = append(rows, Row{int(i), step, step, a})
			}
		}
	}
	return rows
}

// successors lists the states that the policy's action can lead to.
func (s *Solution) successors(i, left int) []uint32 {
	c := s.choice(i, left)
	if c == none {
		return nil
	}
	t := s.t
	k := t.firstNext[i]
	a := t.firstAction[i]
	for b := a; b < a+int64(c); b++ {
		k += int64(t.dist[t.distributions[b]].n)
	}
	return t.next[k : k+int64(t.dist[t.distributions[a+int64(c)]].n)]
}
