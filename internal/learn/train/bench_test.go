package train

import (
	"context"
	"testing"
)

// BenchmarkEpoch is the comparison with other trainers: an epoch of about 180,000 rows,
// duplicates not merged, through 16:128:128:12 at batch 256 on one thread.
func BenchmarkEpoch(b *testing.B) {
	comp, s := problem(b, "sysadmin/4")
	e, err := Legal(context.Background(), comp, s, 1_000_000)
	if err != nil {
		b.Fatal(err)
	}
	for i := range e.Count {
		e.Count[i] = 64
	}
	e = e.Repeated() // 180,224 rows
	c, err := Config{Hidden: []int{128, 128}, Epochs: 15, Threads: 1}.withDefaults()
	if err != nil {
		b.Fatal(err)
	}
	for _, w := range []Weights{Ternary, Binary} {
		c.Weights = w
		b.Run(string(w), func(b *testing.B) {
			r := newRun(c, e, Options{})
			for b.Loop() {
				if _, err := r.pass(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
