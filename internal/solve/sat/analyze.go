package sat

import "slices"

// analysis is what conflict analysis works with.
type analysis struct {
	seen     []uint8 // by variable: marks
	clear    []int32 // variables that have marks
	stack    []minFrame
	lits     []Lit         // reasons that were built for this conflict
	built    []builtReason // by variable
	buildAge int64
	levelAge []int64 // by level
	litMark  []int64 // by literal
	age      int64
	learnt   []Lit // the clause of the first unique implication point
	nogood   []Lit // the state nogood; empty if there is none
	weights  []int64
}

func (a *analysis) grow(n int) {
	a.seen = extend(a.seen, n)
	a.built = extend(a.built, n)
	a.litMark = extend(a.litMark, 2*n)
	a.levelAge = extend(a.levelAge, len(a.seen)+1-len(a.levelAge))
}

// Marks in analysis.seen.
const (
	seenMark      uint8 = 1 << iota // in the clause, or resolved away
	seenRemovable                   // known to follow from the clause
	seenKept                        // known not to
)

// What is done in analysis, in watches looked at: for a literal of a reason, and for a literal that may be left out.
const (
	markWork      = 2
	redundantWork = 2
)

type minFrame struct {
	lit Lit // true; its antecedents are being looked at
	at  int32
}

// analyze derives from a conflict the clause of the first unique implication
// point, into s.learnt, and, where stages are known, the state nogood, into s.nogood.
// The assignment is left as it is.
func (s *Solver) analyze(conflict reason) {
	s.lits = s.lits[:0]
	s.buildAge++
	s.learnt = append(s.learnt[:0], NoLit)
	s.nogood = s.nogood[:0]

	s.explain(conflict, NoLit)
	s.useClause(conflict)
	conflictLits := len(s.lits)
	level := s.decisionLevel()
	open := 0 // literals of the current level still to be resolved
	mark := func(lits []Lit) {
		s.stats.Work += int64(markWork * len(lits))
		for _, l := range lits {
			v := l.Var()
			if s.seen[v] != 0 || s.vars[v].level == 0 {
				continue
			}
			s.seen[v] = seenMark
			s.clear = append(s.clear, v)
			s.bumpVar(v)
			if s.vars[v].level == level {
				open++
			} else {
				s.learnt = append(s.learnt, l)
			}
		}
	}
	mark(s.lits[:conflictLits])
	i := len(s.trail) - 1
	for {
		for s.seen[s.trail[i].Var()] == 0 {
			i--
		}
		p := s.trail[i]
		i--
		open--
		if open == 0 {
			s.learnt[0] = p.Not()
			break
		}
		s.useClause(s.vars[p.Var()].reason)
		mark(s.antecedents(p))
	}
	s.minimize()
	s.unmark()
	s.learnt = s.minimizeBinary(s.learnt, 1)
	if s.staged && s.opts.StateNogoods {
		s.stateNogood(s.lits[:conflictLits])
	}
	s.bump *= bumpGrowth
}

// useClause lets the database know that a clause served.
func (s *Solver) useClause(r reason) {
	if r.kind() == kindLinear {
		s.linears[r.index()].used = usedMask - 1
		return
	}
	if r.kind() != kindClause {
		return
	}
	c := cref(r.index())
	if s.arena[c]&flagLearned == 0 {
		return
	}
	s.setUsed(c, usedMask-1)
	if glue := s.glue(c); glue > glueCore {
		if now := s.countLevels(s.clauseLits(c)); now < glue {
			s.setGlue(c, now)
		}
	}
}

func (a *analysis) unmark() {
	for _, v := range a.clear {
		a.seen[v] = 0
	}
	a.clear = a.clear[:0]
}

// countLevels is the number of decision levels among lits, level 0 apart.
func (s *Solver) countLevels(lits []Lit) int32 {
	s.age++
	var n int32
	for _, l := range lits {
		if lv := s.vars[l.Var()].level; lv > 0 && s.levelAge[lv] != s.age {
			s.levelAge[lv] = s.age
			n++
		}
	}
	return n
}

// minimize leaves out of the learnt clause what the rest of it implies
// (Sörensson and Biere, "Minimizing Learned Clauses", 2009).
func (s *Solver) minimize() {
	var levels uint64
	for _, l := range s.learnt[1:] {
		levels |= 1 << (s.vars[l.Var()].level & 63)
	}
	kept := s.learnt[:1]
	for _, l := range s.learnt[1:] {
		if s.vars[l.Var()].reason == noReason || !s.redundant(l.Not(), levels) {
			kept = append(kept, l)
		}
	}
	s.learnt = kept
}

// minimizeBinary leaves out of a clause what a binary clause with another of its
// literals makes superfluous: a ∨ b ∨ C with a ∨ ¬b is a ∨ C (Audemard and
// Simon, 2009). Counters are chains of such clauses.
func (s *Solver) minimizeBinary(lits []Lit, from int) []Lit {
	s.age++
	for _, l := range lits {
		s.litMark[l] = s.age
	}
	for _, l := range lits {
		if s.litMark[l] != s.age {
			continue // it went already
		}
		spare := func(b Lit) {
			if s.litMark[b] == s.age && b != l {
				s.litMark[b] = 0
			}
		}
		pairs, _ := s.of(l.Not())
		s.stats.Work += int64((len(s.watches[l.Not()]) + len(pairs)) / 4)
		for _, x := range pairs {
			spare(x.Not())
		}
		for _, w := range s.watches[l.Not()] {
			if w.clause&binaryBit != 0 {
				spare(w.blocker.Not())
			}
		}
	}
	kept := lits[:from]
	for _, l := range lits[from:] {
		if s.litMark[l] == s.age {
			kept = append(kept, l)
		}
	}
	return kept
}

