//go:build unix

package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/command/commandtest"
)

// TestAbandoned: a command that waits for ever, for a pipe into which nothing is
// written, ends at its limit and at a signal: one line, and no file.
func TestAbandoned(t *testing.T) {
	dir := t.TempDir()
	program, pipe, cnf, out := commandtest.Link(t, dir), filepath.Join(dir, "pipe.toml"), filepath.Join(dir, "pipe.cnf"), filepath.Join(dir, "out.cnf")
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
			{"show", pipe}, {"compile", pipe, "-H", "3", "--format", "cnf", "-o", out}, {"plan", pipe, "-H", "4..5", "--json"},
			{"validate", "navigation/3x3", "-"}, {"solve", cnf},
		} {
			says := c.says
			status, stdout, stderr := interrupted(t, exec.Command(program, append(args, "--time-limit", c.limit)...), w, c.signal, 150*time.Millisecond)
			left := entries(t, dir)
			if stopped := args[0] == "solve" && strings.HasSuffix(stdout, "s UNKNOWN\n"); status != exitLimit && !stopped || left != 3 {
				t.Errorf("%v with %v: exit status %d, %d files\n%s%s", args, c, status, left, stdout, stderr)
			}
			if args[0] == "plan" { // which has an answer even then
				says = strings.Replace(strings.TrimSpace(says), "fdplan: no answer yet:", `{"error":"no plan was found before`, 1) + "\"}\n"
				lines := `"horizons":[{"horizon":4,"status":"unknown","reward":null},{"horizon":5,"status":"unknown","reward":null}]`
				if !json.Valid([]byte(stdout)) || !strings.Contains(stdout, `"status":"unknown"`) || !strings.Contains(stdout, lines) {
					t.Errorf("%v: got %q", args, stdout)
				}
				stdout = ""
			}
			if args[0] != "solve" && (stderr != says || stdout != "") {
				t.Errorf("%v: got %q and %q, want %q", args, stdout, stderr, says)
			}
		}
	}
}

// interrupted runs a command and sends it a signal, or none, after a while. One that the
// signal ended before it could listen is run again, and waited for longer.
func interrupted(t *testing.T, cmd *exec.Cmd, stdin io.Reader, signal os.Signal, wait time.Duration) (status int, stdout, stderr string) {
	t.Helper()
	again := exec.Command(cmd.Path, cmd.Args[1:]...)
	var out, errors strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &errors
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if signal != nil {
		time.Sleep(wait)
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	hang := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	_ = cmd.Wait() // the exit status tells
	if status = cmd.ProcessState.ExitCode(); status < 0 && hang.Stop() && wait < 10*time.Second {
		return interrupted(t, again, stdin, signal, 2*wait)
	}
	return status, out.String(), errors.String()
}

// TestMemoryOfOthers: a solver and a simulator that take more memory than was allowed are
// killed, and the answer tells.
func TestMemoryOfOthers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory of other programs is known on Linux only")
	}
	dir := t.TempDir()
	program, greedy := commandtest.Link(t, dir), filepath.Join(dir, "greedy.sh")
	// tail keeps what it may have to print.
	if err := os.WriteFile(greedy, []byte("head -c 600000000 /dev/zero | tail -c 600000000 >/dev/null; sleep 60\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"plan", "navigation/3x3", "-H", "4", "--engine", "pb", "--solver", "sh " + greedy + " {in}", "--json"},
		{"run", "navigation/3x3", "-H", "4", "--simulator", "sh " + greedy},
	} {
		began := time.Now()
		status, stdout, stderr := interrupted(t, exec.Command(program, append(args, "--memory", "100MiB", "--time-limit", "30s")...), nil, nil, 0)
		if text := stdout + stderr; status != exitLimit || !strings.Contains(text, "the memory limit of 100 MiB was reached, with ") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit status %d after %v\n%s", args, status, time.Since(began), text)
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

// TestSignalAfterLimit: a signal that comes while the answer to a limit is due does
// not end the process.
func TestSignalAfterLimit(t *testing.T) {
	g := newGuard()
	defer g.end()
	g.cancel(errors.New("a limit"))
	time.Sleep(20 * time.Millisecond) // the listener has seen it
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-g.over
}

// TestSignalTwice: nor does a second signal that comes at once.
func TestSignalTwice(t *testing.T) {
	g := newGuard()
	defer g.end()
	for range 2 {
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond) // the listener has seen it
	}
	<-g.over
}
