package veripb

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// wideLayer writes a layer of 16 neurons that read all inputs.
func wideLayer(rng *rand.Rand, width int) []byte {
	var b bytes.Buffer
	for u := range 16 {
		var more, less bytes.Buffer
		for i := range width {
			sign := []string{"", "~"}[rng.IntN(2)]
			other := []string{"~", ""}[len(sign)]
			fmt.Fprintf(&more, "1 %sx%d ", sign, i+1)
			fmt.Fprintf(&less, "1 %sx%d ", other, i+1)
		}
		at := width/2 + 1
		fmt.Fprintf(&b, "%s%d ~x%d >= %d ;\n", &more, at, width+u+1, at)
		fmt.Fprintf(&b, "%s%d x%d >= %d ;\n", &less, width-at+1, width+u+1, width-at+1)
	}
	return b.Bytes()
}

// BenchmarkWide tests whether random clauses over the inputs of one layer of wide
// neurons follow; an operation is one test. With counters its time grows as the
// width, with rescans it would as the square.
func BenchmarkWide(b *testing.B) {
	for _, width := range []int{64, 512, 4096} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			p, err := readOPB(bytes.NewReader(wideLayer(rng, width)))
			if err != nil {
				b.Fatal(err)
			}
			c := &checker{problem: p, version: version20, level: -1}
			c.propagator.grow(len(p.names.all))
			c.load()
			for b.Loop() {
				k := &constraint{degree: one}
				for v := range width {
					name := fmt.Appendf(nil, "x%d", v+1)
					k.lits = append(k.lits, lit(c.names.lookup(name))<<1|lit(rng.IntN(2)))
				}
				if c.follows(k) {
					b.Fatal("a layer's inputs cannot contradict one another")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(width), "ns/input")
		})
	}
}
