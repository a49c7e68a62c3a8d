//go:build unix

package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine/bound"
)

// growths are series of each family: over n at one horizon, and over horizons at one n.
var growths = []struct {
	args string // with n and the horizon
	n, h []int
}{
	{"sysadmin -graph tree -n %d -k 8 -H %d", []int{12, 24, 48, 96}, []int{12, 24, 48, 96}},
	{"failing -graph random -cost 10 -n %d -k 8 -H %d", []int{10, 20, 40}, []int{6, 12, 24}},
	{"inventory -n %d -H %d", []int{5, 10, 20, 40}, []int{10, 20, 40, 80}},
	{"repair -n %d -k 6 -H %d", []int{12, 25, 50, 100}, []int{12, 24, 48, 96}},
	{"charge -n %d -H %d", []int{6, 12, 24, 48}, []int{12, 24, 48, 96}},
	{"irrigate -n %d -H %d", []int{3, 6, 12, 24}, []int{12, 24, 48, 96}},
	{"jobs -n %d -k 2 -H %d", []int{4, 8, 16}, []int{8, 16, 32}},
	{"lifts -n %d -k 2 -H %d", []int{4, 8, 16}, []int{12, 24, 48}},
	{"warehouse -n 2 -k %d -size 14 -H %d", []int{2, 4, 8}, []int{12, 24, 48}},
	{"robots -n %d -H %d", []int{2, 4, 8}, []int{15, 30, 60}},
}

// BenchmarkGrowth measures the bound after 600 rounds of prices, without a plan: seconds of CPU, and megabytes that were taken in all, over n at the second
// horizon and over horizons at the second n. The last of each series has the exponent, from the first to it.
func BenchmarkGrowth(b *testing.B) {
	for _, g := range growths {
		series := func(by string, sizes []int, args func(x int) string) {
			var first [2]float64
			for i, x := range sizes {
				b.Run(fmt.Sprintf("%s/%s=%d", strings.Fields(g.args)[0], by, x), func(b *testing.B) {
					what, h := load(b, args(x))
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					start := cpu(b)
					for b.Loop() {
						if _, err := bound.Relax(context.Background(), what, h, bound.Wanted{Infeasible: true, Rounds: 600, Partial: true}); err != nil {
							b.Fatal(err)
						}
					}
					seconds := (cpu(b) - start) / float64(b.N)
					runtime.ReadMemStats(&after)
					mb := float64(after.TotalAlloc-before.TotalAlloc) / 1e6 / float64(b.N)
					b.ReportMetric(seconds, "cpu-s/op")
					b.ReportMetric(mb, "MB/op")
					if i == 0 {
						first = [2]float64{seconds, mb}
					} else if i == len(sizes)-1 {
						b.ReportMetric(math.Log(seconds/first[0])/math.Log(float64(x)/float64(sizes[0])), "cpu-exponent")
						b.ReportMetric(math.Log(mb/first[1])/math.Log(float64(x)/float64(sizes[0])), "MB-exponent")
					}
				})
			}
		}
		series("n", g.n, func(n int) string { return fmt.Sprintf(g.args, n, g.h[1]) })
		series("H", g.h, func(h int) string { return fmt.Sprintf(g.args, g.n[1], h) })
	}
}
