package learn

import (
	"bufio"
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/limit"
)

var benchRows = flag.Int("rows", 100_000, "rows of the CSV of BenchmarkEqualRows, such as 5000000")

// BenchmarkEqualRows trains on a CSV of many rows of which few are distinct, and reports the resident memory after
// that. The whole program is measured by /usr/bin/time -v.
func BenchmarkEqualRows(b *testing.B) {
	p, err := load.Load(context.Background(), load.Ref{Name: "sysadmin/4", Untrained: true})
	if err != nil {
		b.Fatal(err)
	}
	some, name := filepath.Join(b.TempDir(), "some.csv"), filepath.Join(b.TempDir(), "rows.csv")
	if err := Collect(context.Background(), p, some, collect.Options{Rows: 6000, Policy: collect.Exploration, Seed: 1}); err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile(some)
	if err != nil {
		b.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSpace(string(text))+"\n", "\n")
	lines = lines[:len(lines)-1]
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	w, rng := bufio.NewWriter(f), rand.New(rand.NewPCG(1, 1))
	_, _ = w.WriteString(lines[0])
	for range *benchRows {
		_, _ = w.WriteString(lines[1+rng.IntN(len(lines)-1)])
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Train(context.Background(), p, name, Training{Recipe: RecipeStructure, Config: train.Config{Threads: 2, Seed: 1}}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(limit.Resident())/1e6, "MB")
}
