// Package bracket bounds the value of decision processes whose states are too many to be listed: from above by
// a search with optimistic tables, and from below by runs of the policy that it finds.
//
// The steps of such a process are made of independent draws. A pattern is a set of state variables; its table
// has the value of a part of the reward with any number of steps left, where all other variables have the
// values that are best for it. The parts sum to an upper bound of the whole. Prices on actions, which sum to zero over the
// patterns, make the patterns agree on what is done (Hawkins, A Lagrangian decomposition approach to weakly coupled dynamic optimization problems,
// 2003; Adelman and Mersereau, Relaxations of weakly coupled stochastic dynamic programs, 2008).
// Backups over the states that a search has visited tighten the bound (McMahan, Likhachev and
// Gordon, Bounded real-time dynamic programming, 2005). Tables in which the other variables have the values that were seen
// in runs guide the policy.
package bracket

import (
	"errors"

	"github.com/fdplan/fdplan/internal/engine/policy"
)

// ErrNotFactored is wrapped by errors of models that cannot be made of independent draws.
var ErrNotFactored = errors.New("steps are not made of independent draws")

// ErrUndefined is matched by errors of draws and terms in states in which a model says nothing, such as one of an agent in two places: the system is never
// there.
var ErrUndefined = errors.New("the model says nothing of the state")

// Field is where a packed state has a variable.
type Field struct {
	Word  int
	Shift uint
	Most  uint64 // values are 0..Most
	// Family is the same number for variables that say the same of different objects; 0 for none.
	Family int
}

// Scope is what a part of a step depends on and changes.
type Scope struct {
	Reads   []int    // fields
	Writes  []int    // fields whose next values are drawn together; none for rewards
	Classes []uint32 // of each joint action: those of one class make no difference to this part
	Count   int      // of classes
}

// Draw is what some fields can be after a step. Rows differ in these fields.
type Draw struct {
	P    []float64
	Bits []uint64 // of row i from i*Words() on; 0 outside the fields
}

// Model is a process of independent draws. It belongs to one goroutine.
type Model interface {
	Words() int
	Start(state []uint64)
	// Kind tells what a state is.
	Kind(state []uint64) (policy.Kind, error)
	// Plain reports that all states are open.
	Plain() bool
	Fields() []Field
	// Actions is the number of joint actions, legal somewhere or not.
	Actions() int
	// Legal lists the legal actions in a state, by their places among all. The caller may change the list.
	Legal(state []uint64, list []uint32) ([]uint32, error)
	// Factors are the draws of a step: each field is written by one.
	Factors() []Scope
	// Terms are the summands of the reward.
	Terms() []Scope
	// Conditions are the conjuncts of the goal.
	Conditions() []Scope
	// Rules are what a legal action keeps, as far as it is known in parts: bounds are sound without any.
	Rules() []Scope
	Rule(i int, state []uint64, action uint32) (bool, error)
	Draw(factor int, state []uint64, action uint32) (*Draw, error)
	// Needs lists the fields that a draw depends on with a joint action.
	Needs(factor int, action uint32) []int
	Term(term int, state []uint64, action uint32) (float64, error)
	Condition(i int, state []uint64) (bool, error)
	// TermRange bounds a term whatever the state and the action are.
	TermRange(term int) (lo, hi float64)
}
