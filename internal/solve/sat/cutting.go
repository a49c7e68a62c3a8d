package sat

import "slices"

// cuttingPlanes is the linear constraint that conflict analysis works on, sum
// of coef[v]*lit[v] >= degree, all under 2^31 once an operation is over.
type cuttingPlanes struct {
	coef   []int64 // by variable, 0 when absent
	lit    []Lit
	vars   []int32 // that are listed; some coef may be 0
	listed []bool
	degree int64

	reason []Term   // the constraint that is to be added
	fails  []uint64 // variables whose literals are false, below their levels
}

const (
	// maxLearnedCoef keeps coefficients small: rounding beyond it loses strength
	// but never soundness.
	maxLearnedCoef = 1 << 30
	// maxLearnedTerms is where analysis gives up for the clause.
	maxLearnedTerms = 4000
)

func (c *cuttingPlanes) reset(vars int) {
	for _, v := range c.vars {
		c.coef[v], c.listed[v] = 0, false
	}
	c.vars = c.vars[:0]
	c.degree = 0
	for len(c.coef) < vars {
		c.coef = append(c.coef, 0)
		c.lit = append(c.lit, NoLit)
		c.listed = append(c.listed, false)
	}
}

// add adds a*l; a literal and its negation cancel, and lower the degree.
func (c *cuttingPlanes) add(l Lit, a int64) {
	v := l.Var()
	switch {
	case c.coef[v] == 0:
		c.coef[v], c.lit[v] = a, l
		if !c.listed[v] {
			c.listed[v] = true
			c.vars = append(c.vars, v)
		}
	case c.lit[v] == l:
		c.coef[v] += a
	default:
		both := min(c.coef[v], a)
		c.degree -= both
		if c.coef[v] -= both; c.coef[v] == 0 && a > both {
			c.coef[v], c.lit[v] = a-both, l
		}
	}
}

// tidy forgets cancelled terms, and saturates: no coefficient needs to be
// larger than the degree.
func (c *cuttingPlanes) tidy() (largest int64) {
	kept := c.vars[:0]
	for _, v := range c.vars {
		if c.coef[v] == 0 {
			c.listed[v] = false
			continue
		}
		c.coef[v] = min(c.coef[v], c.degree)
		largest = max(largest, c.coef[v])
		kept = append(kept, v)
	}
	c.vars = kept
	return largest
}

// linearForm puts into cp.reason the constraint behind r, with its degree. The
// inequality of a neuron is the one that l follows from, or that fails. It is
// false where its coefficients are too large; the caller takes the clause.
func (s *Solver) linearForm(r reason, l Lit) (degree int64, ok bool) {
	c := s.cp
	c.reason = c.reason[:0]
	switch r.kind() {
	case kindNeuron:
		n := &s.neurons[r.index()]
		size := int64(n.end - n.start)
		// Out or an input made false fails or follows from "out or few true".
		positive := l == n.out || l == NoLit && s.vals[n.out] < 0 || l != NoLit && l.Var() != n.out.Var() && s.vals[n.out] < 0
		if positive {
			degree = size - int64(n.threshold) + 1
			for _, x := range s.inputs[n.start:n.end] {
				c.reason = append(c.reason, Term{1, x.Not()})
			}
			c.reason = append(c.reason, Term{degree, n.out})
		} else {
			degree = int64(n.threshold)
			for _, x := range s.inputs[n.start:n.end] {
				c.reason = append(c.reason, Term{1, x})
			}
			c.reason = append(c.reason, Term{degree, n.out.Not()})
		}
		return degree, true
	case kindLinear:
		x := &s.linears[r.index()]
		if x.max > maxLearnedCoef || x.k > maxLearnedCoef {
			return 0, false
		}
		coefs := s.linearCoef[x.start:x.end]
		for i, y := range s.linearLits[x.start:x.end] {
			c.reason = append(c.reason, Term{coefs[i], y})
		}
		return x.k, true
	}
	return 0, false
}

// clauseForm puts the clause that explains l into cp.reason.
func (s *Solver) clauseForm(r reason, l Lit) (degree int64) {
	c := s.cp
	start := len(s.lits)
	s.explain(r, l)
	c.reason = c.reason[:0]
	for _, x := range s.lits[start:] {
		c.reason = append(c.reason, Term{1, x})
	}
	if l != NoLit {
		c.reason = append(c.reason, Term{1, l})
	}
	s.lits = s.lits[:start]
	return 1
}

