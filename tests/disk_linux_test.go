package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/command/commandtest"
)

// TestFullDisk has commands write to a full disk: one line that names the file, exit status 2,
// and no file.
func TestFullDisk(t *testing.T) {
	plain := t.TempDir()
	rows, plan, opb := filepath.Join(plain, "rows.parquet"), filepath.Join(plain, "plan.json"), filepath.Join(plain, "maze.opb")
	log := filepath.Join(plain, "log.csv")
	for _, args := range [][]string{
		{"collect", "sysadmin/4", "-n", "2000", "-o", rows}, {"collect", "sysadmin/4", "-n", "200", "-o", log},
		{"plan", "navigation/3x3", "-H", "4", "--json", "-o", plan}, {"compile", "navigation/3x3", "-H", "4", "--format", "opb", "-o", opb},
	} {
		if code, _, stderr := session(args...); code != exitDone {
			t.Fatal(args, stderr)
		}
	}
	full := commandtest.SmallDisk(t, "64k")
	commandtest.Fill(t, full)
	out := func(name string) string { return filepath.Join(full, name) }
	for _, args := range [][]string{
		{"collect", "sysadmin/4", "-n", "2000", "-o", out("x.parquet")},
		{"collect", "sysadmin/4", "-n", "2000", "-o", out("x.csv")},
		{"collect", "sysadmin/4", "-n", "2000", "-o", out("x.npz")},
		{"collect", "sysadmin/4", "-n", "2000", "-o", out("x.manifest")},
		{"train", rows, "--task", "sysadmin/4", "-o", out("n.bnn")},
		{"train", rows, "--task", "sysadmin/4", "--grid", "--widths", "4", "--depths", "1", "--epochs", "2", "-o", out("n.bnn")},
		{"plan", "navigation/3x3", "-H", "4", "-o", out("p.json")},
		{"plan", "navigation/3x3", "-H", "4", "--proof", out("p.pbp")},
		{"plan", "navigation/3x3", "-H", "4", "--certify", out("certificate")},
		{"plan", "navigation/3x3", "-H", "4", "--incremental", "--simulator", "rddl", "--record", out("r.csv")},
		{"run", "navigation/3x3", "-H", "4", "--simulator", "rddl", "--record", out("r.csv")},
		{"compile", "navigation/3x3", "-H", "4", "--format", "opb", "-o", out("m.opb"), "--map", out("m.map")},
		{"solve", opb, "--proof", out("m.pbp")},
		{"show", plan, "-o", out("p.svg")},
		{"show", plan, "-o", out("p.gif")},
		{"show", plan, "-o", out("p.html")},
		{"simulate", "navigation/3x3", "--steps", "5", "--csv", "-o", out("s.csv")},
		{"explain", "navigation/3x3", "-H", "2", "-o", out("e.json")},
		{"init", log, "--actions", "reboot(c1),reboot(c2),reboot(c3),reboot(c4)", "-o", out("task")},
		{"bench", "paper", "--quick", "--solver", "none", "--engines", "search", "--tables", "engines", "-o", out("bench")},
	} {
		code, _, stderr := session(args...)
		if code != exitUsage || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, full) || !strings.Contains(stderr, "no space left on device") {
			t.Errorf("%v: exit %d: %s", args, code, stderr)
		}
		err := filepath.WalkDir(full, func(name string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && d.Name() != "everything-else" && d.Name() != "journal.jsonl" {
				t.Errorf("%v leaves %s", args, name)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
