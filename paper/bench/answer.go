package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// The statuses set by this package; those of plans are the planner's.
const (
	statusError    = "error"    // no readable answer; the run is repeated when the bench is resumed
	statusUnknown  = "unknown"  // a limit was reached before any answer
	statusTrained  = "trained"  // of KindTrain
	statusMeasured = "measured" // of KindEncode and KindReach
)

// planDocument contains the fields used from `fdplan plan --json`.
type planDocument struct {
	Schema  *int
	Status  string
	Horizon *int
	Reward  *float64
	Bound   *float64
	Gap     *float64
	Valid   struct {
		Simulator *bool `json:"simulator"`
	}
	Simulated *float64 `json:"simulated_reward"`
	Landmarks int
	Stopped   string
	Stats     map[string]int64
	Loop      *struct {
		Iterations []json.RawMessage `json:"iterations"`
	} `json:"incremental"`
}

// decodeAnswer reads the one JSON object that --json prints.
func decodeAnswer(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("its output is no JSON object: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("its output goes on after the JSON object")
	}
	return nil
}

// measure records the cost of a run.
func measure(r *journal.Record, o *outcome) {
	r.Seconds += o.seconds
	r.CPU += o.cpu
	r.Memory = max(r.Memory, o.peak)
}

// fail records why there is no answer.
func fail(r *journal.Record, format string, args ...any) {
	r.Status, r.Error = statusError, fmt.Sprintf(format, args...)
}

// failed handles runs without a readable answer, and reports whether this is one.
func failed(r *journal.Record, o *outcome) bool {
	switch {
	case o.killed != "":
		r.Status, r.Error = statusUnknown, "killed at its "+o.killed
	case o.flooded:
		fail(r, "it printed more than %d bytes", maxOutput)
	case o.exit == exitLimit && len(bytes.TrimSpace(o.stdout)) == 0:
		r.Status, r.Error = statusUnknown, firstLine(o.stderr)
	case o.exit != 0 && o.exit != exitLimit && o.exit != exitNo:
		fail(r, "%s: %s", o.state, firstLine(o.stderr))
	default:
		return false
	}
	return true
}

// Exit statuses of the program that come with an answer.
const (
	exitLimit = 3 // a limit was reached
	exitNo    = 4 // the answer is no
)

// firstLine returns the first line that a program printed, without the program's name.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if line == "" {
		return "it says nothing"
	}
	return strings.TrimPrefix(line, "fdplan: ")
}

// readPlan reads the answer of `fdplan plan --json`.
func readPlan(r *journal.Record, o *outcome) {
	measure(r, o)
	if failed(r, o) {
		return
	}
	var d planDocument
	if err := decodeAnswer(o.stdout, &d); err != nil {
		fail(r, "%s, %v", o.state, err)
		return
	}
	switch {
	case d.Schema == nil || *d.Schema != 1:
		fail(r, "its answer has no schema 1")
		return
	case !slices.Contains([]string{"optimal", "feasible", "infeasible", statusUnknown}, d.Status):
		fail(r, "its answer has the status %q", d.Status)
		return
	case (d.Status == "optimal" || d.Status == "feasible") != (d.Reward != nil):
		fail(r, "its answer is %s, with a reward: %v", d.Status, d.Reward != nil)
		return
	}
	r.Status, r.Reward, r.Bound, r.Gap = d.Status, d.Reward, d.Bound, d.Gap
	r.Simulator, r.Simulated = d.Valid.Simulator, d.Simulated
	r.Count, r.Stats = d.Landmarks, d.Stats
	if d.Loop != nil {
		r.Iterations = len(d.Loop.Iterations)
	}
	switch {
	case d.Stopped != "":
		r.Error = d.Stopped
	case !proved(r.Status) && r.Seconds < r.TimeLimit:
		r.Error = "it ended before the time limit without a proof"
	}
}

// sizes reads the answer of `fdplan compile --stats --json`. The sizes of the group with the
// neurons have network_ before their names.
func readSizes(r *journal.Record, o *outcome) {
	measure(r, o)
	if failed(r, o) {
		return
	}
	type size struct {
		Variables, Clauses, Literals int64
		Soft                         int64 `json:"soft_clauses"`
	}
	var d struct {
		size
		Groups map[string]size
	}
	if err := decodeAnswer(o.stdout, &d); err != nil {
		fail(r, "%s, %v", o.state, err)
		return
	}
	if d.Variables <= 0 || d.Clauses <= 0 {
		fail(r, "its answer has %d variables and %d clauses", d.Variables, d.Clauses)
		return
	}
	n := d.Groups["network"]
	r.Status = statusMeasured
	r.Stats = map[string]int64{
		"variables": d.Variables, "clauses": d.Clauses, "literals": d.Literals, "soft_clauses": d.Soft,
		"network_variables": n.Variables, "network_clauses": n.Clauses, "network_literals": n.Literals,
	}
}

// proved reports whether a planning run answered its question.
func proved(status string) bool { return status == "optimal" || status == "infeasible" }

// settled reports whether a record is what the job would produce: under the same limits, or
// because it ended by itself within those of the job.
func settled(r *journal.Record, j *Job) bool {
	if r == nil || r.Status == statusError {
		return false
	}
	if r.TimeLimit == j.Record.TimeLimit && r.MemoryLimit == j.Record.MemoryLimit {
		return true
	}
	return r.Kind != journal.KindReach && (proved(r.Status) || r.Error == "" && (r.Status == statusTrained || r.Status == statusMeasured)) &&
		r.Seconds <= j.Record.TimeLimit && r.Memory <= j.Record.MemoryLimit
}
