package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/routine"
)

// jobList are the jobs of a server, those of earlier servers on the same folder too.
type jobList struct {
	*entries[job]
	data    *dataFolder
	running chan struct{} // has a place for each job that may run

	keyed sync.Mutex // held while a job with an Idempotency-Key is made

	last      int // number of the newest
	preparing int // jobs that were added and not yet started
	ending    bool
	active    sync.WaitGroup
}

// openJobs reads the jobs in a folder. Those that had not ended were interrupted.
func openJobs(data *dataFolder, dir string, running int, now time.Time) (*jobList, error) {
	at, names, err := openShelf(dir)
	if err != nil {
		return nil, err
	}
	l := &jobList{entries: &entries[job]{shelf: at, kind: "job", byID: map[string]*job{}}, data: data, running: make(chan struct{}, running)}
	for _, name := range names {
		n, err := strconv.Atoi(name)
		if err != nil || n < 1 {
			continue
		}
		l.last = max(l.last, n)
		j := &job{dir: filepath.Join(dir, name), changed: make(chan struct{})}
		if known, err := readDocument(filepath.Join(j.dir, jobFile), &j.doc); err != nil {
			return nil, err
		} else if !known {
			continue
		}
		if j.doc.Ended == nil {
			j.doc.Status, j.doc.Ended = Interrupted, &now
			if err := j.save(); err != nil {
				return nil, err
			}
		}
		l.byID[name] = j
	}
	return l, nil
}

// maxKey bounds an Idempotency-Key, in bytes.
const maxKey = 255

// withKey returns the job that a request with the key has started; nil for none. It is an error if that was another request.
func (l *jobList) withKey(key string, q *JobRequest) (*job, error) {
	if len(key) > maxKey {
		return nil, bad("the Idempotency-Key has %d bytes; expected at most %d", len(key), maxKey)
	}
	for _, j := range l.list() {
		j.mu.Lock()
		same, of := j.doc.Key == key, j.doc.Request
		j.mu.Unlock()
		if !same {
			continue
		}
		one, err1 := json.Marshal(of)
		two, err2 := json.Marshal(q)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		if !bytes.Equal(one, two) {
			return nil, &problemError{status: http.StatusUnprocessableEntity, Message: "the Idempotency-Key belongs to another request", Hint: "expected a key of its own for each request"}
		}
		return j, nil
	}
	return nil, nil
}

// list returns the jobs, the newest first.
func (l *jobList) list() []*job {
	out := l.all()
	slices.SortFunc(out, func(a, b *job) int { return cmp.Compare(number(b), number(a)) })
	return out
}

// number is that of a job; its folder has it as its name.
func number(j *job) int {
	n, _ := strconv.Atoi(filepath.Base(j.dir))
	return n
}

// add makes the scratch folder of a new job, which gets its place once it is started. Until
// then it is to be started or dropped.
func (l *jobList) add(q JobRequest, now time.Time, queued int) (*job, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting := l.preparing
	for _, j := range l.byID {
		j.mu.Lock()
		if j.doc.Status == Queued {
			waiting++
		}
		j.mu.Unlock()
	}
	if waiting >= queued {
		return nil, &problemError{status: http.StatusTooManyRequests, Message: fmt.Sprintf("%d jobs wait already", waiting), Hint: "cancel some, or try again later"}
	}
	dir, err := l.data.temporary("job")
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(dir, workFolder), 0o700); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	id := ""
	for free := false; !free; { // of what others may have put there
		l.last++
		id = strconv.Itoa(l.last)
		_, err := os.Lstat(filepath.Join(l.dir, id))
		free = errors.Is(err, fs.ErrNotExist)
	}
	j := &job{dir: dir, changed: make(chan struct{})}
	j.doc = Job{Schema: app.Schema, ID: id, Kind: q.Kind, Problem: q.Problem, Label: q.Label, Status: Queued, Created: now, Request: q}
	l.preparing++
	return j, nil
}

// drop forgets a job that is not to be started.
func (l *jobList) drop(j *job) error {
	l.mu.Lock()
	l.preparing--
	l.mu.Unlock()
	return os.RemoveAll(j.dir)
}

// publish gives a job that is about to run, and is whole, its place and puts it into the list.
func (l *jobList) publish(j *job) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ending {
		return &problemError{status: http.StatusServiceUnavailable, Message: "the server is about to end"}
	}
	dir, err := l.put(j.dir, j.doc.ID)
	if err != nil {
		return err
	}
	j.dir = dir
	l.preparing--
	l.byID[j.doc.ID] = j
	l.active.Add(1)
	return nil
}

// trim removes the oldest jobs that have ended, except for so many.
func (l *jobList) trim(kept int) error {
	var errs []error
	for _, j := range l.list() {
		j.mu.Lock()
		ended := j.doc.Ended != nil && j.cancel == nil
		j.mu.Unlock()
		if !ended {
			continue
		}
		if kept--; kept < 0 {
			errs = append(errs, l.remove(filepath.Base(j.dir)))
		}
	}
	return errors.Join(errs...)
}

