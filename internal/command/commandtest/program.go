// Package commandtest helps tests that start programs.
package commandtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Link links the test binary into dir as fdplan and returns the link's name. Under that name the
// test binary is the program, by the test's TestMain.
func Link(t *testing.T, dir string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "fdplan")
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	return program
}
