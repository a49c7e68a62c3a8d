//go:build unix

package atomicfile

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestMode: a new file has the mode that the umask allows, one that exists keeps
// its own. It runs alone, since the umask is the process's.
func TestMode(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		umask, before, want os.FileMode // before 0: there is no file yet
	}{{0o022, 0, 0o644}, {0o002, 0, 0o664}, {0o077, 0, 0o600}, {0, 0, 0o666}, {0o077, 0o644, 0o644}, {0o022, 0o600, 0o600}, {0o022, 0o755, 0o755}} {
		file := filepath.Join(dir, "x")
		os.Remove(file)
		if c.before != 0 {
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, c.before); err != nil {
				t.Fatal(err)
			}
		}
		old := syscall.Umask(int(c.umask))
		err := Write(file, text("x"))
		syscall.Umask(old)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode() != c.want {
			t.Errorf("umask %o, mode before %o: %v, expected %o; error %v", c.umask, c.before, info.Mode(), c.want, err)
		}
	}
}

// TestPipe: a named pipe is written to, and stays one.
func TestPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	got := make(chan string)
	go func() {
		f, err := os.Open(name)
		if err != nil {
			got <- err.Error()
			return
		}
		defer f.Close()
		b, _ := io.ReadAll(f)
		got <- string(b)
	}()
	if err := Write(name, text("x")); err != nil {
		t.Fatal(err)
	}
	if s := <-got; s != "x" {
		t.Errorf("%q", s)
	}
	if info, err := os.Lstat(name); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
