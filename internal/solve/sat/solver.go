package sat

import (
	"errors"
	"math"
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
	// StageCuts learns, besides the clause of each conflict, one over the last
	// stage that the conflict follows from; see SetStage.
	StageCuts bool
	// FixedOrder never leaves the order of priorities. Without it the solver
	// gives them up in turns once a search has become long.
	FixedOrder bool
	// CuttingPlanes learns linear constraints from conflicts that involve linear
	// constraints or neurons; not while there is a Trace, which takes clauses.
	CuttingPlanes bool
	// NoVivify does without shortening clauses between modes of search.
	NoVivify bool
	// Trace is told what is learned, in an order in which each follows from
	// what is there before by reverse unit propagation. It may be nil.
	Trace Tracer
}

// Tracer is told how a solver's set of clauses grows. Every clause follows from
// the constraints that were added and the clauses before it by reverse unit
// propagation. The slices are valid only during the call.
type Tracer interface {
	// Learned is told a clause, empty for a contradiction, and gives it a number
	// other than 0, by which Deleted knows it.
	Learned(clause []Lit) int64
	// Deleted is told that a clause with a number is not used any more.
	Deleted(clause []Lit, number int64)
}

// Stats are counts since the solver was made.
type Stats struct {
	Conflicts, Decisions, Propagations, Restarts int64
	Learned, Deleted, Minimized                  int64 // clauses; literals
	StageCuts                                    int64
	LinearLearned                                int64
	Vivified                                     int64 // clauses shortened
}

// variable says how a variable came to its value.
type variable struct {
	reason reason
	level  int32
	pos    int32 // place on the trail
}

// Solver holds variables, constraints and everything learned. It is not safe
// for concurrent use.
type Solver struct {
	opts  Options
	stats Stats
	unsat bool // without any assumption

	// The assignment. vals is indexed by literal, the others by variable.
	vals   []int8
	vars   []variable
	trail  []Lit
	levels []int32 // length of the trail when each decision was made
	headC  int     // literals of the trail before it are propagated in clauses
	headN  int     // and before it in counters

	// Clauses.
	arena   []Lit
	watches [][]watch // by literal: clauses that watch its negation
	problem []cref    // clauses that were added
	learned []cref
	wasted  int            // words of deleted clauses in arena
	numbers map[cref]int64 // the tracer's, of learned clauses
	traced  int            // literals at level 0 that the tracer knows as clauses

	// Counters.
	neurons                     []neuron
	inputs                      []Lit      // of all neurons
	readers                     [][]uint32 // by literal: neurons that have it as input
	givers                      [][]uint32 // by variable: neurons whose output it is
	linears                     []linear
	linearLits                  []Lit
	linearCoef                  []int64
	weighers                    [][]weigher // by literal: linear constraints that hold it
	counted                     []bool      // by variable: it stands in some counter
	learnedLinears, freeLinears []uint32

	// Decisions.
	activity []float64
	bump     float64
	priority []int32
	phase    []int8 // 1 or -1: what to try first
	best     []int8 // the phases of the longest trail without conflict

	bestTrail int
	heap      []int32
	heapAt    []int32 // place in heap, -1 when absent
	free      bool    // decisions ignore priorities for now

	// Conflict analysis.
	seen     []uint8
	clear    []int32 // variables whose seen is set
	stack    []minFrame
	lits     []Lit // reasons that were built for this conflict
	built    []builtReason
	buildAge int64
	levelAge []int64
	litMark  []int64 // by literal
	age      int64
	learnt   []Lit
	cut      []Lit
	stage    []int32
	staged   bool
	scratch  []Lit
	weights  []int64
	vivified []Lit
	probing  bool // what is assigned says nothing of phases
	cp       *cuttingPlanes

	assumptions []Lit
	core        []Lit
	model       []bool

	restart restarts
	reduce  reductions
}

// New gives a solver without variables.
func New(o Options) *Solver {
	s := &Solver{opts: o, bump: 1, numbers: map[cref]int64{}}
	s.restart.init()
	s.reduce.init()
	s.Grow(0)
	return s
}

// NumVars is the number of variables.
func (s *Solver) NumVars() int32 { return int32(len(s.vars)) - 1 }

