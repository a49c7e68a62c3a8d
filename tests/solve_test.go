package tests

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMalformedInstances returns the program every malformed file of package instance: status
// 2, one line that names the place, nothing on standard output.
func TestMalformedInstances(t *testing.T) {
	const dir = "../internal/solve/instance/testdata/malformed/"
	text, err := os.ReadFile(dir + "want")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) < 100 {
		t.Errorf("%d faults; expected 100 or more", len(lines))
	}
	for _, want := range lines {
		name, _, _ := strings.Cut(want, ":")
		status, stdout, stderr := session("solve", dir+name)
		if status != exitUsage || stdout != "" || stderr != "fdplan: "+dir+want+"\n" {
			t.Errorf("%s: status %d, stdout %q, stderr %q, want %q", name, status, stdout, stderr, want)
		}
	}
}

// TestSolveSignals cuts a run short that would take long, by a signal and by
// its limit: it ends soon, with the best assignment so far, its gap, and why.
func TestSolveSignals(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "fdplan")
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, 0))
	var text bytes.Buffer
	const variables = 300
	for range 426 * variables / 100 {
		text.WriteString("3 ")
		for _, v := range rng.Perm(variables)[:3] {
			fmt.Fprintf(&text, "%d ", (v+1)*(1-2*rng.IntN(2)))
		}
		text.WriteString("0\n")
	}
	for v := range variables {
		fmt.Fprintf(&text, "%d %d 0\n%d %d 0\n", v%17+1, -v-1, v%5+1, v+1)
	}
	file := filepath.Join(dir, "long.wcnf")
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		signal os.Signal
		limit  string
		reason string
	}{{os.Interrupt, "0s", "c stopped: interrupt was received\n"}, {syscall.SIGTERM, "0s", "c stopped: terminated was received\n"}, {nil, "1s", "c stopped: the time limit of 1s was reached\n"}} {
		cmd := exec.Command(program, "solve", file, "--time-limit", c.limit)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if c.signal != nil {
			time.Sleep(time.Second)
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
		}
		hang := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }) // not a speed test: a minute is a hang
		cmd.Wait()
		hang.Stop()
		out := stdout.String()
		if code := cmd.ProcessState.ExitCode(); code != 10 || stderr.Len() > 0 {
			t.Errorf("%v: exit status %d, %s", c.signal, code, &stderr)
		}
		for _, want := range []string{"\no ", c.reason, "c lower bound ", ", gap ", "\ns SATISFIABLE\nv "} {
			if !strings.Contains(out, want) {
				t.Errorf("%v: %q is missing in\n%s", c.signal, want, out)
			}
		}
	}
}
