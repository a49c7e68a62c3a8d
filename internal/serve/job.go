package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fdplan/fdplan/internal/atomicfile"
)

// Status is how far a job is.
type Status string

// The statuses of a job.
const (
	Queued      Status = "queued"
	Running     Status = "running"
	Done        Status = "done" // there is an answer
	Failed      Status = "failed"
	Cancelled   Status = "cancelled"
	Interrupted Status = "interrupted" // the server ended while it ran
)

// statuses are all of them.
var statuses = []Status{Queued, Running, Done, Failed, Cancelled, Interrupted}

// Job is a command that the server runs or has run.
type Job struct {
	Schema   int             `json:"schema"`
	ID       string          `json:"job"`
	Kind     string          `json:"kind"`
	Problem  string          `json:"problem,omitempty"`
	Label    string          `json:"label,omitempty"`
	Key      string          `json:"idempotency_key,omitempty"`
	Status   Status          `json:"status"`
	Exit     *int            `json:"exit"`
	Created  time.Time       `json:"created"`
	Started  *time.Time      `json:"started"`
	Ended    *time.Time      `json:"ended"`
	Request  JobRequest      `json:"request"`
	Command  string          `json:"command"`
	Progress json.RawMessage `json:"progress"` // the last event
	Reward   *float64        `json:"reward"`
	Bound    *float64        `json:"bound"`
	Verdict  string          `json:"verdict,omitempty"`
	Error    *problemError   `json:"error"`
	Result   json.RawMessage `json:"result"` // the answer; only of a single job
	Files    []File          `json:"files"`
}

// File is a file that can be downloaded.
type File struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Type  string `json:"type"`
}

// Names in the folder of a job.
const (
	jobFile         = "job.json"
	answerFile      = "answer.json"
	eventsFile      = "events.jsonl"
	certificateFile = "certificate.zip"
	workFolder      = "work" // that the command runs in
)

// Names in the work folder.
const (
	networkFile       = "network.bnn"
	reportFolder      = "report"
	certificateFolder = "certificate"
	benchFolder       = "bench"
	learnedFolder     = "learned"
)

// maxEvents bounds the events of a job that are kept.
const maxEvents = 20_000

// maxProgress bounds an event that is shown in lists.
const maxProgress = 4 << 10

// job is a Job with what the server needs to run and follow it.
type job struct {
	dir string

	mu      sync.Mutex
	doc     Job
	events  [][]byte      // those of a job that has not ended
	dropped int           // events before the first
	changed chan struct{} // closed at the next event
	cancel  func()        // asks it to end; nil once it has
	asked   bool          // somebody cancelled it
}

// describe returns the document, with the answer and a plan that was given if full is set.
func (j *job) describe(full bool) (Job, error) {
	j.mu.Lock()
	doc := j.doc
	j.mu.Unlock()
	doc.Files, _ = j.files(doc.Kind)
	if !full {
		doc.Request = doc.Request.brief()
		return doc, nil
	}
	text, err := readAnswer(filepath.Join(j.dir, answerFile))
	if doc.Ended != nil {
		doc.Result = text
	}
	return doc, err
}

// readAnswer returns the answer that a command printed; nil if there is none.
func readAnswer(name string) (json.RawMessage, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (info.Size() == 0 || info.Size() > maxAnswer) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err != nil || !json.Valid(text) { // of a command that was killed
		return nil, err
	}
	return bytes.TrimSpace(text), nil
}

// outputs are the files that a kind of job may write, by the names under which they are
// downloaded; a folder stands for its files.
func outputs(kind string) []string {
	out := []string{answerFile}
	switch kind {
	case "plan", "verify":
		out = append(out, certificateFile)
	case "learn":
		out = []string{filepath.Join(workFolder, learnedFolder)}
	case "train":
		out = append(out, filepath.Join(workFolder, networkFile), filepath.Join(workFolder, reportFolder))
	}
	return out
}

// files lists what can be downloaded, in a fixed order, with the places of the files.
func (j *job) files(kind string) (files []File, paths []string) {
	files = []File{}
	for _, name := range outputs(kind) {
		path := filepath.Join(j.dir, name)
		found := filesIn(path)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			found, path = []File{{filepath.Base(name), info.Size(), mediaType(name)}}, filepath.Dir(path)
		}
		for _, f := range found {
			files, paths = append(files, f), append(paths, filepath.Join(path, f.Name))
		}
	}
	return files, paths
}

