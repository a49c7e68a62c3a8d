package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/paper/bench"
)

// TestSolvers reads requests for external solvers.
func TestSolvers(t *testing.T) {
	got, err := Solvers([]string{"pb:clasp", "maxsat:my solver {in}"})
	want := []bench.ExternalSolver{{Engine: "pb", Name: "clasp"}, {Engine: "maxsat", Name: "my solver {in}"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if got, err := Solvers([]string{"none"}); got != nil || err != nil {
		t.Errorf("none gives %v, %v", got, err)
	}
	if _, err := Solvers(nil); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"clasp", "pb:", "search:clasp", ":clasp", "x:y", "none:x"} {
		if _, err := Solvers([]string{bad}); err == nil || !strings.Contains(err.Error(), "expected none, or pb, maxsat or blp") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestReplace has an engine whose own solver is there, is replaced, or is missing.
func TestReplace(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := t.TempDir()
	t.Chdir(dir)
	module := filepath.Join(dir, "fdplan-highs")
	if err := os.WriteFile(module, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(module string, engines []string, solvers ...bench.ExternalSolver) (bench.Config, []string) {
		t.Setenv("FDPLAN_HIGHS", module)
		var said []string
		c := bench.Config{Engines: engines, Solvers: solvers, Warn: func(s string) { said = append(said, s) }}
		replace(&c)
		return c, said
	}
	c, said := run(module, nil)
	if len(c.Instead)+len(said) != 0 || !slices.Contains(c.Env, "FDPLAN_HIGHS="+module) {
		t.Errorf("with the module: %v, %q", c.Instead, said)
	}
	missing := filepath.Join(dir, "nothing")
	c, said = run(missing, nil)
	if s, ok := c.Instead[registry.BLP]; !ok || s != "" || len(said) != 1 || !strings.HasSuffix(said[0], "; engine blp is left out") {
		t.Errorf("without: %v, %q", c.Instead, said)
	}
	c, said = run(missing, nil, bench.ExternalSolver{Engine: "pb", Name: "clasp"}, bench.ExternalSolver{Engine: "blp", Name: "cbc"})
	if c.Instead[registry.BLP] != "cbc" || len(said) != 1 || !strings.HasSuffix(said[0], "; engine blp uses cbc") {
		t.Errorf("with cbc: %v, %q", c.Instead, said)
	}
	if c, said = run(missing, []string{"search"}); len(c.Instead)+len(said) != 0 {
		t.Errorf("with search alone: %v, %q", c.Instead, said)
	}
}

// TestBench stops a bench before its first run, and renders what it left.
func TestBench(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	sum, err := Bench(ctx, bench.Config{Dir: dir, Program: filepath.Join(dir, "missing"), Quick: true, Engines: []string{"search"}, Memory: 1 << 30, Threads: 1, Parallel: 1, Now: time.Now})
	if err != nil || sum.Jobs == 0 || sum.Done != 0 || sum.Stopped == "" {
		t.Fatalf("%+v, %v", sum, err)
	}
	if err := os.WriteFile(filepath.Join(dir, journal.Name), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	files := map[string]int{}
	var named []string
	out := Output{
		Write: func(name string, write func(io.Writer) error) error {
			var b bytes.Buffer
			err := write(&b)
			files[name] = b.Len()
			return err
		},
		Wrote: func(name string) { named = append(named, name) },
	}
	if err := Report(context.Background(), dir, out); err != nil {
		t.Fatal(err)
	}
	if len(files) < 5 || len(named) != len(files) {
		t.Errorf("%d files, %d of them named", len(files), len(named))
	}
	for name, size := range files {
		if size == 0 || !strings.HasPrefix(name, dir) {
			t.Errorf("%s has %d bytes", name, size)
		}
	}
	// Two optima of one instance: the report is written and names them, and is an error.
	const line = `{"schema":1,"kind":"plan","id":"%s","table":"engines","problem":"cellda/x","horizon":10,"engine":"pb","model":"bundled","status":"optimal","reward":%d}` + "\n"
	for other, want := range map[int]bool{-9: false, -8: true} {
		if err := os.WriteFile(filepath.Join(dir, journal.Name), fmt.Appendf(nil, line+line, "pb", -9, "blp", other), 0o644); err != nil {
			t.Fatal(err)
		}
		clear(files)
		err := Report(context.Background(), dir, out)
		if errors.Is(err, journal.ErrContradiction) != want || (err != nil) != want || len(files) < 5 {
			t.Errorf("optima -9 and %d: %v, %d files", other, err, len(files))
		}
		if _, named := files[filepath.Join(dir, "tables", "contradictions.csv")]; named != want {
			t.Errorf("optima -9 and %d: a table of contradictions: %v", other, named)
		}
	}
	if err := Report(context.Background(), t.TempDir(), out); err == nil || !strings.Contains(err.Error(), "there is no such file") {
		t.Errorf("without a journal: %v", err)
	}
}
