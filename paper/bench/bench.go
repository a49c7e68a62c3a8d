package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/routine"
)

// Tables names the tables, in the order in which they are run.
func Tables() []string {
	return []string{"figure1", "engines", "literal", "encodings", "learning", "incremental", "reach", "size"}
}

// Engines names the engines that are compared, in the order in which they are run.
func Engines() []string { return registry.Single() }

// Config selects the runs and their limits.
type Config struct {
	Dir     string   // folder of the journal
	Program string   // the program whose commands are run
	Env     []string // its environment; nil for this process's
	Files   string   // folder of published networks; empty for the bundled ones
	Quick   bool     // a selection that takes minutes

	Tables   []string         // those to run; nil for all
	Problems []string         // those that planners are compared on; nil for all
	Engines  []string         // those to compare; nil for all
	Solvers  []ExternalSolver // external solvers, which become further columns
	// Instead has the external solver of each engine whose own is not installed. The
	// engine uses it throughout; empty if there is none, and the engine is left out.
	Instead map[string]string

	TimeLimit  time.Duration // of each run of an engine
	ReachLimit time.Duration // of each run of the tables reach and size
	TrainLimit time.Duration // of each training
	// Total is the time after which no run is started, and the one in progress is stopped
	// without a line; 0 for no limit.
	Total    time.Duration
	Memory   int64  // bytes, of each run with all its processes
	Threads  int    // of each run
	Seed     uint64 // of each run
	Repeats  int    // runs of each planner on each instance, under the seeds Seed, Seed+1, …, if the first takes less than RepeatBelow; 0 is 1
	Parallel int    // runs at a time; more than one distorts times on one machine
	// RepeatBelow is the time from which a run is not repeated under further seeds; 0 is a second.
	RepeatBelow time.Duration
	// MaxLoad bounds the wall-clock time of a planning run in one thread, as a multiple of its CPU
	// time: above, something else was at work. Such a run is made again, and not recorded if it
	// never has a core for itself. Recorded runs count by their CPU time. 0 records all runs, which
	// then count by the wall's clock.
	MaxLoad float64
	// Elsewhere makes a run on another machine, by One; nil makes all runs here. A
	// *FailedError becomes the run's line, any other error ends the bench.
	Elsewhere func(ctx context.Context, e *Elsewhere) (*journal.Record, error)

	Machine  map[string]string // machine and versions for the journal
	Now      func() time.Time
	Progress func(Progress) // called before and after each run; may be nil
	Warn     func(string)   // called for everything that is left out, with the reason; may be nil

	slack, grace time.Duration // of tests; 0 for the usual ones
	cells        int           // of the yardstick in tests; 0 for the usual number
}

// ExternalSolver is an external solver that replaces an embedded one.
type ExternalSolver struct {
	Engine string // one that takes external solvers
	Name   string // as for `fdplan plan --solver`
}

// Job is one run that a bench makes.
type Job struct {
	Record journal.Record // everything known before the run: what is run, and the limits
	do     func(ctx context.Context, b *bench, r *journal.Record) error
	keeps  string // file that it leaves for other runs, in the bench's folder
	// after is the ID of the same run without Algorithm 1; empty if this is one.
	after string
	// first is the ID of the same run under the first seed; empty if this is it.
	first string
}

// Summary is the outcome of a bench.
type Summary struct {
	Jobs    int            // number of all runs
	Before  int            // already in the journal
	Done    int            // made now
	Status  map[string]int // of all runs in the journal
	Stopped string         // why not all were made; empty if they were
	Torn    int            // bytes cut off the journal
	Busy    int            // runs that were made, but not recorded, since something else was at work
	// Contradictions are pairs of runs that claim different optima of one instance.
	Contradictions []string
}

// bench is a bench in progress.
type bench struct {
	c       Config
	dir     string // of Config.Dir, absolute
	files   string // of Config.Files, absolute
	journal *journal.Journal
	jobs    []Job
	links   func() []uint32 // of the yardstick
	slack   time.Duration
	grace   time.Duration
}

