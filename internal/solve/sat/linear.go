package sat

import (
	"fmt"
	"math"
	"slices"
)

// linear is sum of coefficients times literals >= k. slack is the sum of the
// coefficients of literals that were not counted as false, less k.
type linear struct {
	slack      int64
	max        int64 // the largest coefficient
	k          int64
	start, end uint32 // in linearLits and linearCoef, by falling coefficient
	// Since assignments were taken back last, if that is Solver.descent: so many terms, the first, have a value, and the largest
	// coefficient of the others.
	descent uint64
	reach   int64
	valued  uint32

	dead bool // the place may be used again
	// Of learned constraints, as of clauses.
	used int8
	glue int32
}

// maxTotal bounds the sum of the coefficients of one constraint.
const maxTotal = math.MaxInt64 / 2

// normalized brings a constraint sum of terms >= k into its normal form:
// variables once, positive coefficients that are no larger than the bound, by
// falling coefficient. The terms are overwritten. With a bound of 0 or
// less it always holds.
func normalized(terms []Term, k int64) ([]Term, int64, error) {
	slices.SortStableFunc(terms, func(a, b Term) int { return int(a.Lit.Var()) - int(b.Lit.Var()) })
	kept := terms[:0]
	for i := 0; i < len(terms); {
		v := terms[i].Lit.Var()
		var coef int64 // of the positive literal
		for ; i < len(terms) && terms[i].Lit.Var() == v; i++ {
			c := terms[i].Coef
			if c > maxTotal || c < -maxTotal || k > maxTotal || k < -maxTotal || coef > maxTotal || coef < -maxTotal {
				return nil, 0, ErrOverflow
			}
			if terms[i].Lit.Negative() { // c*~x is c - c*x
				k -= c
				c = -c
			}
			coef += c
		}
		switch {
		case coef > 0:
			kept = append(kept, Term{coef, Pos(v)})
		case coef < 0: // coef*x is coef - coef*~x
			k -= coef
			kept = append(kept, Term{-coef, Neg(v)})
		}
	}
	if k > maxTotal || k < -maxTotal {
		return nil, 0, ErrOverflow
	}
	if k <= 0 {
		return nil, 0, nil
	}
	var total int64
	for i := range kept {
		kept[i].Coef = min(kept[i].Coef, k)
		if total += kept[i].Coef; total > maxTotal {
			return nil, 0, ErrOverflow
		}
	}
	slices.SortStableFunc(kept, func(a, b Term) int {
		switch {
		case a.Coef > b.Coef:
			return -1
		case a.Coef < b.Coef:
			return 1
		}
		return 0
	})
	return kept, k, nil
}

// AddLinear adds sum of terms >= k. Coefficients may have either sign and
// variables may repeat. It is false when the constraints are then known to
// have no solution. The error wraps ErrOverflow; nothing was added then.
func (s *Solver) AddLinear(terms []Term, k int64) (bool, error) {
	_, ok, err := s.addLinear(terms, k)
	return ok, err
}

// Limit is a linear constraint that gets stronger; see Tighten.
type Limit struct {
	id  uint32
	set bool
}

// Tighten adds a linear constraint as AddLinear does, in place of that which the limit held before. What was
// learned with that stays: it must follow from the new one, or with what it was learned from hold nevertheless.
func (s *Solver) Tighten(c *Limit, terms []Term, k int64) (bool, error) {
	if s.unsat {
		return false, nil
	}
	s.backtrack(0)
	if c.set {
		s.dropLinear(c.id)
		c.set = false
	}
	id, ok, err := s.addLinear(terms, k)
	if id > 0 {
		*c = Limit{id - 1, true}
	}
	return ok, err
}

// addLinear returns beside, plus one, the place of the constraint; 0 where it takes none.
func (s *Solver) addLinear(terms []Term, k int64) (uint32, bool, error) {
	if s.unsat {
		return 0, false, nil
	}
	s.backtrack(0)
	open := make([]Term, 0, len(terms))
	for _, t := range terms {
		s.Grow(t.Lit.Var())
		switch s.vals[t.Lit] {
		case 0:
			open = append(open, t)
		case 1:
			if t.Coef > maxTotal || t.Coef < -maxTotal || k > maxTotal || k < -maxTotal {
				return 0, true, fmt.Errorf("adding a linear constraint of %d terms: %w", len(terms), ErrOverflow)
			}
			k -= t.Coef
		}
	}
	open, k, err := normalized(open, k)
	if err != nil {
		return 0, true, fmt.Errorf("adding a linear constraint of %d terms: %w", len(terms), err)
	}
	if k <= 0 {
		return 0, true, nil
	}
	var total int64
	for _, t := range open {
		total += t.Coef
	}
	if total < k {
		s.unsat = true
		s.trace(nil)
		return 0, false, nil
	}
	if len(open) > 0 && open[len(open)-1].Coef == k { // every literal alone suffices
		lits := make([]Lit, len(open))
		for i, t := range open {
			lits[i] = t.Lit
		}
		return 0, s.AddClause(lits...), nil
	}
	id := s.newLinear(open, k, total)
	if s.linears[id].slack < s.linears[id].max {
		if s.checkLinear(id) != noReason {
			s.unsat = true
			return 0, false, nil
		}
		s.settle()
	}
	return id + 1, !s.unsat, nil
}