// isFalseBefore reports whether l was made false before a place of the trail.
func (s *Solver) isFalseBefore(l Lit, before int32) bool {
	return s.vals[l] < 0 && s.vars[l.Var()].pos < before
}

// analyzeLinear derives a linear constraint from a conflict by cutting planes:
// to resolve a literal away, the reason is weakened and divided until its
// coefficient there is 1 (division as in RoundingSat), so that the sum still
// fails. It returns the level to go back to, where the result in cp makes
// something true. It is false where a clause will do or has to.
func (s *Solver) analyzeLinear(conflict reason) (back int32, ok bool) {
	if k := conflict.kind(); k != kindNeuron && k != kindLinear {
		return 0, false
	}
	if s.cp == nil {
		s.cp = &cuttingPlanes{}
	}
	c := s.cp
	c.reset(len(s.vars))
	s.lits = s.lits[:0]
	s.buildAge++
	degree, fits := s.linearForm(conflict, NoLit)
	if !fits {
		return 0, false
	}
	c.degree = degree
	for _, t := range c.reason {
		s.addReason(t, 1)
	}
	c.tidy()
	i := len(s.trail) - 1
	level := s.decisionLevel()
	for {
		if c.degree <= 0 || len(c.vars) > maxLearnedTerms {
			return 0, false
		}
		if s.assertsBelow(level) {
			l, conflicts := s.assertionLevel()
			if !conflicts {
				return l, l < s.decisionLevel()
			}
			if l == 0 {
				return 0, true
			}
			level = l
		}
		for i >= 0 {
			if v := s.trail[i].Var(); c.coef[v] != 0 && c.lit[v] == s.trail[i].Not() {
				break
			}
			i--
		}
		if i < 0 {
			return 0, false
		}
		p := s.trail[i]
		v := p.Var()
		r := s.vars[v].reason
		if r == noReason {
			return 0, false
		}
		s.bumpVar(v)
		s.useClause(r)
		if !s.resolveLinear(r, p, int32(i)) {
			return 0, false
		}
		i--
	}
}

// addReason adds times*t to the constraint, literals fixed at level 0 replaced
// by their values.
func (s *Solver) addReason(t Term, times int64) {
	if s.vars[t.Lit.Var()].level == 0 && s.vals[t.Lit] != 0 {
		if s.vals[t.Lit] > 0 {
			s.cp.degree -= times * t.Coef
		}
		return
	}
	s.cp.add(t.Lit, times*t.Coef)
}

// resolveLinear adds the reason of p, which became true at a place of the trail,
// so often that p cancels. It is false where the result is too weak to be of use.
func (s *Solver) resolveLinear(r reason, p Lit, at int32) bool {
	c := s.cp
	times := c.coef[p.Var()]
	degree, fits := s.linearForm(r, p)
	if !fits {
		degree = s.clauseForm(r, p)
	}
	if degree = s.divideReason(degree, p, at); degree <= 0 {
		return false
	}
	c.degree += times * degree
	for _, t := range c.reason {
		s.addReason(Term{min(t.Coef, degree), t.Lit}, times)
	}
	if c.degree <= 0 {
		return false
	}
	for largest := c.tidy(); largest > maxLearnedCoef || c.degree > maxLearnedCoef; largest = c.tidy() {
		d := (max(largest, c.degree) + maxLearnedCoef/2 - 1) / (maxLearnedCoef / 2)
		if !s.divide(d, at) {
			return false
		}
	}
	return true
}

// divideReason divides the constraint in cp.reason by the coefficient of p, and
// returns its degree then; 0 or less where nothing is left of it.
func (s *Solver) divideReason(degree int64, p Lit, at int32) int64 {
	c := s.cp
	var divisor int64 = 1
	for _, t := range c.reason {
		if t.Lit == p {
			divisor = t.Coef
		}
	}
	if divisor == 1 {
		return degree
	}
	kept := c.reason[:0]
	for _, t := range c.reason {
		rest := t.Coef % divisor
		if rest != 0 && !s.isFalseBefore(t.Lit, at) {
			// Weakening: the literal is taken to be true, in part.
			degree -= rest
			t.Coef -= rest
		} else if rest != 0 {
			t.Coef += divisor - rest
		}
		if t.Coef /= divisor; t.Coef > 0 {
			kept = append(kept, t)
		}
	}
	c.reason = kept
	if degree <= 0 {
		return 0
	}
	return (degree + divisor - 1) / divisor
}

