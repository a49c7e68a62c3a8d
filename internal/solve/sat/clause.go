package sat

import "slices"

// cref is the place of a clause in the arena: a header of two words, then the
// literals. The first header word is the number of literals and flags, the
// second the glue, the number of decision levels that the clause joined, and
// how recently it was used.
type cref uint32

const (
	headerWords  = 2
	sizeBits     = 24
	sizeMask     = 1<<sizeBits - 1
	flagLearned  = 1 << 24
	flagDeleted  = 1 << 25
	flagVivified = 1 << 26

	glueMask  = 1<<20 - 1
	usedShift = 20
	usedMask  = 3
)

// watch is an entry of a watch list. Of a binary clause it holds the whole:
// the blocker is the other literal.
type watch struct {
	blocker Lit
	clause  cref // with binaryBit where the clause is binary
}

const binaryBit cref = 1 << 31

func (s *Solver) clauseLits(c cref) []Lit {
	n := s.arena[c] & sizeMask
	start := c + headerWords
	return s.arena[start : start+cref(n) : start+cref(n)]
}

func (s *Solver) glue(c cref) int32 { return int32(s.arena[c+1] & glueMask) }

func (s *Solver) setGlue(c cref, glue int32) {
	s.arena[c+1] = s.arena[c+1]&^glueMask | Lit(min(glue, glueMask))
}

func (s *Solver) used(c cref) int { return int(s.arena[c+1] >> usedShift & usedMask) }

func (s *Solver) setUsed(c cref, used int) {
	s.arena[c+1] = s.arena[c+1]&^(usedMask<<usedShift) | Lit(used)<<usedShift
}

// newClause stores a clause of at least two literals and watches the first two.
func (s *Solver) newClause(lits []Lit, learned bool, glue int32) cref {
	c := cref(len(s.arena))
	head := Lit(len(lits))
	if learned {
		head |= flagLearned
	}
	s.arena = append(s.arena, head, Lit(min(glue, glueMask)))
	s.arena = append(s.arena, lits...)
	if learned {
		s.learned = append(s.learned, c)
		s.setUsed(c, 2)
	} else {
		s.problem = append(s.problem, c)
	}
	s.attach(c)
	return c
}

func (s *Solver) attach(c cref) {
	lits := s.clauseLits(c)
	w := c
	if len(lits) == 2 {
		w |= binaryBit
	}
	s.watches[lits[0].Not()] = append(s.watches[lits[0].Not()], watch{lits[1], w})
	s.watches[lits[1].Not()] = append(s.watches[lits[1].Not()], watch{lits[0], w})
}

// AddClause adds a clause. It is false when the constraints are then known to
// have no solution.
func (s *Solver) AddClause(lits ...Lit) bool {
	if s.unsat {
		return false
	}
	s.backtrack(0)
	s.scratch = append(s.scratch[:0], lits...)
	slices.Sort(s.scratch)
	kept := s.scratch[:0]
	var last Lit
	for _, l := range s.scratch {
		s.Grow(l.Var())
		switch {
		case s.vals[l] > 0 || l == last.Not() && last != NoLit:
			return true
		case s.vals[l] < 0 || l == last:
			continue
		}
		kept = append(kept, l)
		last = l
	}
	switch len(kept) {
	case 0:
		s.unsat = true
	case 1:
		s.enqueue(kept[0], noReason)
		s.settle()
	default:
		s.newClause(kept, false, 0)
	}
	return !s.unsat
}

// settle propagates at level 0.
func (s *Solver) settle() {
	if s.propagate() != noReason {
		s.unsat = true
		s.trace(nil)
	}
}