// filesIn lists the regular files of a folder by name.
func filesIn(folder string) []File {
	entries, err := os.ReadDir(folder)
	out := []File{}
	if err != nil {
		return out
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			out = append(out, File{e.Name(), info.Size(), mediaType(e.Name())})
		}
	}
	return out
}

// mediaType is the type of a file by its ending. What a browser could show as a page of this
// server is text.
func mediaType(name string) string {
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".json", ".zip", ".svg", ".csv", ".gif", ".png":
		return strings.TrimSuffix(mime.TypeByExtension(ext), "; charset=utf-8")
	case ".txt", ".toml", ".rddl", ".bnn", ".md", ".jsonl", ".html":
		return "text/plain"
	}
	return "application/octet-stream"
}

// save writes the document so that it survives the server.
func (j *job) save() error {
	j.mu.Lock()
	doc := j.doc
	j.mu.Unlock()
	return saveJSON(filepath.Join(j.dir, jobFile), doc)
}

// saveJSON writes a document whole or not at all.
func saveJSON(name string, v any) error {
	return atomicfile.WriteDurable(name, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(v)
	})
}

// event is what the server reads of an event.
type event struct {
	Event  string   `json:"event"`
	Reward *float64 `json:"reward"`
	Bound  *float64 `json:"bound"`
}

// note takes a line of the command's standard error.
func (j *job) note(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil || e.Event == "" {
		text, err := json.Marshal(struct {
			Event string `json:"event"`
			Text  string `json:"text"`
		}{"log", string(line)})
		if err != nil {
			return
		}
		line, e = text, event{Event: "log"}
	}
	if e.Event == "done" { // which tells nothing of what is written after it
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.Event == "plan" || e.Event == "bound" || e.Event == "phase" || j.doc.Kind == "learn" {
		if e.Reward != nil {
			j.doc.Reward = e.Reward
		}
		if e.Bound != nil {
			j.doc.Bound = e.Bound
		}
	}
	if len(line) <= maxProgress {
		j.doc.Progress = bytes.Clone(line)
	}
	j.add(bytes.Clone(line))
}

// add appends an event and wakes the followers. The caller holds the lock.
func (j *job) add(line []byte) {
	if len(j.events) >= maxEvents {
		half := len(j.events) / 2
		j.events, j.dropped = append([][]byte(nil), j.events[half:]...), j.dropped+half
	}
	j.events = append(j.events, line)
	close(j.changed)
	j.changed = make(chan struct{})
}

// stateEvent is the event at a change of a job's status.
type stateEvent struct {
	Event   string  `json:"event"` // state or done
	Seconds float64 `json:"seconds"`
	Exit    *int    `json:"exit,omitempty"`
	Job     Job     `json:"job"`
}

// state reports the status of the job as an event; an error of encoding is impossible.
func (j *job) state(kind string, now time.Time) {
	doc, _ := j.describe(false)
	e := stateEvent{Event: kind, Exit: doc.Exit, Job: doc}
	if doc.Started != nil {
		e.Seconds = now.Sub(*doc.Started).Seconds()
	}
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.add(line)
}

// archive moves the events to a file.
func (j *job) archive() error {
	j.mu.Lock()
	events := j.events
	j.mu.Unlock()
	err := atomicfile.Write(filepath.Join(j.dir, eventsFile), func(w io.Writer) error {
		for _, e := range events {
			if _, err := w.Write(append(e[:len(e):len(e)], '\n')); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	j.mu.Lock()
	j.events = nil
	j.mu.Unlock()
	return nil
}

// since returns the events after the first n, the number of all of them, what is closed at the
// next one, and whether there will be none.
func (j *job) since(n int) (events [][]byte, all int, changed <-chan struct{}, ended bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	list, dropped := j.events, j.dropped
	ended = j.doc.Ended != nil && j.cancel == nil
	if ended && list == nil {
		if list, err = readEvents(filepath.Join(j.dir, eventsFile)); err != nil {
			return nil, 0, nil, true, err
		}
	}
	all = dropped + len(list)
	return list[min(max(n-dropped, 0), len(list)):], all, j.changed, ended, nil
}

// readEvents reads the events of a job that has ended; a job that was interrupted has none.
func readEvents(name string) ([][]byte, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out [][]byte
	b := bufio.NewReader(f)
	for {
		line, err := readLine(b)
		if len(line) > 0 {
			out = append(out, line)
		}
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
