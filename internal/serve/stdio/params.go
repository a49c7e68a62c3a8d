package stdio

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/engine"
)

// decode reads the parameters of a method; absent ones are an empty object.
func decode(params json.RawMessage, v any) error {
	f := bind.Fields{}
	if len(params) > 0 {
		var err error
		if f, err = bind.Parse(params); err != nil {
			return fmt.Errorf("params: %w", err)
		}
	}
	if err := app.Binder().Decode(f, v, nil); err != nil {
		return fmt.Errorf("params: %w", err)
	}
	return nil
}

// effort bounds what a request uses of the machine.
type effort struct {
	app.Effort
	Progress bool // send events
}

// lateness is how long an engine may take to return after its request was cancelled. Then
// the best that it has reported is the answer.
const lateness = 200 * time.Millisecond

// start bounds a job, and returns the limits of an engine. end frees what the bounds need.
func (s *server) start(j *job, e *effort) (limits engine.Limits, end func()) {
	cancel := func() {}
	if d := time.Duration(e.TimeLimit); d > 0 {
		j.ctx, cancel = context.WithTimeoutCause(j.ctx, d, fmt.Errorf("the time limit of %v was reached", d))
	}
	threads := e.Threads
	if threads == 0 {
		threads = s.Threads
	}
	memory := s.Memory
	if e.Memory > 0 {
		memory = int64(e.Memory)
	}
	late := make(chan struct{})
	stop := context.AfterFunc(j.ctx, func() { time.AfterFunc(lateness, func() { close(late) }) })
	return engine.Limits{Threads: app.Threads(threads), Memory: memory, Late: late}, func() { stop(); cancel() }
}
