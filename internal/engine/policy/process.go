// Package policy solves decision processes with finitely many states and a horizon: it finds what to do
// in each state and step, so that the probability of reaching a goal or the expected reward is the
// greatest (Puterman, Markov Decision Processes, 1994, chapter 4), or so that the goal is
// reached and the worst reward is the greatest while at most so many draws have another than their most likely
// outcome.
//
// The states that can be reached within the horizon are numbered once, with the outcomes of each action
// in flat arrays; backward induction then passes over these arrays once for each step.
package policy

// Kind is what a state is besides open.
type Kind uint8

// What a state can be, several at once.
const (
	Goal   Kind = 1 << iota // the goal holds
	End                     // a run ends here
	Broken                  // a rule is broken: a run fails here
)

// Process is a decision process. It belongs to one goroutine.
type Process interface {
	// Words is the size of a packed state, at least 1.
	Words() int
	// Start writes the state in which runs begin.
	Start(state []uint64)
	// Kind tells what a state is.
	Kind(state []uint64) (Kind, error)
	// Expand adds the legal actions in a state to x, in an order that depends on the state alone, each
	// followed by its outcomes.
	Expand(state []uint64, x *Expansion) error
}

// Bounded is implemented by processes that know how many states there are at most, reachable or not.
type Bounded interface {
	MostStates() float64
}

// Expansion collects the legal actions in a state and their outcomes.
type Expansion struct {
	words    int
	actions  []uint32
	ends     []int // of each action's outcomes
	outcomes []outcome
	states   []uint64     // of each outcome
	within   func() error // the limit that the outcomes reach, if they do; nil where there is none
}

// outcomesPerLook is how many outcomes are added from one look at limits to the next.
const outcomesPerLook = 1 << 14

// outcome is what one action can lead to.
type outcome struct {
	p            float64
	reward       float64
	disturbances uint32
}

func (x *Expansion) clear(words int) {
	*x = Expansion{words: words, within: x.within, actions: x.actions[:0], ends: x.ends[:0], outcomes: x.outcomes[:0], states: x.states[:0]}
}

// Action begins an action, known by a number that the process gives it.
func (x *Expansion) Action(id uint32) {
	x.actions, x.ends = append(x.actions, id), append(x.ends, len(x.outcomes))
}

// Outcome adds an outcome of the action that was begun last: its probability, the reward of the step, how
// many draws do not have their most likely value, and the next state, which is copied. The probabilities
// of an action are positive and sum to 1 but for rounding. An error says that a limit is reached.
func (x *Expansion) Outcome(p, reward float64, disturbances int, next []uint64) error {
	x.outcomes = append(x.outcomes, outcome{p, reward, uint32(disturbances)})
	x.states = append(x.states, next[:x.words]...)
	x.ends[len(x.ends)-1] = len(x.outcomes)
	if x.within == nil || len(x.outcomes)%outcomesPerLook != 0 {
		return nil
	}
	return x.within()
}

// bytes is the memory of the outcomes, and as much again for when they grow and become a part of a table.
func (x *Expansion) bytes() int64 { return 2 * int64(24*cap(x.outcomes)+8*cap(x.states)) }

// of returns the outcomes of action k and the place of the first among all.
func (x *Expansion) of(k int) (list []outcome, first int) {
	if k > 0 {
		first = x.ends[k-1]
	}
	return x.outcomes[first:x.ends[k]], first
}
