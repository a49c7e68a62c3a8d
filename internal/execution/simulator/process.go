package simulator

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/fdplan/fdplan/internal/process"
	"github.com/fdplan/fdplan/problem/factored"
)

// ProcessOptions set the limits of a process.
type ProcessOptions struct {
	Timeout time.Duration // for each answer, including the first; DefaultTimeout if 0
	Grace   time.Duration // for ending by itself when closed; 2 s if 0
}

// DefaultTimeout is the time limit for an answer.
const DefaultTimeout = 30 * time.Second

const (
	defaultGrace = 2 * time.Second
	lastWords    = 200 * time.Millisecond // for what a process has written before its end
	maxLine      = 16 << 20               // bytes of an answer
	stderrTail   = 4 << 10
)

// Process is a program that simulates, as specified in docs/simulators.md.
type Process struct {
	p       *factored.Problem
	o       ProcessOptions
	command string
	info    Info

	child   *process.Child
	lines   chan []byte   // answers, closed when there are no more
	readErr error         // the reason, set before lines is closed
	closing chan struct{} // tells the reader that nobody is listening
	stop    func() bool   // releases the context

	calls int
	last  factored.Valuation // the last state; nil after a reset that asks for none
	acted factored.Valuation // the action since; nil for none
	// unseen names the variables that last does not show.
	unseen []string
	dead   error // of the call that failed
	close  sync.Once
}

// Start starts a command line for problem p and sends it hello. The command is split at
// blanks and quotes; no shell is used. The process leads a process group of its own, which is
// killed if ctx ends, if a call fails, and by Close, unless it ends by itself. Errors are
// *ProcessError or ctx's.
func Start(ctx context.Context, p *factored.Problem, command string, o ProcessOptions) (*Process, error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	s := &Process{p: p, o: o, command: command, lines: make(chan []byte), closing: make(chan struct{})}
	if err := s.start(ctx); err != nil {
		return nil, &ProcessError{Kind: ErrStart, Command: command, Detail: err.Error()}
	}
	if err := s.hello(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Process) start(ctx context.Context) error {
	words, err := process.Split(s.command)
	if err != nil {
		return err
	}
	if s.child, err = process.StartChild(exec.Command(words[0], words[1:]...), s.o.Grace, stderrTail); err != nil {
		return err
	}
	s.stop = context.AfterFunc(ctx, s.kill)
	go s.read()
	return nil
}

// kill kills the process and those of its group.
func (s *Process) kill() { _ = process.KillGroup(s.child.Cmd) }

// read passes on lines until there are none.
func (s *Process) read() {
	scanner := bufio.NewScanner(s.child.Out)
	scanner.Buffer(nil, maxLine)
	listening := true
	for listening && scanner.Scan() {
		if len(bytes.TrimSpace(scanner.Bytes())) == 0 {
			continue
		}
		select {
		case s.lines <- bytes.Clone(scanner.Bytes()):
		case <-s.closing:
			listening = false
		}
	}
	s.readErr = scanner.Err()
	close(s.lines)
}

// Info returns the process's description of itself.
func (s *Process) Info() Info { return s.info }

// call sends a request and returns the line that answers it.
func (s *Process) call(ctx context.Context, kind string, request []byte) ([]byte, error) {
	if s.dead != nil {
		return nil, s.dead
	}
	timer := time.NewTimer(s.o.Timeout)
	defer timer.Stop()
	exited := s.child.Ended
	var ended <-chan time.Time // when what it wrote before its end has been read
	written := make(chan error, 1)
	go func() {
		_, err := s.child.In.Write(request)
		written <- err
	}()
	for {
		select {
		case err := <-written:
			if err != nil && !errors.Is(err, os.ErrClosed) {
				// The process has ended, or has closed its input; its output shows which.
				return nil, s.crashed(ctx, kind)
			}
			written = nil
		case line, ok := <-s.lines:
			if !ok {
				return nil, s.crashed(ctx, kind)
			}
			return line, nil
		case <-exited:
			exited, ended = nil, time.After(lastWords)
		case <-ended:
			return nil, s.crashed(ctx, kind)
		case <-timer.C:
			return nil, s.fail(ErrTimeout, kind, fmt.Sprintf("nothing came within %v", s.o.Timeout), nil)
		case <-ctx.Done():
			return nil, s.cancelled(ctx)
		}
	}
}

// cancelled stops the process because the context ended.
func (s *Process) cancelled(ctx context.Context) error {
	s.kill()
	s.dead = fmt.Errorf("the simulator %q was stopped: %w", s.command, context.Cause(ctx))
	return s.dead
}

// crashed describes how a process ended that closed its output.
func (s *Process) crashed(ctx context.Context, kind string) error {
	if ctx.Err() != nil { // the group was killed because of that
		return s.cancelled(ctx)
	}
	detail := "it closed its standard input or output"
	lines, exited, patience := s.lines, s.child.Ended, time.After(s.o.Grace)
	for lines != nil || exited != nil {
		select {
		case _, ok := <-lines:
			// Anything it wrote after its last answer is useless, since it cannot be called
			// again.
			if ok {
				continue
			}
			lines = nil
			if errors.Is(s.readErr, bufio.ErrTooLong) {
				return s.fail(ErrNonsense, kind, fmt.Sprintf("a line of more than %d MiB", maxLine>>20), nil)
			}
		case <-exited:
			exited, patience = nil, time.After(lastWords)
			detail = "exit status 0"
			if s.child.Err != nil && !errors.Is(s.child.Err, exec.ErrWaitDelay) {
				detail = s.child.Err.Error()
			}
		case <-patience:
			lines, exited = nil, nil
		}
	}
	return s.fail(ErrCrash, kind, detail, nil)
}

// fail kills the process and returns the error that all later calls return too.
func (s *Process) fail(what error, kind, detail string, line []byte) error {
	s.kill()
	s.dead = &ProcessError{
		Kind: what, Command: s.command, Call: kind, Number: s.calls - 1, Detail: detail,
		Line: string(line), Stderr: s.child.Said.String(),
	}
	return s.dead
}

// Close closes the input of the process, which tells it to end. It kills the process group if
// the process does not end or leaves other processes behind.
func (s *Process) Close() error {
	s.close.Do(func() {
		s.stop()
		close(s.closing)
		s.child.In.Close()
		select {
		case <-s.child.Ended:
		case <-time.After(s.o.Grace):
		}
		s.kill()
		select {
		case <-s.child.Ended:
		case <-time.After(s.o.Grace):
		}
		// A process that left the group may still have the pipe open: do not wait for it.
		s.child.Out.Close()
		if s.dead == nil {
			s.dead = fmt.Errorf("the simulator %q is closed", s.command)
		}
	})
	return nil
}
