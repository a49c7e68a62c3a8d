package sat

import "slices"

// stages are the places of variables in time; see SetStage.
type stages struct {
	stage  []int32 // by variable
	staged bool    // some variable has one
}

func (t *stages) grow(n int) { t.stage = extend(t.stage, n) }

// SetStage puts a variable at a stage. Stages are meant for what unfolds in
// time: odd stages hold choices, even ones what sums up all choices before. A
// state nogood names literals of one even stage, and of stages before where it
// must, and follows from the constraints alone.
func (s *Solver) SetStage(v, stage int32) {
	s.stage[v] = stage
	s.staged = true
}

// stateNogood expands the conflict until nothing is left of it that comes later
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
func (s *Solver) stateNogood(conflict []Lit) {
	decision := s.trail[s.levels[len(s.levels)-1]]
	stage := s.stage[decision.Var()]
	if stage == 0 || s.vars[decision.Var()].reason != noReason {
		return
	}
	stage++ // the even stage after that of a choice
	if stage&1 != 0 {
		return
	}
	open := 0
	for _, l := range conflict {
		open += s.markLater(l, stage)
	}
	if open == 0 {
		s.unmark()
		s.nogood = s.nogood[:0]
		return
	}
	for i := len(s.trail) - 1; open > 0 && i >= 0; i-- {
		p := s.trail[i]
		v := p.Var()
		if s.seen[v] == 0 || s.stage[v] <= stage {
			continue
		}
		if s.vars[v].reason == noReason && int(s.vars[v].level) <= len(s.assumptions) {
			s.nogood = append(s.nogood, p.Not())
			open--
			continue
		}
		if s.vars[v].reason == noReason { // a later choice: there is no nogood
			s.unmark()
			s.nogood = s.nogood[:0]
			return
		}
		open--
		for _, l := range s.antecedents(p) {
			open += s.markLater(l, stage)
		}
	}
	s.unmark()
	s.nogood = s.minimizeBinary(s.nogood, 0)
	pure := true
	for _, l := range s.nogood {
		if v := l.Var(); s.stage[v] != stage && (s.vars[v].reason != noReason || int(s.vars[v].level) > len(s.assumptions)) {
			pure = false
			break
		}
	}
	if !pure || slices.Equal(s.nogood, s.learnt) || len(s.nogood) == 0 {
		s.nogood = s.nogood[:0]
		return
	}
	s.stats.StateNogoods++
}

// markLater marks a false literal of the conflict. It returns 1 when the literal
// comes after the stage and has to be expanded, 0 when it is part of the nogood.
func (s *Solver) markLater(l Lit, stage int32) int {
	v := l.Var()
	if s.seen[v] != 0 || s.vars[v].level == 0 {
		return 0
	}
	s.seen[v] = seenMark
	s.clear = append(s.clear, v)
	if s.stage[v] > stage {
		return 1
	}
	s.nogood = append(s.nogood, l)
	return 0
}
