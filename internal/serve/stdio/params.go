package stdio

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
)

// decode reads the parameters of a method; absent ones are an empty object.
func decode(params json.RawMessage, v any) error {
	if len(params) == 0 {
		return nil
	}
	if err := strictly(params, v); err != nil {
		return fmt.Errorf("params: %w", err)
	}
	return nil
}

// effort bounds what a request uses of the machine.
type effort struct {
	TimeLimit float64 `json:"time_limit"` // seconds; 0 for none
	Threads   int     `json:"threads"`    // 0 for those of the session
	Progress  bool    `json:"progress"`   // send events
}

const (
	// maxSeconds keeps a time limit within a time.Duration.
	maxSeconds = 1e9
	// lateness is how long an engine may take to return after its request was cancelled. Then
	// the best that it has reported is the answer.
	lateness = 200 * time.Millisecond
)

// start bounds a job, and returns the limits of an engine. end frees what the bounds need.
func (s *server) start(j *job, e *effort) (limits engine.Limits, end func(), err error) {
	if e.TimeLimit < 0 || e.TimeLimit > maxSeconds || e.Threads < 0 {
		return limits, nil, fmt.Errorf("params: time_limit %v, threads %d; expected no negative number, and at most %v seconds", e.TimeLimit, e.Threads, maxSeconds)
	}
	cancel := func() {}
	if e.TimeLimit > 0 {
		d := time.Duration(e.TimeLimit * float64(time.Second))
		j.ctx, cancel = context.WithTimeoutCause(j.ctx, d, fmt.Errorf("the time limit of %v was reached", d))
	}
	threads := e.Threads
	if threads == 0 {
		threads = s.Threads
	}
	late := make(chan struct{})
	stop := context.AfterFunc(j.ctx, func() { time.AfterFunc(lateness, func() { close(late) }) })
	return engine.Limits{Threads: app.Threads(threads), Memory: s.Memory, Late: late}, func() { stop(); cancel() }, nil
}

// horizon is a number of steps, or a pair of the least and the greatest.
type horizon struct{ min, max int }

// UnmarshalJSON reads 4 or [4, 10].
func (h *horizon) UnmarshalJSON(text []byte) error {
	var pair []int
	if err := json.Unmarshal(text, &h.min); err == nil {
		h.max = h.min
	} else if err := json.Unmarshal(text, &pair); err == nil && len(pair) == 2 {
		h.min, h.max = pair[0], pair[1]
	}
	if h.min < 1 || h.max < h.min || h.max > 1_000_000 {
		return fmt.Errorf("%.40s is not a horizon; expected a number from 1 to 1000000, or a pair such as [4, 10]", text)
	}
	return nil
}

// planName is the name of a plan in errors.
const planName = "plan"

// planText returns a plan as a document; a list of steps stands for one. It is nil for none.
func planText(plan json.RawMessage) []byte {
	switch {
	case string(plan) == "null":
		return nil
	case len(plan) > 0 && plan[0] == '[':
		return slices.Concat([]byte(`{"schema":1,"plan":`), plan, []byte(`}`))
	}
	return plan
}

// changes are changes to a problem for one request.
type changes struct {
	Initial map[string]json.RawMessage `json:"initial"` // values of state variables
	Require []string                   `json:"require"`
	Reward  map[string]json.Number     `json:"reward"` // weights of variables, in place of the problem's reward
}

// none reports whether nothing changes.
func (c *changes) none() bool { return len(c.Initial)+len(c.Require)+len(c.Reward) == 0 }

// load returns the changes in the form of the command line.
func (c *changes) load() load.Changes {
	out := load.Changes{Require: c.Require}
	for _, name := range slices.Sorted(maps.Keys(c.Initial)) {
		value := string(c.Initial[name])
		var text string
		if json.Unmarshal(c.Initial[name], &text) == nil {
			value = text
		}
		out.SetInitial = append(out.SetInitial, name+"="+value)
	}
	var reward strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.Reward)) {
		fmt.Fprintf(&reward, "%s,%s\n", name, c.Reward[name])
	}
	out.RewardText = reward.String()
	return out
}
