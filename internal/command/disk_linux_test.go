package command

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// smallDisk mounts a file system of so many bytes.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fill leaves no room on a disk.
func fill(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "everything-else"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
}

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
	full := smallDisk(t, "64k")
	fill(t, full)
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

// TestClusterFullDisk fills the disk of a server, of a worker and of a session, before the work
// begins or by the work itself: all whom it concerns end with its name and exit status 2.
func TestClusterFullDisk(t *testing.T) {
	small := smallDisk(t, "24m")
	data := filepath.Join(t.TempDir(), "data.parquet")
	if code, _, stderr := session("collect", "sysadmin/4", "-n", "2000", "-o", data); code != exitDone {
		t.Fatal(stderr)
	}
	const all = "broker worker client"
	for _, x := range []struct {
		name  string
		args  []string
		full  bool   // the disk is, when the work begins
		where string // what is on the small disk
		ends  string // with the name of the disk
	}{
		{"collect", []string{"collect", "sysadmin/4", "-n", "4000000", "-o", "rows.parquet"}, false, "store", all},
		{"collect on a full disk", []string{"collect", "sysadmin/4", "-n", "1000", "-o", "rows.parquet"}, true, "store", all},
		{"plan", []string{"plan", "sysadmin/5", "-H", "12", "--model", "rddl", "--engine", "pb", "--workers-only"}, true, "store", all},
		{"plan with a certificate", []string{"plan", "sysadmin/5", "-H", "12", "--model", "rddl", "--workers-only", "--certify", "certificate"}, true, "store", all},
		{"bench", []string{"bench", "paper", "--quick", "--solver", "none", "--engines", "search", "--tables", "engines", "-o", "bench"}, true, "store", all},
		{"train", []string{"train", data, "--task", "sysadmin/4", "--grid", "--widths", "4", "--depths", "1", "--epochs", "2", "-o", "n.bnn"}, true, "store", all},
		{"a worker's folder", []string{"collect", "sysadmin/4", "-n", "1000000", "-o", "rows.parquet"}, true, "worker", "worker"},
		{"a session's parts", []string{"collect", "sysadmin/4", "-n", "100000", "-o", "rows.parquet"}, true, "client", "client"},
		{"a session's plan", []string{"plan", "sysadmin/5", "-H", "12", "--model", "rddl", "--engine", "pb", "--workers-only"}, true, "client", "client"},
		{"a session's file", []string{"collect", "sysadmin/4", "-n", "4000000", "-o", filepath.Join(small, "rows.csv")}, false, "", "client"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := &testCluster{t: t, dir: t.TempDir(), workers: make([]*runningProcess, 1)}
			c.program = linkProgram(t, c.dir)
			entries, err := os.ReadDir(small)
			for _, e := range entries {
				err = os.RemoveAll(filepath.Join(small, e.Name()))
			}
			if err != nil {
				t.Fatal(err)
			}
			worker, tmp := filepath.Join(c.dir, "worker"), c.dir
			c.store = filepath.Join(c.dir, "store")
			switch x.where {
			case "store":
				c.store = filepath.Join(small, "store")
			case "worker":
				worker = filepath.Join(small, "worker")
			case "client":
				tmp = small
			}
			c.serve()
			processes := map[string]*runningProcess{"broker": c.broker}
			processes["worker"] = c.start("worker", "--connect", c.url, "--slots", "1", "--lease", "2s", "--quiet", "--dir", worker)
			for len(c.status().Workers) == 0 {
				time.Sleep(50 * time.Millisecond)
			}
			if x.full {
				fill(t, small)
			}
			t.Setenv("TMPDIR", tmp)
			processes["client"] = c.start(append(x.args, "--connect", c.url)...)
			late := time.After(2 * time.Minute)
			for name := range strings.FieldsSeq(x.ends) {
				p := processes[name]
				select {
				case <-p.ended:
				case <-late:
					t.Fatalf("%s goes on", name)
				}
				text := p.stderr.String()
				if code := p.cmd.ProcessState.ExitCode(); code != exitUsage || !strings.Contains(text, small) || !strings.Contains(text, "no space left on device") || strings.Count(text, "fdplan:") != 1 {
					t.Errorf("%s: exit %d: %s", name, code, text)
				}
			}
		})
	}
	t.Run("no room for a store", func(t *testing.T) {
		fill(t, small)
		code, _, stderr := session("broker", filepath.Join(small, "another"), "--listen", "127.0.0.1:0")
		if code != exitUsage || !strings.Contains(stderr, small) {
			t.Errorf("exit %d: %s", code, stderr)
		}
	})
}
