package limit

import (
	"context"
	"fmt"
	"time"
)

// MemoryError is the cause of a run that ended because of its bound on memory.
type MemoryError struct {
	Bound int64 // bytes
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("the memory limit of %s was reached", Bytes(e.Bound))
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
}

// The resident size may pass the bound by as much as the program itself takes
// before the run is stopped (soft), and by a little more before it is over
// whatever it does (hard). Both leave room below the promise of the
// documentation, the bound and a fifth and 50 MB, for what is taken between
// two looks.
func (m *Memory) soft() int64 { return m.Bound + m.Bound/20 + 20<<20 }
func (m *Memory) hard() int64 { return m.Bound + m.Bound/10 + 32<<20 }

// Run looks at every tick until ctx ends or both were called: stop once, when
// the size is beyond the bound, and over once, when it grows on after that.
func (m *Memory) Run(ctx context.Context, stop, over func(error)) {
	stopped := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.Tick:
		}
		size := m.Resident()
		if size > m.soft() && !stopped {
			stopped = true
			stop(&MemoryError{m.Bound})
		}
		if size > m.hard() {
			over(&MemoryError{m.Bound})
			return
		}
	}
}
