package sat

import "slices"

// vivifyShare is the part of the propagations of search that vivification may
// add: one in so many.
const vivifyShare = 10

// vivify shortens learned clauses of the two better tiers. Their literals are
// assumed false one after the other; literals that propagation decides meanwhile
// are superfluous (Li and others, "An Effective Learnt Clause Minimization
// Approach for CDCL SAT Solvers", 2017). It works at level 0, each clause once,
// and the shorter clauses follow by reverse unit propagation.
func (s *Solver) vivify() {
	budget := (s.stats.Propagations-s.reduce.vivifiedAt)/vivifyShare + s.stats.Propagations
	s.probing = true
	for _, c := range slices.Clone(s.learned) {
		if s.stats.Propagations > budget || s.unsat {
			break
		}
		head := s.arena[c]
		if head&(flagDeleted|flagVivified) != 0 || s.glue(c) > glueTier || s.size(c) <= 2 {
			continue
		}
		s.arena[c] |= flagVivified
		s.vivifyClause(c)
	}
	s.probing = false
	s.reduce.vivifiedAt = s.stats.Propagations
	s.sweep()
}

// vivifyClause replaces a clause by a shorter one if there is one.
func (s *Solver) vivifyClause(c cref) {
	lits := append(s.vivified[:0], s.clauseLits(c)...)
	s.vivified = lits
	// The literals that conflicts like most come first: they fail soonest.
	slices.SortStableFunc(lits, func(a, b Lit) int {
		switch x, y := s.activity[a.Var()], s.activity[b.Var()]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	kept := lits[:0]
	if slices.ContainsFunc(lits, func(l Lit) bool { return s.vals[l] > 0 }) {
		return // it holds for good, and is swept away in time
	}
	for _, l := range lits {
		if s.vals[l] < 0 {
			continue // the literals before imply that
		}
		kept = append(kept, l)
		if s.vals[l] > 0 {
			break // or that
		}
		s.openLevel()
		s.enqueue(l.Not(), noReason)
		if s.propagate() != noReason {
			break
		}
	}
	s.backtrack(0)
	if len(kept) == s.size(c) {
		return
	}
	glue := min(s.glue(c), int32(len(kept)))
	s.stats.Vivified++
	s.assert(kept, glue)
	if s.learned[len(s.learned)-1] != c && len(kept) > 1 {
		s.arena[s.learned[len(s.learned)-1]] |= flagVivified
	}
	s.settle()
	s.traceFixed()
	s.delete(c)
}
