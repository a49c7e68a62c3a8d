package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/literal"
	"github.com/fdplan/fdplan/internal/randinst"
	"github.com/fdplan/fdplan/internal/solve/instance"
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
	in := randinst.ThreeSAT(2, 300)
	in.Format, in.Optimises = instance.WCNF, true
	for _, clause := range in.Clauses.All() {
		in.Soft = append(in.Soft, instance.Soft{Weight: 3, Clause: clause})
	}
	for v := range in.NumVars {
		in.Soft = append(in.Soft, instance.Soft{Weight: int64(v%17 + 1), Clause: []literal.Lit{literal.Lit(-v - 1)}}, instance.Soft{Weight: int64(v%5 + 1), Clause: []literal.Lit{literal.Lit(v + 1)}})
	}
	in.Clauses = instance.Clauses{}
	text, err := randinst.Text(in, randinst.Dialect{Format: instance.WCNF})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "long.wcnf")
	if err := os.WriteFile(file, text, 0o644); err != nil {
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
