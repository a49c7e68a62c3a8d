package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// pulse is how often a stream without events sends a comment, so that a connection that is
// dead is noticed.
const pulse = 15 * time.Second

// slowest is how long a follower may take to read what it was sent.
const slowest = 30 * time.Second

// stream is a list of events that grows. Since returns those after the first n, the number of
// all of them, what is closed at the next one, and whether there will be none.
type stream interface {
	since(n int) (events [][]byte, all int, changed <-chan struct{}, ended bool, err error)
}

// follow sends the events of a stream until it ends or the reader leaves.
func (s *Server) follow(w http.ResponseWriter, r *http.Request, from stream) error {
	n := 0
	if text := r.Header.Get("Last-Event-ID"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 0 {
			return bad("Last-Event-ID is %.40q; expected the number of an event", text)
		}
	}
	select {
	case s.followers <- struct{}{}:
		defer func() { <-s.followers }()
	default:
		return &problemError{status: http.StatusServiceUnavailable, Message: fmt.Sprintf("there are %d followers already", maxFollowers), Hint: "close other pages"}
	}
	events, all, changed, ended, err := from.since(n)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	out := &follower{w: w, control: http.NewResponseController(w)}
	_ = out.control.SetReadDeadline(time.Time{})
	for {
		if !out.send(events, all) || ended {
			return nil
		}
		n = max(n, all)
		if !out.wait(r.Context(), changed) {
			return nil
		}
		if events, all, changed, ended, err = from.since(n); err != nil {
			s.complain(err) // the answer has begun
			return nil
		}
	}
}

// follower is the reader of a stream.
type follower struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// send writes events, the last of which is the last of all. It reports whether the reader is
// still there.
func (f *follower) send(events [][]byte, all int) bool {
	var b bytes.Buffer
	for i, e := range events {
		var kind struct {
			Event string `json:"event"`
		}
		if json.Unmarshal(e, &kind) != nil {
			kind.Event = "log"
		}
		fmt.Fprintf(&b, "id: %d\nevent: %s\ndata: %s\n\n", all-len(events)+i+1, kind.Event, e)
	}
	return f.write(b.Bytes())
}

// write sends bytes at once.
func (f *follower) write(text []byte) bool {
	_ = f.control.SetWriteDeadline(time.Now().Add(slowest))
	_, err := f.w.Write(text)
	return errors.Join(err, f.control.Flush()) == nil
}

// wait waits for the next event. It reports whether the reader is still there.
func (f *follower) wait(ctx context.Context, changed <-chan struct{}) bool {
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	for {
		select {
		case <-changed:
			return true
		case <-ctx.Done():
			return false
		case <-tick.C:
			if !f.write([]byte(": still here\n\n")) {
				return false
			}
		}
	}
}

// followJob sends the events of a job.
func (s *Server) followJob(w http.ResponseWriter, r *http.Request, j *job) error {
	return s.follow(w, r, j)
}
