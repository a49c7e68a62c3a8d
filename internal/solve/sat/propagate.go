package sat

// enqueue makes l true.
func (s *Solver) enqueue(l Lit, r reason) {
	v := l.Var()
	s.vals[l] = 1
	s.vals[l^1] = -1
	s.vars[v] = variable{r, int32(len(s.levels)), int32(len(s.trail))}
	s.trail = append(s.trail, l)
}

// propagate draws all consequences and gives the constraint that fails, or
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

func (s *Solver) propagateClauses() reason {
	vals := s.vals
	for s.headC < len(s.trail) {
		p := s.trail[s.headC]
		s.headC++
		s.stats.Propagations++
		ws := s.watches[p]
		falsified := p ^ 1
		j := 0
		for i := 0; i < len(ws); i++ {
			w := ws[i]
			val := vals[w.blocker]
			if val > 0 {
				ws[j] = w
				j++
				continue
			}
			if w.clause&binaryBit != 0 {
				ws[j] = w
				j++
				if val < 0 {
					j += copy(ws[j:], ws[i+1:])
					s.watches[p] = ws[:j]
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
				ws[j] = watch{other, c}
				j++
				continue
			}
			found := false
			for k := 2; k < len(lits); k++ {
				if l := lits[k]; vals[l] >= 0 {
					lits[0], lits[1], lits[k] = other, l, falsified
					s.watches[l^1] = append(s.watches[l^1], watch{other, c})
					found = true
					break
				}
			}
			if found {
				continue
			}
			ws[j] = watch{other, c}
			j++
			if otherVal < 0 {
				j += copy(ws[j:], ws[i+1:])
				s.watches[p] = ws[:j]
				return clauseReason(c)
			}
			lits[0], lits[1] = other, falsified
			s.enqueue(other, clauseReason(c))
		}
		s.watches[p] = ws[:j]
	}
	return noReason
}

// count lets the neurons and linear constraints know that l is true. All
// counters are brought up to date even when one fails.
func (s *Solver) count(l Lit) reason {
	conflict := noReason
	for _, id := range s.readers[l] {
		n := &s.neurons[id]
		n.trueLeft--
		if n.trueLeft <= 1 && conflict == noReason {
			conflict = s.checkNeuron(id)
		}
	}
	for _, id := range s.readers[l^1] {
		n := &s.neurons[id]
		n.falseLeft--
		if n.falseLeft <= 1 && conflict == noReason {
			conflict = s.checkNeuron(id)
		}
	}
	for _, w := range s.weighers[l^1] {
		c := &s.linears[w.id]
		c.slack -= w.coef
		if c.slack < c.max && conflict == noReason {
			conflict = s.checkLinear(w.id)
		}
	}
	if conflict == noReason {
		for _, id := range s.givers[l.Var()] {
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
	keep := int(s.levels[level])
	for i := len(s.trail) - 1; i >= keep; i-- {
		l := s.trail[i]
		v := l.Var()
		if i < s.headN && s.counted[v] {
			for _, id := range s.readers[l] {
				s.neurons[id].trueLeft++
			}
			for _, id := range s.readers[l^1] {
				s.neurons[id].falseLeft++
			}
			for _, w := range s.weighers[l^1] {
				s.linears[w.id].slack += w.coef
			}
		}
		s.vals[l], s.vals[l^1] = 0, 0
		switch {
		case s.probing:
		case l&1 != 0:
			s.phase[v] = -1
		default:
			s.phase[v] = 1
		}
		if s.heapAt[v] < 0 {
			s.heapInsert(v)
		}
	}
	s.trail = s.trail[:keep]
	s.levels = s.levels[:level]
	s.headC = min(s.headC, keep)
	s.headN = min(s.headN, keep)
}
