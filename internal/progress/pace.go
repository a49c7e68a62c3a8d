package progress

import "time"

// Pace estimates how long the rest of some work takes: the number of units that
// are left of each class, times the mean time that units of the class took so far.
type Pace struct {
	// Parallel is the number of units that run at the same time; 0 counts as 1.
	Parallel int
	// Guess estimates the time of a unit of a class of which none is done, from the
	// mean over all units; nil takes that mean.
	Guess func(class string, mean time.Duration) time.Duration

	left map[string]int
	done map[string]int
	took map[string]time.Duration
}

// Expect adds n units of a class to what is left.
func (p *Pace) Expect(class string, n int) {
	if p.left == nil {
		p.left, p.done, p.took = map[string]int{}, map[string]int{}, map[string]time.Duration{}
	}
	p.left[class] += n
}

// Finished moves n units of a class, which took so long together, from what is left
// to what is done. More units may be done than were expected.
func (p *Pace) Finished(class string, n int, took time.Duration) {
	p.Expect(class, 0)
	p.left[class] = max(0, p.left[class]-n)
	p.done[class] += n
	p.took[class] += took
}

// Left estimates the time that the rest takes. It is false while nothing is done.
func (p *Pace) Left() (time.Duration, bool) {
	done, took := 0, time.Duration(0)
	for class, n := range p.done {
		done, took = done+n, took+p.took[class]
	}
	if done == 0 {
		return 0, false
	}
	mean := took / time.Duration(done)
	var sum time.Duration
	for class, n := range p.left {
		each := mean
		switch {
		case p.done[class] > 0:
			each = p.took[class] / time.Duration(p.done[class])
		case p.Guess != nil && n > 0:
			each = p.Guess(class, mean)
		}
		sum += time.Duration(n) * each
	}
	return sum / time.Duration(max(1, p.Parallel)), true
}

// Meter is the Pace of work of one class that is done unit after unit, by a clock.
// Units that were done before the first call do not count, so that the pace of
// resumed work is not overestimated. The zero value with a clock is ready.
type Meter struct {
	Now func() time.Time

	pace Pace
	at   time.Time
	done int
	runs bool
}

// Left is called when done units are done of so many, and estimates the time that
// the others take, in whole seconds. It is false the first time, and when the work
// began again.
func (m *Meter) Left(done, of int) (time.Duration, bool) {
	now := m.Now()
	if !m.runs || done < m.done {
		*m = Meter{Now: m.Now, at: now, done: done, runs: true}
		return 0, false
	}
	m.pace.Finished("", done-m.done, now.Sub(m.at))
	m.at, m.done = now, done
	m.pace.left[""] = max(0, of-done)
	left, known := m.pace.Left()
	return left.Round(time.Second), known
}
