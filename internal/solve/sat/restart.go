package sat

// restarts decides when to restart. Two modes take turns: quick restarts
// whenever the glue of the latest conflicts is worse than usual (Audemard and
// Simon, "Refining Restarts Strategies for SAT and UNSAT", 2012), and rare ones
// in a reluctant doubling sequence (Knuth), which finds solutions.
type restarts struct {
	fast, slow   float64 // moving averages of the glue
	sinceRestart int64
	stable       bool
	modeEnds     int64 // conflicts at which the mode changes
	modeLength   int64
	u, v, ticks  int64 // reluctant doubling
}

const (
	fastAlpha      = 1. / 32
	slowAlpha      = 1. / 8192
	restartMargin  = 1.10
	restartAtLeast = 2
	firstMode      = 1000 // conflicts
	reluctantUnit  = 512
)

func (r *restarts) init() {
	r.modeEnds, r.modeLength = firstMode, firstMode
	r.u, r.v = 1, 1
	r.ticks = reluctantUnit
}

// learned takes note of the glue of a learned clause.
func (r *restarts) learned(glue int32) {
	g := float64(glue)
	if r.slow == 0 {
		r.fast, r.slow = g, g
	}
	r.fast += fastAlpha * (g - r.fast)
	r.slow += slowAlpha * (g - r.slow)
	r.sinceRestart++
	r.ticks--
}

// due reports whether to restart now.
func (r *restarts) due() bool {
	if r.stable {
		return r.ticks <= 0
	}
	return r.sinceRestart >= restartAtLeast && r.fast > restartMargin*r.slow
}

func (r *restarts) restarted() {
	r.sinceRestart = 0
	if r.stable && r.ticks <= 0 {
		if r.u&-r.u == r.v {
			r.u++
			r.v = 1
		} else {
			r.v *= 2
		}
		r.ticks = r.v * reluctantUnit
	}
}

// switched changes the mode when its time is over.
func (r *restarts) switched(conflicts int64) bool {
	if conflicts < r.modeEnds {
		return false
	}
	r.stable = !r.stable
	if !r.stable {
		r.modeLength += firstMode
	}
	r.modeEnds = conflicts + r.modeLength
	r.u, r.v, r.ticks = 1, 1, reluctantUnit
	return true
}
