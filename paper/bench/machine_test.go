package bench

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/extsolver"
)

// TestMachine describes the machine with stand-ins for two solvers: one that
// tells its version below other words, and one that tells none.
func TestMachine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are scripts of the shell")
	}
	dir := t.TempDir()
	extsolver.WriteScript(t, filepath.Join(dir, "clasp"), "#!/bin/sh\n[ \"$1\" = --version ] && echo 'A solver' && echo ' clasp version 3.3.9 '\n")
	extsolver.WriteScript(t, filepath.Join(dir, "roundingsat"), "#!/bin/sh\necho 'no number here'\nexit 1\n")
	t.Setenv("PATH", dir)
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("fdplan"), 0o666); err != nil {
		t.Fatal(err)
	}
	solvers := []ExternalSolver{{"pb", "clasp"}, {"pb", "roundingsat"}, {"blp", "cbc"}}
	m := Machine(context.Background(), program, solvers)
	for key, want := range map[string]string{
		"system":             runtime.GOOS + "/" + runtime.GOARCH,
		"cores":              fmt.Sprint(runtime.NumCPU()),
		"go":                 runtime.Version(),
		"program":            fmt.Sprintf("sha256 %x", sha256.Sum256([]byte("fdplan")))[:19],
		"solver clasp":       "clasp version 3.3.9",
		"solver roundingsat": "", // it tells none
		"solver cbc":         "", // not installed
	} {
		got, ok := m[key]
		if got != want || ok != (want != "") {
			t.Errorf("%s is %q, expected %q", key, got, want)
		}
	}
	if _, ok := Machine(context.Background(), filepath.Join(dir, "missing"), nil)["program"]; ok {
		t.Error("a program that does not exist has a digest")
	}
	found := Installed()
	if !slices.Contains(found, solvers[0]) || !slices.Contains(found, solvers[1]) || slices.Contains(found, solvers[2]) {
		t.Errorf("installed are %v", found)
	}
}

// TestField reads a file of lines KEY: VALUE.
func TestField(t *testing.T) {
	file := filepath.Join(t.TempDir(), "info")
	if err := os.WriteFile(file, []byte("first\nname\t: one two\nname\t: three\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"name": " one two\n", "first": "", "other": ""} {
		if got := field(file, name); got != want {
			t.Errorf("%s is %q, expected %q", name, got, want)
		}
	}
	if got := field(file+"x", "name"); got != "" {
		t.Errorf("a missing file has the field %q", got)
	}
	if got := line(file); got != "first" {
		t.Errorf("the first line is %q", got)
	}
}
