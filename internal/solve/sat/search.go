package sat

import "context"

// Budget bounds one call of Solve. With the zero value the
// context is the only bound.
type Budget struct {
	Conflicts int64 // of this call
	Memory    int64 // bytes; the database of learned clauses is kept small before giving up
	// Pause is called now and then, each time after about the same work; nil for nothing to do.
	Pause func()
}

// query is what is asked, and the last answer.
type query struct {
	assumptions []Lit
	core        []Lit
	model       []bool
}

// Value is the value of l in the model of the last Satisfiable answer.
func (s *Solver) Value(l Lit) bool { return s.model[l.Var()] != l.Negative() }

// Core is the subset of the assumptions of the last Unsatisfiable answer that
// cannot hold together; empty when the constraints alone cannot.
func (s *Solver) Core() []Lit { return s.core }

// pollEvery is how much work passes between looks at the context: far less than a millisecond. There is
// a pause after pausePolls of them.
const (
	pollEvery  = 1 << 16
	pausePolls = 8
)

// Solve looks for an assignment that keeps all constraints and makes all
// assumptions true. Unknown means that the budget was used up or that ctx ended.
// All that was learned is kept for the next call.
func (s *Solver) Solve(ctx context.Context, assumptions []Lit, b Budget) Status {
	s.core = s.core[:0]
	if s.unsat {
		return Unsatisfiable
	}
	if ctx.Err() != nil {
		return Unknown
	}
	s.backtrack(0)
	s.assumptions = append(s.assumptions[:0], assumptions...)
	for _, l := range assumptions {
		s.Grow(l.Var())
	}
	if s.begin(); s.unsat {
		return Unsatisfiable
	}
	status := s.search(ctx, b)
	s.backtrack(0)
	return status
}

// search decides and learns until there is an answer, or none within b.
func (s *Solver) search(ctx context.Context, b Budget) Status {
	start, polled, paused := s.stats.Conflicts, s.stats.Work, s.stats.Work
	for {
		if s.stats.Work-polled >= pollEvery {
			polled = s.stats.Work
			if b.Pause != nil && polled-paused >= pausePolls*pollEvery {
				paused = polled
				b.Pause()
			}
			if ctx.Err() != nil {
				return Unknown
			}
		}
		if conflict := s.propagate(); conflict != noReason {
			if s.resolve(conflict); s.unsat {
				return Unsatisfiable
			}
			continue
		}
		switch {
		case b.Conflicts > 0 && s.stats.Conflicts-start >= b.Conflicts:
			return Unknown
		case s.restart.due():
			if s.startOver(); s.unsat {
				return Unsatisfiable
			}
			continue
		case s.stats.Conflicts >= s.reduce.next:
			s.reduceLearned()
			if b.Memory > 0 && s.Bytes() > b.Memory {
				return Unknown
			}
			continue
		}
		next, status := s.next()
		if next == NoLit {
			return status
		}
		s.decide(next)
	}
}

// next returns the literal to decide: the first assumption that is open, else
// the first variable. When there is none, the status is the answer:
// Unsatisfiable when an assumption is false, Satisfiable when all variables have
// values.
func (s *Solver) next() (Lit, Status) {
	for int(s.decisionLevel()) < len(s.assumptions) {
		switch p := s.assumptions[s.decisionLevel()]; s.vals[p] {
		case 1:
			s.openLevel()
		case 0:
			return p, Unknown
		case -1:
			s.finalCore(p)
			return NoLit, Unsatisfiable
		}
	}
	if l := s.pickDecision(); l != NoLit {
		return l, Unknown
	}
	s.keepModel()
	return NoLit, Satisfiable
}

// resolve learns from a conflict and goes back. A conflict without decisions
// means that the constraints have no solution.
func (s *Solver) resolve(conflict reason) {
	s.stats.Conflicts++
	if s.decisionLevel() == 0 {
		s.unsat = true
		s.trace(nil)
		return
	}
	if s.opts.CuttingPlanes && s.opts.Trace == nil {
		if back, ok := s.analyzeLinear(conflict); ok {
			s.bump *= bumpGrowth
			s.learnLinear(back)
			return
		}
	}
	s.analyze(conflict)
	s.learn()
}

// startOver restarts, and between modes changes what is tried first.
func (s *Solver) startOver() {
	s.stats.Restarts++
	s.restart.sinceRestart = 0
	if !s.restart.switched(s.stats.Conflicts) {
		s.backtrack(s.reusable())
		return
	}
	s.backtrack(0)
	if !s.opts.FixedOrder {
		s.free = !s.free
		s.heapRemake()
	}
}

// reusable is the level up to which a search from the start would decide the
// same again (van der Tak, Ramos and Heule, "Reusing the Assignment Trail in
// CDCL Solvers", 2011).
func (s *Solver) reusable() int32 {
	for len(s.heap) > 0 && s.vals[Pos(s.heap[0])] != 0 {
		s.heapPop()
	}
	keep := min(s.decisionLevel(), int32(len(s.assumptions)))
	if len(s.heap) == 0 {
		return keep
	}
	for keep < s.decisionLevel() && s.before(s.trail[s.levels[keep]].Var(), s.heap[0]) {
		keep++
	}
	return keep
}

func (s *Solver) keepModel() {
	if len(s.model) < len(s.vars) {
		s.model = make([]bool, len(s.vars))
	}
	for v := range s.model {
		s.model[v] = s.vals[Pos(int32(v))] > 0
	}
}
