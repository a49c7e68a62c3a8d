package policy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/data/distinct"
)

// Objective is what a policy maximises.
type Objective string

// The objectives.
const (
	// Success is the probability that the goal holds after one of the steps, or at the start. A run ends
	// there.
	Success Objective = "success"
	// Reward is the expected sum of rewards. A rule that can break makes an action as bad as
	// possible.
	Reward Objective = "reward"
)

// Objectives lists the objectives.
var Objectives = []Objective{Success, Reward}

// ErrTooLarge is wrapped by the error for a process that does not fit memory.
var ErrTooLarge = errors.New("the process does not fit memory")

// distribution is what actions have in common: probabilities, rewards beyond that of the first outcome, and
// disturbances. Actions with equal distributions share one.
type distribution struct {
	first, n int32
	more     float64 // expected reward beyond that of the first outcome
}

// table is a process laid out: its reachable states in the order in which they were found, which is
// by the least number of steps.
type table struct {
	objective Objective
	paid      bool    // rewards are kept
	stuck     float64 // the value of a state in which nothing is legal

	keys   *distinct.Set // packed states
	kinds  []Kind
	levels []int // levels[t]: how many states are reachable in at most t steps

	// Of the states that have been expanded, and one more:
	firstAction, firstNext []int64
	actions                []uint32 // the process's number of each action
	distributions          []uint32 // of each action
	rewards                []uint32 // of each action's first outcome, among amounts
	next                   []uint32 // states, the outcomes of each action in order

	amounts []float64
	dist    []distribution
	p, more []float64 // of distributions; more is the reward beyond that of the first outcome
	events  []uint32  // likewise
	byDist  map[string]uint32
	byValue map[float64]uint32
}

func newTable(words int) *table {
	return &table{keys: distinct.New(words), firstAction: []int64{0}, firstNext: []int64{0}, byDist: map[string]uint32{}, byValue: map[float64]uint32{}}
}

func (t *table) states() int { return len(t.kinds) }

func (t *table) key(i int) []uint64 { return t.keys.At(i) }

// bytes is the memory in use, about.
func (t *table) bytes() int64 {
	n := int(t.keys.Bytes()) + cap(t.kinds) + 8*cap(t.firstAction) + 8*cap(t.firstNext)
	n += 4 * (cap(t.actions) + cap(t.distributions) + cap(t.rewards) + cap(t.next) + cap(t.events))
	return int64(n + 8*(cap(t.amounts)+cap(t.p)+cap(t.more)) + 64*len(t.byDist))
}

// state returns the number of a state, which may be new.
func (t *table) state(p Process, key []uint64) (uint32, error) {
	if i, found := t.keys.Find(key); found {
		return uint32(i), nil
	}
	kind, err := p.Kind(key)
	if err != nil {
		return 0, err
	}
	if t.states() == math.MaxUint32-1 {
		return 0, fmt.Errorf("%w: more than %d states", ErrTooLarge, t.states())
	}
	i, _ := t.keys.Add(key)
	t.kinds = append(t.kinds, kind)
	return uint32(i), nil
}

// closed reports whether no action is taken in states of a kind.
func closed(k Kind, o Objective) bool {
	return k&(End|Broken) != 0 || o == Success && k&Goal != 0
}

// build lays out what is reachable within the horizon, with rewards where they are paid. The number of states is told from time to
// time.
func build(ctx context.Context, p Process, o Options, tell func(states int)) (*table, error) {
	t := newTable(p.Words())
	t.objective, t.paid = o.Objective, o.Worst || o.Objective == Reward
	if t.paid {
		t.stuck = math.Inf(-1)
	}
	start := make([]uint64, t.keys.Width())
	p.Start(start)
	if _, err := t.state(p, start); err != nil {
		return nil, err
	}
	t.levels = []int{1}
	most := 0.0
	if b, ok := p.(Bounded); ok {
		most = b.MostStates()
	}
	step, x := 1, &Expansion{}
	x.within = func() error { return t.within(ctx, o, step, x) }
	looked := 0 // outcomes in the table when limits were looked at
	for from := 0; step <= o.Horizon; step++ {
		to := t.states()
		for i := from; i < to; i++ {
			if i%1024 == 0 || len(t.next)-looked > 1<<16 {
				looked = len(t.next)
				if err := x.within(); err != nil {
					return nil, err
				}
				if tell != nil {
					tell(t.states())
				}
			}
			if err := t.expand(p, x, i); err != nil {
				return nil, err
			}
		}
		from = to
		t.levels = append(t.levels, t.states())
		if o.Outcomes > 0 && step < o.Horizon {
			if n := t.expected(step, most); n > float64(o.Outcomes) {
				return nil, fmt.Errorf("%w: %d states were reached in %d of %d steps, and about %.2g outcomes are to be expected", ErrTooLarge, t.states(), step, o.Horizon, n)
			}
		}
	}
	t.byDist, t.byValue = nil, nil
	return t, nil
}

