package part

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/command/commandtest"
)

// TestClusterFullDisk fills the disk of a server, of a worker and of a session, before the work
// begins or by the work itself: all whom it concerns end with its name and exit status 2.
func TestClusterFullDisk(t *testing.T) {
	small := commandtest.SmallDisk(t, "24m")
	data := filepath.Join(t.TempDir(), "data.parquet")
	if code, _, stderr := session("collect", "sysadmin/4", "-n", "2000", "-o", data); code != 0 {
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
			c.program = commandtest.Link(t, c.dir)
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
				commandtest.Fill(t, small)
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
				if code := p.cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(text, small) || !strings.Contains(text, "no space left on device") || strings.Count(text, "fdplan:") != 1 {
					t.Errorf("%s: exit %d: %s", name, code, text)
				}
			}
		})
	}
	t.Run("no room for a store", func(t *testing.T) {
		commandtest.Fill(t, small)
		code, _, stderr := session("broker", filepath.Join(small, "another"), "--listen", "127.0.0.1:0")
		if code != 2 || !strings.Contains(stderr, small) {
			t.Errorf("exit %d: %s", code, stderr)
		}
	})
}
