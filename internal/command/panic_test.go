package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/routine"
)

// TestPanic: a command that panics, on whatever goroutine, ends with one line, a request to
// report it, and the exit status of a bug.
func TestPanic(t *testing.T) {
	fails := func() { panic("out of\ncheese") }
	for name, command := range map[string]func() error{
		"at once":              func() error { fails(); return nil },
		"on its own goroutine": func() error { var g routine.Group; g.Go(fails); g.Wait(); return nil },
		"while reading": func() error {
			_, err := routine.InTime(t.Context(), func() (int, error) { fails(); return 0, nil })
			return err
		},
	} {
		var stderr bytes.Buffer
		a := &environment{err: &stderr, guard: newGuard()}
		status := a.fail(a.guard.run(command))
		a.guard.end()
		lines := strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\n")
		if status != exitInternal || len(lines) != 2 || !strings.HasPrefix(lines[0], "fdplan: internal error: panic: out of cheese; at command/panic_test.go:") || !strings.HasPrefix(lines[1], "This is a bug.") {
			t.Errorf("%s: %d, %q", name, status, lines)
		}
	}
}
