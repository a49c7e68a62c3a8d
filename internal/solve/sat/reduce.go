package sat

import "slices"

// Learned clauses live in three tiers by glue (Chanseok Oh, 2015): the core is
// kept for good, the second tier as long as it is used between reductions, and
// of the rest half goes at each reduction, the worst glue first.
const (
	glueCore = 2
	glueTier = 6

	reduceUnit = 300 // conflicts until the first reduction; then with the square root
)

// reductions tells when the database is next reduced.
type reductions struct {
	count int64
	next  int64
	fixed int // literals at level 0 at the last removal of satisfied clauses
}

// locked reports whether a clause is the reason of its first literal.
func (s *Solver) locked(c cref) bool {
	l := s.clauseLits(c)[0]
	return s.vals[l] > 0 && s.vars[l.Var()].reason == clauseReason(c)
}

// reduceLearned deletes learned clauses that are not worth their keep.
func (s *Solver) reduceLearned() {
	s.reduce.count++
	s.reduce.next = s.stats.Conflicts + reduceUnit*isqrt(s.reduce.count+1)
	s.traceFixed()
	s.dropSatisfied()
	candidates := make([]cref, 0, len(s.learned))
	for _, c := range s.learned {
		if s.arena[c]&flagDeleted != 0 {
			continue // it was satisfied
		}
		glue, used := s.glue(c), s.used(c)
		if used > 0 {
			s.setUsed(c, used-1)
		}
		switch {
		case glue <= glueCore, glue <= glueTier && used > 0, used == usedMask-1, s.size(c) == 2, s.locked(c):
			continue
		}
		candidates = append(candidates, c)
	}
	slices.SortStableFunc(candidates, func(a, b cref) int {
		if ga, gb := s.glue(a), s.glue(b); ga != gb {
			return int(gb - ga)
		}
		return s.size(b) - s.size(a)
	})
	for _, c := range candidates[:len(candidates)*3/4] {
		s.delete(c)
	}
	s.sweep()
	s.reduceLinears()
}

// delete marks a clause; sweep removes it.
func (s *Solver) delete(c cref) {
	if number := s.numbers[c]; number != 0 {
		s.opts.Trace.Deleted(s.clauseLits(c), number)
		delete(s.numbers, c)
	}
	s.wasted += s.size(c) + headerWords
	s.arena[c] |= flagDeleted
}

// dropSatisfied deletes clauses that hold at level 0.
func (s *Solver) dropSatisfied() {
	fixed := s.rootLen()
	if fixed == s.reduce.fixed {
		return
	}
	s.reduce.fixed = fixed
	for _, list := range [][]cref{s.problem, s.learned} {
		for _, c := range list {
			if s.locked(c) {
				continue
			}
			for _, l := range s.clauseLits(c) {
				if s.Fixed(l) > 0 {
					s.delete(c)
					break
				}
			}
		}
	}
}

// sweep takes deleted clauses off the lists, and moves the rest together when
// much of the arena is waste.
func (s *Solver) sweep() {
	alive := func(c cref) bool { return s.arena[c]&flagDeleted == 0 }
	for l := range s.watches {
		ws := s.watches[l]
		kept := ws[:0]
		for _, w := range ws {
			if alive(w.clause &^ binaryBit) {
				kept = append(kept, w)
			}
		}
		s.watches[l] = kept
	}
	s.problem = slices.DeleteFunc(s.problem, func(c cref) bool { return !alive(c) })
	s.learned = slices.DeleteFunc(s.learned, func(c cref) bool { return !alive(c) })
	if s.wasted > len(s.arena)/4 {
		s.compact()
	}
}

// compact moves the clauses together, in the order in which watch lists want
// them to lie.
func (s *Solver) compact() {
	arena := make([]Lit, 0, len(s.arena)-s.wasted)
	const moved = flagDeleted // of the old copy; its second word then says where to
	numbers := make(map[cref]int64, len(s.numbers))
	move := func(c cref) cref {
		if s.arena[c]&moved != 0 {
			return cref(s.arena[c+1])
		}
		to := cref(len(arena))
		arena = append(arena, s.arena[c:c+headerWords+cref(s.arena[c]&sizeMask)]...)
		s.arena[c] |= moved
		s.arena[c+1] = Lit(to)
		return to
	}
	for l := range s.watches {
		for i, w := range s.watches[l] {
			s.watches[l][i].clause = move(w.clause&^binaryBit) | w.clause&binaryBit
		}
	}
	for i, c := range s.problem {
		s.problem[i] = move(c)
	}
	for i, c := range s.learned {
		s.learned[i] = move(c)
	}
	for c, number := range s.numbers {
		delete(s.numbers, c)
		numbers[move(c)] = number
	}
	s.numbers = numbers
	for _, l := range s.trail {
		if r := s.vars[l.Var()].reason; r.kind() == kindClause {
			// Literals fixed at level 0 need no reason, and theirs may be gone.
			if s.vars[l.Var()].level == 0 {
				s.vars[l.Var()].reason = noReason
			} else {
				s.vars[l.Var()].reason = clauseReason(move(cref(r.index())))
			}
		}
	}
	s.arena = arena
	s.wasted = 0
}

func isqrt(n int64) int64 {
	r := int64(1)
	for (r+1)*(r+1) <= n {
		r++
	}
	return r
}
