package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"

	"github.com/fdplan/fdplan/internal/source"
)

// Schema is the version of the journal's lines.
const Schema = 1

// Kind is the kind of a record.
type Kind string

// The kinds of records.
const (
	KindMachine Kind = "machine" // the machine, versions and seeds; the first line of each session
	KindPlan    Kind = "plan"    // one planning run
	KindEncode  Kind = "encode"  // sizes of one file of an encoding, nothing solved
	KindTrain   Kind = "train"   // one network trained
	KindReach   Kind = "reach"   // how far an engine gets in a time, one problem
)

// ClockCPU is the clock of runs that count by their CPU time. They had a core for themselves, so
// that their limit, of wall-clock time, was nearly one of CPU time.
const ClockCPU = "cpu"

// Record is one line of the journal: one finished run. The page that `fdplan report` renders
// takes every number from such lines and refers to them by ID.
type Record struct {
	Line   int  `json:"-"` // of the journal that it was read from, from 1
	Schema int  `json:"schema"`
	Kind   Kind `json:"kind"`
	// ID contains everything that the run depends on except the limits and the machine, so
	// that a resumed bench knows what is done. Of two lines with one ID the later counts:
	// errors, and runs that a limit ended, may be repeated.
	ID      string `json:"id"`
	Table   string `json:"table"`   // learning, encodings, engines, literal, incremental, reach, size, figure1
	Problem string `json:"problem"` // bundled name, or the file's with --files
	// Files is a digest of the published files' contents; empty for all other networks.
	Files   string `json:"files,omitempty"`
	Horizon int    `json:"horizon,omitempty"`

	Planner     string   `json:"planner,omitempty"` // FD-SAT-Plan+ or FD-BLP-Plan+: the engine with the paper's own settings
	Engine      string   `json:"engine,omitempty"`
	Encoding    string   `json:"encoding,omitempty"`
	Help        string   `json:"help,omitempty"`      // of branch and cut, as --blp-help takes it; empty for the default
	Solver      string   `json:"solver,omitempty"`    // an external solver
	Version     string   `json:"version,omitempty"`   // of the solver outside this program, as it tells itself
	Command     string   `json:"command,omitempty"`   // of the external solver, with places such as {in}
	Model       string   `json:"model,omitempty"`     // bundled, published or trained, for networks; rddl; naive
	Landmarks   string   `json:"landmarks,omitempty"` // of an incremental run: plan, prefix, transition
	Restart     bool     `json:"restart,omitempty"`   // of an incremental run: each iteration begins anew
	Args        []string `json:"args"`                // of the subprocess; $FILES and $OUT are the folders of the published files and of the bench
	Seed        uint64   `json:"seed"`
	TimeLimit   float64  `json:"time_limit"` // seconds
	MemoryLimit int64    `json:"memory_limit"`

	Status     string   `json:"status"` // optimal, feasible, infeasible, unknown, error; trained; measured
	Error      string   `json:"error,omitempty"`
	Reward     *float64 `json:"reward,omitempty"`
	Bound      *float64 `json:"bound,omitempty"`
	Gap        *float64 `json:"gap,omitempty"`
	Simulator  *bool    `json:"simulator,omitempty"` // the plan's verdict there
	Simulated  *float64 `json:"simulated_reward,omitempty"`
	Iterations int      `json:"iterations,omitempty"`
	Count      int      `json:"landmark_count,omitempty"`
	Seconds    float64  `json:"seconds"` // wall clock of the subprocess
	CPU        float64  `json:"cpu_seconds"`
	Clock      string   `json:"clock,omitempty"` // ClockCPU, or empty for the wall's
	// Yardstick is the CPU time of a fixed piece of work of the bench, the mean of before and after the run, in seconds; 0 if it was not taken.
	Yardstick float64          `json:"yardstick_seconds,omitempty"`
	Memory    int64            `json:"peak_bytes"`
	Stats     map[string]int64 `json:"stats,omitempty"`    // the engine's, or sizes: variables, clauses, literals
	Document  json.RawMessage  `json:"document,omitempty"` // the program's own JSON, unchanged, if the report draws from it

	// Worker is the process on another machine that made the run; empty for this bench's own.
	Worker string `json:"worker,omitempty"`
	// Threads the subprocess could use.
	Threads int `json:"threads,omitempty"`
	// Same is the ID of the run that this line repeats for another table; nothing was run
	// twice.
	Same string `json:"same,omitempty"`
	// Implied is the ID of a run without Algorithm 1 that found no plan within the same
	// limits. Algorithm 1 begins with that plan, so this run was not made, and the line has
	// the outcome of the other.
	Implied string `json:"implied,omitempty"`
	// Believed is the document of the plan as its model predicts it. It is set if Document
	// contains the execution: figure1's naive plan.
	Believed json.RawMessage `json:"believed,omitempty"`

	// Of KindReach: every horizon that was tried, in the order of the runs. Horizon
	// is the longest with a proof; Seconds, CPU and Memory are of all runs together.
	Reach []ReachPoint `json:"reach,omitempty"`
	// Size is the largest instance with a proof, for instances that grow instead of horizons
	// (table size): the side of a maze, the number of computers.
	Size int `json:"size,omitempty"`

	// Of KindTrain.
	Recipe  string `json:"recipe,omitempty"`  // paper, at the shape of the paper's Table 1; grid, at the shape that the paper's rule chooses; bundled
	Network string `json:"network,omitempty"` // 13:36:36:9
	Neurons int    `json:"neurons,omitempty"`
	Edges   int    `json:"edges,omitempty"`
	// Errors are shares of bits, and of rows with a wrong bit: on rows of the exploration
	// policy, as often as they were seen, and on all legal rows, each once.
	TestError     float64 `json:"test_error,omitempty"`
	TestRowError  float64 `json:"test_row_error,omitempty"`
	LegalError    float64 `json:"legal_error,omitempty"`
	LegalRowError float64 `json:"legal_row_error,omitempty"`
	LegalRows     int     `json:"legal_rows,omitempty"`
	WrongRows     int     `json:"wrong_legal_rows,omitempty"`
	Curve         []Point `json:"curve,omitempty"` // learning curve

	// Of KindMachine.
	Machine map[string]string `json:"machine,omitempty"`
}

