package learn

import (
	"context"
	"flag"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/learn/train"
)

var drifts = flag.Int("drifts", 3, "random systems in whose logs a change is looked for")

// TestDriftNamed: a change of the system in the middle of a log is named within 2 % of the log's
// length, and what it concerns is supported nowhere: no supported next value is wrong of either
// system. Without a change none is named.
func TestDriftNamed(t *testing.T) {
	for seed := range uint64(*drifts) {
		w := newWorld(2000 + seed)
		n := []int{1000, 2000, 3000}[w.IntN(3)]
		at := n/4 + w.IntN(n/2)
		first := w.rows(at, false)
		changed := w.IntN(w.states)
		old := *w
		old.tables = append([]uint64{}, w.tables...)
		train2 := func(parts ...*dataset.Data) (*load.Problem, *Trained) {
			d := &dataset.Data{Schema: parts[0].Schema}
			for _, p := range parts {
				_ = p.Each(func(_ int, row []float64) error { d.Add(row); return nil })
			}
			p := &load.Problem{Task: engine.Task{Problem: w.p}}
			trained, err := trainFrom(context.Background(), p, &sourced{data: []train.Source{{Data: d}}}, Training{Recipe: RecipeStructure, Config: train.Config{Threads: 1}})
			if err == nil {
				p, err = With(p, trained)
			}
			if err != nil {
				t.Fatalf("world %d: %v", seed, err)
			}
			return p, trained
		}
		if _, trained := train2(first, w.rows(n-at, false)); trained.Found.Drift != nil {
			t.Errorf("world %d: %v, and nothing changes", seed, trained.Found.Drift)
		}
		w.tables[changed] = ^w.tables[changed]
		p, trained := train2(first, w.rows(n-at, false))
		d := trained.Found.Drift
		if d == nil {
			t.Errorf("world %d: a change after %d of %d rows is not named", seed, at, n)
			continue
		}
		if 50*max(d.Row-at, at-d.Row) > n || !strings.Contains(strings.Join(trained.Warnings(), "\n"), "the system changes") {
			t.Errorf("world %d: the change after %d of %d rows is named at row %d: %v", seed, at, n, d.Row, trained.Warnings())
		}
		rows, wrong := w.supportedBits(p, func(now uint64, _ int) bool { return w.next(now) != old.next(now) })
		if wrong > 0 {
			t.Errorf("world %d: %d of %d supported rows are wrong before or after the change", seed, wrong, rows)
		}
	}
}