// Run makes the runs that are missing from the journal in the folder. If ctx ends, the runs
// in progress are stopped and get no line; the summary reports that, and the error is nil.
// Errors are those of the journal and of programs that could not be started.
func Run(ctx context.Context, c Config) (*Summary, error) {
	b, err := newBench(c)
	if err != nil {
		return nil, err
	}
	if b.journal, err = journal.Open(b.dir); err != nil {
		return nil, err
	}
	defer b.journal.Close()
	if b.jobs, err = Paper(c); err != nil {
		return nil, err
	}
	b.sweep()
	jobs, journal := b.jobs, b.journal
	sum := &Summary{Jobs: len(jobs), Torn: journal.Torn}
	var open []int
	for i := range jobs {
		if b.settled(&jobs[i]) || b.needless(&jobs[i]) {
			sum.Before++
		} else {
			open = append(open, i)
		}
	}
	if len(open) > 0 {
		if err := b.begin(); err != nil {
			return nil, err
		}
		if err := b.all(ctx, open, sum); err != nil {
			return nil, err
		}
	}
	sum.Status = map[string]int{}
	for i := range jobs {
		if r := journal.Last(jobs[i].Record.ID); r != nil {
			sum.Status[r.Status]++
		}
	}
	sum.Contradictions = b.contradictions()
	return sum, nil
}

// newBench returns a bench without jobs and journal.
func newBench(c Config) (b *bench, err error) {
	if c.Env == nil {
		c.Env = os.Environ()
	}
	cycle := sync.OnceValue(func() []uint32 { return links(cmp.Or(c.cells, yardstickCells)) })
	b = &bench{c: c, links: cycle, slack: cmp.Or(c.slack, defaultSlack), grace: cmp.Or(c.grace, defaultGrace)}
	if b.dir, err = filepath.Abs(c.Dir); err == nil {
		b.files, err = filepath.Abs(c.Files)
	}
	return b, err
}

// settled reports whether a job has nothing left to do.
func (b *bench) settled(j *Job) bool {
	if j.keeps != "" {
		if _, err := os.Stat(filepath.Join(b.dir, j.keeps)); err != nil {
			return false
		}
	}
	return settled(b.journal.Last(j.Record.ID), j)
}

// needless reports whether a job repeats a run that was long.
func (b *bench) needless(j *Job) bool {
	first := b.journal.Last(j.first)
	return first != nil && first.Seconds >= cmp.Or(b.c.RepeatBelow, time.Second).Seconds()
}

// implied returns the line of a job with Algorithm 1 whose outcome follows from that of the
// run without it, nil if none does: if no plan was found within the limits, Algorithm 1 has
// nothing to begin with.
func (b *bench) implied(j *Job) *journal.Record {
	plain := b.journal.Last(j.after)
	if plain == nil || plain.Status != statusUnknown || plain.TimeLimit != j.Record.TimeLimit || plain.MemoryLimit != j.Record.MemoryLimit {
		return nil
	}
	r := j.Record
	r.Status, r.Seconds, r.CPU, r.Memory, r.Implied = plain.Status, plain.Seconds, plain.CPU, plain.Memory, plain.ID
	r.Error = "not run: without Algorithm 1 there was no plan within the same limits"
	return &r
}

// begin writes the line of this session, and the reward that runs read.
func (b *bench) begin() error {
	if err := b.writeReward(); err != nil {
		return err
	}
	r := &journal.Record{Kind: journal.KindMachine, Seed: b.c.Seed, Machine: b.c.Machine, Status: statusMeasured, TimeLimit: b.c.TimeLimit.Seconds(), MemoryLimit: b.c.Memory, Threads: b.c.Threads}
	for n := 1; ; n++ {
		if r.ID = fmt.Sprintf("machine session=%d", n); b.journal.Last(r.ID) == nil {
			return b.journal.Append(r)
		}
	}
}

// writeReward writes the reward that runs with published files read.
func (b *bench) writeReward() error {
	if b.c.Files == "" {
		return nil
	}
	name := filepath.Join(b.dir, rewardName)
	if err := atomicfile.Write(name, func(w io.Writer) error { _, err := io.WriteString(w, storageCost); return err }); err != nil {
		return fmt.Errorf("writing the reward of the inventories: %w", err)
	}
	return nil
}

