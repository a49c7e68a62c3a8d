package sat

import (
	"errors"
	"slices"
)

// Status is the answer of Solve.
type Status uint8

// The answers. Unknown is what a limit leaves.
const (
	Unknown Status = iota
	Satisfiable
	Unsatisfiable
)

func (s Status) String() string {
	return [...]string{"unknown", "satisfiable", "unsatisfiable"}[s]
}

// ErrOverflow is wrapped where the coefficients of a constraint do not fit
// 64 bits together.
var ErrOverflow = errors.New("the coefficients leave 64 bits")

// Options choose among ways to search. The zero value is the default.
type Options struct {
	// StateNogoods learns, besides the clause of each conflict, one over the last
	// stage that the conflict follows from; see SetStage.
	StateNogoods bool
	// FixedOrder never leaves the order of priorities. Without it the solver
	// gives them up in turns once a search has become long.
	FixedOrder bool
	// CuttingPlanes learns linear constraints from conflicts that involve linear
	// constraints or neurons; not while there is a Trace, which takes clauses.
	CuttingPlanes bool
	// Trace is told what is learned, in an order in which each follows from
	// what is there before by reverse unit propagation. It may be nil.
	Trace Tracer
}

// Tracer is told how a solver's set of clauses grows. Every clause follows from
// the constraints that were added and the clauses before it by reverse unit
// propagation. The slices are valid only during the call.
type Tracer interface {
	// Learned is told a clause, empty for a contradiction, and returns a number for it, not
	// 0, by which Deleted refers to it.
	Learned(clause []Lit) int64
	// Deleted is told that a clause with a number is not used any more.
	Deleted(clause []Lit, number int64)
}

// Stats are counts since the solver was made.
type Stats struct {
	Conflicts, Decisions, Propagations, Restarts int64
	Work                                         int64 // watches looked at, and what takes as long
	Learned                                      int64 // clauses
	StateNogoods                                 int64
	LinearLearned                                int64
}

// Solver holds variables, constraints and everything learned. It is not safe
// for concurrent use. Each of its parts has a file of its own.
type Solver struct {
	opts  Options
	stats Stats
	unsat bool // without any assumption

	assignment // trail.go
	clauseDB   // clause.go, reduce.go
	smallClauses
	counters  // counter.go, neuron.go, linear.go
	decisions // decide.go
	phases    // phase.go
	stages    // nogood.go
	analysis  // analyze.go
	query     // search.go

	cp      *cuttingPlanes // nil until it is needed; see cutting.go
	restart restarts
	reduce  reductions
	traced  int   // literals at level 0 that the tracer knows as clauses
	scratch []Lit // of one call
}

// New returns a solver without variables.
func New(o Options) *Solver {
	s := &Solver{opts: o}
	s.bump, s.descent = 1, 1
	s.numbers = map[cref]int64{}
	s.restart.init()
	s.reduce.next = 2 * reduceUnit
	s.Grow(0)
	return s
}

// NumVars is the number of variables.
func (s *Solver) NumVars() int32 { return int32(len(s.vars)) - 1 }

// Grow makes variables 1..n exist.
func (s *Solver) Grow(n int32) {
	first := len(s.vars)
	more := int(n) + 1 - first
	if more <= 0 {
		return
	}
	s.assignment.grow(more)
	s.clauseDB.grow(more)
	s.counters.grow(more)
	s.decisions.grow(more)
	s.phases.grow(more)
	s.stages.grow(more)
	s.analysis.grow(more)
	for v := max(first, 1); v <= int(n); v++ {
		s.heapInsert(int32(v))
	}
}

// extend appends n zeros to a slice, with room to spare for more than one.
func extend[T any](list []T, n int) []T {
	if n > 1 {
		list = slices.Grow(list, n)
	}
	var zero T
	for range n {
		list = append(list, zero)
	}
	return list
}

// NewVar makes one more variable and returns its literal.
func (s *Solver) NewVar() Lit {
	s.Grow(s.NumVars() + 1)
	return Pos(s.NumVars())
}

// Stats are the counts so far.
func (s *Solver) Stats() Stats { return s.stats }

// Consistent is false once the constraints are known to have no solution.
func (s *Solver) Consistent() bool { return !s.unsat }

// Bytes estimates the memory that clauses and constraints take.
func (s *Solver) Bytes() int64 {
	return int64(cap(s.arena))*4 + int64(len(s.problem)+len(s.learned))*20 + int64(cap(s.pairs)+cap(s.triples)+cap(s.list)+cap(s.first))*4 + int64(cap(s.inputs))*12 + int64(cap(s.linearLits))*28 + int64(len(s.vars))*160
}
