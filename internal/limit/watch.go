package limit

import (
	"context"
	"fmt"
	"time"
)

// MemoryError is the cause of a run that ended because of its bound on memory.
type MemoryError struct {
	Bound  int64 // bytes
	Others int64 // bytes of it that programs held which the process had started
}

func (e *MemoryError) Error() string {
	text := fmt.Sprintf("the memory limit of %s was reached", Bytes(e.Bound))
	if e.Others > 0 {
		text += fmt.Sprintf(", with %s of the programs that were started", Bytes(e.Others))
	}
	return text
}

// Bytes is a size for people, in MiB.
func Bytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// Memory watches the resident size of the process, which counts what no
// engine does: the collector's reserve, tables of the runtime, the program
// itself.
type Memory struct {
	Bound    int64            // bytes that were asked for
	Resident func() int64     // the resident size, in bytes
	Tick     <-chan time.Time // when to look
	// Every sets the time between ticks; nil where it is always Shortest. While much room is
	// left there are few ticks, since each wakes threads that sleep.
	Every func(time.Duration)
	// Others is the resident size of the programs that the process has started, and
	// KillOthers ends them; nil where they do not count. They are looked at less often,
	// since that takes longer: the less, the more room is left.
	Others     func() int64
	KillOthers func()
	// Grown is called when the process has become large, and then each time that it has grown
	// by step bytes; nil for nobody.
	Grown func()
}

// A process is large from here on, and grows by steps.
const (
	large = 256 << 20
	step  = 32 << 20
)

// The times between two looks at the process, and the least between two at other programs.
const (
	Shortest      = 5 * time.Millisecond
	longest       = 8 * Shortest
	betweenOthers = 5 * Shortest
)

// filling is how long it takes at least to fill room with fresh memory.
func filling(room int64) time.Duration {
	const perShortest = 32 << 20
	return time.Duration(max(0, room/perShortest)) * Shortest
}

// The resident size may pass the bound by as much as the program itself takes
// before the run is stopped (soft), and by a little more before it is over
// whatever it does (hard). Both leave room below the promise of the
// documentation, the bound and a fifth and 50 MB, for what is taken between
// two looks.
//
// The size of other programs counts where two looks in a row find it: a program that
// is just being started has the size of this process for a moment.
func (m *Memory) soft() int64 { return m.Bound + m.Bound/20 + 20<<20 }

// Run looks at every tick until ctx ends or both were called: stop once, when
// the size is beyond the bound, and over once, when it grows on after that. Other
// programs are killed after stop as often as they, with the process, are beyond the
// bound.
func (m *Memory) Run(ctx context.Context, stop, over func(error)) {
	stopped := false
	var held, before int64
	next := int64(large)
	every, due := Shortest, time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.Tick:
		}
		size := m.Resident()
		if m.Grown != nil && size >= next {
			next = size + step
			m.Grown()
		}
		if due -= every; m.Others != nil && due <= 0 {
			held, before = m.Others(), held
			due = max(betweenOthers, filling(m.soft()-size-held))
			if both := min(held, before); size+both > m.soft() && size <= m.soft() {
				stopped = true
				stop(&MemoryError{m.Bound, both})
				m.KillOthers()
			}
		}
		if size > m.soft() && !stopped {
			stopped = true
			stop(&MemoryError{Bound: m.Bound})
		}
		if size > m.Bound+m.Bound/10+32<<20 {
			over(&MemoryError{Bound: m.Bound})
			return
		}
		if pause := min(max(Shortest, filling(m.soft()-size)), longest); m.Every != nil && pause != every {
			every = pause
			m.Every(pause)
		}
	}
}
