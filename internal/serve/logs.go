package serve

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/fromlog"
	"github.com/fdplan/fdplan/internal/app/request"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// logFile has what the server knows of an uploaded log.
const logFile = "log.json"

// Log is an uploaded log with its columns.
type Log struct {
	fromlog.Description
	ID        string    `json:"log"`
	Name      string    `json:"name"` // of the file
	Bytes     int64     `json:"bytes"`
	Created   time.Time `json:"created"`
	Delimiter string    `json:"delimiter,omitempty"`
}

// path is where the file of a log is.
func (l *Log) path(dir string) string { return filepath.Join(dir, l.ID, "log", l.Name) }

// listLogs lists the logs, the newest first.
func (s *Server) listLogs(w http.ResponseWriter, r *http.Request) error {
	doc := struct {
		Schema int    `json:"schema"`
		Logs   []*Log `json:"logs"`
	}{app.Schema, append([]*Log{}, s.logs.all()...)}
	slices.SortFunc(doc.Logs, func(a, b *Log) int {
		if c := b.Created.Compare(a.Created); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return answer(w, http.StatusOK, doc)
}

// createLog accepts a log that fdplan show can read.
func (s *Server) createLog(w http.ResponseWriter, r *http.Request) (err error) {
	f, err := s.receive(w, r)
	if err != nil {
		return err
	}
	defer os.RemoveAll(f.folder)
	if err := s.logs.room(s.config.Limits.Uploads); err != nil {
		return err
	}
	if len(f.files) != 1 {
		return bad("there are %d files; expected one log", len(f.files))
	}
	l := &Log{Name: f.files[0], Created: s.config.Now(), Delimiter: f.fields["delimiter"]}
	if !rawlog.IsLog(l.Name) {
		return bad("%s is no log by its ending; expected .csv, .tsv, .txt, .parquet or .jsonl, and .gz or .zst after it where it is compressed", l.Name)
	}
	text, err := s.study(r.Context(), f.folder, "show", map[string]any{"problem": l.Name, "delimiter": l.Delimiter})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &l.Description); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(f.folder, l.Name))
	if err != nil {
		return err
	}
	l.Bytes = info.Size()
	name := identifier(strings.TrimSuffix(l.Name, filepath.Ext(l.Name)))
	id, release := s.logs.reserve(strings.Trim("log-"+name, "-"))
	defer release()
	l.ID = id
	if err := s.shelve(f.folder, l); err != nil {
		return err
	}
	s.logs.add(l.ID, l)
	return created(w, "logs/"+l.ID, l)
}

// shelve moves the folder with the file of a log to its place, with what is known of it.
func (s *Server) shelve(folder string, l *Log) (err error) {
	dir, err := s.folder.temporary("log")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Rename(folder, filepath.Join(dir, "log")); err != nil {
		return err
	}
	if err := saveJSON(filepath.Join(dir, logFile), l); err != nil {
		return err
	}
	_, err = s.logs.put(dir, l.ID)
	return err
}

func (s *Server) getLog(w http.ResponseWriter, r *http.Request, l *Log) error {
	return answer(w, http.StatusOK, l)
}

// deleteLog removes a log. Jobs and problems have their own copies of it.
func (s *Server) deleteLog(w http.ResponseWriter, r *http.Request, l *Log) error {
	if err := s.logs.remove(l.ID); err != nil {
		return err
	}
	return nothing(w)
}

// initRequest is what a client says of a log: fields of the server's own, and options of fdplan init.
type initRequest struct {
	initFields
	options bind.Fields
}

// initFields are the server's own.
type initFields struct {
	Name string `help:"Name of the problem; default: that of the log."`
}

// UnmarshalJSON reads the fields.
func (q *initRequest) UnmarshalJSON(text []byte) (err error) {
	if q.options, err = bind.Parse(text); err == nil {
		err = app.Binder().Take(q.options, &q.initFields, nil)
	}
	if err == nil {
		err = app.Binder().Decode(q.options, new(request.Init), public)
	}
	if err != nil {
		return bad("the body: %v", err)
	}
	return nil
}

// createProblemFromLog runs fdplan init, and adds the problem that it makes.
func (s *Server) createProblemFromLog(w http.ResponseWriter, r *http.Request, l *Log) error {
	var q initRequest
	if err := decode(r, &q); err != nil {
		return err
	}
	patient(w)
	dir, err := s.folder.temporary("init")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := atomicfile.Link(l.path(s.logs.dir), filepath.Join(dir, l.Name)); err != nil {
		return err
	}
	const made = "made"
	asks := map[string]any{"delimiter": l.Delimiter}
	for name, value := range q.options {
		asks[name] = value
	}
	asks["log"], asks["out"] = l.Name, made
	said := maps.Clone(asks)
	text, err := s.study(r.Context(), dir, "init", asks)
	if err != nil {
		return err
	}
	// The log itself belongs to the problem: it is what fdplan train reads.
	data := l.Name
	if _, err := os.Lstat(filepath.Join(dir, made, data)); err == nil {
		data = "log-" + data // init has written a file of that name
	}
	if err := atomicfile.Link(l.path(s.logs.dir), filepath.Join(dir, made, data)); err != nil {
		return err
	}
	name := q.Name
	if name == "" {
		name = strings.TrimSuffix(l.Name, filepath.Ext(l.Name))
	}
	said["out"] = identifier(name)
	p := &Problem{Task: "task.toml", Log: l.ID, Data: data, Command: lineOf("init", new(request.Init), said)}
	if err := s.keep(r.Context(), p, name, filepath.Join(dir, made)); err != nil {
		return err
	}
	return created(w, "problems/"+p.Problem, struct {
		Problem Problem         `json:"problem"`
		Init    json.RawMessage `json:"init"`
	}{s.shown(*p), text})
}

// getContradictions lists the rows of a data set that contradict each other.
func (s *Server) getContradictions(w http.ResponseWriter, r *http.Request, t *target) error {
	patient(w)
	task, err := t.task()
	if err != nil {
		return err
	}
	dir, err := s.workshop("check", t)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	data, err := s.data(t, r.URL.Query().Get("data"), dir)
	if err != nil {
		return err
	}
	if data == "" {
		return bad("%s has no data set; expected data, a file of the problem or a log", t.id)
	}
	text, err := s.study(r.Context(), dir, "check", map[string]any{"domain": task, "instance": data, "contradictions": true})
	if err != nil {
		return err
	}
	return sendJSON(w, text)
}