// all makes the open jobs, in order, with the configured number in parallel.
func (b *bench) all(ctx context.Context, open []int, sum *Summary) error {
	if b.c.Total > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, b.c.Total, fmt.Errorf("the time for the whole bench, %v, was over", b.c.Total))
		defer stop()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg   routine.Group
		mu   sync.Mutex
		errs []error
		pace = newPace(b.jobs, open, max(1, b.c.Parallel))
	)
	next := make(chan int)
	order := newOrder(b.jobs, open)
	for range min(max(1, b.c.Parallel), len(open)) {
		wg.Go(func() {
			for i := range next {
				order.wait(ctx, i)
				mu.Lock()
				b.tell(pace.starting(i))
				mu.Unlock()
				before := b.c.Now()
				err := routine.Catch(func() error { return b.one(ctx, &b.jobs[i]) })
				order.ended(i)
				mu.Lock()
				switch {
				case errors.Is(err, errBusy):
					sum.Busy++
				case err == nil:
					sum.Done++
					b.tell(pace.ended(i, b.c.Now().Sub(before)))
				case ctx.Err() == nil || context.Cause(ctx) != err:
					errs = append(errs, err)
					cancel(err)
				}
				mu.Unlock()
			}
		})
	}
feed:
	for _, i := range open {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	if len(errs) > 0 {
		return errs[0]
	}
	sum.stop(context.Cause(ctx))
	return nil
}

// stop notes why runs have no line.
func (s *Summary) stop(cause error) {
	switch {
	case cause != nil && s.Before+s.Done < s.Jobs:
		s.Stopped = cause.Error()
	case s.Busy > 0:
		s.Stopped = fmt.Sprintf("%v (%d without a line)", errBusy, s.Busy)
	}
}

func (b *bench) tell(p Progress) {
	if b.c.Progress != nil {
		b.c.Progress(p)
	}
}

// one makes a job and writes its line, unless the job is needless.
func (b *bench) one(ctx context.Context, j *Job) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if b.needless(j) {
		return nil
	}
	if r := b.implied(j); r != nil {
		return b.journal.Append(r)
	}
	r := j.Record
	if twin := b.journal.Last(r.Same); twin != nil && settled(twin, j) {
		copied := *twin
		copied.ID, copied.Table, copied.Planner, copied.Same = r.ID, r.Table, r.Planner, twin.ID
		return b.journal.Append(&copied)
	}
	r.Same = ""
	if err := b.undisturbed(ctx, j, &r); err != nil {
		return err
	}
	return b.journal.Append(&r)
}

// attempts is how often a run that was disturbed is made.
const attempts = 3

// errBusy is the error of a run that was disturbed each time.
var errBusy = errors.New("something else was at work: runs took more wall-clock than CPU time")

// waiting is the time that a run may wait for files and for processes to start, in seconds.
const waiting = 0.1

// disturbed reports whether a run did not have a core for itself.
func (b *bench) disturbed(r *journal.Record) bool {
	return r.Clock == journal.ClockCPU && b.c.MaxLoad > 0 && r.Seconds > b.c.MaxLoad*r.CPU+waiting
}

// scratchPrefix begins the names of folders for the files of one run.
const scratchPrefix = ".run-"

// sweep removes files of a killed bench. Whatever cannot be removed does no harm, for example
// if the last process has not ended yet.
func (b *bench) sweep() {
	left, _ := filepath.Glob(filepath.Join(b.dir, scratchPrefix+"*"))
	for _, dir := range left {
		os.RemoveAll(dir)
	}
}

// scratch makes a folder for the files of one run, and returns a function that removes it.
func (b *bench) scratch() (string, func(), error) {
	dir, err := os.MkdirTemp(b.dir, scratchPrefix)
	if err != nil {
		return "", nil, fmt.Errorf("making a folder for a run: %w", err)
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}

// contradictions compares what the runs claim about the same instance and model.
func (b *bench) contradictions() []string {
	type claim struct{ id, says string }
	first := map[string]claim{}
	var out []string
	for i := range b.jobs {
		r := b.journal.Last(b.jobs[i].Record.ID)
		// Runs of Algorithm 1 answer another question, since they use the truth.
		if r == nil || r.Kind != journal.KindPlan || !proved(r.Status) || r.Landmarks != "" || r.Table == "figure1" {
			continue
		}
		says := r.Status
		if r.Reward != nil {
			says = fmt.Sprintf("%s %g", r.Status, *r.Reward)
		}
		key := fmt.Sprintf("%s H=%d %s %s", r.Problem, r.Horizon, r.Model, r.Files)
		if c, ok := first[key]; !ok {
			first[key] = claim{r.ID, says}
		} else if c.says != says {
			out = append(out, fmt.Sprintf("%s says %s, %s says %s", c.id, c.says, r.ID, says))
		}
	}
	slices.Sort(out)
	return out
}

// id joins what a run depends on.
func id(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}
