//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAbandoned: a command that waits for ever, for a pipe into which nothing is
// written, ends at its limit and at a signal: one line, and no file.
func TestAbandoned(t *testing.T) {
	dir := t.TempDir()
	program, pipe, cnf, out := linkProgram(t, dir), filepath.Join(dir, "pipe.toml"), filepath.Join(dir, "pipe.cnf"), filepath.Join(dir, "out.cnf")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(pipe, cnf); err != nil {
		t.Fatal(err)
	}
	// A writer that writes nothing.
	w, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, c := range []struct {
		limit, says string
		signal      os.Signal
	}{
		{"200ms", "fdplan: no answer yet: the time limit of 200ms was reached\n", nil},
		{"0s", "fdplan: no answer yet: interrupt was received\n", os.Interrupt},
		{"0s", "fdplan: no answer yet: terminated was received\n", syscall.SIGTERM},
	} {
		for _, args := range [][]string{
			{"show", pipe}, {"compile", pipe, "-H", "3", "--format", "cnf", "-o", out}, {"plan", pipe, "--json"},
			{"validate", "navigation/3x3", "-"}, {"solve", cnf},
		} {
			cmd := exec.Command(program, append(args, "--time-limit", c.limit)...)
			cmd.Stdin = w
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if c.signal != nil {
				time.Sleep(150 * time.Millisecond)
				if err := cmd.Process.Signal(c.signal); err != nil {
					t.Fatal(err)
				}
			}
			hang := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
			_ = cmd.Wait() // the exit status tells
			hang.Stop()
			status, left := cmd.ProcessState.ExitCode(), entries(t, dir)
			if stopped := args[0] == "solve" && strings.HasSuffix(stdout.String(), "s UNKNOWN\n"); status != exitLimit && !stopped || left != 3 {
				t.Errorf("%v with %v: exit status %d, %d files\n%s%s", args, c, status, left, stdout.String(), stderr.String())
			}
			if args[0] != "solve" && (stderr.String() != c.says || stdout.String() != "") {
				t.Errorf("%v: got %q and %q, want %q", args, stdout.String(), stderr.String(), c.says)
			}
		}
	}
}

// entries counts what is in a folder.
func entries(t *testing.T, dir string) int {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// TestAbandonedFile: a file that an abandoned command was writing is removed, and
// what the command does later is not seen.
func TestAbandonedFile(t *testing.T) {
	dir := t.TempDir()
	var printed strings.Builder
	stdout, stderr := &gate{w: &printed}, &gate{w: &printed}
	a := &environment{out: stdout, err: stderr, guard: newGuard()}
	begun, resume, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		<-begun
		a.guard.cancel(errors.New("enough"))
	}()
	err := a.guard.run(func() error {
		err := a.toFile(filepath.Join(dir, "file"), func(w io.Writer) error {
			fmt.Fprint(a.out, "before")
			close(begun)
			<-resume
			fmt.Fprint(a.out, "after")
			return nil
		})
		ended <- err
		return err
	})
	if late := new(abandoned); !errors.As(err, &late) || err.Error() != "no answer yet: enough" {
		t.Fatal(err)
	}
	a.leave(stdout, stderr)
	if n := entries(t, dir); n != 0 {
		t.Errorf("%d files are left", n)
	}
	close(resume)
	if err := <-ended; err == nil {
		t.Error("the file was written after all")
	}
	if n := entries(t, dir); n != 0 || printed.String() != "before" {
		t.Errorf("%d files, %q was printed", n, printed.String())
	}
}
