package sat

// phases are the values to try first, by variable: 1 or -1.
type phases struct{ phase []int8 }

func (p *phases) grow(n int) {
	for range n {
		p.phase = append(p.phase, -1)
	}
}

// SetPhase sets the value of a variable to try first. Search changes it as it
// goes.
func (s *Solver) SetPhase(v int32, value bool) {
	s.phase[v] = -1
	if value {
		s.phase[v] = 1
	}
}
