package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/request"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/progress"
	"github.com/fdplan/fdplan/internal/routine"
)

// Config contains what a session needs of its process.
type Config struct {
	In  io.Reader
	Out io.Writer
	Now func() time.Time // the clock

	Threads int   // of each request; 0 for one per core
	Memory  int64 // bytes for the tables of an engine; 0 for no bound

	// Describe returns an error as JSON, and the exit status of a command that fails with it.
	Describe func(error) (app.Complaint, int)

	// Divide, where it is set, makes the engine that plans from that of a request's options.
	Divide func(engine.Engine) engine.Engine
}

// ErrStopped is wrapped by the error of a request that was cancelled, or reached its time
// limit, before there was an answer.
var ErrStopped = errors.New("no answer yet")

var errCancelled = errors.New("the request was cancelled")

// Serve answers requests in their order until the input ends or ctx does. It returns an error
// only if a stream fails.
func Serve(ctx context.Context, c Config) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &server{Config: c, ctx: ctx, cancel: cancel, problems: map[int]*loaded{}, jobs: map[string]*job{}}
	defer s.closeAll()
	waiting := newBacklog()
	stop := context.AfterFunc(ctx, waiting.close)
	defer stop()
	read := routine.Start(func() (struct{}, error) {
		defer waiting.close()
		return struct{}{}, s.read(waiting)
	})
	for j := waiting.next(); j != nil; j = waiting.next() {
		s.answer(j)
	}
	if ctx.Err() != nil { // the reader may wait for input that never comes
		return s.failed()
	}
	return errors.Join((<-read).Err, s.failed())
}

// server is one call of Serve. The goroutine that answers owns the problems.
type server struct {
	Config
	ctx      context.Context // of the session: systems outlive the request that opens them
	cancel   context.CancelCauseFunc
	problems map[int]*loaded
	last     int // handle given last

	mu     sync.Mutex
	jobs   map[string]*job // that wait or run, by id
	broken error           // of writing
}

// job is a request that waits or runs.
type job struct {
	message
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// read reads requests until the input ends. A request to cancel is answered at once; others
// wait for their turn.
func (s *server) read(waiting *backlog) error {
	in := bufio.NewReaderSize(s.In, 1<<16)
	for {
		line, err := readLine(in)
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if j := s.accept(text); j != nil {
				waiting.add(j)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			s.fail(nil, err)
			return fmt.Errorf("reading requests: %w", err)
		}
	}
}

// readLine reads up to and with the next end of a line, or to the end of the input.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, fmt.Errorf("a request has more than %d bytes", maxLine)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// accept makes a job of a line; nil for a line that is answered at once.
func (s *server) accept(line []byte) *job {
	r, err := parse(line)
	if err != nil {
		s.fail(r.ID, err)
		return nil
	}
	if r.Method == "cancel" {
		s.cancelJob(&r)
		return nil
	}
	j := &job{message: r}
	j.ctx, j.cancel = context.WithCancelCause(s.ctx)
	s.mu.Lock()
	_, taken := s.jobs[string(r.ID)]
	if !taken {
		s.jobs[string(r.ID)] = j
	}
	s.mu.Unlock()
	if taken {
		j.cancel(nil)
		s.fail(r.ID, errors.New("a request with this id is not answered yet"))
		return nil
	}
	return j
}

// cancelJob cancels another request, which then ends with what it has.
func (s *server) cancelJob(r *message) {
	var params struct{ Request json.RawMessage }
	if err := decode(r.Params, &params); err != nil {
		s.fail(r.ID, err)
		return
	}
	s.mu.Lock()
	j := s.jobs[string(params.Request)]
	s.mu.Unlock()
	if j != nil {
		j.cancel(errCancelled)
	}
	s.write(answer{r.ID, struct {
		Cancelled bool `json:"cancelled"` // false if the request has ended already
	}{j != nil}})
}

// answer carries out a job.
func (s *server) answer(j *job) {
	cancel := j.cancel
	defer cancel(nil)
	result, err := routine.Get(func() (any, error) { return s.carryOut(j) })
	s.mu.Lock()
	delete(s.jobs, string(j.ID))
	s.mu.Unlock()
	switch {
	case err == nil:
		s.write(answer{j.ID, result})
	case j.ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		s.fail(j.ID, fmt.Errorf("%w: %w", ErrStopped, context.Cause(j.ctx)))
	default:
		s.fail(j.ID, &inParams{err, j.Params})
	}
}

// inParams is an error about the parameters of a request.
type inParams struct {
	error
	params json.RawMessage
}

func (e *inParams) Unwrap() error { return e.error }

// carryOut calls the method of a job, unless it was cancelled while it waited.
func (s *server) carryOut(j *job) (any, error) {
	m, ok := methods()[j.Method]
	switch {
	case !ok:
		return nil, fmt.Errorf("there is no method %.40q; expected one of %s", j.Method, methodNames())
	case j.ctx.Err() != nil:
		return nil, j.ctx.Err()
	}
	return m(s, j)
}

// reporter returns the reporter of the progress of a job; nil unless that is wanted.
func (s *server) reporter(j *job, wanted bool) *progress.Reporter {
	if !wanted {
		return nil
	}
	return progress.NewFunc(func(e progress.Event) { s.write(event{j.ID, e}) }, s.Now, s.Now())
}

// fail writes an error.
func (s *server) fail(id json.RawMessage, err error) {
	c, exit := s.Describe(err)
	if in := new(inParams); errors.As(err, &in) {
		f, _ := bind.Parse(in.params) // to name what they name
		c.Error = app.Binder().InJSON(c.Error, struct {
			request.Plan
			explain.VerifyRequest
		}{}, f)
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	s.write(failure{id, c, exit})
}

// write writes a line. When the reader is gone, all requests end.
func (s *server) write(v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return
	}
	if err := app.WriteJSON(s.Out, v); err != nil {
		s.broken = fmt.Errorf("writing an answer: %w", err)
		s.cancel(s.broken)
	}
}

// failed returns the error of writing.
func (s *server) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken
}
