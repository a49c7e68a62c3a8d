//go:build unix

package main

import (
	"strings"
	"syscall"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
)

// cpu is the time that the process has computed, in seconds.
func cpu(t testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	seconds := func(v syscall.Timeval) float64 { return float64(v.Sec) + float64(v.Usec)/1e6 }
	return seconds(u.Utime) + seconds(u.Stime)
}

// BenchmarkScaling measures the proof of each row on one thread, in time and in
// seconds of CPU, which other work on the machine changes less.
func BenchmarkScaling(b *testing.B) {
	for _, r := range rows {
		b.Run(strings.ReplaceAll(r.args, " ", "_"), func(b *testing.B) {
			what, h := load(b, r.args)
			before := cpu(b)
			for b.Loop() {
				if res := solve(b, search.Engine{}, what, h); res.Status != engine.Optimal || res.Reward != r.reward {
					b.Fatal(res.Status, res.Reward)
				}
			}
			b.ReportMetric((cpu(b)-before)/float64(b.N), "cpu-s/op")
		})
	}
}