// within says which limit is reached at a step, if one is, by the table and the outcomes of a state that are to become a part of it.
func (t *table) within(ctx context.Context, o Options, step int, x *Expansion) error {
	outcomes := len(t.next) + len(x.outcomes)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case t.bytes()+int64(t.states())*valueBytes+x.bytes() > o.Memory:
		return fmt.Errorf("%w of %d MiB: %d states were reached in %d of %d steps", ErrTooLarge, o.Memory>>20, t.states(), step-1, o.Horizon)
	case o.States > 0 && t.states() > o.States:
		return fmt.Errorf("%w: %d states", ErrTooLarge, t.states())
	case o.Outcomes > 0 && outcomes > o.Outcomes:
		return fmt.Errorf("%w: %d outcomes", ErrTooLarge, outcomes)
	}
	return nil
}

// doubtful is how many times as many outcomes as are allowed have to be expected two steps ahead for a process to be given
// up: how many states there will be is a guess.
const doubtful = 2

// expected is how many outcomes there will be, after so many steps: those of the states that were reached last, which have
// as many as those before had on average, and, with doubt, those of the states after these, if their number goes on
// growing as it did until there are no more than most.
func (t *table) expected(steps int, most float64) float64 {
	last, before := t.levels[steps]-t.levels[steps-1], t.levels[steps-1]
	if steps > 1 {
		before -= t.levels[steps-2]
	}
	if before == 0 {
		return 0
	}
	known := float64(len(t.next))
	mean := (known - float64(t.firstNext[len(t.firstNext)-1-before])) / float64(before)
	next := known + float64(last)*mean
	after := min(float64(last)*float64(last)/float64(before), max(0, most-float64(t.states())))
	return max(next, (next+after*mean)/doubtful)
}

// valueBytes is the memory of a state while the table is solved: two values, its action, and some
// changes of action.
const valueBytes = 2*8 + 2 + 8*8

// expand adds the actions of state i.
func (t *table) expand(p Process, x *Expansion, i int) error {
	x.clear(t.keys.Width())
	if !closed(t.kinds[i], t.objective) {
		if err := p.Expand(slices.Clone(t.key(i)), x); err != nil {
			return err
		}
	}
	if len(x.actions) >= none {
		return fmt.Errorf("%w: a state has %d legal actions; expected less than %d", ErrTooLarge, len(x.actions), none)
	}
	for k, id := range x.actions {
		list, first := x.of(k)
		if len(list) == 0 {
			return fmt.Errorf("action %d has no outcome", id)
		}
		for j := range list {
			if !t.paid {
				list[j].reward = 0
			}
			s, err := t.state(p, x.states[(first+j)*t.keys.Width():(first+j+1)*t.keys.Width()])
			if err != nil {
				return err
			}
			t.next = append(t.next, s)
		}
		t.actions = append(t.actions, id)
		t.rewards = append(t.rewards, t.amount(list[0].reward))
		t.distributions = append(t.distributions, t.distribution(list))
	}
	t.firstAction = append(t.firstAction, int64(len(t.actions)))
	t.firstNext = append(t.firstNext, int64(len(t.next)))
	x.clear(t.keys.Width())
	return nil
}

func (t *table) amount(r float64) uint32 {
	i, ok := t.byValue[r]
	if !ok {
		i = uint32(len(t.amounts))
		t.byValue[r], t.amounts = i, append(t.amounts, r)
	}
	return i
}

func (t *table) distribution(list []outcome) uint32 {
	key := make([]byte, 0, 256)
	for _, o := range list {
		for _, w := range [...]uint64{math.Float64bits(o.p), math.Float64bits(o.reward - list[0].reward), uint64(o.disturbances)} {
			for b := 0; b < 64; b += 8 {
				key = append(key, byte(w>>b))
			}
		}
	}
	if d, ok := t.byDist[string(key)]; ok {
		return d
	}
	d := uint32(len(t.dist))
	t.byDist[string(key)] = d
	t.dist = append(t.dist, distribution{first: int32(len(t.p)), n: int32(len(list))})
	for _, o := range list {
		t.dist[d].more += o.p * (o.reward - list[0].reward)
		t.p, t.more, t.events = append(t.p, o.p), append(t.more, o.reward-list[0].reward), append(t.events, o.disturbances)
	}
	return d
}
