package sat

import "context"

// Budget bounds one call of Solve. The zero value is no bound but the
// context's.
type Budget struct {
	Conflicts int64 // of this call
	Memory    int64 // bytes; the database of learned clauses is kept small before giving up
}

// pollEvery is how many propagated literals pass between looks at the context:
// far less than a millisecond.
const pollEvery = 4096

// Solve looks for an assignment that keeps all constraints and makes all
// assumptions true. Unknown says that the budget was used up or that ctx ended.
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
	s.settle()
	if s.unsat {
		return Unsatisfiable
	}
	s.bestTrail = 0
	start, polled := s.stats.Conflicts, s.stats.Propagations
	for {
		if s.stats.Propagations-polled >= pollEvery {
			polled = s.stats.Propagations
			if ctx.Err() != nil {
				s.backtrack(0)
				return Unknown
			}
		}
		conflict := s.propagate()
		if conflict != noReason {
			s.stats.Conflicts++
			if s.decisionLevel() == 0 {
				s.unsat = true
				s.trace(nil)
				return Unsatisfiable
			}
			s.resolve(conflict)
			if s.unsat {
				return Unsatisfiable
			}
			continue
		}
		switch {
		case b.Conflicts > 0 && s.stats.Conflicts-start >= b.Conflicts:
			s.backtrack(0)
			return Unknown
		case s.restart.due():
			s.startOver()
			if s.unsat {
				return Unsatisfiable
			}
			continue
		case s.reduceDue():
			s.reduceLearned()
			if b.Memory > 0 && s.Bytes() > b.Memory {
				s.backtrack(0)
				return Unknown
			}
			continue
		}
		next := NoLit
		for int(s.decisionLevel()) < len(s.assumptions) && next == NoLit {
			switch p := s.assumptions[s.decisionLevel()]; s.vals[p] {
			case 1:
				s.levels = append(s.levels, int32(len(s.trail)))
			case 0:
				next = p
			case -1:
				s.finalCore(p)
				s.backtrack(0)
				return Unsatisfiable
			}
		}
		if next == NoLit {
			if next = s.pickDecision(); next == NoLit {
				s.keepModel()
				s.backtrack(0)
				return Satisfiable
			}
		}
		s.decide(next)
	}
}

// resolve learns from a conflict and goes back.
func (s *Solver) resolve(conflict reason) {
	if n := len(s.trail); n > s.bestTrail && s.restart.stable {
		s.bestTrail = n
		for i := range s.best {
			s.best[i] = 0
		}
		for _, l := range s.trail {
			s.best[l.Var()] = 1
			if l.Negative() {
				s.best[l.Var()] = -1
			}
		}
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
	s.restart.restarted()
	if !s.restart.switched(s.stats.Conflicts) {
		s.backtrack(s.reusable())
		return
	}
	s.backtrack(0)
	if !s.opts.FixedOrder {
		s.free = !s.free
		s.heapRemake()
	}
	s.renewPhases()
	if !s.opts.NoVivify {
		s.vivify()
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

// renewPhases goes back to the phases of the longest trail, which stable mode
// works on.
func (s *Solver) renewPhases() {
	for v, p := range s.best {
		if p != 0 {
			s.phase[v] = p
		}
	}
	s.bestTrail = 0
}

func (s *Solver) keepModel() {
	if len(s.model) < len(s.vars) {
		s.model = make([]bool, len(s.vars))
	}
	for v := range s.model {
		s.model[v] = s.vals[Pos(int32(v))] > 0
	}
}