// checkLinear makes true what a constraint cannot do without.
func (s *Solver) checkLinear(id uint32) reason {
	c := &s.linears[id]
	if c.slack < 0 {
		return linearReason(id)
	}
	if c.descent != s.descent {
		c.descent, c.valued = s.descent, 0
	}
	coefs := s.linearCoef[c.start+c.valued : c.end]
	c.reach = 0
	for i, l := range s.linearLits[c.start+c.valued : c.end] {
		if coefs[i] <= c.slack {
			c.reach = coefs[i]
			break
		}
		if s.vals[l] == 0 {
			s.enqueue(l, linearReason(id))
		}
		c.valued++
	}
	return noReason
}

// explainLinear appends false literals without which the constraint cannot
// hold unless l is true; with NoLit, at all. Of all that were false before l,
// those that the sum can spare are left out, the latest first.
func (s *Solver) explainLinear(id uint32, l Lit) {
	c := &s.linears[id]
	before := int32(len(s.trail))
	if l != NoLit {
		before = s.vars[l.Var()].pos
	}
	lits, coefs := s.linearLits[c.start:c.end], s.linearCoef[c.start:c.end]
	s.stats.Work += int64(len(lits)) / 2
	start := len(s.lits)
	s.weights = s.weights[:0]
	var left int64 // of all that is not known to be false, l apart
	for i, x := range lits {
		if s.vals[x] < 0 && s.vars[x.Var()].pos < before {
			s.lits = append(s.lits, x)
			s.weights = append(s.weights, coefs[i])
		} else if x != l {
			left += coefs[i]
		}
	}
	spare := c.k - 1 - left // may be true besides
	out := s.lits[start:]
	if spare <= 0 {
		return
	}
	// First what would add a literal of the current level, then the rest.
	for pass := range 2 {
		kept := 0
		for i, x := range out {
			v := x.Var()
			drop := s.weights[i] <= spare && s.vars[v].level != 0 && s.seen[v] == 0 && (pass == 1 || s.vars[v].level == s.decisionLevel())
			if drop {
				spare -= s.weights[i]
				continue
			}
			out[kept], s.weights[kept] = x, s.weights[i]
			kept++
		}
		out = out[:kept]
	}
	s.lits = s.lits[:start+len(out)]
}

// reduceLinears deletes the worse half of the learned linear constraints that
// have not served of late.
func (s *Solver) reduceLinears() {
	if len(s.learnedLinears) == 0 {
		return
	}
	locked := map[uint32]bool{}
	for _, l := range s.trail {
		if r := s.vars[l.Var()].reason; r.kind() == kindLinear {
			locked[r.index()] = true
		}
	}
	var candidates []uint32
	for _, id := range s.learnedLinears {
		c := &s.linears[id]
		if c.used > 0 {
			c.used--
		} else if !locked[id] && c.glue > glueCore {
			candidates = append(candidates, id)
		}
	}
	slices.SortStableFunc(candidates, func(a, b uint32) int {
		x, y := &s.linears[a], &s.linears[b]
		if x.glue != y.glue {
			return int(y.glue - x.glue)
		}
		return int(y.end-y.start) - int(x.end-x.start)
	})
	candidates = candidates[:len(candidates)/2]
	for _, id := range candidates {
		s.linears[id].dead = true
	}
	s.freeLinears = append(s.freeLinears, candidates...)
	s.learnedLinears = slices.DeleteFunc(s.learnedLinears, func(id uint32) bool { return s.linears[id].dead })
	for l := range s.linearsOf {
		s.linearsOf[l] = slices.DeleteFunc(s.linearsOf[l], func(w occurrence) bool { return s.linears[w.id].dead })
	}
	s.compactLinears()
}