// redundant reports whether the true literal p follows from the marked ones.
func (s *Solver) redundant(p Lit, levels uint64) bool {
	s.stack = append(s.stack[:0], minFrame{lit: p})
	for len(s.stack) > 0 {
		s.stats.Work += redundantWork
		f := &s.stack[len(s.stack)-1]
		lits := s.antecedents(f.lit)
		descended, failed := false, false
		for int(f.at) < len(lits) {
			l := lits[f.at]
			f.at++
			v := l.Var()
			if s.vars[v].level == 0 || s.seen[v]&(seenMark|seenRemovable) != 0 {
				continue
			}
			if s.seen[v]&seenKept != 0 || s.vars[v].reason == noReason || levels&(1<<(s.vars[v].level&63)) == 0 {
				failed = true
				break
			}
			s.stack = append(s.stack, minFrame{lit: l.Not()})
			descended = true
			break
		}
		if failed {
			for _, f := range s.stack[1:] {
				s.markFor(f.lit.Var(), seenKept)
			}
			return false
		}
		if !descended {
			if len(s.stack) > 1 {
				s.markFor(f.lit.Var(), seenRemovable)
			}
			s.stack = s.stack[:len(s.stack)-1]
		}
	}
	return true
}

func (a *analysis) markFor(v int32, m uint8) {
	if a.seen[v] == 0 {
		a.clear = append(a.clear, v)
	}
	a.seen[v] |= m
}

// learn adds the clauses of a conflict, each of them false now, and goes back
// to the first level at which none is any more.
func (s *Solver) learn() {
	back := s.sortForLearning(s.learnt)
	if len(s.nogood) > 0 {
		back = min(back, s.sortForLearning(s.nogood))
	}
	glue, nogoodGlue := s.countLevels(s.learnt), s.countLevels(s.nogood)
	s.restart.learned(glue)
	s.backtrack(back)
	s.assert(s.learnt, glue)
	if len(s.nogood) > 0 && !s.unsat {
		s.assert(s.nogood, nogoodGlue)
	}
}

// sortForLearning puts the two literals of the highest levels first and returns
// the level to go back to, where at least one literal is open.
func (s *Solver) sortForLearning(lits []Lit) int32 {
	for i := range min(2, len(lits)) {
		top := i
		for j := i + 1; j < len(lits); j++ {
			if s.vars[lits[j].Var()].level > s.vars[lits[top].Var()].level {
				top = j
			}
		}
		lits[i], lits[top] = lits[top], lits[i]
	}
	if len(lits) == 1 {
		return 0
	}
	first, second := s.vars[lits[0].Var()].level, s.vars[lits[1].Var()].level
	if first == second {
		return first - 1
	}
	return second
}

// assert adds a learned clause after going back, and makes its first literal
// true where nothing else is left.
func (s *Solver) assert(lits []Lit, glue int32) {
	s.stats.Learned++
	number := s.trace(lits)
	switch len(lits) {
	case 0:
		s.unsat = true
		return
	case 1:
		if s.decisionLevel() > 0 {
			s.backtrack(0)
		}
		switch s.vals[lits[0]] {
		case 0:
			s.enqueue(lits[0], noReason)
		case -1:
			s.unsat = true
		}
		return
	}
	if s.vals[lits[0]] < 0 && s.vals[lits[1]] == 0 {
		lits[0], lits[1] = lits[1], lits[0]
	}
	c := s.newClause(lits, true, glue)
	if number != 0 {
		s.numbers[c] = number
	}
	if s.vals[lits[0]] == 0 && s.vals[lits[1]] < 0 {
		if len(lits) == 2 {
			s.enqueue(lits[0], binaryReason(lits[1]))
		} else {
			s.enqueue(lits[0], clauseReason(c))
		}
	}
}

// finalCore gathers the assumptions that imply that the literal l, itself an
// assumption, is false.
func (s *Solver) finalCore(l Lit) {
	s.core = append(s.core[:0], l)
	if s.vars[l.Var()].level == 0 {
		return
	}
	s.lits = s.lits[:0]
	s.buildAge++
	s.markFor(l.Var(), seenMark)
	for i := len(s.trail) - 1; i >= int(s.levels[0]); i-- {
		p := s.trail[i]
		v := p.Var()
		if s.seen[v] == 0 {
			continue
		}
		if s.vars[v].reason == noReason {
			s.core = append(s.core, p) // ¬l too, where both it and l are assumed
			continue
		}
		for _, q := range s.antecedents(p) {
			if s.vars[q.Var()].level > 0 {
				s.markFor(q.Var(), seenMark)
			}
		}
	}
	s.unmark()
	slices.Sort(s.core)
	s.core = slices.Compact(s.core)
}
