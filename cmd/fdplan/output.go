package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app"
)

// toFile writes a file under a temporary name beside it and renames it when it
// is whole, so that nothing is ever left half-written. With an empty name or
// "-" it writes to standard output.
func (a *environment) toFile(name string, write func(io.Writer) error) (err error) {
	if name == "" || name == "-" {
		w := bufio.NewWriterSize(a.out, 1<<16)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		// A device or a pipe: there is nothing to rename over.
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if err := write(f); err != nil {
			f.Close()
			return err
		}
		return f.Close()
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return os.Rename(f.Name(), name)
}

// answer prints v as JSON or by text, to a file or to standard output.
func (a *environment) answer(asJSON bool, file string, v any, text func(io.Writer) error) error {
	return a.toFile(file, func(w io.Writer) error {
		if asJSON {
			return app.WriteJSON(w, v)
		}
		return text(w)
	})
}

// readPlan gives the text of a plan file, with "-" that of standard input.
func readPlan(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(name)
}
