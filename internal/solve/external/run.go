package external

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/process"
	"github.com/fdplan/fdplan/internal/source"
)

// Input is what to solve: an existing file, or one that Write makes.
type Input struct {
	File      string                             // is read if it is not empty, and not changed
	Write     func(w io.Writer, d Dialect) error // else writes the file in the solver's dialect
	Variables int                                // highest variable of the file; tells bits from literals on v lines; 0 is unknown
	// Start has the variables that are not 0 in a start solution; nil is none.
	// It is handed to solvers that take one, see Solver.TakesStart.
	Start map[int32]int64
}

// Limits bound one run.
type Limits struct {
	Time    time.Duration // told to the solver in its own way, enforced a Grace later; 0 is none
	Threads int           // told to solvers that take it; 0 is 1
	Grace   time.Duration // between SIGTERM and SIGKILL; 0 is 2 s
	MaxLine int64         // bytes that one line of output may have; 0 is 256 MiB
}

// Status is a solver's verdict.
type Status uint8

// The verdicts. Unknown is what a limit leaves without a solution; Satisfiable
// is an incumbent without a proof, or the answer to a file without objective.
const (
	Unknown Status = iota
	Satisfiable
	Unsatisfiable
	Optimal
)

func (s Status) String() string {
	return [...]string{"unknown", "satisfiable", "unsatisfiable", "optimal"}[s]
}

// Answer is what a solver claims. Objective and Bound are the file's own values,
// minimised; files are taken to have objectives with whole values, so that MILP
// solvers' values are rounded and their bounds rounded up.
type Answer struct {
	Status    Status
	True      map[int32]bool // variables by number that are true, x12 being 12; nil without a solution
	Objective *int64         // of the solution, where the solver said it
	Bound     *int64         // no solution has a smaller objective, says the solver; nil is unknown
	Nodes     int64          // of branch and bound, where the solver said it
	Log       string         // the end of the solver's output
}

// Progress is what is known on the way. What did not change is repeated. Some
// solvers print the objective of a solution before its values and some after:
// True may be the solution before or after the one that Objective is of.
type Progress struct {
	Objective *int64         // of the best solution so far
	Bound     *int64         // the best bound so far
	True      map[int32]bool // the solution, of solvers that print it; not to be changed
	Solutions int            // how many solutions were printed so far; True is the last of them
	Nodes     int64
}

// OutputError is an answer that cannot be read.
type OutputError struct {
	Solver string
	Line   string // the line of output or of the solution file; empty if there is none
	Msg    string
}

func (e *OutputError) Error() string {
	if e.Line == "" {
		return fmt.Sprintf("the output of %s is not understood: %s", e.Solver, e.Msg)
	}
	return fmt.Sprintf("the output of %s is not understood: %s: %q", e.Solver, e.Msg, shorten(e.Line))
}

// CrashError is a solver that ended without an answer.
type CrashError struct {
	Solver string
	Err    error  // how it ended, an *exec.ExitError
	Log    string // the end of its output
}

func (e *CrashError) Error() string {
	last := ""
	if lines := bytes.Fields([]byte(e.Log)); len(lines) > 0 {
		all := bytes.Split(bytes.TrimSpace([]byte(e.Log)), []byte("\n"))
		last = fmt.Sprintf("; its last words: %q", shorten(string(all[len(all)-1])))
	}
	return fmt.Sprintf("%s ended without an answer: %v%s", e.Solver, e.Err, last)
}

func (e *CrashError) Unwrap() error { return e.Err }

// shorten cuts a line for a message.
func shorten(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}

// parser reads the output of a solver.
type parser interface {
	// line takes a line of output, without its end.
	line(text []byte) error
	// end takes the solution file, nil if there is none. limited reports whether the run was
	// cut short.
	end(solution []byte, limited bool) error
	// answer is what was read so far.
	answer() *Answer
}

// errNoAnswer is what end returns when the output is well-formed and has no answer.
var errNoAnswer = errors.New("no answer")

const (
	defaultGrace = 2 * time.Second
	defaultLine  = 256 << 20
	logTail      = 16 << 10
)

// Run solves in with s. report, which may be nil, is called from one goroutine
// at a time while the solver runs, and not after Run has returned. When the
// context ends or the time is over, the error is nil and the answer is what was
// known by then. Errors are *MissingError, *CrashError, *OutputError, and those of
// writing the file.
func Run(ctx context.Context, s Solver, in Input, l Limits, report func(Progress)) (Answer, error) {
	program, err := s.Program()
	if err != nil {
		return Answer{}, err
	}
	dir, err := os.MkdirTemp("", "fdplan-solver-")
	if err != nil {
		return Answer{}, fmt.Errorf("making a folder for %s: %w", s.Name, err)
	}
	defer os.RemoveAll(dir)
	p, err := s.prepare(dir, in, l)
	if err != nil {
		return Answer{}, fmt.Errorf("writing the file for %s: %w", s.Name, err)
	}
	if ctx.Err() != nil {
		return Answer{}, nil
	}
	if report == nil {
		report = func(Progress) {}
	}
	var read parser
	if s.Kind == MILP {
		read = newMILP(s.format, report)
	} else {
		read = &competition{kind: s.Kind, variables: in.Variables, report: report}
	}
	return s.execute(ctx, program, p, l, read)
}

