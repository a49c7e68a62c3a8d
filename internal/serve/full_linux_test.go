package serve

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk mounts a file system of 6 MB, and returns a function that fills it and one that
// makes room again. Tests without the privileges are skipped.
func smallDisk(t *testing.T) (dir string, fill, empty func()) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=6m"); err != nil {
		t.Skipf("no file system can be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	fill = func() {
		t.Helper()
		f, err := os.Create(ballast)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for size := 1 << 20; size > 0; {
			if _, err = f.Write(make([]byte, size)); err != nil {
				size /= 2
			}
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("filling the disk: %v", err)
		}
	}
	return dir, fill, func() {
		t.Helper()
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDiskFull fills the disk of a server: requests that need room are refused with 507 and
// leave nothing, others are answered, and with room again everything works.
func TestDiskFull(t *testing.T) {
	disk, fill, empty := smallDisk(t)
	dir := filepath.Join(disk, "data")
	x := serveIn(t, dir, func(c *Config) { c.Limits.Upload = 64 << 20 })
	const csv = "s,a\n1,0\n0,1\n1,0\n"
	var l Log
	x.upload("logs", "file", map[string]string{"a.csv": csv}, nil, http.StatusCreated, &l)
	running := x.startSlow()
	fill()
	before := inventory(t, dir)
	full := func(body []byte) {
		t.Helper()
		if !strings.Contains(string(body), "the disk of the server is full") || strings.Contains(string(body), `"bug"`) {
			t.Errorf("the answer is %s", body)
		}
	}
	full(x.call("POST", "jobs", obj{"kind": "plan", "problem": "navigation/3x3", "horizon": 4}, http.StatusInsufficientStorage, nil))
	full(x.upload("problems", "files", map[string]string{"lamp.rddl": switchRDDL}, nil, http.StatusInsufficientStorage, nil))
	full(x.upload("logs", "file", map[string]string{"b.csv": csv}, nil, http.StatusInsufficientStorage, nil))
	full(x.call("POST", "logs/"+l.ID+"/problem", obj{"actions": []string{"a"}}, http.StatusInsufficientStorage, nil))
	if after := inventory(t, dir); after != before {
		t.Errorf("refused requests leave\n%s\nwhere there was\n%s", after, before)
	}
	var list struct{ Jobs []Job }
	if x.call("GET", "jobs", nil, http.StatusOK, &list); len(list.Jobs) != 1 || list.Jobs[0].ID != running.ID {
		t.Errorf("with a full disk the jobs are %+v", list.Jobs)
	}
	x.call("GET", "problems/navigation%2F3x3", nil, http.StatusOK, nil)
	x.call("GET", "logs/"+l.ID, nil, http.StatusOK, nil)
	x.call("DELETE", "jobs/"+running.ID, nil, http.StatusOK, nil)
	if j := x.wait(running.ID); j.Status != Cancelled {
		t.Errorf("a job that was stopped while the disk was full is %s", j.Status)
	}
	empty()
	x.upload("logs", "file", map[string]string{"big.csv": strings.Repeat("1,0\n", 2<<20)}, nil, http.StatusInsufficientStorage, nil)
	if j := x.run(obj{"kind": "plan", "problem": "navigation/3x3", "horizon": 4}); j.Status != Done {
		t.Errorf("with room again job %s is %s: %v", j.ID, j.Status, j.Error)
	}
	x.upload("problems", "files", map[string]string{"lamp.rddl": switchRDDL}, nil, http.StatusCreated, nil)
	x.done()
	y := serveIn(t, dir, nil)
	if y.call("GET", "jobs", nil, http.StatusOK, &list); len(list.Jobs) != 2 {
		t.Errorf("after a restart the jobs are %+v", list.Jobs)
	}
}

// inventory names the files and folders below a folder, except those of the job that runs.
func inventory(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !strings.Contains(path, "/jobs/1/") {
			b.WriteString(path + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
