package serve

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fdplan/fdplan/internal/atomicfile"
)

// Names in the folder of data. The server deletes nothing there that it has not written: new
// entries are made in a scratch folder and moved to their place when they are whole, so that
// nothing half-made has to be recognised later.
const (
	markName      = "fdplan-serve.json" // marks the folder, and is locked by its server
	scratchPrefix = ".fdplan-scratch-"  // begins the names of scratch folders
	scratchMark   = "fdplan-scratch"    // file in a scratch folder with the mark's id
)

// markKind and markVersion tell what a folder of data is.
const (
	markKind    = "data of fdplan serve"
	markVersion = 1
)

// mark is the content of the file that marks a folder of data.
type mark struct {
	Folder  string `json:"folder"` // markKind
	Version int    `json:"version"`
	ID      string `json:"id"` // random; the scratch folders repeat it
}

// dataFolder is a folder of data that this server alone uses.
type dataFolder struct {
	path    string   // absolute, without links
	scratch string   // folder of what is being made, this server's own
	lock    *os.File // the mark
	mark    mark
}

// parts are the folders below a folder of data.
var parts = []string{"problems", "logs", "jobs"}

// openFolder marks and locks a folder of data, which it makes if there is none. A folder with
// files of others is refused.
func openFolder(path string) (*dataFolder, error) {
	err := os.MkdirAll(path, 0o700)
	if err != nil {
		return nil, err
	}
	d := new(dataFolder)
	if d.path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if d.path, err = filepath.EvalSymlinks(d.path); err != nil {
		return nil, err
	}
	name := filepath.Join(d.path, markName)
	if info, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		if err := d.unused(); err != nil {
			return nil, err
		}
	}
	if d.lock, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	err = atomicfile.Lock(d.lock)
	switch {
	case errors.Is(err, atomicfile.ErrLocked):
		err = fmt.Errorf("%s: another fdplan serve uses this folder", d.path)
	case err != nil:
		err = fmt.Errorf("locking %s: %w", name, err)
	default:
		if err = d.readMark(); err == nil {
			err = d.makeScratch()
		}
	}
	if err != nil {
		return nil, errors.Join(err, d.lock.Close())
	}
	return d, nil
}

// unused refuses a folder that has files of others. One that servers used before there were
// marks has the three parts, and nothing else but their scratch folder, which stays as it is.
func (d *dataFolder) unused() error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if e.Name() != markName && e.Name() != "lost+found" { // which a new file system has
			names = append(names, e.Name())
		}
	}
	foreign := func(name string) bool { return name != "scratch" && !slices.Contains(parts, name) }
	lacks := func(part string) bool { return !slices.Contains(names, part) }
	if len(names) == 0 || !slices.ContainsFunc(names, foreign) && !slices.ContainsFunc(parts, lacks) {
		return nil
	}
	return fmt.Errorf("%s: the folder has files that fdplan serve has not written, such as %.60q; expected a new or empty folder, or one that it has used", d.path, names[max(0, slices.IndexFunc(names, foreign))])
}

// readMark reads the mark, and writes one into a new folder.
func (d *dataFolder) readMark() error {
	name := d.lock.Name()
	text, err := io.ReadAll(io.LimitReader(d.lock, 4096))
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &d.mark); err != nil || d.mark.Folder != markKind || d.mark.Version < 1 || d.mark.ID == "" {
			return fmt.Errorf("%s: it does not mark a folder of fdplan serve", name)
		}
		if d.mark.Version > markVersion {
			return fmt.Errorf("%s: a later fdplan has written the folder, in version %d; expected at most %d", name, d.mark.Version, markVersion)
		}
		return nil
	}
	d.mark = mark{markKind, markVersion, rand.Text()}
	if text, err = json.Marshal(d.mark); err != nil {
		return err
	}
	if _, err = d.lock.Write(append(text, '\n')); err == nil {
		err = d.lock.Sync()
	}
	if err != nil {
		// An empty mark is that of a new folder.
		return fmt.Errorf("writing %s: %w", name, errors.Join(err, d.lock.Truncate(0)))
	}
	return nil
}

