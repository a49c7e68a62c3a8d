package veripb

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// network writes a problem like the planner's: layers of neurons with the given fan-in, two
// inequalities per neuron.
func network(rng *rand.Rand, layers, width, fanIn int) []byte {
	var b bytes.Buffer
	for layer := range layers {
		for u := range width {
			out := (layer+1)*width + u + 1
			at := fanIn/2 + 1
			var more, less bytes.Buffer
			for _, i := range rng.Perm(width)[:fanIn] {
				sign := []string{"", "~"}[rng.IntN(2)]
				other := []string{"~", ""}[len(sign)]
				fmt.Fprintf(&more, "1 %sx%d ", sign, layer*width+i+1)
				fmt.Fprintf(&less, "1 %sx%d ", other, layer*width+i+1)
			}
			fmt.Fprintf(&b, "%s%d ~x%d >= %d ;\n", &more, at, out, at)
			fmt.Fprintf(&b, "%s%d x%d >= %d ;\n", &less, fanIn-at+1, out, fanIn-at+1)
		}
	}
	return b.Bytes()
}

// BenchmarkPropagation tests whether random clauses over the inputs follow; an operation is
// one test.
func BenchmarkPropagation(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const width = 100
	opb := network(rng, 9, width, 60)
	p, err := readOPB(bytes.NewReader(opb))
	if err != nil {
		b.Fatal(err)
	}
	c := &checker{problem: p, version: version20, level: -1}
	c.propagator.grow(len(p.names.all))
	c.load()
	assigned := 0
	b.ReportAllocs()
	for b.Loop() {
		k := &constraint{degree: one}
		for v := range width {
			name := fmt.Appendf(nil, "x%d", v+1)
			k.lits = append(k.lits, lit(c.names.lookup(name))<<1|lit(rng.IntN(2)))
		}
		if c.follows(k) {
			b.Fatal("a network's inputs cannot contradict one another")
		}
		assigned += len(p.names.all)
	}
	b.ReportMetric(float64(assigned)/b.Elapsed().Seconds(), "literals/s")
}

// BenchmarkPolish adds up constraints; an operation is a line of ten sums.
func BenchmarkPolish(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	p, err := readOPB(bytes.NewReader(network(rng, 9, 100, 60)))
	if err != nil {
		b.Fatal(err)
	}
	c := &checker{problem: p, version: version20, level: -1}
	c.propagator.grow(len(p.names.all))
	c.load()
	n := len(c.byID)
	var line bytes.Buffer
	for b.Loop() {
		line.Reset()
		fmt.Fprint(&line, 1+rng.IntN(n))
		for range 10 {
			fmt.Fprintf(&line, " %d 3 * + s", 1+rng.IntN(n))
		}
		w := words{text: line.Bytes()}
		if err := c.rulePolish(&w); err != nil {
			b.Fatal(err)
		}
		c.drop(len(c.byID))
	}
}
