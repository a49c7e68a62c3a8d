//go:build unix

package atomicfile

import (
	"os"
	"syscall"
)

// own locks a temporary file for as long as it is open, and reports false where
// another process was faster, took it for left behind and removes it. File systems
// without locks protect nothing, and nothing is removed there.
func own(f *os.File) bool {
	if Lock(f) == ErrLocked {
		return false
	}
	return isAt(f, f.Name())
}

// isAt reports whether the open file f is the one of that name.
func isAt(f *os.File, name string) bool {
	here, err1 := f.Stat()
	there, err2 := os.Lstat(name)
	return err1 == nil && err2 == nil && os.SameFile(here, there)
}

// removeUnowned removes a temporary file that no process has locked.
func removeUnowned(name string) error {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if Lock(f) != nil || !isAt(f, name) {
		return nil
	}
	return os.Remove(name)
}

// publish renames the file while it is still locked, and closes it.
func publish(f *os.File, target string) error {
	if err := os.Rename(f.Name(), target); err != nil {
		return err
	}
	return f.Close()
}

// syncDir writes a directory's entries to the disk.
func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
