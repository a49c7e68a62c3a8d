package serve

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBench runs a small bench, follows its journal, and renders the report.
func TestBench(t *testing.T) {
	x := serveTest(t)
	j := x.run(obj{"kind": "bench", "tables": []string{"figure1"}, "quick": true, "total_time": "20s"})
	var doc struct{ Runs int }
	x.answerOf(j, &doc)
	var list struct{ Results []resultLine }
	x.call("GET", "results", nil, http.StatusOK, &list)
	if len(list.Results) != 1 || list.Results[0].Runs == 0 || list.Results[0].Live {
		t.Fatalf("the results are %+v", list.Results)
	}
	name := list.Results[0].Result
	var page struct {
		Next     int
		Complete bool
		Runs     []json.RawMessage
	}
	x.call("GET", "results/"+name+"/runs?limit=1", nil, http.StatusOK, &page)
	if page.Next != 1 || len(page.Runs) != 1 || page.Complete != (list.Results[0].Runs == 1) {
		t.Errorf("the first run is %+v", page)
	}
	x.call("GET", "results/"+name+"/runs?offset=1", nil, http.StatusOK, &page)
	if page.Next != list.Results[0].Runs || !page.Complete {
		t.Errorf("the other runs are %+v", page)
	}
	kinds := eventKinds(string(x.call("GET", "results/"+name+"/events", nil, http.StatusOK, nil)))
	if len(kinds) != list.Results[0].Runs+1 || kinds[0] != "run" || kinds[len(kinds)-1] != "done" {
		t.Errorf("the events of the journal are %v", kinds)
	}
	if text := x.call("GET", "results/"+name+"/report", nil, http.StatusOK, nil); !strings.Contains(string(text), "<html") {
		t.Errorf("the report is %s", text)
	}
	if text := x.call("GET", "results/"+name+"/report", nil, http.StatusOK, nil); len(text) == 0 || len(x.s.reports.byName) != 1 {
		t.Errorf("the report that was rendered before has %d bytes", len(text))
	}
	if text := x.call("GET", "results/"+name+"/files/report.md", nil, http.StatusOK, nil); !strings.Contains(string(text), "# ") {
		t.Errorf("the report is %s", text)
	}
	x.refused("GET", "results/"+name+"/files/journal.jsonl", nil, http.StatusNotFound, "there is no file")
	x.refused("GET", "results/nothing/runs", nil, http.StatusNotFound, "there is no result")
	x.refused("GET", "results/"+name+"/runs?offset=-1", nil, http.StatusBadRequest, "expected a number")
	x.refused("GET", "results/"+name+"/runs?limit=0", nil, http.StatusBadRequest, "expected a number")
}

// TestResultsOfFolders follows a journal in a folder that another program writes to.
func TestResultsOfFolders(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "journal.jsonl")
	write := func(text string) {
		t.Helper()
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	old := t.TempDir() // in which only the compressed journal was kept
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("{\"a\":3}\n{\"a\":4}\n")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(z.Close(), os.WriteFile(filepath.Join(old, "journal.jsonl.gz"), packed.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	x := serveIn(t, t.TempDir(), func(c *Config) {
		c.Results["sweep"], c.Results["empty"], c.Results["old"] = dir, t.TempDir(), old
	})
	write(`{"a":1}` + "\n" + `{"a":2`) // the second line is being written
	var list struct{ Results []resultLine }
	x.call("GET", "results", nil, http.StatusOK, &list)
	if len(list.Results) != 2 || list.Results[0].Result != "sweep" || list.Results[0].Runs != 1 || list.Results[1].Runs != 2 {
		t.Errorf("the results are %+v", list.Results)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", x.url+"/api/v1/results/sweep/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got []byte
	buffer := make([]byte, 4096)
	written := false
	for !slices.Equal(eventKinds(string(got)), []string{"run", "run"}) {
		n, err := resp.Body.Read(buffer)
		if err != nil {
			t.Fatalf("%v after %s", err, got)
		}
		if got = append(got, buffer[:n]...); !written {
			written = true
			write("}\n")
		}
	}
	if !strings.Contains(string(got), `{"event":"run","run":{"a":2}}`) {
		t.Errorf("the events are %s", got)
	}
	x.refused("GET", "results/empty/report", nil, http.StatusBadRequest, "the journal has no line")
}
