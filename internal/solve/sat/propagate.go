package sat

// propagate draws all consequences and returns the constraint that fails, or
// noReason. Clauses are cheap and come first; a literal is counted in neurons
// and linear constraints only when clauses are exhausted.
func (s *Solver) propagate() reason {
	for {
		if r := s.propagateClauses(); r != noReason {
			return r
		}
		for s.headN < len(s.trail) && !s.counted[s.trail[s.headN].Var()] {
			s.headN++
		}
		if s.headN == len(s.trail) {
			return noReason
		}
		l := s.trail[s.headN]
		s.headN++
		if r := s.count(l); r != noReason {
			return r
		}
	}
}

// What is done beside looking at watches, in these: for a literal, and for the counter of a constraint that has it, which is
// taken back later.
const (
	propagationWork = 8
	occurrenceWork  = 4
)

// propagateClauses draws the consequences of clauses.
func (s *Solver) propagateClauses() reason {
	for s.headC < len(s.trail) {
		p := s.trail[s.headC]
		s.headC++
		s.ahead(s.trail[s.headC:])
		s.stats.Propagations++
		s.stats.Work += propagationWork
		if r := s.propagateSmall(p); r != noReason {
			return r
		}
		if s.watched[p] {
			if r := s.propagateWatched(p); r != noReason {
				return r
			}
		}
	}
	return noReason
}

// propagateWatched draws the consequences that p has in clauses that are watched. Watches that stay are moved
// to the front of their list as it is walked.
func (s *Solver) propagateWatched(p Lit) reason {
	vals := s.vals
	ws := s.watches[p]
	s.stats.Work += int64(len(ws))
	falsified := p ^ 1
	j := 0
watches:
	for i, w := range ws {
		if i != j { // to write what is there would cost the memory's time
			ws[j] = w
		}
		j++
		val := vals[w.blocker]
		if val > 0 {
			continue
		}
		if w.clause&binaryBit != 0 {
			if val < 0 {
				s.watches[p] = ws[:j+copy(ws[j:], ws[i+1:])]
				return clauseReason(w.clause &^ binaryBit)
			}
			s.enqueue(w.blocker, binaryReason(falsified))
			continue
		}
		c := w.clause
		n := cref(s.arena[c] & sizeMask)
		lits := s.arena[c+headerWords : c+headerWords+n : c+headerWords+n]
		other := lits[0] ^ lits[1] ^ falsified
		otherVal := vals[other]
		if otherVal > 0 {
			ws[j-1].blocker = other
			continue
		}
		for k := 2; k < len(lits); k++ {
			if l := lits[k]; vals[l] >= 0 {
				lits[0], lits[1], lits[k] = other, l, falsified
				s.watch(l^1, watch{other, c})
				j--
				continue watches
			}
		}
		ws[j-1].blocker = other
		if otherVal < 0 {
			s.watches[p] = ws[:j+copy(ws[j:], ws[i+1:])]
			return clauseReason(c)
		}
		lits[0], lits[1] = other, falsified
		s.enqueue(other, clauseReason(c))
	}
	s.watches[p] = ws[:j]
	return noReason
}

// count lets the neurons and linear constraints know that l is true. All
// counters are brought up to date even when one fails.
func (s *Solver) count(l Lit) reason {
	conflict := noReason
	s.stats.Work += int64(occurrenceWork * (len(s.inputsOf[l]) + len(s.inputsOf[l^1]) + len(s.linearsOf[l^1])))
	for _, id := range s.inputsOf[l] {
		n := &s.neurons[id]
		n.trueLeft--
		if n.trueLeft <= 1 && conflict == noReason {
			conflict = s.checkNeuron(id)
		}
	}
	for _, id := range s.inputsOf[l^1] {
		n := &s.neurons[id]
		n.falseLeft--
		if n.falseLeft <= 1 && conflict == noReason {
			conflict = s.checkNeuron(id)
		}
	}
	for _, w := range s.linearsOf[l^1] {
		c := &s.linears[w.id]
		c.slack -= w.coef
		if c.slack < c.max && (c.slack < c.reach || c.descent != s.descent) && conflict == noReason {
			conflict = s.checkLinear(w.id)
		}
	}
	if conflict == noReason {
		for _, id := range s.outputsOf[l.Var()] {
			n := &s.neurons[id]
			if n.trueLeft <= 1 || n.falseLeft <= 1 {
				if conflict = s.checkNeuron(id); conflict != noReason {
					break
				}
			}
		}
	}
	return conflict
}

// backtrack takes back all assignments above a level.
func (s *Solver) backtrack(level int32) {
	if s.decisionLevel() <= level {
		return
	}
	s.descent++
	keep := int(s.levels[level])
	for i := len(s.trail) - 1; i >= keep; i-- {
		l := s.trail[i]
		v := l.Var()
		if i < s.headN && s.counted[v] {
			s.uncount(l)
		}
		s.vals[l], s.vals[l^1] = 0, 0
		s.phase[v] = 1 - 2*int8(l&1) // to be tried again first
		if s.heapAt[v] < 0 {
			s.heapInsert(v)
		}
	}
	s.trail = s.trail[:keep]
	s.levels = s.levels[:level]
	s.headC = min(s.headC, keep)
	s.headN = min(s.headN, keep)
}
