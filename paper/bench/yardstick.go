package bench

import (
	"math/rand/v2"
	"runtime"
	"time"
)

// A yardstick follows yardstickHops links through yardstickCells numbers of 4 bytes, more than the cache of a core has, and
// takes yardstickSteps steps of arithmetic with a branch that cannot be foreseen: what propagation takes its time for.
const (
	yardstickCells = 1 << 21
	yardstickHops  = 1 << 19
	yardstickSteps = 1 << 21
)

// links returns one cycle through all cells (Sattolo), the same each time.
func links() []uint32 {
	next := make([]uint32, yardstickCells)
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
	took := threadTime(now) - began
	if at == yardstickCells || sum == 0 {
		return 0 // neither happens; the work is not left out for want of a use
	}
	return took
}