// makeScratch removes the scratch folders of servers that were killed, and makes one for this
// server. What is not a server's has not the mark's id.
func (d *dataFolder) makeScratch() error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		dir := filepath.Join(d.path, e.Name())
		if !e.IsDir() || !strings.HasPrefix(e.Name(), scratchPrefix) {
			continue
		}
		if text, err := os.ReadFile(filepath.Join(dir, scratchMark)); err != nil || string(text) != d.mark.ID {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	if d.scratch, err = os.MkdirTemp(d.path, scratchPrefix); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.scratch, scratchMark), []byte(d.mark.ID), 0o600); err != nil {
		return errors.Join(err, os.RemoveAll(d.scratch))
	}
	return nil
}

// close removes the scratch folder and gives the folder free.
func (d *dataFolder) close() error {
	return errors.Join(os.RemoveAll(d.scratch), d.lock.Close())
}

// temporary makes a folder for one request, which the caller removes.
func (d *dataFolder) temporary(name string) (string, error) {
	return os.MkdirTemp(d.scratch, name+"-")
}

// shelf is a part of the folder of data to which whole entries are moved.
type shelf struct {
	dir string

	mu    sync.Mutex
	taken map[string]bool // names of entries that are being made
}

// openShelf makes the folder of a shelf and returns the names of the folders in it.
func openShelf(dir string) (*shelf, []string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return &shelf{dir: dir, taken: map[string]bool{}}, names, nil
}

// reserve returns a free name for an entry, name or name and a number, until it is released.
func (s *shelf) reserve(name string) (id string, release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := 1; ; n++ {
		id = name
		if n > 1 {
			id = fmt.Sprintf("%s-%d", name, n)
		}
		if _, err := os.Lstat(filepath.Join(s.dir, id)); err == nil || s.taken[id] {
			continue
		}
		s.taken[id] = true
		return id, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.taken, id)
		}
	}
}

// put moves a folder to the place of a reserved name, and returns where it then is.
func (s *shelf) put(folder, id string) (string, error) {
	to := filepath.Join(s.dir, id)
	if _, err := os.Lstat(to); err == nil {
		return "", fmt.Errorf("%s: somebody else has made it", to)
	}
	return to, os.Rename(folder, to)
}

// readDocument reads the document of an entry. It reports false if there is none: the entry is
// none of the server's.
func readDocument(name string, into any) (known bool, err error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return false, fmt.Errorf("reading %s: %w", name, err)
	}
	return true, nil
}

// entries are what a shelf has, by name. What they lead to does not change.
type entries[T any] struct {
	*shelf
	kind string

	mu   sync.Mutex
	byID map[string]*T
}

// openEntries reads the documents in the folders of a shelf.
func openEntries[T any](dir, kind, document string) (*entries[T], error) {
	at, names, err := openShelf(dir)
	if err != nil {
		return nil, err
	}
	l := &entries[T]{shelf: at, kind: kind, byID: map[string]*T{}}
	for _, name := range names {
		one := new(T)
		if known, err := readDocument(filepath.Join(dir, name, document), one); err != nil {
			return nil, err
		} else if known {
			l.byID[name] = one
		}
	}
	return l, nil
}

// find returns an entry.
func (l *entries[T]) find(id string) (*T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one := l.byID[id]; one != nil {
		return one, nil
	}
	return nil, missing(l.kind, id)
}

// all lists the entries, in no order.
func (l *entries[T]) all() []*T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.byID))
}

// add adds or replaces an entry.
func (l *entries[T]) add(id string, one *T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byID[id] = one
}

// remove removes an entry with its folder.
func (l *entries[T]) remove(id string) error {
	l.mu.Lock()
	delete(l.byID, id)
	l.mu.Unlock()
	return os.RemoveAll(filepath.Join(l.dir, id))
}

// room refuses another entry if there are so many.
func (l *entries[T]) room(most int) error {
	if n := len(l.all()); n >= most {
		return &problemError{status: http.StatusConflict, Message: fmt.Sprintf("there are %d uploaded %ss already", n, l.kind), Hint: "remove some"}
	}
	return nil
}
