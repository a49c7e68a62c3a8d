package sat

// smallClauses are the clauses of two and three literals that were added before the first search: all of most encodings.
// Each is held whole with the negation of each of its literals, in one list for all literals: propagation finds it there,
// moves no watches and writes nothing. They are never deleted.
type smallClauses struct {
	pairs, triples []Lit // until the first search
	// By literal l, list[first[l]:first[l+1]] is a number of literals, these, which hold if l does, and
	// pairs of literals, one of each of which does.
	first    []uint32
	list     []Lit
	searched bool   // list is made
	failed   Lit    // of a conflict with a small clause, the literal that its reason lacks
	touched  uint32 // sums what ahead reads, so that it is read
}

// keep takes a clause, if it is small and there was no search yet.
func (c *smallClauses) keep(lits []Lit) bool {
	switch {
	case c.searched:
		return false
	case len(lits) == 2:
		c.pairs = append(c.pairs, lits...)
	case len(lits) == 3 && max(lits[0], lits[1], lits[2])>>ternaryBits == 0:
		c.triples = append(c.triples, lits...)
	default:
		return false
	}
	return true
}

// keepOpen takes a small clause over variables that have no value yet, without the pains that others need.
func (s *Solver) keepOpen(lits []Lit) bool {
	if s.searched || len(lits) < 2 || len(lits) > 3 {
		return false
	}
	var sorted [3]Lit
	c := sorted[:copy(sorted[:], lits)]
	for i := 1; i < len(c); i++ {
		for j := i; j > 0 && c[j] < c[j-1]; j-- {
			c[j], c[j-1] = c[j-1], c[j]
		}
	}
	if int(c[len(c)-1]) >= len(s.vals) {
		return false
	}
	for i, l := range c {
		if s.vals[l] != 0 || i > 0 && l>>1 == c[i-1]>>1 {
			return false
		}
	}
	return s.keep(c)
}

// order makes the list, for so many literals.
func (c *smallClauses) order(literals int) {
	c.searched = true
	if len(c.pairs)+len(c.triples) == 0 {
		return
	}
	// A literal has a number, one literal for each pair and two for each triple that it stands in.
	c.first = make([]uint32, literals+1)
	pairs := make([]uint32, literals)
	for _, l := range c.pairs {
		pairs[l^1]++
	}
	for _, l := range c.triples {
		c.first[l^1] += 2
	}
	var at uint32
	for l, n := range pairs {
		size := 1 + n + c.first[l]
		c.first[l] = at
		at += size
	}
	c.first[literals] = at
	c.list = make([]Lit, at)
	for l, n := range pairs {
		c.list[c.first[l]] = Lit(n)
		pairs[l] = c.first[l] + 1
	}
	put := func(l, other Lit) {
		c.list[pairs[l^1]] = other
		pairs[l^1]++
	}
	for i := 0; i < len(c.pairs); i += 2 {
		put(c.pairs[i], c.pairs[i+1])
		put(c.pairs[i+1], c.pairs[i])
	}
	for i := 0; i < len(c.triples); i += 3 {
		x, y, z := c.triples[i], c.triples[i+1], c.triples[i+2]
		put(x, y)
		put(x, z)
		put(y, x)
		put(y, z)
		put(z, x)
		put(z, y)
	}
	c.pairs, c.triples = nil, nil
}

// begin propagates before a search; before the first one nothing was.
func (s *Solver) begin() {
	if !s.searched {
		s.order(len(s.vals))
	}
	s.settle()
}

// of returns the literals that hold if l does, and pairs of literals, of each of which one does.
func (c *smallClauses) of(l Lit) (pairs, triples []Lit) {
	if int(l)+1 >= len(c.first) {
		return nil, nil
	}
	from, to := c.first[l], c.first[l+1]
	middle := from + 1 + uint32(c.list[from])
	return c.list[from+1 : middle], c.list[middle:to]
}

// propagateSmall draws the consequences that p has in small clauses.
func (s *Solver) propagateSmall(p Lit) reason {
	pairs, triples := s.of(p)
	s.stats.Work += int64(len(pairs) + len(triples)/2)
	vals := s.vals
	for _, x := range pairs {
		if v := vals[x]; v == 0 {
			s.enqueue(x, binaryReason(p^1))
		} else if v < 0 {
			s.failed = p ^ 1
			return binaryReason(x)
		}
	}
	for i := 0; i+1 < len(triples); i += 2 {
		x := triples[i]
		vx := vals[x]
		if vx > 0 {
			continue
		}
		y := triples[i+1]
		switch vy := vals[y]; {
		case vy > 0 || vx == 0 && vy == 0:
		case vx == 0:
			s.enqueue(x, ternaryReason(p^1, y))
		case vy == 0:
			s.enqueue(y, ternaryReason(p^1, x))
		default:
			s.failed = p ^ 1
			return ternaryReason(x, y)
		}
	}
	return noReason
}

// ahead reads a word of the lists of literals that are to be propagated soon. The processor then fetches several from
// memory at a time, where it would wait for each: a fifth of the time on large encodings.
func (c *smallClauses) ahead(trail []Lit) {
	if len(trail) > 7 {
		if l := trail[7]; int(l) < len(c.first) {
			c.touched += c.first[l]
		}
		if l := trail[3]; int(l)+1 < len(c.first) {
			c.touched += uint32(c.list[c.first[l]])
		}
	}
}
