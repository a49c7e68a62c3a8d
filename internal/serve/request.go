package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/engine/registry"
)

// kinds are the kinds of jobs: the commands that they run.
var kinds = []string{"plan", "explain", "validate", "verify", "run", "train", "test", "bench"}

// JobRequest is what a job is to do. Except for those of the first and the last groups, a field is the
// flag of the same name for the kinds in its tag.
type JobRequest struct {
	Kind    string `json:"kind"`
	Problem string `json:"problem,omitempty" kinds:"plan explain validate verify run train test"`
	Label   string `json:"label,omitempty"`

	Model          string   `json:"model,omitempty" kinds:"plan explain validate verify run" flag:"model"`
	Determinize    string   `json:"determinize,omitempty" kinds:"plan explain validate verify run" flag:"determinize"`
	IgnoreDiscount bool     `json:"ignore_discount,omitempty" kinds:"plan explain validate verify run train test" flag:"ignore-discount"`
	Horizon        steps    `json:"horizon,omitempty" kinds:"plan explain run" flag:"horizon"`
	SetInitial     []string `json:"set_initial,omitempty" kinds:"plan explain validate run" flag:"set-initial"`
	Require        []string `json:"require,omitempty" kinds:"plan explain validate run" flag:"require"`
	Engine         string   `json:"engine,omitempty" kinds:"plan explain run" flag:"engine"`
	Threads        int      `json:"threads,omitempty" kinds:"plan explain verify run train bench" flag:"threads"`
	Seed           uint64   `json:"seed,omitempty" kinds:"plan run train test bench" flag:"seed"`
	Safe           bool     `json:"safe,omitempty" kinds:"plan" flag:"safe"`
	Incremental    bool     `json:"incremental,omitempty" kinds:"plan" flag:"incremental"`
	Alternatives   int      `json:"alternatives,omitempty" kinds:"explain" flag:"alternatives"`
	Bound          bool     `json:"bound,omitempty" kinds:"explain" flag:"bound"`
	Property       string   `json:"property,omitempty" kinds:"verify" flag:"property"`
	ReplanEvery    int      `json:"replan_every,omitempty" kinds:"run" flag:"replan-every"`
	Steps          int      `json:"steps,omitempty" kinds:"run" flag:"steps"`
	Until          string   `json:"until,omitempty" kinds:"run" flag:"until"`
	PlanTime       string   `json:"plan_time,omitempty" kinds:"run" flag:"plan-time"`
	Episodes       int      `json:"episodes,omitempty" kinds:"run" flag:"episodes"`
	Recipe         string   `json:"recipe,omitempty" kinds:"train" flag:"recipe"`
	Hidden         []int    `json:"hidden,omitempty" kinds:"train" flag:"hidden"`
	Epochs         int      `json:"epochs,omitempty" kinds:"train" flag:"epochs"`
	Rate           float64  `json:"rate,omitempty" kinds:"train" flag:"rate"`
	Split          string   `json:"split,omitempty" kinds:"train" flag:"split"`
	Prune          int      `json:"prune,omitempty" kinds:"train" flag:"prune"`
	LearnReward    bool     `json:"learn_reward,omitempty" kinds:"train" flag:"learn-reward"`
	Samples        int      `json:"samples,omitempty" kinds:"test" flag:"samples"`
	Legal          bool     `json:"legal,omitempty" kinds:"test" flag:"legal"`
	Tables         []string `json:"tables,omitempty" kinds:"bench" flag:"tables"`
	Engines        []string `json:"engines,omitempty" kinds:"bench" flag:"engines"`
	TotalTime      string   `json:"total_time,omitempty" kinds:"bench" flag:"total-time"`

	TimeLimit string          `json:"time_limit,omitempty" kinds:"plan explain validate verify run train test bench"`
	Memory    int64           `json:"memory,omitempty" kinds:"plan explain validate verify run train test bench"` // bytes
	Reward    string          `json:"reward,omitempty" kinds:"plan explain validate run"`
	Certify   bool            `json:"certify,omitempty" kinds:"plan verify"`
	Simulator string          `json:"simulator,omitempty" kinds:"plan validate run"`
	Plan      json.RawMessage `json:"plan,omitempty" kinds:"explain validate"`
	Of        string          `json:"of,omitempty" kinds:"explain validate test"`
	Data      string          `json:"data,omitempty" kinds:"train test"`
	Network   string          `json:"network,omitempty" kinds:"test"`
	Install   *bool           `json:"install,omitempty" kinds:"train"`
	Quick     *bool           `json:"quick,omitempty" kinds:"bench"`
}

// steps is a number of steps or a range such as 2..6.
type steps string

// horizon matches a number of steps or a range.
var horizon = regexp.MustCompile(`^[1-9][0-9]{0,6}(\.\.[1-9][0-9]{0,6})?$`)

// UnmarshalJSON reads a number or a string.
func (s *steps) UnmarshalJSON(text []byte) error {
	word := string(bytes.Trim(text, `"`))
	if !horizon.MatchString(word) {
		return fmt.Errorf("%.40s is not a horizon; expected a number from 1, or a range such as \"2..6\"", text)
	}
	*s = steps(word)
	return nil
}

// MarshalJSON writes a number, or a range as a string.
func (s steps) MarshalJSON() ([]byte, error) {
	if n, err := strconv.Atoi(string(s)); err == nil {
		return json.Marshal(n)
	}
	return json.Marshal(string(s))
}

// maxText bounds each text of a request but a plan.
const maxText = 1 << 16

