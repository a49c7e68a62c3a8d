package command

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNoTerminal has files on which progress would be lost or be in the way.
func TestNoTerminal(t *testing.T) {
	for _, name := range []string{os.DevNull, filepath.Join(t.TempDir(), "log")} {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if isTerminal(f) {
			t.Errorf("%s is taken for a terminal", name)
		}
	}
}
