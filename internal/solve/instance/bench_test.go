package instance_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/fdplan/fdplan/internal/solve/instance"
)

// BenchmarkRead reads files of about 10 MB from memory; MB/s is what counts.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name string
		in   *instance.Instance
		d    Dialect
	}{
		{"cnf", ThreeSAT(1, 110_000), Dialect{Format: instance.CNF}},
		{"wcnf", WCNF(1, 110_000, 1e6), Dialect{Format: instance.WCNF}},
		{"wcnf-old", WCNF(1, 110_000, 1e6), Dialect{Format: instance.WCNFOld}},
		{"opb", OPB(1, 170_000, 1e6), Dialect{Format: instance.OPB}},
	} {
		data, err := Text(c.in, c.d)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := instance.Read(context.Background(), "f", bytes.NewReader(data), c.d.Format, instance.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
