// Package routine runs functions on goroutines of their own. A panic there ends the process, so
// that this is the one way to start a goroutine for a request's work: here a panic becomes an
// error of the request.
package routine

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrInternal is wrapped by errors that are bugs of this program.
var ErrInternal = errors.New("internal error")

// Panic is the error of a function that panicked. It wraps ErrInternal, and the value of the
// panic where that is an error.
type Panic struct {
	Value any
	Stack []byte // of the goroutine that panicked
	calls string // the innermost functions, in a few words
}

// Error returns one line: the value, and where it happened.
func (p *Panic) Error() string {
	return fmt.Sprintf("%v: panic: %s; at %s", ErrInternal, strings.ReplaceAll(fmt.Sprint(p.Value), "\n", " "), p.calls)
}

// Unwrap returns ErrInternal and the value, if that is an error.
func (p *Panic) Unwrap() []error {
	if err, ok := p.Value.(error); ok {
		return []error{ErrInternal, err}
	}
	return []error{ErrInternal}
}

// Catch calls f and returns its error. Its panic is a *Panic.
func Catch(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = caught(v)
		}
	}()
	return f()
}

// Get is Catch for a function with a value.
func Get[T any](f func() (T, error)) (value T, err error) {
	err = Catch(func() (err error) {
		value, err = f()
		return err
	})
	return value, err
}

// caught makes an error of a recovered value. One that was caught before stays as it is.
func caught(v any) *Panic {
	if p, ok := v.(*Panic); ok {
		return p
	}
	return &Panic{Value: v, Stack: debug.Stack(), calls: calls()}
}

// mostCalls is how many functions an error names.
const mostCalls = 8

// calls names the functions that led to a panic, the innermost first.
func calls() string {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(1, pc)])
	var list []string
	panicked := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicked, list = true, nil
		case panicked && !ours(f.Function) && len(list) < mostCalls:
			list = append(list, fmt.Sprintf("%s/%s:%d", path.Base(path.Dir(f.File)), path.Base(f.File), f.Line))
		}
		if !more {
			return strings.Join(list, " < ")
		}
	}
}

// ours reports whether a function is of the runtime or of this package.
func ours(function string) bool {
	return strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "sync.") ||
		strings.Contains(function, "/internal/routine.")
}

// Outcome is what a function on a goroutine returned.
type Outcome[T any] struct {
	Value T
	Err   error // a *Panic if it panicked
}

// Start calls f on a goroutine. The channel gives its outcome, once; nobody needs to take it.
func Start[T any](f func() (T, error)) <-chan Outcome[T] {
	done := make(chan Outcome[T], 1)
	go func() {
		value, err := Get(f)
		done <- Outcome[T]{value, err}
	}()
	return done
}

// InTime calls f, which may wait for a pipe or look at its context too rarely, and returns its
// outcome, or the error of ctx when that ends first: then f is left where it is.
func InTime[T any](ctx context.Context, f func() (T, error)) (T, error) {
	select {
	case o := <-Start(f):
		return o.Value, o.Err
	case <-ctx.Done():
		var zero T
		return zero, ctx.Err()
	}
}

// Go calls f on a goroutine that nobody waits for. Its panic is told to failed.
func Go(f func(), failed func(error)) {
	go func() {
		if err := Catch(func() error { f(); return nil }); err != nil {
			failed(err)
		}
	}()
}

// Group is a group of goroutines that is waited for. The zero value is ready. Go must not be
// called after Wait has returned.
type Group struct {
	wait  sync.WaitGroup
	mu    sync.Mutex
	first *Panic
}

// Go calls f on a goroutine.
func (g *Group) Go(f func()) {
	g.wait.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				g.mu.Lock()
				defer g.mu.Unlock()
				if p := caught(v); g.first == nil {
					g.first = p
				}
			}
		}()
		f()
	})
}

// Each calls f for 0..n-1 on so many goroutines, one at least, and returns the error of ctx, which ends it early.
func Each(ctx context.Context, threads, n int, f func(i int)) error {
	var next atomic.Int64
	var g Group
	for range max(1, min(threads, n)) {
		g.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	g.Wait()
	return ctx.Err()
}

// Wait waits until all have returned. If one panicked, Wait panics with its *Panic: what the
// group was to do is not done.
func (g *Group) Wait() {
	g.wait.Wait()
	if g.first != nil {
		panic(g.first)
	}
}