// prepare writes the files of a call and returns the values of the places.
func (s *Solver) prepare(dir string, in Input, l Limits) (places, error) {
	p := places{
		"in":      in.File,
		"out":     filepath.Join(dir, "solution.sol"),
		"threads": strconv.Itoa(max(l.Threads, 1)),
	}
	if in.File == "" {
		p["in"] = filepath.Join(dir, "problem."+s.Dialect.extension())
		if err := writeFile(p["in"], func(w io.Writer) error { return in.Write(w, s.Dialect) }); err != nil {
			return nil, err
		}
	}
	seconds := int64(math.MaxInt32) // for a command that asks and is not limited
	if l.Time > 0 {
		seconds = int64(math.Ceil(l.Time.Seconds()))
	}
	p["seconds"] = strconv.FormatInt(seconds, 10)
	if s.Options != "" {
		p["options"] = filepath.Join(dir, optionsFile)
		if err := os.WriteFile(p["options"], []byte(p.expand(s.Options)), 0o600); err != nil {
			return nil, err
		}
	}
	if in.Start != nil && s.TakesStart() {
		p["start"] = filepath.Join(dir, startFile+s.start.extension())
		err := writeFile(p["start"], func(w io.Writer) error { return s.start.write(w, p["in"], in.Start) })
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// writeFile makes a file.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// call is one run of a program.
type call struct {
	solver     *Solver
	places     places
	limits     Limits
	read       parser
	cmd        *exec.Cmd
	out        *lines
	said       *process.Tail
	complained *process.Tail
}

// execute starts the program and reads its answer.
func (s *Solver) execute(ctx context.Context, program string, p places, l Limits, read parser) (Answer, error) {
	if l.Grace <= 0 {
		l.Grace = defaultGrace
	}
	if l.MaxLine <= 0 {
		l.MaxLine = defaultLine
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if l.Time > 0 {
		// The solver counts for itself first.
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, l.Time+l.Grace/2)
		defer stop()
	}
	c := &call{
		solver: s, places: p, limits: l, read: read,
		cmd:        process.Command(ctx, l.Grace, program, s.arguments(p, l.Time > 0)...),
		out:        &lines{take: read.line, failed: cancel, limit: l.MaxLine},
		said:       &process.Tail{Limit: logTail},
		complained: &process.Tail{Limit: logTail},
	}
	return c.run(ctx)
}

// run runs the program to its end.
func (c *call) run(ctx context.Context) (Answer, error) {
	cmd := c.cmd
	cmd.Stdout = io.MultiWriter(c.said, c.out)
	cmd.Stderr = c.complained
	if c.solver.Stdin {
		f, err := os.Open(c.places["in"])
		if err != nil {
			return Answer{}, err
		}
		defer f.Close()
		cmd.Stdin = f
	} else if _, err := os.Stat(c.places["in"]); err != nil {
		return Answer{}, err
	}
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return Answer{}, fmt.Errorf("starting %s: %w", c.solver.Name, err)
	}
	ended := process.Wait(cmd)
	limited := ctx.Err() != nil || c.limits.Time > 0 && time.Since(started) >= c.limits.Time-time.Second/2
	return c.answer(ended, limited)
}

// answer reads what the program left behind. ended is how it ended; limited
// reports that it was cut short.
func (c *call) answer(ended error, limited bool) (Answer, error) {
	if err := c.out.close(); err != nil {
		return c.fail(err)
	}
	var solution []byte
	if c.solver.Kind == MILP {
		text, err := source.ReadFile(c.places["out"])
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return Answer{}, fmt.Errorf("reading the solution of %s: %w", c.solver.Name, err)
		}
		solution = text
	}
	err := c.read.end(solution, limited)
	a := c.read.answer()
	a.Log = c.log()
	switch {
	case err == nil:
		return *a, nil
	case !errors.Is(err, errNoAnswer):
		return c.fail(err)
	case limited:
		if a.True != nil {
			a.Status = Satisfiable
		}
		return *a, nil
	case ended != nil:
		return Answer{}, &CrashError{Solver: c.solver.Name, Err: ended, Log: a.Log}
	}
	return c.fail(&OutputError{Msg: "it ended without a verdict"})
}

// log is the end of the output, complaints last.
func (c *call) log() string {
	return strings.TrimSpace(c.said.String() + "\n" + c.complained.String())
}

// fail completes an error with what is known of the run.
func (c *call) fail(err error) (Answer, error) {
	var o *OutputError
	if errors.As(err, &o) {
		o.Solver = c.solver.Name
	}
	return Answer{}, err
}
