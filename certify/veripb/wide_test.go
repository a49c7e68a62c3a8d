package veripb

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// wideLayer writes a layer of 16 neurons that read all inputs, with weights up to most.
func wideLayer(rng *rand.Rand, width, most int) []byte {
	var b bytes.Buffer
	for u := range 16 {
		var more, less bytes.Buffer
		sum := 0
		for i := range width {
			sign := []string{"", "~"}[rng.IntN(2)]
			other := []string{"~", ""}[len(sign)]
			weight := 1 + rng.IntN(most)
			sum += weight
			fmt.Fprintf(&more, "%d %sx%d ", weight, sign, i+1)
			fmt.Fprintf(&less, "%d %sx%d ", weight, other, i+1)
		}
		at := sum/2 + 1
		fmt.Fprintf(&b, "%s%d ~x%d >= %d ;\n", &more, at, width+u+1, at)
		fmt.Fprintf(&b, "%s%d x%d >= %d ;\n", &less, sum-at+1, width+u+1, sum-at+1)
	}
	return b.Bytes()
}

// BenchmarkWide tests whether random clauses over the inputs of one layer of wide
// neurons follow; an operation is one test. With counters, or bits where the weights are equal, its
// time grows as the width, with rescans it would as the square.
func BenchmarkWide(b *testing.B) {
	for _, c := range []struct{ width, most int }{{64, 1}, {512, 1}, {4096, 1}, {64, 1e6}, {512, 1e6}, {4096, 1e6}} {
		width := c.width
		b.Run(fmt.Sprintf("%d inputs, weights to %d", width, c.most), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			p, err := readOPB(bytes.NewReader(wideLayer(rng, width, c.most)))
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

// BenchmarkTight falsifies one half of a sum, literals of weight 1, one by one. Each forces one
// literal of the other half, whose weights differ. The time per literal must not grow with
// their number.
func BenchmarkTight(b *testing.B) {
	for _, width := range []int{64, 512, 4096} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			// The last literal of weight 1 uses up the slack.
			var row bytes.Buffer
			heavy := 0
			for i := range width {
				weight := 1
				if i >= width/2 {
					weight = i - width/2 + 1
					heavy += weight
				}
				fmt.Fprintf(&row, "%d x%d ", weight, i+1)
			}
			fmt.Fprintf(&row, ">= %d ;\n", heavy)
			p, err := readOPB(&row)
			if err != nil {
				b.Fatal(err)
			}
			c := &checker{problem: p, version: version20, level: -1}
			c.propagator.grow(len(p.names.all))
			c.load()
			for b.Loop() {
				k := &constraint{degree: one}
				for i := range width / 2 {
					k.lits = append(k.lits, lit(c.names.lookup(fmt.Appendf(nil, "x%d", i+1)))<<1)
				}
				if c.follows(k) {
					b.Fatal("a sum without slack cannot be contradicted")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(width), "ns/literal")
		})
	}
}

// TestAlmostNeuron has two constraints that are nearly those of a neuron: what the second implies
// for x13 makes the first imply x12, from which a contradiction follows.
func TestAlmostNeuron(t *testing.T) {
	const more = "1 x1 1 x2 1 x3 1 x4 1 x5 1 x6 1 x7 1 x8 1 x9 1 x10 1 x11 1 x12 6 ~x13 >= 6 ;"
	const low = "1 ~x1 1 ~x2 1 ~x3 1 ~x4 1 ~x5 1 ~x6 1 ~x7 1 ~x8 1 ~x9 1 ~x10 "
	for _, c := range []struct {
		name, less string
		want       bool
	}{
		{"a neuron", low + "1 ~x11 1 ~x12 7 x13 >= 7 ;", false},
		{"another threshold", low + "1 ~x11 1 ~x12 8 x13 >= 8 ;", true},
		{"another literal", low + "1 x11 1 ~x12 7 x13 >= 7 ;", true},
	} {
		k := newChecker(15)
		for _, text := range []string{more, c.less, "1 ~x12 1 x14 1 x15 >= 1 ;", "1 ~x12 1 x14 1 ~x15 >= 1 ;"} {
			k.insert(parsed(t, k, text))
		}
		asked := parsed(t, k, "1 ~x1 1 ~x2 1 ~x3 1 ~x4 1 ~x5 1 x6 1 x7 1 x8 1 x9 1 x10 1 x11 1 x14 >= 1 ;")
		if got := k.follows(asked); got != c.want {
			t.Errorf("%s: follows is %v, expected %v", c.name, got, c.want)
		}
	}
}