// end cancels all jobs as interrupted and waits for them.
func (l *jobList) end() {
	l.mu.Lock()
	l.ending = true
	l.mu.Unlock()
	for _, j := range l.list() {
		j.stop(false)
	}
	l.active.Wait()
}

// stop asks a job to end that is still to run or running.
func (j *job) stop(asked bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.cancel != nil {
		j.asked = j.asked || asked
		j.cancel()
	}
}

// start queues a job whose folder is complete, with the document of its command. After an
// error it is to be dropped.
func (s *Server) start(j *job, d document, limit time.Duration) error {
	ctx, cancel := context.WithCancel(context.Background())
	j.doc.Command = d.line()
	j.cancel = cancel
	err := j.save()
	if err == nil {
		err = s.jobs.publish(j)
	}
	if err != nil {
		cancel()
		return err
	}
	routine.Go(func() {
		defer s.jobs.active.Done()
		defer cancel()
		s.work(ctx, j, d, limit)
	}, s.complain)
	return nil
}

// work waits for a place, runs a job, and keeps its outcome.
func (s *Server) work(ctx context.Context, j *job, d document, limit time.Duration) {
	outcome := finished{status: Cancelled}
	select {
	case s.jobs.running <- struct{}{}:
		var err error
		outcome, err = routine.Get(func() (finished, error) { return s.perform(ctx, j, d, limit), nil })
		if err != nil {
			outcome = s.broken(err)
		}
		<-s.jobs.running
	case <-ctx.Done():
	}
	now := s.config.Now()
	j.mu.Lock()
	if outcome.status == Cancelled && !j.asked {
		outcome.status = Interrupted
	}
	j.doc.Status, j.doc.Exit, j.doc.Error, j.doc.Ended = outcome.status, outcome.exit, outcome.said, &now
	if outcome.reward != nil {
		j.doc.Reward = outcome.reward
	}
	if outcome.bound != nil {
		j.doc.Bound = outcome.bound
	}
	j.doc.Verdict = outcome.verdict
	j.mu.Unlock()
	j.state("done", now)
	s.complain(j.save())
	s.complain(j.archive())
	j.mu.Lock()
	j.cancel = nil
	close(j.changed)
	j.changed = make(chan struct{})
	j.mu.Unlock()
	s.complain(s.jobs.trim(s.config.Limits.Kept))
}

// finished is the outcome of a job.
type finished struct {
	status        Status
	exit          *int
	said          *problemError
	reward, bound *float64
	verdict       string
}

// perform runs the command of a job.
func (s *Server) perform(ctx context.Context, j *job, d document, limit time.Duration) finished {
	now := s.config.Now()
	j.mu.Lock()
	j.doc.Status, j.doc.Started = Running, &now
	j.mu.Unlock()
	s.complain(j.save())
	j.state("state", now)
	if limit > 0 { // beyond what the command allows itself
		bounded, cancel := context.WithTimeout(ctx, limit+grace)
		defer cancel()
		ctx = bounded
	}
	answer, err := os.OpenFile(filepath.Join(j.dir, answerFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return s.broken(err)
	}
	exit, said, err := s.exec(ctx, command{dir: filepath.Join(j.dir, workFolder), asks: d, answer: answer, line: j.note})
	if err := errors.Join(err, answer.Close()); err != nil {
		return s.broken(err)
	}
	if exit == exitDone || exit == exitNo {
		if err := s.complete(context.WithoutCancel(ctx), j); err != nil {
			return s.broken(err)
		}
	}
	return s.judge(ctx, j, exit, said)
}

// judge returns the outcome of a command that ended.
func (s *Server) judge(ctx context.Context, j *job, exit int, said *problemError) finished {
	out := finished{status: Done, exit: &exit, said: said}
	text, err := readAnswer(filepath.Join(j.dir, answerFile))
	if err != nil {
		return s.broken(err)
	}
	var doc struct {
		Verdict string   `json:"verdict"`
		Reward  *float64 `json:"reward"`
		Bound   *float64 `json:"bound"`
	}
	if json.Unmarshal(text, &doc) == nil { // an answer may have other types there
		out.verdict, out.reward, out.bound = doc.Verdict, doc.Reward, doc.Bound
	}
	switch {
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled):
		out.status, out.said = Cancelled, nil
	case text != nil && (exit == exitDone || exit == exitLimit || exit == exitNo):
		out.said = nil
	default:
		out.status = Failed
		if out.said == nil {
			out.said = &problemError{Message: fmt.Sprintf("the command ended with status %d and no answer; it may have been short of memory", exit)}
		}
	}
	return out
}

// broken is the outcome of a job that the server itself failed in.
func (s *Server) broken(err error) finished {
	s.complain(err)
	return finished{status: Failed, said: faultOf(err)}
}

// complain logs an error that no request waits for.
func (s *Server) complain(err error) {
	if err != nil {
		s.config.Log.Print(err)
	}
}

// ShellWords writes arguments as a shell reads them.
func ShellWords(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a
		if a == "" || strings.ContainsFunc(a, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+@%", r)
		}) {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}
