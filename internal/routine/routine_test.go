package routine_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fdplan/fdplan/internal/routine"
)

var errValue = errors.New("a value\nof two lines")

func fails() { panic(errValue) }

func dereferences() int {
	var p *struct{ x int }
	return p.x
}

// check wants the error of a panic: one line that names the function.
func check(t *testing.T, err error, want, place string) {
	t.Helper()
	var p *routine.Panic
	if !errors.As(err, &p) || !errors.Is(err, routine.ErrInternal) {
		t.Fatalf("%v is not the error of a panic", err)
	}
	if text := err.Error(); !strings.HasPrefix(text, "internal error: panic: "+want) || !strings.Contains(text, "; at "+place) || strings.Contains(text, "\n") {
		t.Errorf("%s", text)
	}
	if !strings.Contains(string(p.Stack), "routine_test.go") {
		t.Errorf("the stack is %s", p.Stack)
	}
}

func TestCatch(t *testing.T) {
	err := routine.Catch(func() error { fails(); return nil })
	check(t, err, "a value of two lines", "routine/routine_test.go:14 < routine/routine_test.go:")
	if !errors.Is(err, errValue) {
		t.Error("the value is lost")
	}
	_, err = routine.Get(func() (int, error) { return dereferences(), nil })
	check(t, err, "runtime error: invalid memory address or nil pointer dereference", "routine/routine_test.go:18 < ")
	if x, err := routine.Get(func() (int, error) { return 7, errValue }); x != 7 || err != errValue {
		t.Error(x, err)
	}
}

func TestStart(t *testing.T) {
	if o := <-routine.Start(func() (int, error) { return 7, nil }); o.Value != 7 || o.Err != nil {
		t.Error(o)
	}
	o := <-routine.Start(func() (int, error) { return dereferences(), nil })
	check(t, o.Err, "runtime error", "routine/routine_test.go:18")
	failed := make(chan error)
	routine.Go(fails, func(err error) { failed <- err })
	check(t, <-failed, "a value", "routine/routine_test.go:14")
}

// TestGroup: all others end before the panic is raised again, with its own stack, through
// groups inside groups.
func TestGroup(t *testing.T) {
	var ended atomic.Int32
	err := routine.Catch(func() error {
		var outer routine.Group
		outer.Go(func() {
			var g routine.Group
			release := make(chan bool)
			for range 3 {
				g.Go(func() { <-release; ended.Add(1) })
			}
			g.Go(func() { defer close(release); fails() })
			g.Wait()
			t.Error("Wait returns")
		})
		outer.Wait()
		return nil
	})
	check(t, err, "a value", "routine/routine_test.go:14")
	if ended.Load() != 3 {
		t.Errorf("%d have ended", ended.Load())
	}
	var g routine.Group
	g.Go(func() {})
	g.Wait()
}
