package instance_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/fdplan/fdplan/internal/randinst"
	"github.com/fdplan/fdplan/internal/solve/instance"
)

// BenchmarkRead reads files of about 10 MB from memory; MB/s is what counts.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name string
		in   *instance.Instance
		d    randinst.Dialect
	}{
		{"cnf", randinst.ThreeSAT(1, 110_000), randinst.Dialect{Format: instance.CNF}},
		{"wcnf", randinst.WCNF(1, 110_000, 1e6), randinst.Dialect{Format: instance.WCNF}},
		{"wcnf-old", randinst.WCNF(1, 110_000, 1e6), randinst.Dialect{Format: instance.WCNFOld}},
		{"opb", randinst.OPB(1, 170_000, 1e6), randinst.Dialect{Format: instance.OPB}},
	} {
		data, err := randinst.Text(c.in, c.d)
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
