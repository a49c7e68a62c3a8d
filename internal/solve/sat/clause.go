package sat

import "slices"

// cref is the place of a clause in the arena: a header of two words, then the
// literals. The first header word is the number of literals and flags, the
// second the glue, the number of decision levels that the clause joined, and
// how recently it was used.
type cref uint32

const (
	headerWords = 2
	sizeBits    = 24
	sizeMask    = 1<<sizeBits - 1
	flagLearned = 1 << 24
	flagDeleted = 1 << 25

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

// clauseDB is the clauses: those that were added, and those learned.
type clauseDB struct {
	arena   []Lit
	watches [][]watch // by literal: clauses that watch its negation
	watched []bool    // by literal: its list of watches was used
	problem []cref    // clauses that were added
	learned []cref
	wasted  int            // words of deleted clauses in arena
	numbers map[cref]int64 // the tracer's, of learned clauses
}

func (db *clauseDB) grow(n int) {
	db.watches = extend(db.watches, 2*n)
	db.watched = extend(db.watched, 2*n)
}

// size is the number of literals of a clause.
func (db *clauseDB) size(c cref) int { return int(db.arena[c] & sizeMask) }

func (db *clauseDB) clauseLits(c cref) []Lit {
	n := db.arena[c] & sizeMask
	start := c + headerWords
	return db.arena[start : start+cref(n) : start+cref(n)]
}

func (db *clauseDB) glue(c cref) int32 { return int32(db.arena[c+1] & glueMask) }

func (db *clauseDB) setGlue(c cref, glue int32) {
	db.arena[c+1] = db.arena[c+1]&^glueMask | Lit(min(glue, glueMask))
}

func (db *clauseDB) used(c cref) int { return int(db.arena[c+1] >> usedShift & usedMask) }

func (db *clauseDB) setUsed(c cref, used int) {
	db.arena[c+1] = db.arena[c+1]&^(usedMask<<usedShift) | Lit(used)<<usedShift
}

// newClause stores a clause of at least two literals and watches the first two.
func (db *clauseDB) newClause(lits []Lit, learned bool, glue int32) cref {
	c := cref(len(db.arena))
	head := Lit(len(lits))
	if learned {
		head |= flagLearned
	}
	db.arena = append(db.arena, head, Lit(min(glue, glueMask)))
	db.arena = append(db.arena, lits...)
	if learned {
		db.learned = append(db.learned, c)
		db.setUsed(c, 2)
	} else {
		db.problem = append(db.problem, c)
	}
	db.attach(c)
	return c
}

func (db *clauseDB) attach(c cref) {
	lits := db.clauseLits(c)
	w := c
	if len(lits) == 2 {
		w |= binaryBit
	}
	db.watch(lits[0].Not(), watch{lits[1], w})
	db.watch(lits[1].Not(), watch{lits[0], w})
}

func (db *clauseDB) watch(l Lit, w watch) {
	db.watched[l] = true
	db.watches[l] = append(db.watches[l], w)
}

// AddClause adds a clause. It is false when the constraints are then known to
// have no solution; before the first Solve little is known.
func (s *Solver) AddClause(lits ...Lit) bool {
	if s.unsat {
		return false
	}
	if s.keepOpen(lits) {
		return true
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
		if !s.keep(kept) {
			s.newClause(kept, false, 0)
		}
	}
	return !s.unsat
}

// settle propagates at level 0, once a search has begun.
func (s *Solver) settle() {
	if s.searched && s.propagate() != noReason {
		s.unsat = true
		s.trace(nil)
	}
}
