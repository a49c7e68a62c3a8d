// Package journal has the results of experiments, one line for each run. A journal is only ever
// appended to, each line in one write that is flushed to the disk.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/fdplan/fdplan/internal/atomicfile"
)

// Name is the journal's file in a bench's folder.
const Name = "journal.jsonl"

// PageName is the page of the report beside it.
const PageName = "report.html"

// ErrBusy is the error for a folder that another bench is writing to.
var ErrBusy = errors.New("another bench is writing there")

// ErrContradiction is wrapped if runs claim what cannot all be true: a bug, here or in an external
// solver.
var ErrContradiction = errors.New("runs contradict each other")

// Journal is the file of results, open for appending. It is safe for concurrent use.
type Journal struct {
	Torn int // bytes of an unfinished last line that were cut off

	mu     sync.Mutex
	f      *os.File
	last   map[string]*Record // by ID; the later of two lines
	broken error              // the write that failed; nothing is written after it
}

// Open opens the journal of a folder, which it creates if necessary, and reads the
// existing lines. An incomplete last line is removed; any other line that is not a record is
// a *source.Error. While the journal is open, no other process can open it: ErrBusy.
func Open(dir string) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("making the folder of the journal: %w", err)
	}
	name := filepath.Join(dir, Name)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, fmt.Errorf("opening the journal: %w", err)
	}
	j := &Journal{f: f, last: map[string]*Record{}}
	if err := atomicfile.Lock(f); err != nil {
		f.Close()
		if errors.Is(err, atomicfile.ErrLocked) {
			err = ErrBusy
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := j.read(name); err != nil {
		f.Close()
		return nil, err
	}
	return j, nil
}

// read reads the existing lines.
func (j *Journal) read(name string) error {
	data, err := io.ReadAll(j.f)
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	records, torn, err := Parse(name, data)
	if err != nil {
		return err
	}
	for i := range records {
		j.last[records[i].ID] = &records[i]
	}
	if j.Torn = torn; torn == 0 {
		return nil
	}
	if err := j.f.Truncate(int64(len(data) - torn)); err != nil {
		return fmt.Errorf("cutting off the journal's unfinished last line: %w", err)
	}
	return nil
}

// Last returns the record that counts for an ID, nil if there is none.
func (j *Journal) Last(id string) *Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last[id]
}

// Append writes a record in one write, which is on the disk when it returns. After an error
// the journal accepts nothing more, since its last line may be incomplete.
func (j *Journal) Append(r *Record) error {
	r.Schema = Schema
	if r.Args == nil {
		r.Args = []string{}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return j.broken
	}
	_, err := j.f.Write(b.Bytes())
	if err == nil {
		err = j.f.Sync()
	}
	if err != nil {
		j.broken = fmt.Errorf("writing the journal: %w", err)
		return j.broken
	}
	kept := *r
	j.last[r.ID] = &kept
	return nil
}

// Close closes the journal; others may open it then.
func (j *Journal) Close() error { return j.f.Close() }
