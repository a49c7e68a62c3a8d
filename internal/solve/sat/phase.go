package sat

// phases are the values to try first.
type phases struct {
	phase     []int8 // by variable: 1 or -1
	best      []int8 // the phases of the longest trail without conflict, 0 for none
	bestTrail int    // its length
	probing   bool   // what is assigned is of no interest to phases
}

func (p *phases) grow(n int) {
	p.best = extend(p.best, n)
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

// saved notes the value that l had when it is taken back.
func (p *phases) saved(l Lit) {
	switch {
	case p.probing:
	case l&1 != 0:
		p.phase[l.Var()] = -1
	default:
		p.phase[l.Var()] = 1
	}
}

// keepBest notes the phases of the longest trail so far.
func (p *phases) keepBest(trail []Lit) {
	p.bestTrail = len(trail)
	clear(p.best)
	for _, l := range trail {
		p.best[l.Var()] = 1
		if l.Negative() {
			p.best[l.Var()] = -1
		}
	}
}

// renewPhases goes back to the phases of the longest trail, which stable mode
// works on.
func (p *phases) renewPhases() {
	for v, best := range p.best {
		if best != 0 {
			p.phase[v] = best
		}
	}
	p.bestTrail = 0
}
