package spread

import (
	"encoding/json"
	"testing"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
)

// BenchmarkChild measures an empty unit in a child process that is kept, and the
// start of the process with the first one.
func BenchmarkChild(b *testing.B) {
	u := &cluster.Unit{Kind: "pid", Args: json.RawMessage("{}")}
	run := func(k *Children) {
		if _, err := k.Run(b.Context(), 0, u, b.TempDir()); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("kept", func(b *testing.B) {
		k := children(b)
		run(k)
		const n = 1000
		for b.Loop() {
			for range n {
				run(k)
			}
		}
		b.ReportMetric(1000*b.Elapsed().Seconds()/float64(n*b.N), "ms/unit")
	})
	b.Run("started", func(b *testing.B) {
		for b.Loop() {
			k := children(b)
			run(k)
			k.Close()
		}
		b.ReportMetric(1000*b.Elapsed().Seconds()/float64(b.N), "ms/unit")
	})
}
