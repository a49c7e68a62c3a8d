package sat

import "slices"

// neuron is out <=> at least p of n inputs. It is kept by what is missing on
// either side among the inputs that were counted: trueLeft is p less the true
// ones, falseLeft is n-p+1 less the false ones.
type neuron struct {
	trueLeft, falseLeft int32
	out                 Lit
	threshold           int32
	start, end          uint32 // in counters.inputs
}

// AddNeuron adds out <=> at least threshold of inputs are true (the paper's
// Act_p). Any threshold is legal, and inputs may repeat or be fixed. It is
// false when the constraints are then known to have no solution. The error
// wraps ErrOverflow; nothing was added then.
func (s *Solver) AddNeuron(out Lit, inputs []Lit, threshold int) (bool, error) {
	if s.unsat {
		return false, nil
	}
	s.backtrack(0)
	s.Grow(out.Var())
	s.scratch = append(s.scratch[:0], inputs...)
	slices.Sort(s.scratch)
	lits := s.scratch[:0]
	plain := s.vals[out] == 0
	for _, l := range s.scratch {
		s.Grow(l.Var())
		switch {
		case s.vals[l] > 0:
			threshold--
			continue
		case s.vals[l] < 0:
			continue
		case l.Var() == out.Var() || len(lits) > 0 && lits[len(lits)-1] == l:
			plain = false
		case len(lits) > 0 && lits[len(lits)-1] == l.Not():
			// One of the two is true.
			lits = lits[:len(lits)-1]
			threshold--
			continue
		}
		lits = append(lits, l)
	}
	n := len(lits)
	switch {
	case threshold <= 0:
		return s.AddClause(out), nil
	case threshold > n:
		return s.AddClause(out.Not()), nil
	case !plain:
		terms := make([]Term, n)
		for i, l := range lits {
			terms[i] = Term{1, l}
		}
		return s.addInequalities(out, terms, int64(threshold))
	case threshold == 1 || threshold == n:
		s.addGate(out, slices.Clone(lits), threshold == 1)
		return !s.unsat, nil
	}
	id := uint32(len(s.neurons))
	start := uint32(len(s.inputs))
	s.inputs = append(s.inputs, lits...)
	s.neurons = append(s.neurons, neuron{int32(threshold), int32(n - threshold + 1), out, int32(threshold), start, start + uint32(n)})
	for _, l := range lits {
		s.inputsOf[l] = append(s.inputsOf[l], id)
		s.counted[l.Var()] = true
	}
	s.outputsOf[out.Var()] = append(s.outputsOf[out.Var()], id)
	s.counted[out.Var()] = true
	return true, nil
}

// addGate adds out <=> any of lits, or all of them: the neurons with threshold
// 1 and n, for which clauses serve better.
func (s *Solver) addGate(out Lit, lits []Lit, anyOf bool) {
	if !anyOf {
		out = out.Not()
		for i, l := range lits {
			lits[i] = l.Not()
		}
	}
	for _, l := range lits {
		s.AddClause(out, l.Not())
	}
	s.AddClause(append(lits, out.Not())...)
}

// checkNeuron draws the consequences of a neuron whose counters have run low.
func (s *Solver) checkNeuron(id uint32) reason {
	n := &s.neurons[id]
	out := s.vals[n.out]
	switch {
	case n.trueLeft <= 0:
		if out < 0 {
			return neuronReason(id)
		}
		if out == 0 {
			s.enqueue(n.out, neuronReason(id))
		}
	case n.falseLeft <= 0:
		if out > 0 {
			return neuronReason(id)
		}
		if out == 0 {
			s.enqueue(n.out^1, neuronReason(id))
		}
	case n.trueLeft == 1 && out < 0:
		for _, l := range s.inputs[n.start:n.end] {
			if s.vals[l] == 0 {
				s.enqueue(l^1, neuronReason(id))
			}
		}
	case n.falseLeft == 1 && out > 0:
		for _, l := range s.inputs[n.start:n.end] {
			if s.vals[l] == 0 {
				s.enqueue(l, neuronReason(id))
			}
		}
	}
	return noReason
}

