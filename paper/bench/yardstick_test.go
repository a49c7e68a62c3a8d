package bench

import (
	"testing"
	"time"
)

// TestYardstick takes the yardstick, which counts the CPU time of its thread.
func TestYardstick(t *testing.T) {
	next := links(yardstickCells)
	began := time.Now()
	took := yardstick(next, time.Now)
	if wall := time.Since(began).Seconds(); took <= 0 || took > wall+.05 {
		t.Errorf("%g s of CPU, %g s by the clock", took, wall)
	}
}

func BenchmarkYardstick(b *testing.B) {
	sum, next := 0., links(yardstickCells)
	for b.Loop() {
		sum += yardstick(next, time.Now)
	}
	b.ReportMetric(sum/float64(b.N), "cpu-s/op")
}
