// Package progress reports how far a command is, on standard error: as one line on
// a terminal that is rewritten in place, or as events in JSON, one on a line. It
// also estimates the time that the rest takes.
package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sync"
	"time"
)

// Mode is how progress is reported.
type Mode string

// The modes.
const (
	Bar  Mode = "bar"  // one line, rewritten in place
	JSON Mode = "json" // an Event on each line
	None Mode = "none"
)

// refresh is the least time between two lines of frequent events.
const refresh = 100 * time.Millisecond

// Event is one report. Only the fields that belong to its kind are set
// (docs/progress.md).
type Event struct {
	Kind    string  `json:"event"`
	Seconds float64 `json:"seconds"` // since the command began; Report sets it

	Phase     string   `json:"phase,omitempty"`
	Share     *float64 `json:"share,omitempty"` // of the phase that is done, in 0..1
	Reward    *float64 `json:"reward,omitempty"`
	Bound     *float64 `json:"bound,omitempty"`
	Gap       *float64 `json:"gap,omitempty"`
	Plan      any      `json:"plan,omitempty"` // per step the actions, as in an answer
	Iteration int      `json:"iteration,omitempty"`
	Landmarks int      `json:"landmarks,omitempty"`
	Depth     *int     `json:"depth,omitempty"` // of a landmark, in steps
	Holds     *bool    `json:"holds,omitempty"`
	Text      string   `json:"text,omitempty"`

	Step    int    `json:"step,omitempty"` // from 1
	Horizon int    `json:"horizon,omitempty"`
	Status  string `json:"status,omitempty"`
	State   any    `json:"state,omitempty"`
	Action  any    `json:"action,omitempty"`

	Done     *int     `json:"done,omitempty"`
	Of       *int     `json:"of,omitempty"`
	Unit     string   `json:"unit,omitempty"`
	Loss     *float64 `json:"loss,omitempty"`
	Accuracy *float64 `json:"accuracy,omitempty"` // share of right rows, in 0..1
	HeldOut  *float64 `json:"held_out,omitempty"` // the same of rows held out
	Wrong    *int     `json:"wrong,omitempty"`
	Rows     *int     `json:"rows,omitempty"`
	Edges    *int     `json:"edges,omitempty"`
	Left     *float64 `json:"left,omitempty"` // seconds, estimated
	Hidden   []int    `json:"hidden,omitempty"`

	Exit *int `json:"exit,omitempty"` // the command's status

	// Line is the event for people; an event without one is not shown to them.
	Line string `json:"-"`
	// Frequent events may be left out of the line, which is not rewritten more often
	// than every 100 ms for them.
	Frequent bool `json:"-"`
	// Passing events are of no interest once the next one is there: they may be left out for
	// programs, too, and come to them no more often than every 100 ms.
	Passing bool `json:"-"`
}

// Reporter reports the events of one command. Its methods may be called from
// several goroutines. A nil Reporter reports nothing.
type Reporter struct {
	w       io.Writer
	send    func(Event) // takes events in place of w; nil for none
	mode    Mode
	now     func() time.Time
	started time.Time

	mu    sync.Mutex
	last  time.Time
	shown bool // a line is on the terminal
	once  bool // there was a line, or a passing event
}

// New returns a reporter that writes to w; times are by the clock now, from started
// on.
func New(w io.Writer, mode Mode, now func() time.Time, started time.Time) *Reporter {
	return &Reporter{w: w, mode: mode, now: now, started: started}
}

// NewFunc returns a reporter that passes all events to send, one at a time; times are as
// those of New.
func NewFunc(send func(Event), now func() time.Time, started time.Time) *Reporter {
	return &Reporter{send: send, mode: JSON, now: now, started: started}
}

// Machine reports whether programs read the events, so that the fields matter that
// people are not shown.
func (r *Reporter) Machine() bool { return r != nil && r.mode == JSON }

// Enabled reports whether events have a reader.
func (r *Reporter) Enabled() bool { return r != nil && r.mode != None }

// Report reports an event. Errors of writing are ignored: progress is not a result.
func (r *Reporter) Report(e Event) {
	if !r.Enabled() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mode == JSON {
		now := r.now()
		if e.Passing && r.early(now) {
			return
		}
		e.Seconds = round(now.Sub(r.started).Seconds())
		if r.send != nil {
			r.send(e)
		} else if text, err := json.Marshal(e); err == nil {
			r.w.Write(append(text, '\n'))
		}
		return
	}
	if e.Line == "" {
		return
	}
	if (e.Frequent || e.Passing) && r.early(r.now()) {
		return
	}
	r.once, r.shown = true, true
	fmt.Fprintf(r.w, "\r\x1b[K%s", e.Line)
}

// early reports whether it is too early for another event that may be left out. If it is
// not, the next one is not to come before 100 ms.
func (r *Reporter) early(now time.Time) bool {
	if r.once && now.Sub(r.last) < refresh {
		return true
	}
	r.last, r.once = now, true
	return false
}

// Message reports an event that stays on the terminal, on a line of its own.
func (r *Reporter) Message(e Event) {
	if !r.Enabled() {
		return
	}
	if r.mode == JSON {
		r.Report(e)
		return
	}
	r.Clear()
	fmt.Fprintln(r.w, e.Line)
}

// Clear removes the line from the terminal, before a result is written.
func (r *Reporter) Clear() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shown {
		fmt.Fprint(r.w, "\r\x1b[K")
	}
	r.shown = false
}

// Left is a duration as an Event has it.
func Left(d time.Duration, known bool) *float64 {
	if !known {
		return nil
	}
	s := round(d.Seconds())
	return &s
}

// round rounds seconds to milliseconds.
func round(s float64) float64 { return math.Round(s*1000) / 1000 }
