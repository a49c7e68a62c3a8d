package simulator

import (
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// addLags adds what a process showed before to what it shows: the state in which its last step was taken, and the action.
// After a reset these are the lags of the state that was asked for, or the initial ones of the problem; where these are
// open, or the process begins with another value than the initial one, it is taken to have had that before.
func (s *Process) addLags(a *Answer) {
	if s.acted != nil && s.last != nil {
		s.p.ShiftLags(a.State, Join(s.p, s.last, s.acted))
		for i := range s.p.Variables {
			v := &s.p.Variables[i]
			if from, err := s.p.Earlier(v); v.Lagged() && err == nil && slices.Contains(s.unseen, from.Name) {
				a.Missing = append(a.Missing, v.Name)
			}
		}
		return
	}
	start, given := s.last, []bool(nil)
	if start == nil {
		start, given = s.p.InitialBits()
	}
	for i := range s.p.Variables {
		v := &s.p.Variables[i]
		if !v.Lagged() {
			continue
		}
		of, _ := s.p.Lookup(v.Lag.Of)
		from := start[v.First : int(v.First)+v.Width]
		if of.Kind == factored.State && (given != nil && slices.Contains(given[v.First:int(v.First)+v.Width], false) || of.Value(start) != of.Value(a.State)) {
			from = a.State[of.First : int(of.First)+of.Width]
			if slices.Contains(a.Missing, of.Name) {
				a.Missing = append(a.Missing, v.Name)
			}
		}
		copy(a.State[v.First:int(v.First)+v.Width], from)
	}
}
