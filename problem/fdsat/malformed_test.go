package fdsat

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/source"
)

// layout copies the files of testdata/base to dir, then those of overlay over them, and
// leaves out the files listed in overlay's file remove.
func layout(t *testing.T, dir, overlay string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "base"))); err != nil {
		t.Fatal(err)
	}
	if overlay == "" {
		return
	}
	err := filepath.WalkDir(overlay, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(overlay, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch rel {
		case "want":
			return nil
		case "remove":
			for _, name := range strings.Fields(string(data)) {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					return err
				}
			}
			return nil
		}
		if _, err := os.Stat(filepath.Join(dir, rel)); err != nil {
			t.Errorf("%s replaces nothing: %v", rel, err)
		}
		return os.WriteFile(filepath.Join(dir, rel), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestMalformed loads problems with one fault each and compares the complete error.
func TestMalformed(t *testing.T) {
	const root = "testdata/malformed"
	faults, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(faults) < 100 {
		t.Errorf("%d faults; expected 100 or more", len(faults))
	}
	for _, d := range faults {
		t.Run(d.Name(), func(t *testing.T) {
			overlay := filepath.Join(root, d.Name())
			want, err := os.ReadFile(filepath.Join(overlay, "want"))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			layout(t, dir, overlay)
			p, n, err := Load(dir, "tiny", "1")
			if err == nil {
				t.Fatalf("loaded; expected %s", want)
			}
			if p != nil || n != nil {
				t.Error("something was given with the error")
			}
			var at *source.Error
			if !errors.As(err, &at) {
				t.Errorf("the error is a %T; expected a *source.Error", err)
			}
			got := strings.TrimPrefix(filepath.ToSlash(err.Error()), filepath.ToSlash(dir)+"/")
			if got != strings.TrimSuffix(string(want), "\n") {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}