// ReachPoint is one run of a reach.
type ReachPoint struct {
	Horizon int     `json:"horizon"`
	Size    int     `json:"size,omitempty"`
	Status  string  `json:"status"`
	Seconds float64 `json:"seconds"`
}

// Point is one epoch of a learning curve.
type Point struct {
	Epoch int     `json:"epoch"`
	Loss  float64 `json:"loss"`
	Train float64 `json:"train_error"`
	Test  float64 `json:"test_error"`
}

// Parse reads the lines of the journal called name, one JSON object each, whose unknown fields are ignored. An incomplete last line, as a
// killed bench leaves it, is left out; torn is the number of its bytes. Errors are *source.Error with the line.
func Parse(name string, data []byte) (records []Record, torn int, err error) {
	for n := 1; len(data) > 0; n++ {
		text, rest, ended := bytes.Cut(data, []byte("\n"))
		if !ended {
			break
		}
		if data = rest; len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		r := Record{Line: n}
		if err := r.parse(name, text); err != nil {
			return nil, 0, err
		}
		records = append(records, r)
	}
	return records, len(data), nil
}

// MaxSeconds bounds times, to about thirty thousand years, so that diagrams of broken
// journals can be drawn.
const MaxSeconds = 1e12

// parse reads one line.
func (r *Record) parse(name string, text []byte) error {
	if err := json.Unmarshal(text, r); err != nil {
		col := 1
		var syntax *json.SyntaxError
		var typ *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			col = max(1, int(syntax.Offset))
		case errors.As(err, &typ):
			return source.Errorf(name, r.Line, max(1, int(typ.Offset)), "%s is a %s, expected a %s", source.Quote(typ.Field), typ.Value, typ.Type)
		}
		return source.Errorf(name, r.Line, col, "no record: %v; expected a JSON object", err)
	}
	if bytes.Equal(r.Document, []byte("null")) {
		r.Document = nil
	}
	fail := func(format string, args ...any) error { return source.Errorf(name, r.Line, 1, format, args...) }
	switch {
	case r.Schema != Schema:
		return fail("schema %d, expected %d", r.Schema, Schema)
	case r.ID == "":
		return fail("a record without an id; expected one, to name its numbers by")
	case r.Seconds < 0 || r.TimeLimit < 0 || r.Seconds > MaxSeconds || r.TimeLimit > MaxSeconds:
		return fail("%g seconds of %g; expected times from 0 to %g", r.Seconds, r.TimeLimit, float64(MaxSeconds))
	}
	for _, p := range r.Reach {
		if !(p.Seconds >= 0 && p.Seconds <= MaxSeconds) {
			return fail("horizon %d took %g seconds; expected times from 0 to %g", p.Horizon, p.Seconds, float64(MaxSeconds))
		}
	}
	for _, p := range r.Curve {
		if math.Abs(p.Loss) > MaxSeconds || math.Abs(p.Train) > MaxSeconds || math.Abs(p.Test) > MaxSeconds {
			return fail("epoch %d of the curve has values above %g; expected a loss and fractions", p.Epoch, float64(MaxSeconds))
		}
	}
	return nil
}
