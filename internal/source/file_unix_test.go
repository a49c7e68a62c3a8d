//go:build unix

package source

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestReadFile reads files of sizes about the bound, and what is no file.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	file := func(n int) string {
		name := filepath.Join(dir, "file")
		if err := os.WriteFile(name, bytes.Repeat([]byte("x"), n), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, n := range []int{0, 1, 511, 512, 513, 1 << 20} {
		if data, err := ReadFileUpTo(file(n), 1<<20); err != nil || len(data) != n {
			t.Errorf("%d bytes: %d, %v", n, len(data), err)
		}
	}
	if _, err := ReadFileUpTo(file(1<<20+1), 1<<20); err == nil || !strings.HasSuffix(err.Error(), "is larger than 1 MiB, the most that is read") {
		t.Errorf("one byte more: %v", err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, n := range []int{0, 5000, 2<<20 + 1} {
		go func() {
			w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
				return
			}
			w.Write(make([]byte, n)) // a reader that has enough closes the pipe
			w.Close()
		}()
		data, err := ReadFileUpTo(pipe, 2<<20)
		if n <= 2<<20 && (err != nil || len(data) != n) || n > 2<<20 && err == nil {
			t.Errorf("a pipe with %d bytes: %d, %v", n, len(data), err)
		}
	}
	for name, want := range map[string]string{
		dir:         "is a folder; expected a file",
		"/dev/zero": "is a device; expected a file",
	} {
		if _, err := ReadFile(name); err == nil || err.Error() != name+": "+want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if data, err := ReadFile(os.DevNull); err != nil || len(data) != 0 {
		t.Errorf("the null device: %d bytes, %v", len(data), err)
	}
	if _, err := ReadFile(filepath.Join(dir, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	w, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := OpenRegular(pipe); err == nil || err.Error() != pipe+": is a pipe; expected a regular file" {
		t.Errorf("a pipe for a data set: %v", err)
	}
}
