package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/collect"
)

// TestDomains: every domain loads, and has a simulator that draws rows.
func TestDomains(t *testing.T) {
	tasks, err := filepath.Glob("domains/*/task.toml")
	if err != nil || len(tasks) == 0 {
		t.Fatalf("%v, %d tasks", err, len(tasks))
	}
	for _, name := range tasks {
		p, err := load.Load(context.Background(), load.Ref{Name: name, Untrained: true})
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Simulator()
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		err = collect.Rows(context.Background(), s, collect.Options{Rows: 5, Seed: 1}, func(values []float64) error {
			rows += len(values)
			return nil
		})
		if err != nil || rows == 0 {
			t.Errorf("%s: %v, %d values", name, err, rows)
		}
	}
}

// TestRun: no legal row is wrong where the rows have all of them, and rules are exact where
// they have not.
func TestRun(t *testing.T) {
	var b strings.Builder
	s := settings{rows: []int{1000}, policy: collect.Restart, threads: 1, samples: 1000}
	if err := run(context.Background(), &b, []string{"domains/eight-2x2/task.toml", "domains/tour/task.toml"}, s); err != nil {
		t.Fatal(err)
	}
	const want = "| eight-2x2 | 1000 | 0.00 % | 180 | table 12 |  |  |\n| tour | 1000 | 0.00 % | 296 | rules 8, table 8 |  |  |\n"
	if _, got, _ := strings.Cut(b.String(), "--- |\n"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if err := run(context.Background(), &b, nil, s); err == nil {
		t.Error("no error without a task")
	}
}
