package serve

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// put writes a file, with the folders above it.
func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// files lists the files below a folder, with their contents.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// openServer returns a server on a folder that does not listen.
func openServer(dir string) (*Server, error) {
	return New(Config{Program: []string{program}, Data: dir, Token: token, Address: "127.0.0.1:1", Now: time.Now, Limits: limits})
}

// TestForeignFiles puts files of a user wherever the server might take them for its own. It
// refuses folders that it has not marked, and deletes nothing in its own that others have put
// there.
func TestForeignFiles(t *testing.T) {
	for name, c := range map[string]struct {
		files  []string
		refuse bool
	}{
		"a scratch folder of the user":            {[]string{"scratch/thesis.tex"}, true},
		"one file":                                {[]string{"notes.txt"}, true},
		"some folders with names of the server":   {[]string{"jobs/1/notes.txt", "logs/2026.csv"}, true},
		"all of them and another":                 {[]string{"jobs/a", "logs/a", "problems/a", "src/a.go"}, true},
		"a folder of a server before marks":       {[]string{"jobs/1/notes.txt", "logs/mine/a.csv", "problems/mine/b.rddl", "scratch/thesis.tex"}, false},
		"a new file system":                       {[]string{"lost+found/x"}, false},
		"a file with the name of the mark":        {[]string{markName}, true},
		"a hidden folder like those of a server":  {[]string{scratchPrefix + "1/" + scratchMark}, true},
		"a folder like those of a running server": {[]string{"jobs/a", "logs/a", "problems/a", "scratch/a", scratchPrefix + "1/a"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range c.files {
				put(t, filepath.Join(dir, f), "precious")
			}
			before := files(t, dir)
			s, err := openServer(dir)
			if c.refuse {
				if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), dir) {
					t.Errorf("the error is %v", err)
				}
				if got := files(t, dir); len(got) != len(before) {
					t.Errorf("a refused folder then has %v", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			after := files(t, dir)
			for f := range before {
				if after[f] != "precious" {
					t.Errorf("%s is gone", f)
				}
			}
		})
	}
}

// TestForeignFilesInData puts files into the folder of a server, between its runs and while
// one runs, lets it work, and wants all of them back.
func TestForeignFilesInData(t *testing.T) {
	dir := t.TempDir()
	x := serveIn(t, dir, nil)
	x.run(obj{"kind": "plan", "problem": "navigation/3x3"})
	foreign := []string{"scratch/a", "a.txt", "jobs/2/a", "jobs/3/work/a", "jobs/notes/a", "logs/log-a/a", "problems/lamp/a", "problems/a/a", scratchPrefix + "old/a", scratchPrefix + "other/" + scratchMark}
	for _, f := range foreign {
		put(t, filepath.Join(dir, f), "precious")
	}
	work := func(x *testServer) {
		var p Problem
		x.upload("problems", "files", map[string]string{"lamp.rddl": switchRDDL}, nil, http.StatusCreated, &p)
		x.upload("problems", "files", map[string]string{"lamp.rddl": "domain x"}, nil, http.StatusBadRequest, nil)
		var l Log
		x.upload("logs", "file", map[string]string{"a.csv": "s,a\n1,0\n0,1\n1,0\n"}, nil, http.StatusCreated, &l)
		if p.Problem == "lamp" || l.ID == "log-a" {
			t.Errorf("uploads are put to %s and %s, where files of others are", p.Problem, l.ID)
		}
		j := x.run(obj{"kind": "plan", "problem": p.Problem, "horizon": 2})
		x.call("DELETE", "jobs/"+j.ID+"?remove=true", nil, http.StatusNoContent, nil)
		x.call("DELETE", "problems/"+p.Problem, nil, http.StatusNoContent, nil)
		x.call("DELETE", "logs/"+l.ID, nil, http.StatusNoContent, nil)
	}
	work(x)
	x.done()
	y := serveIn(t, dir, nil)
	work(y)
	y.call("GET", "jobs/1", nil, http.StatusOK, nil)
	y.done()
	after := files(t, dir)
	for _, f := range foreign {
		if after[f] != "precious" {
			t.Errorf("%s is gone", f)
		}
		delete(after, f)
	}
	for f := range after {
		if f != markName && !strings.HasPrefix(f, "jobs/1/") {
			t.Errorf("the server has left %s", f)
		}
	}
}

// TestLock wants one server alone to use a folder, and the scratch folder of one that was
// killed to be removed.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	x := serveIn(t, dir, nil)
	other, err := openServer(dir)
	if err == nil {
		other.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "another fdplan serve uses this folder") {
		t.Fatalf("a second server on the folder: %v", err)
	}
	if _, err := os.Stat(x.s.folder.scratch); err != nil {
		t.Errorf("the second server has removed what the first one needs: %v", err)
	}
	x.run(obj{"kind": "plan", "problem": "navigation/3x3"})
	left := filepath.Join(dir, scratchPrefix+"left")
	put(t, filepath.Join(left, scratchMark), x.s.folder.mark.ID)
	put(t, filepath.Join(left, "job-1", "job.json"), "{")
	x.done()
	y := serveIn(t, dir, nil)
	y.call("GET", "jobs/1", nil, http.StatusOK, nil)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{filepath.Base(y.s.folder.scratch), markName, "jobs", "logs", "problems"}
	slices.Sort(want)
	if slices.Sort(names); !slices.Equal(names, want) {
		t.Errorf("the folder has %v, expected %v", names, want)
	}
}

// TestMarks refuses folders with marks that are none, or of later versions.
func TestMarks(t *testing.T) {
	for text, want := range map[string]string{
		"precious": "does not mark", `{}`: "does not mark", `{"folder":"x","version":1,"id":"a"}`: "does not mark",
		`{"folder":"` + markKind + `","version":2,"id":"a"}`: "a later fdplan has written",
	} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, markName), text)
		if _, err := openServer(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
		if got := files(t, dir); len(got) != 1 || got[markName] != text {
			t.Errorf("%s: the folder then has %v", text, got)
		}
	}
}

// nothingMade wants the scratch folder to have nothing but its mark.
func (x *testServer) nothingMade() {
	x.t.Helper()
	if left := files(x.t, x.s.folder.scratch); len(left) != 1 || left[scratchMark] == "" {
		x.t.Errorf("the scratch folder has %v", left)
	}
}