// check refuses fields that the kind of job does not have, those it needs, and values beyond
// the server's limits.
func (q *JobRequest) check(l Limits) error {
	if !slices.Contains(kinds, q.Kind) {
		return bad("%.40q is not a kind of job; expected one of %s", q.Kind, strings.Join(kinds, ", "))
	}
	v := reflect.ValueOf(q).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		of, limited := f.Tag.Lookup("kinds")
		if limited && !v.Field(i).IsZero() && !slices.Contains(strings.Fields(of), q.Kind) {
			return bad("a job of kind %s has no %s; expected it with %s", q.Kind, name, strings.ReplaceAll(of, " ", ", "))
		}
		if text, ok := v.Field(i).Interface().(string); ok && (len(text) > maxText || strings.ContainsRune(text, 0)) {
			return bad("%s has more than %d bytes, or one that is 0", name, maxText)
		}
		if n := v.Field(i); n.CanInt() && n.Int() < 0 {
			return bad("%s is %d; expected at least 0", name, n.Int())
		}
	}
	switch {
	case q.Problem == "" && q.Kind != "bench":
		return bad("no problem is named; expected problem")
	case q.Kind == "verify" && q.Property == "":
		return bad("no property is given; expected property")
	case q.Kind == "run" && q.Simulator == "":
		return bad("no simulator is named; expected simulator")
	case q.Kind == "validate" && q.Plan == nil && q.Of == "":
		return bad("no plan is given; expected plan, or the job that found it as of")
	case q.Plan != nil && q.Of != "":
		return bad("plan and of are two plans; expected one of them")
	case len(q.Label) > 200:
		return bad("the label has %d bytes; expected at most 200", len(q.Label))
	}
	if err := q.checkChoices(); err != nil {
		return err
	}
	return q.checkBounds(l)
}

// checkChoices refuses names that are none of those that the commands know.
func (q *JobRequest) checkChoices() error {
	engines := registry.Names(nil)
	if q.Kind == "explain" {
		engines = registry.Names(registry.Explaining)
	}
	choices := []struct {
		field, value string
		known        []string
	}{
		{"engine", q.Engine, engines}, {"model", q.Model, models}, {"determinize", q.Determinize, determinizations},
		{"until", q.Until, []string{"auto", "goal", "steps"}}, {"recipe", q.Recipe, []string{"structure", "dense"}}, {"split", q.Split, []string{"random", "distinct"}},
	}
	for _, c := range choices {
		if c.value != "" && !slices.Contains(c.known, c.value) {
			return bad("%s is %.40q; expected one of %s", c.field, c.value, strings.Join(c.known, ", "))
		}
	}
	return nil
}

// leastMemory is the least bound on memory, in bytes, that a job may ask for.
const leastMemory = 1 << 20

// checkBounds refuses values beyond the server's limits.
func (q *JobRequest) checkBounds(l Limits) error {
	if q.Threads > l.MostThreads {
		return bad("threads is %d; expected at most %d, which the machine has", q.Threads, l.MostThreads)
	}
	if q.Memory != 0 && (q.Memory < leastMemory || q.Memory > l.Memory) {
		return bad("memory is %d; expected %d to %d bytes, the server's bound for each job", q.Memory, leastMemory, l.Memory)
	}
	if q.TimeLimit == "" {
		return nil
	}
	d, err := time.ParseDuration(q.TimeLimit)
	if err != nil || d <= 0 {
		return bad("time_limit %.40q is not a time; expected a number with a unit, such as 30s or 5m", q.TimeLimit)
	}
	if l.Time > 0 && d > l.Time {
		return bad("time_limit is %s; expected at most %v, the server's bound for each job", q.TimeLimit, l.Time)
	}
	return nil
}

// flags are the flags of the fields that have one. A value is part of its word, so that none
// can be taken for another flag.
func (q *JobRequest) flags() []string {
	var out []string
	v := reflect.ValueOf(q).Elem()
	for i := range v.NumField() {
		name, ok := v.Type().Field(i).Tag.Lookup("flag")
		if !ok || v.Field(i).IsZero() {
			continue
		}
		switch x := v.Field(i).Interface().(type) {
		case bool:
			out = append(out, "--"+name)
		case []string:
			for _, text := range x {
				out = append(out, "--"+name+"="+text)
			}
		case []int:
			parts := make([]string, len(x))
			for i, n := range x {
				parts[i] = strconv.Itoa(n)
			}
			out = append(out, "--"+name+"="+strings.Join(parts, ","))
		default:
			out = append(out, fmt.Sprintf("--%s=%v", name, x))
		}
	}
	return out
}

// bounds are the flags of limits, which are the server's own or those of the request, and the
// time after which the job is ended; 0 for never.
func (q *JobRequest) bounds(l Limits) ([]string, time.Duration) {
	limit := l.Time
	if d, err := time.ParseDuration(q.TimeLimit); err == nil {
		limit = d
	}
	memory := l.Memory
	if q.Memory > 0 {
		memory = q.Memory
	}
	out := []string{fmt.Sprintf("--memory=%dB", memory)}
	if limit > 0 {
		out = append(out, "--time-limit="+limit.String())
	}
	switch q.Kind {
	case "bench": // whose time limit is that of each run
		return out, l.Time
	case "validate", "test": // which have one thread
	default:
		if q.Threads == 0 {
			out = append(out, fmt.Sprintf("--threads=%d", l.Threads))
		}
	}
	return out, limit
}
