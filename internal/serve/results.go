package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/packed"
)

// result is a journal of a bench.
type result struct {
	dir string
	job *job // that writes it; nil for that of a folder which the server was started with
}

// resultLine is a result in the list.
type resultLine struct {
	Result  string    `json:"result"`
	Runs    int       `json:"runs"`
	Updated time.Time `json:"updated"`
	Live    bool      `json:"live"`
}

// results are the journals by their names: those of jobs are called job-ID.
func (s *Server) results() map[string]result {
	out := map[string]result{}
	for name, dir := range s.config.Results {
		out[name] = result{dir: dir}
	}
	for _, j := range s.jobs.list() {
		j.mu.Lock()
		if j.doc.Kind == "bench" {
			out["job-"+j.doc.ID] = result{dir: filepath.Join(j.dir, workFolder, benchFolder), job: j}
		}
		j.mu.Unlock()
	}
	return out
}

// result returns a journal by its name.
func (s *Server) result(name string) (*result, error) {
	if found, ok := s.results()[name]; ok {
		return &found, nil
	}
	return nil, missing("result", name)
}

// journal is the file of a result, which is compressed if there is no other.
func (x *result) journal() string {
	name := filepath.Join(x.dir, journal.Name)
	if _, err := os.Stat(name); err != nil {
		if _, err := os.Stat(name + ".gz"); err == nil {
			return name + ".gz"
		}
	}
	return name
}

// live reports whether a job writes to the journal.
func (x *result) live() bool {
	if x.job == nil {
		return false
	}
	x.job.mu.Lock()
	defer x.job.mu.Unlock()
	return x.job.cancel != nil
}

// lines returns the complete lines of the journal. A journal that is not there yet has none.
func (x *result) lines() ([][]byte, error) {
	f, err := os.Open(x.journal())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, _, err := packed.Reader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	defer text.Close()
	var out [][]byte
	b := bufio.NewReaderSize(text, 1<<16)
	for {
		line, err := b.ReadBytes('\n')
		if err == io.EOF { // an unfinished line is being written
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); json.Valid(line) {
			out = append(out, line)
		}
	}
}

// listResults lists the journals, the newest first.
func (s *Server) listResults(w http.ResponseWriter, r *http.Request) error {
	doc := struct {
		Schema  int          `json:"schema"`
		Results []resultLine `json:"results"`
	}{app.Schema, []resultLine{}}
	for name, x := range s.results() {
		info, err := os.Stat(x.journal())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		lines, err := x.lines()
		if err != nil {
			return err
		}
		doc.Results = append(doc.Results, resultLine{Result: name, Runs: len(lines), Updated: info.ModTime(), Live: x.live()})
	}
	slices.SortStableFunc(doc.Results, func(a, b resultLine) int {
		if c := b.Updated.Compare(a.Updated); c != 0 {
			return c
		}
		return strings.Compare(a.Result, b.Result)
	})
	return answer(w, http.StatusOK, doc)
}

// listRuns sends lines of a journal.
func (s *Server) listRuns(w http.ResponseWriter, r *http.Request, x *result) (err error) {
	offset := 0
	if text := r.URL.Query().Get("offset"); text != "" && text != "0" {
		if offset, err = count(text, "offset", 0, 1<<30); err != nil {
			return err
		}
	}
	limit, err := count(r.URL.Query().Get("limit"), "limit", 1000, 10_000)
	if err != nil {
		return err
	}
	live := x.live() // before the lines are read
	lines, err := x.lines()
	if err != nil {
		return err
	}
	doc := struct {
		Schema   int               `json:"schema"`
		Result   string            `json:"result"`
		Offset   int               `json:"offset"`
		Next     int               `json:"next"`
		Complete bool              `json:"complete"`
		Runs     []json.RawMessage `json:"runs"`
	}{app.Schema, r.PathValue("result"), offset, 0, false, []json.RawMessage{}}
	lines = lines[min(offset, len(lines)):]
	doc.Complete = !live && len(lines) <= limit
	for _, line := range lines[:min(limit, len(lines))] {
		doc.Runs = append(doc.Runs, line)
	}
	doc.Next = offset + len(doc.Runs)
	return answer(w, http.StatusOK, doc)
}

// journalTick is how often a journal that is followed is read.
const journalTick = time.Second

// since returns the lines of the journal after the first n as events.
func (x *result) since(n int) (events [][]byte, all int, changed <-chan struct{}, ended bool, err error) {
	live := x.live()
	lines, err := x.lines()
	if err != nil {
		return nil, 0, nil, true, err
	}
	for _, line := range lines[min(n, len(lines)):] {
		event, err := json.Marshal(struct {
			Event string          `json:"event"`
			Run   json.RawMessage `json:"run"`
		}{"run", line})
		if err != nil {
			return nil, 0, nil, true, err
		}
		events = append(events, event)
	}
	all = len(lines)
	if !live && x.job != nil { // a folder may be written to by another program
		events, all = append(events, []byte(`{"event":"done"}`)), all+1
	}
	next := make(chan struct{})
	time.AfterFunc(journalTick, func() { close(next) })
	return events, all, next, !live && x.job != nil, nil
}

// followResult sends the lines of a journal.
func (s *Server) followResult(w http.ResponseWriter, r *http.Request, x *result) error {
	return s.follow(w, r, x)
}