// divide divides the constraint in cp by d. It is false where nothing is left.
func (s *Solver) divide(d int64, at int32) bool {
	c := s.cp
	for _, v := range c.vars {
		rest := c.coef[v] % d
		if rest != 0 && !s.isFalseBefore(c.lit[v], at) {
			c.coef[v] -= rest
			c.degree -= rest
		} else if rest != 0 {
			c.coef[v] += d - rest
		}
		c.coef[v] /= d
	}
	if c.degree <= 0 {
		return false
	}
	c.degree = (c.degree + d - 1) / d
	return true
}

// assertsBelow reports whether the constraint fails, or makes something true, at
// the level before.
func (s *Solver) assertsBelow(level int32) bool {
	c := s.cp
	slack := -c.degree
	var largest int64
	for _, v := range c.vars {
		if l := c.lit[v]; s.vals[l] >= 0 || s.vars[v].level >= level {
			slack += c.coef[v]
			if s.vals[l] == 0 || s.vars[v].level >= level {
				largest = max(largest, c.coef[v])
			}
		}
	}
	return slack < largest
}

// assertionLevel is the first level at which the constraint makes something
// true or fails, and which of the two.
func (s *Solver) assertionLevel() (level int32, conflicts bool) {
	c := s.cp
	slack := -c.degree
	c.fails = c.fails[:0]
	for _, v := range c.vars {
		slack += c.coef[v]
		if s.vals[c.lit[v]] < 0 {
			c.fails = append(c.fails, uint64(s.vars[v].level)<<32|uint64(v))
		}
	}
	slices.Sort(c.fails)
	// largest is the largest coefficient that is open at a level.
	largest := func(level int32) (most int64) {
		for _, v := range c.vars {
			if s.vals[c.lit[v]] == 0 || s.vars[v].level > level {
				most = max(most, c.coef[v])
			}
		}
		return most
	}
	level = 0
	for i := 0; ; {
		for i < len(c.fails) && int32(c.fails[i]>>32) == level {
			slack -= c.coef[uint32(c.fails[i])]
			i++
		}
		if slack < 0 {
			return level, true
		}
		if slack < largest(level) {
			return level, false
		}
		if i == len(c.fails) {
			return s.decisionLevel(), false // cannot be: the constraint fails now
		}
		level = int32(c.fails[i] >> 32)
	}
}

// learnLinear adds the constraint of analyzeLinear, after going back.
func (s *Solver) learnLinear(back int32) {
	c := s.cp
	terms := make([]Term, 0, len(c.vars))
	var glue int32
	s.age++
	for _, v := range c.vars {
		terms = append(terms, Term{c.coef[v], c.lit[v]})
		if lv := s.vars[v].level; s.vals[c.lit[v]] < 0 && s.levelAge[lv] != s.age {
			s.levelAge[lv] = s.age
			glue++
		}
	}
	s.restart.learned(glue)
	terms, k, err := normalized(terms, c.degree)
	if err != nil || k <= 0 {
		return // the degree was positive and small: neither can be
	}
	if terms[len(terms)-1].Coef == k { // a clause
		s.learnt = s.learnt[:0]
		for _, t := range terms {
			s.learnt = append(s.learnt, t.Lit)
		}
		s.sortForLearning(s.learnt)
		s.backtrack(back)
		s.assert(s.learnt, glue)
		return
	}
	s.backtrack(back)
	s.stats.LinearLearned++
	var total int64
	for _, t := range terms {
		total += t.Coef
	}
	id := s.newLinear(terms, k, total)
	x := &s.linears[id]
	x.glue, x.used = glue, usedMask-1
	for _, t := range terms {
		if s.vals[t.Lit] < 0 && int(s.vars[t.Lit.Var()].pos) < s.headN {
			x.slack -= t.Coef
		}
	}
	s.learnedLinears = append(s.learnedLinears, id)
	if x.slack < x.max {
		if s.checkLinear(id) != noReason && s.decisionLevel() == 0 {
			s.unsat = true
		}
	}
}
