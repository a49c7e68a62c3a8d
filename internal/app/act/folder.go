package act

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/execution/acting"
)

// The files of a folder, beside those of a certificate.
const (
	RowsFile    = "rows.csv"      // all steps that were taken, as a data set
	JournalFile = "journal.jsonl" // what was known after each step
	LearnedFile = "learned.json"  // rows, clauses and plan, as package learned reads them
)

// folder is where everything that was seen goes.
type folder struct {
	dir     string
	resumed bool
	journal *os.File
}

// openFolder makes a folder, or goes on with one.
func openFolder(dir string, resume bool) (*folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f := &folder{dir: dir}
	switch data, err := os.ReadFile(filepath.Join(dir, RowsFile)); {
	case bytes.Count(data, []byte("\n")) > 1: // with a row below the names
		if f.resumed = true; !resume {
			return nil, fmt.Errorf("%s has the steps of another run; expected --resume, or a new folder", dir)
		}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	for _, name := range []string{certify.AnswerFile, PolicyFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	var err error
	f.journal, err = os.OpenFile(filepath.Join(dir, JournalFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	return f, err
}

// journalLine is what was known after a step.
type journalLine struct {
	Step    int        `json:"step"`
	Action  app.Values `json:"action"`
	New     bool       `json:"new"` // it was never taken before
	Refused bool       `json:"refused,omitempty"`
	Why     acting.Why `json:"why"`
	Reward  *float64   `json:"reward"` // of the best plan that was seen to hold
	Bound   *float64   `json:"bound"`
	K       int        `json:"k"`
	Rows    int        `json:"rows"`
	Clauses int        `json:"clauses"`
}

// step writes a line of the journal.
func (f *folder) step(s journalLine) error {
	text, err := json.Marshal(s)
	if err == nil {
		_, err = f.journal.Write(append(text, '\n'))
	}
	return err
}

// answer writes the answer, which makes the folder complete; a later one takes its place.
func (f *folder) answer(d *Document) error {
	d.Verdict = d.sentence()
	err := atomicfile.Write(filepath.Join(f.dir, certify.AnswerFile), func(w io.Writer) error { return app.WriteJSON(w, d) })
	return errors.Join(err, f.draw(d))
}
