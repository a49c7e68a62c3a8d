package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTrainProgress: on a terminal there is a line, rewritten in place and gone at
// the end, with an estimate of the time left by a clock that goes on by 1 s each
// time that it is asked; elsewhere, and with --quiet, there is none.
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
