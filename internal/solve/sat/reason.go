package sat

// reason is why a literal is true: its kind in the lowest bits, above them
// the clause, the other literals of a clause of two or three, the neuron or the linear
// constraint. Of a conflict with such a clause it lacks smallClauses.failed.
type reason uint64

const (
	kindNone reason = iota
	kindBinary
	kindTernary
	kindClause
	kindNeuron
	kindLinear
	kindBits = 3
	kindMask = 1<<kindBits - 1

	ternaryBits = 30 // of each literal of a ternary reason
)

const noReason reason = kindNone

func binaryReason(other Lit) reason { return reason(other)<<kindBits | kindBinary }
func ternaryReason(a, b Lit) reason {
	return reason(a)<<kindBits | reason(b)<<(kindBits+ternaryBits) | kindTernary
}
func clauseReason(c cref) reason    { return reason(c)<<kindBits | kindClause }
func neuronReason(id uint32) reason { return reason(id)<<kindBits | kindNeuron }
func linearReason(id uint32) reason { return reason(id)<<kindBits | kindLinear }
func (r reason) kind() reason       { return r & kindMask }
func (r reason) index() uint32      { return uint32(r >> kindBits) }

// builtReason remembers where in analysis.lits the reason of a variable was
// built for the conflict of this age.
type builtReason struct {
	age        int64
	start, end int32
}

// antecedents returns the false literals that made l true by its reason: the rest
// of a clause. The slice is valid until the conflict is over.
func (s *Solver) antecedents(l Lit) []Lit {
	v := l.Var()
	r := s.vars[v].reason
	if r.kind() == kindClause {
		c := cref(r.index())
		return s.clauseLits(c)[1:]
	}
	b := &s.built[v]
	if b.age == s.buildAge {
		return s.lits[b.start:b.end]
	}
	start := len(s.lits)
	s.explain(r, l)
	*b = builtReason{age: s.buildAge, start: int32(start), end: int32(len(s.lits))}
	return s.lits[start:]
}

// explain appends to s.lits the false literals that imply l by r; with NoLit,
// those that r makes a conflict of.
func (s *Solver) explain(r reason, l Lit) {
	switch r.kind() {
	case kindBinary, kindTernary:
		if l == NoLit {
			s.lits = append(s.lits, s.failed)
		}
		if r.kind() == kindBinary {
			s.lits = append(s.lits, Lit(r.index()))
			return
		}
		s.lits = append(s.lits, Lit(r>>kindBits&(1<<ternaryBits-1)), Lit(r>>(kindBits+ternaryBits)))
	case kindClause:
		lits := s.clauseLits(cref(r.index()))
		if l != NoLit {
			lits = lits[1:]
		}
		s.lits = append(s.lits, lits...)
	case kindNeuron:
		s.explainNeuron(r.index(), l)
	case kindLinear:
		s.explainLinear(r.index(), l)
	}
}
