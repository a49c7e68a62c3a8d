// Package atomicfile writes files so that a reader never sees half of one: the
// bytes go to a temporary file in the same directory, which is renamed when it is
// complete.
//
// A process that is killed leaves its temporary file behind. The next writer of
// the same file removes it. A lock on the temporary file protects the one of a
// process that is still running.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// suffix ends the name of each temporary file, and of no other file.
const suffix = ".fdplan-tmp"

// maxBase bounds the part of a temporary name that is taken from the file's own
// name, in bytes: file systems allow 255 for the whole.
const maxBase = 200

// maxTries bounds the search for a free temporary name.
const maxTries = 10000

// File is a file that is being written. It is complete after Commit; until then
// its name holds what it held before.
type File struct {
	name   string // as the caller gave it, for errors
	target string // what the temporary file becomes; empty for a stream
	f      *os.File
}

// unfinished are the files of the process that are neither complete nor given
// up: what AbortAll needs, and the process as a whole owns.
var unfinished = struct {
	sync.Mutex
	files map[*File]bool
}{files: map[*File]bool{}}

// AbortAll gives up every file that the process is writing at that moment, for a
// process that is about to end while parts of it are still at work. Commit of
// such a file is an error.
func AbortAll() {
	unfinished.Lock()
	defer unfinished.Unlock()
	for f := range unfinished.files {
		os.Remove(f.f.Name())
	}
	clear(unfinished.files)
}

// ErrLocked is the error of Lock for a file that another process has locked.
var ErrLocked = errors.New("another process has locked it")

// errAborted is the error of Commit after AbortAll.
var errAborted = errors.New("the process is ending")

// finish takes the file from those that are unfinished, and reports whether it
// was one of them.
func (f *File) finish() bool {
	unfinished.Lock()
	defer unfinished.Unlock()
	was := unfinished.files[f]
	delete(unfinished.files, f)
	return was
}

// Create begins to write the file name. Where name is a symbolic link, the file
// that it leads to is replaced. A file that exists keeps its mode; a new one gets
// the mode that the umask allows. Devices, pipes and names in /dev and /proc are
// streams: they are opened and written directly.
func Create(name string) (*File, error) {
	out := &File{name: name}
	err := out.open()
	if err != nil {
		return nil, out.wrap(err)
	}
	return out, nil
}

func (f *File) open() (err error) {
	info, statErr := os.Stat(f.name)
	switch {
	case statErr == nil && info.IsDir():
		return errors.New("it is a directory")
	case isStream(f.name, info):
		f.f, err = os.OpenFile(f.name, os.O_WRONLY|os.O_APPEND, 0)
		return err
	}
	f.target = f.name
	if real, err := filepath.EvalSymlinks(f.name); err == nil {
		f.target = real
	}
	// What cannot be removed is in nobody's way.
	_ = RemoveStale(f.target)
	if f.f, err = createTemp(f.target); err != nil {
		return err
	}
	unfinished.Lock()
	unfinished.files[f] = true
	unfinished.Unlock()
	if statErr == nil {
		if err := f.f.Chmod(info.Mode().Perm()); err != nil {
			f.Abort()
			return err
		}
	}
	return nil
}

// isStream reports whether a file has to be written directly. Standard output
// that was redirected to a file is a regular file under the name /dev/stdout;
// whoever redirected it has it open, so that it must not be replaced.
func isStream(name string, info fs.FileInfo) bool {
	if info == nil {
		return false
	}
	dir := filepath.Dir(filepath.Clean(name))
	return !info.Mode().IsRegular() || dir == "/dev" || dir == "/dev/fd" || strings.HasPrefix(dir, "/proc/")
}

// Write writes to the file. An error names the file, not the temporary one.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.f.Write(p)
	return n, f.wrap(err)
}

// Commit completes the file and renames it. After an error nothing is left behind.
func (f *File) Commit() error { return f.commit(false) }

// CommitDurable does the same, and returns only when the file would survive a
// crash of the machine.
func (f *File) CommitDurable() error { return f.commit(true) }

func (f *File) commit(durable bool) error {
	if f.target == "" {
		return f.wrap(f.f.Close())
	}
	temporary := f.f.Name()
	var err error
	if durable {
		err = f.f.Sync()
	}
	switch {
	case !f.finish():
		err = errAborted
	case err == nil:
		err = publish(f.f, f.target)
	}
	if err != nil {
		f.f.Close()
		os.Remove(temporary)
		return f.wrap(err)
	}
	if durable {
		return f.wrap(syncDir(filepath.Dir(f.target)))
	}
	return nil
}

// Abort returns the file up: its name holds what it held before, and nothing is left behind.
// After Commit it must not be called.
func (f *File) Abort() {
	f.f.Close()
	if f.target != "" && f.finish() {
		os.Remove(f.f.Name())
	}
}

// wrap replaces the operation and the name in an error of the system by what was
// being done.
func (f *File) wrap(err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("writing %s: %w", f.name, err)
}

// Write writes the file name by calling write, through a buffer. After an error,
// which is returned, the file is as it was before.
func Write(name string, write func(io.Writer) error) error {
	return writeFile(name, write, (*File).Commit)
}

// WriteDurable does the same, and returns only when the file would survive a crash
// of the machine.
func WriteDurable(name string, write func(io.Writer) error) error {
	return writeFile(name, write, (*File).CommitDurable)
}

func writeFile(name string, write func(io.Writer) error, commit func(*File) error) error {
	f, err := Create(name)
	if err != nil {
		return err
	}
	done := false
	defer func() { // on a panic, too
		if !done {
			f.Abort()
		}
	}()
	b := bufio.NewWriterSize(f, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	done = true
	return commit(f)
}

// Link gives a file a second name, in a folder that is made where there is none, or copies it where the system has no links.
func Link(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// createTemp creates a locked temporary file beside target.
func createTemp(target string) (*os.File, error) {
	prefix := tempPrefix(target) + strconv.Itoa(os.Getpid()) + "-"
	for try := range maxTries {
		name := prefix + strconv.Itoa(try) + suffix
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if own(f) {
			return f, nil
		}
		f.Close()
	}
	return nil, fmt.Errorf("no name is free for a temporary file, tried %d", maxTries)
}

// tempPrefix begins the names of the temporary files of target. A process number,
// a dash, another number and suffix follow.
func tempPrefix(target string) string {
	base := filepath.Base(target)
	return filepath.Join(filepath.Dir(target), "."+base[:min(len(base), maxBase)]+".")
}

// isTemp reports whether name has the form of a temporary file with that prefix.
func isTemp(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return false
	}
	if rest, ok = strings.CutSuffix(rest, suffix); !ok {
		return false
	}
	pid, try, ok := strings.Cut(rest, "-")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return ok && digits(pid) && digits(try)
}

// RemoveStale removes the temporary files of the file name that processes left
// which run no more. Create does so by itself.
func RemoveStale(name string) error {
	prefix := tempPrefix(name)
	files, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		return fmt.Errorf("removing what a killed process left of %s: %w", name, err)
	}
	for _, f := range files {
		path := filepath.Join(filepath.Dir(name), f.Name())
		if !isTemp(path, prefix) || !f.Type().IsRegular() {
			continue
		}
		if err := removeUnowned(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing what a killed process left of %s: %w", name, err)
		}
	}
	return nil
}
