//go:build unix

package command

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/command/commandtest"
)

// TestDelegate has a program that stands in for fdplan-cluster beside the program: it gets the
// arguments and the streams, and its exit status is the program's.
func TestDelegate(t *testing.T) {
	dir := t.TempDir()
	program, script := commandtest.Link(t, dir), "#!/bin/sh\necho \"$@\"; cat; exit 7\n"
	if err := os.WriteFile(filepath.Join(dir, "fdplan-cluster"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"worker --slots 2", "broker store", "cluster --json", "plan navigation/3x3 -H 4 --connect nats://nowhere:1"} {
		cmd := exec.Command(program, strings.Fields(args)...)
		cmd.Stdin = strings.NewReader("input\n")
		out, err := cmd.Output()
		if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 7 || string(out) != args+"\ninput\n" {
			t.Errorf("%s: %v, %q, %s", args, err, out, exit.Stderr)
		}
	}
	for _, args := range []string{"plan navigation/3x3 -H 4", "worker --help"} {
		if out, err := exec.Command(program, strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v, %s", args, err, out)
		}
	}
}

// TestAbsentPart names the command that adds a part.
func TestAbsentPart(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	a := &environment{err: &bytes.Buffer{}}
	const want = "go install -C cluster ./cmd/fdplan-cluster"
	if _, err := a.programOf("cluster", ""); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q in it", err, want)
	}
}
