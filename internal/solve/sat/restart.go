package sat

// restarts decides when to restart: whenever the glue of the latest conflicts is worse than
// usual (Audemard and Simon, "Refining Restarts Strategies for SAT and UNSAT", 2012). Two modes take
// turns, which differ in the order of decisions.
type restarts struct {
	fast, slow   float64 // moving averages of the glue
	sinceRestart int64
	modeEnds     int64 // conflicts at which the mode changes
	modeLength   int64
}

const (
	fastAlpha      = 1. / 32
	slowAlpha      = 1. / 8192
	restartMargin  = 1.10
	restartAtLeast = 2
	firstMode      = 1000 // conflicts
)

func (r *restarts) init() {
	r.modeEnds, r.modeLength = firstMode, firstMode
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
}

// due reports whether to restart now.
func (r *restarts) due() bool {
	return r.sinceRestart >= restartAtLeast && r.fast > restartMargin*r.slow
}

// switched changes the mode when its time is over.
func (r *restarts) switched(conflicts int64) bool {
	if conflicts < r.modeEnds {
		return false
	}
	r.modeLength += firstMode
	r.modeEnds = conflicts + r.modeLength
	return true
}
