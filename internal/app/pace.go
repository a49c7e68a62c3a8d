package app

import "time"

// Pace estimates how long the rest of some work takes from the time that its parts
// took so far. The zero value with a clock is ready.
type Pace struct {
	Now func() time.Time

	began time.Time
	first int
	runs  bool
}

// Left tells that done parts are done of so many, and estimates the time that the
// others take; false the first time, when nothing is known yet. The parts that were
// done before that do not count, so that work taken up again is not taken for fast.
func (p *Pace) Left(done, of int) (time.Duration, bool) {
	now := p.Now()
	if !p.runs || done <= p.first {
		p.began, p.first, p.runs = now, done, true
		return 0, false
	}
	each := float64(now.Sub(p.began)) / float64(done-p.first)
	return time.Duration(each * float64(max(0, of-done))).Round(time.Second), true
}
