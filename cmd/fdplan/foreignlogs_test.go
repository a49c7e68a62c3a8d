package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestForeignLogs holds the errors on logs of other projects to a count by hand: floor and unchanged are properties of
// the rows.
func TestForeignLogs(t *testing.T) {
	logs, err := filepath.Abs("../../../shared/data/logs")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ learn, test, action, want string }{
		{"aa_small_tr.csv", "aa_small_te.csv", "a", "data: 36.57 % wrong, floor 36.55 %, unchanged 90.81 % ("},
		{"tq_est_t.csv", "tq_val_t.csv", "u", "data: 2.35 % wrong, floor 2.35 %, unchanged 2.35 % ("},
	} {
		t.Run(c.learn, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(logs, c.test)); err != nil {
				t.Skipf("no foreign logs at %s", logs)
			}
			dir := t.TempDir()
			program := linkProgram(t, dir)
			run := func(args ...string) string {
				cmd := exec.Command(program, args...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %v\n%s", args, err, out)
				}
				return string(out)
			}
			run("init", filepath.Join(logs, c.learn), "-o", "made", "--actions", c.action)
			run("train", filepath.Join(logs, c.learn), "--task", "made/task.toml", "-o", "made/network.bnn")
			if out := run("test", "made/network.bnn", filepath.Join(logs, c.test), "--task", "made/task.toml"); !strings.Contains(out, c.want) {
				t.Errorf("got\n%s\nwant %s", out, c.want)
			}
		})
	}
}
