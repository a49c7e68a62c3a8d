package extsolver

import (
	"os"
	"syscall"
	"testing"
)

// WriteScript writes a shell program, which the test then starts. No process is forked during
// the write: a process that another test starts at that moment would hold the file open for
// writing, and the system refuses to start such a file ("text file busy",
// golang.org/issue/22315).
func WriteScript(t testing.TB, file, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
