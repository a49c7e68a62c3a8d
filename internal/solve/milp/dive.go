package milp

import "math"

// A dive rounds at least one variable a round, and all that are within nearly of the number above, and ends after diveRounds rounds, when a relaxation
// takes more than diveSteps steps, or when it has taken one of diveShare parts of all work.
const (
	diveRounds = 60
	diveSteps  = 300
	diveShare  = 5
	nearly     = .1
)

// dive looks for a solution from the point at hand: it rounds variables, and solves the relaxation again after each round. All is as it was then, but for the
// cutoff.
func (s *Search) dive() {
	mark, from := len(s.trail), s.lp.save()
	end := s.lp.work + s.lp.work/diveShare
	for range diveRounds {
		if s.lp.work > end || s.roundPoint() {
			break
		}
		if s.steps(diveSteps) != solved {
			break
		}
		if x := s.solution(); x != nil {
			s.accept(x)
			break
		}
	}
	s.undo(mark)
	s.lp.restore(from)
}

// roundPoint rounds variables of the point at hand; true where that ends the dive.
func (s *Search) roundPoint() (ends bool) {
	best, closest := int32(-1), 1.0
	for _, c := range s.candidates() {
		if int(c.v) >= s.lp.n {
			continue
		}
		if 1-c.part <= nearly {
			if !s.fix(c.v, c.floor+1) {
				return true
			}
			best = -2
		} else if d := min(c.part, 1-c.part+1e-3); best > -2 && d < closest {
			best, closest = c.v, d
		}
	}
	if best < 0 {
		return best == -1
	}
	return !s.fix(best, int64(math.Round(s.lp.x[best])))
}

// fix gives a variable a value, if it may have it, and propagates; false where that cannot be.
func (s *Search) fix(v int32, value int64) bool {
	if value < s.low[v] || value > s.high[v] {
		return s.low[v] == s.high[v]
	}
	if s.low[v] == s.high[v] {
		return true
	}
	s.narrow(v, value, value)
	return s.propagate()
}

// solution is the point at hand, if it is a solution; nil where it is none.
func (s *Search) solution() []int64 {
	x := make([]int64, s.lp.n)
	for j := range x {
		r := math.Round(s.lp.x[j])
		if math.Abs(s.lp.x[j]-r) > 1e-5 {
			return nil
		}
		x[j] = int64(r)
	}
	if !s.p.keeps(x) {
		return nil
	}
	return x
}

// accept makes a solution the best, if it is better.
func (s *Search) accept(x []int64) {
	if c := s.p.costOf(x); c < s.cutoff {
		s.cutoff, s.best = c, x
		s.found++
	}
}
