package sat

// trace tells the tracer of a learned clause and returns its number, 0 without a
// tracer.
func (s *Solver) trace(clause []Lit) int64 {
	if s.opts.Trace == nil {
		return 0
	}
	return s.opts.Trace.Learned(clause)
}

// traceFixed tells of literals that are true for good, before clauses that they
// follow from go.
func (s *Solver) traceFixed() {
	if s.opts.Trace == nil {
		return
	}
	fixed := s.rootLen()
	for ; s.traced < fixed; s.traced++ {
		s.opts.Trace.Learned(s.trail[s.traced : s.traced+1])
	}
}

// Conclude tells the tracer of a clause that follows from all constraints by
// propagation: that one of lits is true, or with none, that nothing satisfies
// them. It returns the clause's number.
func (s *Solver) Conclude(lits ...Lit) int64 { return s.trace(lits) }
