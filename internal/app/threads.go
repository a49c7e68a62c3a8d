package app

import "runtime"

// Threads returns the number of threads that n asks for: n itself if positive,
// else one for each processor.
func Threads(n int) int {
	if n <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}
