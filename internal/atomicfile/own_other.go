//go:build !unix

package atomicfile

import "os"

// own reports true: a file that is open cannot be removed on Windows.
func own(*os.File) bool { return true }

// removeUnowned removes a temporary file unless a process has it open.
func removeUnowned(name string) error {
	_ = os.Remove(name) // fails for a file that is open
	return nil
}

// publish closes the file, since an open one cannot be renamed, and renames it.
func publish(f *os.File, target string) error {
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), target)
}

// syncDir does nothing: directories cannot be synced.
func syncDir(string) error { return nil }
