package command

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTrainProgress: on a terminal there is a line, rewritten in place and gone at the end,
// with an estimate of the time left by a clock that continues by 1 s each time that it is
// asked; elsewhere, and with --quiet, there is none.
func TestTrainProgress(t *testing.T) {
	dir := t.TempDir()
	data, out := filepath.Join(dir, "data.csv"), filepath.Join(dir, "net.bnn")
	if status, _, stderr := session("collect", "inventory/2", "--policy", "restart", "-n", "3000", "-o", data); status != exitDone {
		t.Fatal(stderr)
	}
	train := func(terminal bool, args ...string) string {
		var stdout, stderr bytes.Buffer
		now := time.Unix(0, 0)
		a := &environment{out: &stdout, err: &stderr, terminal: terminal, started: now, now: func() time.Time {
			now = now.Add(time.Second)
			return now
		}}
		args = append([]string{"train", data, "--task", "inventory/2", "-o", out}, args...)
		if status := run(a, args); status != exitDone {
			t.Fatalf("status %d: %s", status, stderr.String())
		}
		return stderr.String()
	}
	got := train(true, "--hidden", "8", "--epochs", "4")
	want := regexp.MustCompile(`^\r\x1b\[Kepoch 1 of 4: loss \d\.\d{4}, \d+ of 64 training rows wrong` +
		`\r\x1b\[Kepoch 2 of 4: [^\r]*, at most 4s left\r\x1b\[Kepoch 3 of 4: [^\r]*, at most 2s left\r\x1b\[Kepoch 4 of 4: [^\r]*, at most 0s left\r\x1b\[K$`)
	if !want.MatchString(got) {
		t.Errorf("%q", got)
	}
	got = train(true, "--hidden", "96,96", "--threshold", "0.7", "--prune", "3")
	if !regexp.MustCompile(`\r\x1b\[Kpruning round 2 of 3: \d+ edges, about 2s left\r\x1b\[Kpruning round 3 of 3: \d+ edges, about 0s left\r\x1b\[K$`).MatchString(got) {
		t.Errorf("%q", got[strings.LastIndex(got, "epoch"):])
	}
	for _, got := range []string{train(false, "--hidden", "8", "--epochs", "4"), train(true, "--hidden", "8", "--epochs", "4", "--quiet")} {
		if got != "" {
			t.Errorf("%q", got)
		}
	}
}

// TestProgressJSON: --progress json writes an event on each line of standard error,
// on a terminal or not, and none silences a terminal.
func TestProgressJSON(t *testing.T) {
	dir := t.TempDir()
	data, out := filepath.Join(dir, "data.csv"), filepath.Join(dir, "net.bnn")
	for _, c := range []struct {
		args []string
		want []string // event kinds
	}{
		{[]string{"collect", "inventory/2", "--policy", "restart", "-n", "3000", "-o", data}, []string{"rows"}},
		{[]string{"train", data, "--task", "inventory/2", "-o", out, "--hidden", "8", "--epochs", "4"}, []string{"epoch"}},
		{[]string{"train", data, "--task", "inventory/2", "-o", out}, []string{"phase", "output"}},
		{[]string{"train", data, "--task", "inventory/2", "-o", out, "--grid", "--widths", "4", "--depths", "1", "--epochs", "2"}, []string{"cell"}},
		{[]string{"plan", "navigation/3x3", "-H", "4"}, []string{"phase", "bound"}},
		{[]string{"plan", "navigation/3x3", "-H", "4", "--engine", "pb"}, []string{"plan"}},
		{[]string{"plan", "navigation/3x3", "-H", "4", "--incremental"}, []string{"simulation"}},
		{[]string{"run", "navigation/3x3", "-H", "4", "--simulator", "rddl", "--json"}, []string{"planned", "step"}},
		{[]string{"run", "navigation/3x3", "-H", "4", "--simulator", "rddl", "--episodes", "2", "--json"}, []string{"planned", "step", "episode"}},
	} {
		t.Run(strings.Join(c.args[:2], " "), func(t *testing.T) {
			try := func(flags ...string) string {
				var stdout, stderr bytes.Buffer
				a := &environment{out: &stdout, err: &stderr, terminal: true, started: time.Now(), now: time.Now}
				if status := run(a, append(c.args, flags...)); status != exitDone {
					t.Fatalf("status %d: %s", status, stderr.String())
				}
				return stderr.String()
			}
			for _, flags := range [][]string{{"--progress", "none"}, {"--progress", "json", "--quiet"}} {
				if got := try(flags...); got != "" {
					t.Errorf("%v: %q", flags, got)
				}
			}
			if got := try("--progress", "bar"); !strings.HasPrefix(got, "\r") {
				t.Errorf("bar: %q", got)
			}
			seen := map[string]bool{}
			last := 0.0
			got := try("--progress", "json")
			for line := range strings.Lines(got) {
				var e struct {
					Event   string
					Seconds float64
				}
				if err := json.Unmarshal([]byte(line), &e); err != nil || e.Event == "" || e.Seconds < last {
					t.Fatalf("%q: %v", line, err)
				}
				seen[e.Event], last = true, e.Seconds
			}
			if !regexp.MustCompile(`\{"event":"done","seconds":[0-9.]+,"exit":0\}\n$`).MatchString(got) {
				t.Errorf("no event done at the end of %s", got)
			}
			for _, kind := range c.want {
				if !seen[kind] {
					t.Errorf("no event %s in %s", kind, got)
				}
			}
		})
	}
	if status, _, stderr := session("plan", "navigation/3x3", "--progress", "loud"); status != exitUsage || !strings.Contains(stderr, `--progress is "loud"; expected one of`) {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// TestEventsOfErrors: warnings and errors are objects too, and the end has the exit status.
func TestEventsOfErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string // a pattern of standard error
	}{
		{[]string{"plan", "absent.toml", "--progress=json"}, `^\{"error":"[^"]+","file":"absent.toml"\}\n\{"event":"done","seconds":[0-9.]+,"exit":2\}\n$`},
		{[]string{"plan", "navigation/3x3", "-H", "3", "--progress", "json"}, `\n\{"event":"done","seconds":[0-9.]+,"exit":4\}\n$`},
		{[]string{"plan", "navigation/3x3", "--flag", "--progress", "json"}, `^\{"error":"plan has no flag --flag[^"]*"\}\n\{"event":"done","seconds":[0-9.]+,"exit":2\}\n$`},
		{[]string{"plan", "absent.toml", "--progress", "json", "-q"}, `^fdplan: absent.toml: [^\n]*\n$`},
	} {
		if _, _, stderr := session(c.args...); !regexp.MustCompile(c.want).MatchString(stderr) {
			t.Errorf("%v: %s, expected %s", c.args, stderr, c.want)
		}
	}
	var stderr bytes.Buffer
	a := &environment{err: &stderr, events: true, now: time.Now, started: time.Now()}
	a.warn("<unproved>")
	if got := stderr.String(); !strings.HasPrefix(got, `{"event":"warning","seconds":0,"text":"\u003cunproved\u003e"}`) {
		t.Error(got)
	}
}