// Grow makes variables 1..n exist.
func (s *Solver) Grow(n int32) {
	if more := int(n) + 1 - len(s.vars); more > 1 {
		s.reserve(more)
	}
	for int32(len(s.vars)) <= n {
		v := int32(len(s.vars))
		s.vals = append(s.vals, 0, 0)
		s.vars = append(s.vars, variable{})
		s.watches = append(s.watches, nil, nil)
		s.readers = append(s.readers, nil, nil)
		s.litMark = append(s.litMark, 0, 0)
		s.givers = append(s.givers, nil)
		s.weighers = append(s.weighers, nil, nil)
		s.counted = append(s.counted, false)
		s.activity = append(s.activity, 0)
		s.priority = append(s.priority, math.MaxInt32)
		s.phase = append(s.phase, -1)
		s.best = append(s.best, 0)
		s.heapAt = append(s.heapAt, -1)
		s.seen = append(s.seen, 0)
		s.built = append(s.built, builtReason{})
		s.levelAge = append(s.levelAge, 0)
		s.stage = append(s.stage, 0)
		if v > 0 {
			s.heapInsert(v)
		}
	}
	if len(s.levelAge) < len(s.vars)+1 {
		s.levelAge = append(s.levelAge, 0)
	}
}

// reserve makes room for more variables at once.
func (s *Solver) reserve(more int) {
	s.vals = slices.Grow(s.vals, 2*more)
	s.vars = slices.Grow(s.vars, more)
	s.trail = slices.Grow(s.trail, more)
	s.watches = slices.Grow(s.watches, 2*more)
	s.readers = slices.Grow(s.readers, 2*more)
	s.givers = slices.Grow(s.givers, more)
	s.weighers = slices.Grow(s.weighers, 2*more)
	s.counted = slices.Grow(s.counted, more)
	s.activity = slices.Grow(s.activity, more)
	s.priority = slices.Grow(s.priority, more)
	s.phase = slices.Grow(s.phase, more)
	s.best = slices.Grow(s.best, more)
	s.heap = slices.Grow(s.heap, more)
	s.heapAt = slices.Grow(s.heapAt, more)
	s.seen = slices.Grow(s.seen, more)
	s.built = slices.Grow(s.built, more)
	s.levelAge = slices.Grow(s.levelAge, more+1)
	s.stage = slices.Grow(s.stage, more)
}

// NewVar makes one more variable and gives its literal.
func (s *Solver) NewVar() Lit {
	s.Grow(s.NumVars() + 1)
	return Pos(s.NumVars())
}

// SetPriority says that variables of lower priority are decided first. Without
// it a variable comes after all that have one.
func (s *Solver) SetPriority(v, priority int32) {
	s.priority[v] = priority
	if s.heapAt[v] >= 0 {
		s.heapUp(s.heapAt[v])
		s.heapDown(s.heapAt[v])
	}
}

// SetPhase says which value of a variable to try first: true or false. Search
// changes it as it goes.
func (s *Solver) SetPhase(v int32, value bool) {
	s.phase[v] = -1
	if value {
		s.phase[v] = 1
	}
}

// SetStage puts a variable at a stage. Stages are meant for what unfolds in
// time: odd stages hold choices, even ones what sums up all choices before. A
// stage cut names literals of one even stage, and of stages before where it
// must, and follows from the constraints alone.
func (s *Solver) SetStage(v, stage int32) {
	s.stage[v] = stage
	s.staged = true
}

// Stats are the counts so far.
func (s *Solver) Stats() Stats { return s.stats }

// Value is the value of l in the model of the last Satisfiable answer.
func (s *Solver) Value(l Lit) bool { return s.model[l.Var()] != l.Negative() }

// Core is the subset of the assumptions of the last Unsatisfiable answer that
// cannot hold together; empty when the constraints alone cannot.
func (s *Solver) Core() []Lit { return s.core }

// Fixed is 1 or -1 when l is known to be true or false whatever is assumed,
// else 0.
func (s *Solver) Fixed(l Lit) int8 {
	if s.vars[l.Var()].level == 0 {
		return s.vals[l]
	}
	return 0
}

// Consistent is false once the constraints are known to have no solution.
func (s *Solver) Consistent() bool { return !s.unsat }

// Bytes estimates the memory that clauses and constraints take.
func (s *Solver) Bytes() int64 {
	return int64(cap(s.arena))*4 + int64(len(s.problem)+len(s.learned))*20 + int64(cap(s.inputs))*12 + int64(cap(s.linearLits))*28 + int64(len(s.vars))*160
}

func (s *Solver) decisionLevel() int32 { return int32(len(s.levels)) }
