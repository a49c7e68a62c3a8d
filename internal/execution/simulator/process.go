package simulator

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/fdplan/fdplan/internal/process"
	"github.com/fdplan/fdplan/problem/factored"
)

// ProcessOptions bound a process.
type ProcessOptions struct {
	Timeout time.Duration // for each answer, the first included; DefaultTimeout when 0
	Grace   time.Duration // to end by itself when closed; 2 s when 0
}

// DefaultTimeout is how long an answer may take.
const DefaultTimeout = 30 * time.Second

const (
	defaultGrace = 2 * time.Second
	maxLine      = 16 << 20 // bytes of an answer
	stderrTail   = 4 << 10
)

// Process is a program that simulates, as docs/simulators.md specifies.
type Process struct {
	p       *factored.Problem
	o       ProcessOptions
	command string
	info    Info

	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stdout  io.ReadCloser
	stderr  *process.Tail
	lines   chan []byte   // answers, closed when there are no more
	readErr error         // why, set before lines is closed
	closing chan struct{} // tells the reader that nobody listens
	exited  chan struct{} // closed when the process has been waited for
	exitErr error         // how it ended, set before exited is closed
	stop    func() bool   // releases the context

	calls int
	dead  error // of the call that failed
	close sync.Once
}

// Start starts a command line for problem p and greets it. The command is split
// by quotes and blanks; no shell is asked. The process leads a group of its
// own, which is killed when ctx ends, when a call fails, and by Close, where it
// does not end by itself. Errors are *ProcessError or ctx's.
func Start(ctx context.Context, p *factored.Problem, command string, o ProcessOptions) (*Process, error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	s := &Process{
		p: p, o: o, command: command, stderr: &process.Tail{Limit: stderrTail},
		lines: make(chan []byte), closing: make(chan struct{}), exited: make(chan struct{}),
	}
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
	s.cmd = exec.Command(words[0], words[1:]...)
	s.cmd.Stderr = s.stderr
	s.cmd.WaitDelay = s.o.Grace
	process.SetGroup(s.cmd)
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	if s.stdout, err = s.cmd.StdoutPipe(); err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.stop = context.AfterFunc(ctx, func() { _ = process.KillGroup(s.cmd) })
	go s.read()
	return nil
}

// read hands over lines until there are none, then waits for the process.
func (s *Process) read() {
	scanner := bufio.NewScanner(s.stdout)
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
	s.exitErr = s.cmd.Wait()
	close(s.exited)
}

// Info is what the process said of itself.
func (s *Process) Info() Info { return s.info }

// call sends a request and gives the line that answers it.
func (s *Process) call(ctx context.Context, kind string, request []byte) ([]byte, error) {
	if s.dead != nil {
		return nil, s.dead
	}
	timer := time.NewTimer(s.o.Timeout)
	defer timer.Stop()
	written := make(chan error, 1)
	go func() {
		_, err := s.stdin.Write(request)
		written <- err
	}()
	for {
		select {
		case err := <-written:
			if err != nil && !errors.Is(err, os.ErrClosed) {
				// It has ended, or has closed its input; which, its output tells.
				return nil, s.crashed(ctx, kind)
			}
			written = nil
		case line, ok := <-s.lines:
			if !ok {
				return nil, s.crashed(ctx, kind)
			}
			return line, nil
		case <-timer.C:
			return nil, s.fail(ErrTimeout, kind, fmt.Sprintf("nothing came within %v", s.o.Timeout), nil)
		case <-ctx.Done():
			return nil, s.cancelled(ctx)
		}
	}
}

// cancelled ends the process because the context did.
func (s *Process) cancelled(ctx context.Context) error {
	_ = process.KillGroup(s.cmd)
	s.dead = fmt.Errorf("the simulator %q was stopped: %w", s.command, context.Cause(ctx))
	return s.dead
}

// crashed says how a process ended that closed its output.
func (s *Process) crashed(ctx context.Context, kind string) error {
	if ctx.Err() != nil { // the group was killed for that
		return s.cancelled(ctx)
	}
	detail := "it closed its standard input or output"
	patience := time.NewTimer(s.o.Grace)
	defer patience.Stop()
	for waiting := true; waiting; {
		select {
		case _, ok := <-s.lines:
			// What it said after its last answer is of no use: it is not there
			// to be asked on.
			if ok {
				continue
			}
			if errors.Is(s.readErr, bufio.ErrTooLong) {
				return s.fail(ErrNonsense, kind, fmt.Sprintf("a line of more than %d MiB", maxLine>>20), nil)
			}
			select {
			case <-s.exited:
				detail = "exit status 0"
				if s.exitErr != nil {
					detail = s.exitErr.Error()
				}
			case <-patience.C:
			}
			waiting = false
		case <-patience.C:
			waiting = false
		}
	}
	return s.fail(ErrCrash, kind, detail, nil)
}

// fail kills the process and gives the error that all later calls get too.
func (s *Process) fail(what error, kind, detail string, line []byte) error {
	_ = process.KillGroup(s.cmd)
	s.dead = &ProcessError{
		Kind: what, Command: s.command, Call: kind, Number: s.calls - 1, Detail: detail,
		Line: string(line), Stderr: s.stderr.String(),
	}
	return s.dead
}

// Close tells the process to end, by the end of its input, and kills its group
// when it does not, or left others behind.
func (s *Process) Close() error {
	s.close.Do(func() {
		s.stop()
		close(s.closing)
		s.stdin.Close()
		select {
		case <-s.exited:
		case <-time.After(s.o.Grace):
		}
		_ = process.KillGroup(s.cmd)
		select {
		case <-s.exited:
		case <-time.After(s.o.Grace):
			// Something that left the group holds the pipe: do not wait for it.
			s.stdout.Close()
			<-s.exited
		}
		if s.dead == nil {
			s.dead = fmt.Errorf("the simulator %q is closed", s.command)
		}
	})
	return nil
}
