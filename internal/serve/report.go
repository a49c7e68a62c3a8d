package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// reports are rendered reports, the last of each journal.
type reports struct {
	mu     sync.Mutex
	byName map[string]rendered
}

// rendered is a report of the first lines of a journal.
type rendered struct {
	lines int
	dir   string
}

// openReport returns a file of the report of a journal as it is now. The report is rendered again
// only if the journal has grown.
func (s *Server) openReport(ctx context.Context, x *result, name, file string) (*os.File, error) {
	lines, err := x.lines()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, bad("the journal has no line yet")
	}
	s.reports.mu.Lock()
	defer s.reports.mu.Unlock()
	known, ok := s.reports.byName[name]
	if !ok || known.lines != len(lines) {
		dir, err := s.render(ctx, lines)
		if err != nil {
			return nil, err
		}
		if ok {
			s.complain(os.RemoveAll(known.dir))
		}
		known = rendered{len(lines), dir}
		s.reports.byName[name] = known
	}
	return openIn(known.dir, file)
}

// render writes the report of a journal's lines into a new folder.
func (s *Server) render(ctx context.Context, lines [][]byte) (string, error) {
	dir, err := s.folder.temporary("report")
	if err != nil {
		return "", err
	}
	text := append(bytes.Join(lines, []byte("\n")), '\n')
	err = os.WriteFile(filepath.Join(dir, journal.Name), text, 0o600)
	if err == nil {
		_, err = s.ask(ctx, dir, "report", map[string]any{"dir": ".", "quiet": true})
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

// openIn opens the file with a name in a folder or those below it, but for the journal.
func openIn(dir, name string) (*os.File, error) {
	found := ""
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && e.Name() == name && name != journal.Name {
			found = path
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if found == "" {
		return nil, missing("file", name)
	}
	return os.Open(found)
}

// sendReport sends a file of the report of a journal, its page if none is named.
func (s *Server) sendReport(w http.ResponseWriter, r *http.Request, x *result) error {
	f, err := s.openReport(r.Context(), x, r.PathValue("result"), cmp.Or(r.PathValue("file"), journal.PageName))
	if err != nil {
		return err
	}
	defer f.Close()
	return sendOpen(w, r, f)
}
