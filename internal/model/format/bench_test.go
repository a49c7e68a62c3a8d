package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// random is a network of a published size under a problem that only reads and
// writes it.
func random(t testing.TB, horizon int, sizes ...int) *model.Model {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	p := factored.NewProblem("random network")
	in, out := sizes[0], sizes[len(sizes)-1]
	for i := range max(in, out) {
		v := factored.Variable{Name: fmt.Sprint("v", i), Bool: true}
		if i >= out {
			v.Kind = factored.Action
		} else {
			p.Outputs = append(p.Outputs, factored.Bit(i))
		}
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
		p.Inputs = append(p.Inputs, factored.Bit(i))
	}
	net := &bnn.Network{}
	for i, units := range sizes[1:] {
		l := bnn.Layer{Inputs: sizes[i], Weights: make([]int8, sizes[i]*units), Thresholds: make([]int32, units)}
		for j := range l.Weights {
			l.Weights[j] = int8(2*rng.IntN(2) - 1)
		}
		for j := range l.Thresholds {
			l.Thresholds[j] = int32(sizes[i]/2 + rng.IntN(5) - 2)
		}
		net.Layers = append(net.Layers, l)
	}
	m, err := model.New(p, net, horizon, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// BenchmarkWriteCNF writes a file to disk, both passes included.
func BenchmarkWriteCNF(b *testing.B) {
	m := random(b, 10, 20, 128, 128, 128, 15)
	file := filepath.Join(b.TempDir(), "bench.cnf")
	var stats Stats
	for b.Loop() {
		f, err := os.Create(file)
		if err != nil {
			b.Fatal(err)
		}
		stats, err = Write(context.Background(), f, m, Options{Kind: CNF, Encoding: cnf.Published})
		if err := errors.Join(err, f.Close()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(stats.Clauses)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mclauses/s")
	b.ReportMetric(float64(stats.Clauses), "clauses")
}

// BenchmarkWriteLinear writes the linear formats to a writer that discards them.
func BenchmarkWriteLinear(b *testing.B) {
	m := random(b, 100, 20, 128, 128, 128, 15)
	for _, k := range []Kind{OPB, LP, MPS} {
		b.Run(k.String(), func(b *testing.B) {
			var stats Stats
			for b.Loop() {
				var err error
				if stats, err = Write(context.Background(), io.Discard, m, Options{Kind: k}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(stats.Literals)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mterms/s")
		})
	}
}
