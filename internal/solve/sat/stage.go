package sat

import "slices"

// stageCut expands the conflict until nothing is left of it that comes later
// than the stage that follows the current decision: a clause over that stage's
// own literals, however they came about, and over earlier ones where the
// conflict needs them. Such a clause is a nogood over the state that the
// decisions led to; it prunes every other way to reach a state like it. It
// costs one more walk over the trail and is plain resolution, so that proofs
// stay what they are.
//
// Assumptions stay in the clause as they are.
//
// conflict holds the literals of the failed constraint, all false.
func (s *Solver) stageCut(conflict []Lit) {
	decision := s.trail[s.levels[len(s.levels)-1]]
	cutStage := s.stage[decision.Var()]
	if cutStage == 0 || s.vars[decision.Var()].reason != noReason {
		return
	}
	cutStage++ // the even stage after that of a choice
	if cutStage&1 != 0 {
		return
	}
	open := 0
	for _, l := range conflict {
		open += s.markLater(l, cutStage)
	}
	if open == 0 {
		s.unmark()
		s.cut = s.cut[:0]
		return
	}
	for i := len(s.trail) - 1; open > 0 && i >= 0; i-- {
		p := s.trail[i]
		v := p.Var()
		if s.seen[v] == 0 || s.stage[v] <= cutStage {
			continue
		}
		if s.vars[v].reason == noReason && int(s.vars[v].level) <= len(s.assumptions) {
			s.cut = append(s.cut, p.Not())
			open--
			continue
		}
		if s.vars[v].reason == noReason { // a later choice: no cut here
			s.unmark()
			s.cut = s.cut[:0]
			return
		}
		open--
		for _, l := range s.antecedents(p) {
			open += s.markLater(l, cutStage)
		}
	}
	s.unmark()
	s.cut = s.minimizeBinary(s.cut, 0)
	pure := true
	for _, l := range s.cut {
		if v := l.Var(); s.stage[v] != cutStage && (s.vars[v].reason != noReason || int(s.vars[v].level) > len(s.assumptions)) {
			pure = false
			break
		}
	}
	if !pure || slices.Equal(s.cut, s.learnt) || len(s.cut) == 0 {
		s.cut = s.cut[:0]
		return
	}
	s.stats.StageCuts++
}

// markLater marks a false literal of the conflict: 1 when it comes later than
// the cut and has to be expanded, 0 when it belongs to the cut.
func (s *Solver) markLater(l Lit, cutStage int32) int {
	v := l.Var()
	if s.seen[v] != 0 || s.vars[v].level == 0 {
		return 0
	}
	s.seen[v] = seenMark
	s.clear = append(s.clear, v)
	if s.stage[v] > cutStage {
		return 1
	}
	s.cut = append(s.cut, l)
	return 0
}
