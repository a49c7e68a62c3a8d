package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/command/commandtest"
)

// largeLayout writes a problem of 2^n reachable states in the FD-SAT-Plan
// layout: each of n switches can be turned on for good, two at a step, and
// each that is on pays at every step, no two the same. Many overlapping sets of
// switches allow only a few to be on, so that bounds do not meet plans. One
// further bit is learned, so that there is a network.
func largeLayout(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	var variables, initial, transitions, reward, actions []string
	for i := range n {
		a, s := fmt.Sprintf("turn-%d", i), fmt.Sprintf("on-%d", i)
		variables = append(variables, "action: "+a, "state: "+s)
		actions = append(actions, a)
		initial = append(initial, s+",==,0")
		transitions = append(transitions, fmt.Sprintf("%s',~%s,>=,1", s, s), fmt.Sprintf("%s',~%s,>=,1", s, a), fmt.Sprintf("~%s',%s,%s,>=,1", s, s, a))
		reward = append(reward, fmt.Sprintf("%s,%d", s, 50+i*i*37%51))
	}
	limits := strings.Join(actions, ",") + ",<=,2"
	for j := range 12 {
		var set []string
		for i := range n {
			if (i*i*7+i*j*13+j*j*5+i)%11 < 5 {
				set = append(set, fmt.Sprintf("on-%d", i))
			}
		}
		limits += "\n" + strings.Join(set, ",") + ",<=,3"
	}
	variables = append(variables, "state_data_label: flag")
	initial = append(initial, "flag,==,1")
	for name, text := range map[string]string{
		"bnn/bnn":                     "bnn\n1,1\n1",
		"normalization/normalization": "normalization\n1",
		"translation/pvariables":      strings.Join(variables, ","),
		"translation/initial":         strings.Join(initial, "\n"),
		"translation/goals":           "flag,==,1",
		"translation/constraints":     limits,
		"translation/transitions":     strings.Join(transitions, "\n"),
		"translation/reward":          strings.Join(reward, "\n"),
	} {
		file := filepath.Join(dir, name+"_large_1.txt")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSignals sends real ones: the program ends soon, with the best plan so
// far and its gap, or with nothing, and says why.
func TestSignals(t *testing.T) {
	program := commandtest.Link(t, t.TempDir())
	dir := largeLayout(t, 40)
	for _, c := range []struct {
		signal os.Signal
		after  time.Duration
		limit  string
	}{
		{os.Interrupt, 1500 * time.Millisecond, "0s"},
		{syscall.SIGTERM, 100 * time.Millisecond, "0s"},
		{nil, 0, "1s"},
	} {
		var stdout, stderr strings.Builder
		cmd := signalled(t, c.signal, c.after, &stdout, &stderr, program, "plan", "--files", dir, "large/1", "-H", "9", "--json", "--time-limit", c.limit)
		var answer struct {
			Status, Stopped    string
			Reward, Bound, Gap *float64
			Plan               []map[string]any
			Valid              struct{ Model *bool }
		}
		if err := json.Unmarshal([]byte(stdout.String()), &answer); err != nil {
			t.Fatalf("%v: no JSON object: %v\n%s%s", c.signal, err, stdout.String(), stderr.String())
		}
		status := cmd.ProcessState.ExitCode()
		switch answer.Status {
		case "feasible":
			if status != exitDone || len(answer.Plan) != 9 || answer.Valid.Model == nil || !*answer.Valid.Model || answer.Gap == nil || *answer.Bound < *answer.Reward {
				t.Errorf("%v: exit status %d, %s", c.signal, status, stdout.String())
			}
		case "unknown":
			if status != exitLimit {
				t.Errorf("%v: exit status %d with no answer", c.signal, status)
			}
		default:
			t.Errorf("%v: status %s", c.signal, answer.Status)
		}
		if answer.Stopped == "" {
			t.Errorf("%v: no reason is given", c.signal)
		}
		t.Logf("%v: %s, %s", c.signal, answer.Status, answer.Stopped)
	}
}

// signalled runs a command to its end and sends it a signal, if not nil, some time
// after its start. A signal that comes before main has begun ends the process
// as any other; then the command is run again with more time.
func signalled(t *testing.T, signal os.Signal, after time.Duration, stdout, stderr *strings.Builder, args ...string) *exec.Cmd {
	t.Helper()
	for ; ; after *= 4 {
		stdout.Reset()
		stderr.Reset()
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = stdout, stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if signal != nil {
			time.Sleep(after)
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case <-done:
		case <-time.After(time.Minute): // not a speed test: a minute is a hang
			cmd.Process.Kill()
			t.Fatalf("%v: it does not stop", signal)
		}
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && after < 5*time.Second {
			continue
		}
		return cmd
	}
}
