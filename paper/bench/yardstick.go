package bench

import (
	"math/rand/v2"
	"runtime"
	"time"
)

// A yardstick does what planners take their time for: it follows yardstickHops links through yardstickCells numbers of 4
// bytes, more than caches have, takes yardstickSteps steps of arithmetic with a branch that cannot be foreseen, and
// asks the system for yardstickFresh bytes of memory.
const (
	yardstickCells = 1 << 24
	yardstickHops  = 1 << 18
	yardstickSteps = 1 << 21
	yardstickFresh = 8 << 20
)

// links returns one cycle through so many cells (Sattolo), the same each time.
func links(cells int) []uint32 {
	next := make([]uint32, cells)
	for i := range next {
		next[i] = uint32(i)
	}
	rng := rand.New(rand.NewPCG(1, 0))
	for i := len(next) - 1; i > 0; i-- {
		k := rng.IntN(i)
		next[i], next[k] = next[k], next[i]
	}
	return next
}

// yardstick does a fixed piece of work in this thread, and returns the CPU time that it took, in seconds. A run beside it can
// be compared with one of another machine, or of another hour of this one. next is that of links.
func yardstick(next []uint32, now func() time.Time) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := threadTime(now)
	at, x, sum := uint32(0), uint64(1), uint64(0)
	for range yardstickHops {
		at = next[at]
	}
	for range yardstickSteps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		if x&1 == 0 {
			sum += x
		} else {
			sum ^= x >> 3
		}
	}
	fresh(yardstickFresh)
	took := threadTime(now) - began
	if int(at) == len(next) || sum == 0 {
		return 0 // neither happens; the work is not left out for want of a use
	}
	return took
}
