package sim

import "errors"

// StateDrawer draws states uniformly from the legal ones: those within their ranges that
// satisfy the invariants. It is immutable and may be shared.
type StateDrawer struct{ d drawer }

// maxListedValues bounds the memory of enumerated legal states.
const maxListedValues = 1 << 24

// NewStateDrawer prepares to draw legal states of s. Every numeric state fluent needs a
// range. If only few states are legal, they are enumerated.
func NewStateDrawer(s *Simulator) (*StateDrawer, error) {
	sd := &StateDrawer{newDrawer(s, s.states, s.invariants, s.beforeStates, -1)}
	if err := sd.d.unknown(s); err != nil {
		return nil, err
	}
	r := s.NewRunner(nil)
	if ok, err := r.legal(sd.d.fixed, sd.d.before); err != nil || !ok {
		return nil, firstError(err, at(sd.d.fixed[0].src.Pos, "no state keeps the invariants that read no fluent, this one among them: %s", sd.d.fixed[0].src.Text))
	}
	for i := range sd.d.parts {
		pt := &sd.d.parts[i]
		if len(pt.conds) == 0 || pt.continuous() {
			continue
		}
		kept := 0
		for range rejections {
			r.propose(pt)
			ok, err := r.legal(pt.conds, sd.d.before)
			if err != nil {
				return nil, err
			}
			if ok {
				kept++
			}
		}
		if kept > rejections/10 {
			continue
		}
		err := r.enumerate(pt, sd.d.before, func() bool {
			for j := range pt.vars {
				pt.list = append(pt.list, r.m.vals[pt.vars[j].fluent])
			}
			return len(pt.list) <= maxListedValues
		})
		switch {
		case err == nil && len(pt.list) == 0:
			return nil, at(pt.conds[0].src.Pos, "no state in the ranges keeps the invariants, this one among them: %s", pt.conds[0].src.Text)
		case errors.Is(err, errTooMany) || len(pt.list) > maxListedValues:
			pt.list = nil
			if kept == 0 {
				return nil, at(pt.conds[0].src.Pos, "%v: %s", errTooMany, pt.conds[0].src.Text)
			}
		case err != nil:
			return nil, err
		}
	}
	return sd, nil
}

// Draw sets r, a runner of the same simulator, to a legal state.
func (sd *StateDrawer) Draw(r *Runner) error {
	r.load(r.s.initialState)
	return r.draw(&sd.d)
}
