package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/solve/external"
)

// TestParse has the command line that fdplan uses, and faults.
func TestParse(t *testing.T) {
	r, err := parse(strings.Fields("--options_file o --time_limit 2.5 --read_solution_file s --solution_file out.sol model.lp"))
	if want := (request{"model.lp", "s", "out.sol", 2500 * time.Millisecond}); err != nil || r != want {
		t.Errorf("%+v, %v", r, err)
	}
	for line, want := range map[string]string{
		"":                        "expected",
		"a.lp b.lp":               "expected",
		"--time_limit":            "needs a value",
		"--time_limit -1 a.lp":    "expected seconds",
		"--presolve off a.lp":     "there is no flag --presolve",
		"--solution_file=x.sol":   "MODEL.lp",
		"--time_limit=never a.lp": "expected seconds",
	} {
		if _, err := parse(strings.Fields(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

// TestFiles writes a solution file that fdplan reads as highs's, and reads a start.
func TestFiles(t *testing.T) {
	objective := int64(-4)
	for _, a := range []external.Answer{
		{Status: external.Optimal, True: map[int32]bool{3: true, 1: true, 2: false}, Objective: &objective, Bound: &objective},
		{Status: external.Unsatisfiable},
		{Status: external.Satisfiable, True: map[int32]bool{2: true}, Objective: &objective},
	} {
		var log, solution bytes.Buffer
		if err := writeSummary(&log, &a); err != nil {
			t.Fatal(err)
		}
		if err := writeSolution(&solution, &a); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for name, text := range map[string]string{"log": log.String(), "sol": solution.String(), "highs": "#!/bin/sh\nwhile [ $# -gt 1 ]; do [ \"$1\" = --solution_file ] && out=$2; shift; done\ncd " + dir + "; cat log; cp sol \"$out\"\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		s, err := external.Lookup(external.MILP, "highs")
		if err != nil {
			t.Fatal(err)
		}
		got, err := external.Run(context.Background(), s, external.Input{File: filepath.Join(dir, "log")}, external.Limits{}, nil)
		if err != nil || got.Status != a.Status || (got.Objective == nil) != (a.Objective == nil) || got.True[1] != a.True[1] || got.True[2] != a.True[2] || got.True[3] != a.True[3] {
			t.Errorf("%+v, %v; want %+v", got, err, a)
		}
	}
	name := filepath.Join(t.TempDir(), "start.sol")
	if err := os.WriteFile(name, []byte("=obj= 0\nx1 1\nx2 0\nn3 17\none 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if start, err := readStart(name); err != nil || start[1] != 1 || start[2] != 0 || start[3] != 17 {
		t.Errorf("%v, %v", start, err)
	}
}
