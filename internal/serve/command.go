package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fdplan/fdplan/internal/process"
	"github.com/fdplan/fdplan/internal/routine"
)

// grace is how long a command may take to answer after it was asked to end.
const grace = 3 * time.Second

// maxLine bounds a line of standard error; the rest of a longer one is dropped.
const maxLine = 1 << 20

// maxAnswer bounds an answer that is read into memory.
const maxAnswer = 64 << 20

// The exit statuses of fdplan that the server tells apart (docs/formats.md).
const (
	exitDone  = 0
	exitLimit = 3 // a limit was reached before there was an answer
	exitNo    = 4 // the answer is no
)

// command is a run of fdplan in a process of its own.
type command struct {
	dir    string // that it runs in: names in its messages are relative to it
	asks   document
	answer io.Writer         // takes standard output
	line   func(line []byte) // takes each line of standard error; nil for none
}

// exec runs a command and returns its exit status with the error that it printed, if any. When
// ctx ends, the command is asked to end with what it has found, and killed if it does not. The
// status is -1 if it was killed or not started.
func (s *Server) exec(ctx context.Context, c command) (exit int, said *problemError, err error) {
	text, err := json.Marshal(c.asks)
	if err != nil {
		return 0, nil, fmt.Errorf("starting a command: %w", err)
	}
	program, err := s.programOf(c.asks.Command)
	if err != nil {
		return 0, nil, fmt.Errorf("starting a command: %w", err)
	}
	cmd := process.Command(ctx, grace, program[0], append(program[1:len(program):len(program)], "request")...)
	cmd.Dir, cmd.Stdin, cmd.Stdout = c.dir, bytes.NewReader(text), c.answer
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return 0, nil, fmt.Errorf("starting a command: %w", err)
	}
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return -1, nil, nil
		}
		return 0, nil, fmt.Errorf("starting a command: %w", err)
	}
	ended := make(chan struct{})
	defer close(ended)
	routine.Go(func() { killLate(ctx, cmd.Process.Pid, ended) }, s.complain)
	read := routine.Start(func() (*problemError, error) { return readLines(stderr, c.dir, c.line), nil })
	var lost error // of reading
	// Wait closes the pipe: everything has to be read before, unless it is held open by what
	// the command has left behind.
	select {
	case o := <-read:
		said, lost = o.Value, o.Err
		err = process.Wait(cmd)
	case <-afterEnd(ctx, 2*grace):
		err = process.Wait(cmd)
		o := <-read
		said, lost = o.Value, o.Err
	}
	if lost != nil {
		return 0, nil, lost
	}
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		return failed.ExitCode(), said, nil
	}
	if err != nil && ctx.Err() == nil {
		return 0, nil, fmt.Errorf("running a command: %w", err)
	}
	return cmd.ProcessState.ExitCode(), said, nil
}

// programOf is the command line of a command.
func (s *Server) programOf(command string) ([]string, error) {
	if s.config.Laboratory == nil || command != "bench" && command != "report" {
		return s.config.Program, nil
	}
	program, err := s.config.Laboratory()
	return []string{program}, err
}

// killLate kills what a command has started if the command has not ended a while after ctx has,
// shortly before it is killed itself.
func killLate(ctx context.Context, pid int, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	late := time.NewTimer(grace * 9 / 10)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C:
		process.KillDescendants(pid)
	}
}

// afterEnd is closed some time after the end of ctx.
func afterEnd(ctx context.Context, d time.Duration) <-chan struct{} {
	late := make(chan struct{})
	context.AfterFunc(ctx, func() { time.AfterFunc(d, func() { close(late) }) })
	return late
}

// readLines passes the lines of r on and returns the error among them. Names of files are made
// relative to dir: where the server keeps them is its own affair.
func readLines(r io.Reader, dir string, line func([]byte)) *problemError {
	var said *problemError
	b := bufio.NewReaderSize(r, 64<<10)
	prefix := []byte(dir + string(filepath.Separator))
	for {
		text, err := readLine(b)
		text = bytes.ReplaceAll(text, prefix, nil)
		if len(text) > 0 {
			if e := complaint(text); e != nil {
				said = e
			} else if line != nil {
				line(text)
			}
		}
		if err != nil {
			_, _ = io.Copy(io.Discard, b) // of a line that cannot be read
			return said
		}
	}
}

// readLine reads a line of at most maxLine bytes.
func readLine(b *bufio.Reader) ([]byte, error) {
	var out []byte
	for {
		part, err := b.ReadSlice('\n')
		if room := maxLine - len(out); room > 0 {
			out = append(out, part[:min(len(part), room)]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(out), err
		}
	}
}

// complaint reads the error that ended a command, as JSON or as text; nil if the line is none.
func complaint(line []byte) *problemError {
	e := &problemError{status: http.StatusBadRequest}
	if text, ok := strings.CutPrefix(string(line), "fdplan: "); ok && !strings.HasPrefix(text, "warning: ") {
		e.Message = text
	} else if line[0] != '{' || json.Unmarshal(line, e) != nil || e.Message == "" {
		return nil
	}
	if strings.Contains(e.Message, syscall.ENOSPC.Error()) {
		return diskFull()
	}
	return e
}

// waited bounds commands that requests wait for.
type waited struct {
	places chan struct{} // has a place for each that may run
	limit  time.Duration
}

// newWaited returns the bounds of commands that take so long at most.
func newWaited(l Limits, limit time.Duration) *waited {
	return &waited{places: make(chan struct{}, 2*l.Running), limit: limit}
}

// ask runs a short command and returns its answer. An error that the command prints is a
// *problemError.
func (s *Server) ask(ctx context.Context, dir, command string, request map[string]any) ([]byte, error) {
	return s.await(ctx, s.short, dir, document{command, request})
}

// study is ask for a command that reads a log, which may be long.
func (s *Server) study(ctx context.Context, dir, command string, request map[string]any) ([]byte, error) {
	return s.await(ctx, s.long, dir, document{command, request})
}

// await runs a command that a request waits for. Its limits are added.
func (s *Server) await(ctx context.Context, bounds *waited, dir string, d document) ([]byte, error) {
	if d.Command != "list" { // which takes none
		d.Request["memory"], d.Request["time_limit"] = s.config.Limits.Memory, bounds.limit.String()
	}
	ctx, cancel := context.WithTimeout(ctx, bounds.limit)
	defer cancel()
	select {
	case bounds.places <- struct{}{}:
		defer func() { <-bounds.places }()
	case <-ctx.Done():
		return nil, &problemError{status: http.StatusServiceUnavailable, Message: "the server is busy", Hint: "try again later"}
	}
	out := process.Head{Limit: maxAnswer}
	exit, said, err := s.exec(ctx, command{dir: dir, asks: d, answer: &out})
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil || exit == exitLimit:
		return nil, bad("it takes longer than %v, or more memory than %d bytes", bounds.limit, s.config.Limits.Memory)
	case said != nil:
		return nil, said
	case exit != exitDone && exit != exitNo:
		return nil, fmt.Errorf("fdplan %s ended with status %d", d.Command, exit)
	case out.Over:
		return nil, bad("the answer has more than %d bytes", maxAnswer)
	}
	return out.Bytes(), nil
}