// explainNeuron appends the false literals that imply l, the output or an
// input, by the neuron; with NoLit those that contradict it.
func (s *Solver) explainNeuron(id uint32, l Lit) {
	n := &s.neurons[id]
	size := int32(n.end - n.start)
	s.stats.Work += int64(size) / 2
	before := int32(len(s.trail))
	if l != NoLit {
		before = s.vars[l.Var()].pos
	}
	switch {
	case l == n.out:
		s.pick(n, 1, n.threshold, before)
	case l == n.out^1:
		s.pick(n, -1, size-n.threshold+1, before)
	case l == NoLit && s.vals[n.out] < 0:
		s.lits = append(s.lits, n.out)
		s.pick(n, 1, n.threshold, before)
	case l == NoLit:
		s.lits = append(s.lits, n.out^1)
		s.pick(n, -1, size-n.threshold+1, before)
	case s.vals[n.out] < 0: // an input made false
		s.lits = append(s.lits, n.out)
		s.pick(n, 1, n.threshold-1, before)
	default: // an input made true
		s.lits = append(s.lits, n.out^1)
		s.pick(n, -1, size-n.threshold, before)
	}
}

// pick appends, in their false form, need inputs whose value is sign and that
// were assigned before a place of the trail: first those that cost the
// conflict nothing, being fixed or already in it, then those of levels before
// the current one.
func (s *Solver) pick(n *neuron, sign int8, need, before int32) {
	flip := Lit(0)
	if sign > 0 {
		flip = 1
	}
	s.scratch = s.scratch[:0]
	for _, l := range s.inputs[n.start:n.end] {
		if s.vals[l] != sign {
			continue
		}
		v := l.Var()
		x := &s.vars[v]
		if x.pos >= before {
			continue
		}
		if x.level == 0 || s.seen[v] != 0 {
			if need > 0 {
				if x.level != 0 {
					s.lits = append(s.lits, l^flip)
				}
				need--
			}
			continue
		}
		s.scratch = append(s.scratch, l^flip)
	}
	if need <= 0 {
		return
	}
	s.earliest(s.scratch, int(need))
	s.lits = append(s.lits, s.scratch[:need]...)
}

// AddReified adds out <=> sum of terms >= k, terms with any coefficients. It
// is false when the constraints are then known to have no solution. The error
// wraps ErrOverflow; nothing was added then.
func (s *Solver) AddReified(out Lit, terms []Term, k int64) (bool, error) {
	if s.unsat {
		return false, nil
	}
	kept, k, err := normalized(slices.Clone(terms), k)
	if err != nil {
		return true, err
	}
	if k <= 0 {
		return s.AddClause(out), nil
	}
	unit := true
	var total int64
	for _, t := range kept {
		unit = unit && t.Coef == 1
		total += t.Coef
	}
	if total < k {
		return s.AddClause(out.Not()), nil
	}
	if unit && k <= int64(len(kept)) {
		lits := make([]Lit, len(kept))
		for i, t := range kept {
			lits[i] = t.Lit
		}
		return s.AddNeuron(out, lits, int(k))
	}
	return s.addInequalities(out, kept, k)
}

// addInequalities adds out <=> sum of terms >= k as two linear constraints;
// coefficients are positive and sum to at least k.
func (s *Solver) addInequalities(out Lit, terms []Term, k int64) (bool, error) {
	var total int64
	for _, t := range terms {
		total += t.Coef
	}
	all := append(slices.Clone(terms), Term{k, out.Not()})
	if ok, err := s.AddLinear(all, k); !ok || err != nil {
		return ok, err
	}
	all = all[:0]
	for _, t := range terms {
		all = append(all, Term{t.Coef, t.Lit.Not()})
	}
	return s.AddLinear(append(all, Term{total - k + 1, out}), total-k+1)
}
