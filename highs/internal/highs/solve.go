package highs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/fdplan/fdplan/internal/routine"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/internal/source"
)

// Engine is HiGHS, ready to run in process. It may solve several problems at
// the same time.
type Engine struct {
	code    []byte
	cache   wazero.CompilationCache
	running atomic.Int32
}

// Options are what only HiGHS in process takes.
type Options struct {
	Memory int64     // bytes that it may use, 21 MB at least; 0, and anything larger, is the 2 GiB that the build allows
	Log    io.Writer // gets what HiGHS prints; nil for nobody
}

// Open reads and checks the file that Find finds. Compiled code is kept in the user's cache
// directory if there is one.
func Open(ctx context.Context) (*Engine, error) {
	name, err := Find()
	if err != nil {
		return nil, err
	}
	code, err := read(name)
	if err != nil {
		return nil, err
	}
	e := &Engine{code: code}
	if dir := cacheDir(); dir != "" {
		if e.cache, err = wazero.NewCompilationCacheWithDir(filepath.Join(dir, "wazero")); err == nil {
			return e, nil
		}
	}
	e.cache = wazero.NewCompilationCache()
	return e, nil
}

// Close frees the compiled code. Where a computation had to be left to end by
// itself, its code stays.
func (e *Engine) Close(ctx context.Context) error {
	if e.running.Load() > 0 {
		return nil
	}
	return e.cache.Close(ctx)
}

// ErrMemory is returned, with an answer that holds what is known, when the
// memory that HiGHS may use is not enough.
var ErrMemory = errors.New("HiGHS ran out of memory")

// Times of stopping.
const (
	// gentle is what HiGHS gets to stop at a callback, where it still tells its
	// bound, before it is stopped at the clock.
	gentle = 500 * time.Millisecond
	// patience is what Solve waits for it to have stopped at all.
	patience = time.Second
	// margin is how much the time limit may be exceeded before the same is done.
	margin = time.Second
)

// Solve solves in in process; see external.Run for what it takes and returns. Of
// the limits, Time counts and Threads does not: there is one.
func (e *Engine) Solve(ctx context.Context, in external.Input, l external.Limits, o Options, report func(external.Progress)) (external.Answer, error) {
	if ctx.Err() != nil {
		return external.Answer{}, nil
	}
	name, model, err := load(in)
	if err != nil {
		return external.Answer{}, err
	}
	if l.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.Time+margin)
		defer cancel()
	}
	r := &run{start: in.Start, log: o.Log, limit: l.Time, report: report}
	r.host = host{
		started: time.Now(), modelName: name, model: model, maxMemory: 1 << 31,
		log:  r.print,
		stop: func() bool { return r.kill.Load() },
	}
	if o.Memory > 0 {
		r.host.maxMemory = min(r.host.maxMemory, uint64(o.Memory))
	}
	e.running.Add(1)
	done := routine.Start(func() (external.Answer, error) {
		defer e.running.Add(-1)
		return r.do(e)
	})
	select {
	case got := <-done:
		return got.Value, got.Err
	case <-ctx.Done():
	}
	r.ask.Store(true)
	for _, wait := range []time.Duration{gentle, patience - gentle} {
		timer := time.NewTimer(wait)
		select {
		case got := <-done:
			timer.Stop()
			return got.Value, got.Err
		case <-timer.C:
			r.kill.Store(true)
		}
	}
	return r.abandon(), nil
}

// load returns the model's text, under a name that tells HiGHS the format.
func load(in external.Input) (name string, model []byte, err error) {
	if in.File == "" {
		var b bytes.Buffer
		if err := in.Write(&b, external.LP); err != nil {
			return "", nil, fmt.Errorf("writing the problem for HiGHS: %w", err)
		}
		return "/model.lp", b.Bytes(), nil
	}
	model, err = source.ReadFileUpTo(in.File, source.MaxData)
	if err != nil {
		return "", nil, fmt.Errorf("reading the problem for HiGHS: %w", err)
	}
	switch ext := filepath.Ext(in.File); ext {
	case ".lp", ".mps":
		return "/model" + ext, model, nil
	}
	return "", nil, fmt.Errorf("%s: expected a name that ends in .lp or .mps", in.File)
}

// run is one computation.
type run struct {
	host  host
	start map[int32]int64 // by variable
	log   io.Writer       // gets what HiGHS prints; nil for nobody
	limit time.Duration   // from host.started; 0 is none
	ask   atomic.Bool     // stop at a callback
	kill  atomic.Bool     // stop at the clock

	mu     sync.Mutex // guards what follows against an abandoned computation
	over   bool       // nothing counts any more
	report func(external.Progress)
	best   external.Answer // what is known so far
	tail   []byte          // the end of the log

	solutions int // that were reported

	m       api.Module
	pointer uint32           // to the HiGHS object
	names   []int32          // column -> variable, minus that of an integer, 0 for the column of the constant
	item    [numItems]uint32 // strings that name items of callback data
}

const tailSize = 16 << 10

// print passes on what HiGHS prints, and keeps the end of it.
func (r *run) print(text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log != nil && !r.over {
		r.log.Write(text)
	}
	r.tail = append(r.tail, text...)
	if len(r.tail) > 4*tailSize {
		r.tail = append(r.tail[:0], r.tail[len(r.tail)-tailSize:]...)
	}
}

// abandon returns what is known and closes the reports.
func (r *run) abandon() external.Answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	a := r.best
	if a.True != nil {
		a.Status = external.Satisfiable
	}
	a.Log = string(r.tail[max(0, len(r.tail)-tailSize):])
	return a
}

// do computes, in a runtime of its own, so that nothing of a computation that
// was stopped half-way is used again.
func (r *run) do(e *Engine) (external.Answer, error) {
	// Not the caller's context: stopping is done by the callbacks and the clock.
	ctx := context.Background()
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(e.cache))
	defer runtime.Close(ctx)
	if err := r.host.instantiate(ctx, runtime); err != nil {
		return external.Answer{}, fmt.Errorf("preparing HiGHS: %w", err)
	}
	compiled, err := runtime.CompileModule(ctx, e.code)
	if err != nil {
		return external.Answer{}, fmt.Errorf("compiling HiGHS: %w", err)
	}
	r.m, err = runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName(moduleName).WithStartFunctions())
	if err != nil {
		return external.Answer{}, fmt.Errorf("starting HiGHS: %w", err)
	}
	a, err := r.solve(ctx, runtime)
	switch {
	case errors.Is(err, errInterrupted):
		return r.abandon(), nil
	case err != nil && r.host.refused:
		return r.abandon(), ErrMemory
	case err != nil:
		for _, cause := range []error{errAborted, errThrown, errExited} {
			if errors.Is(err, cause) {
				err = cause // without the stack inside
			}
		}
		return external.Answer{}, &external.CrashError{Solver: "highs", Err: err, Log: r.abandon().Log}
	}
	return a, nil
}

// answer reads what HiGHS found.
func (r *run) answer(ctx context.Context) (external.Answer, error) {
	c := caller{ctx: ctx, r: r}
	status := modelStatus(c.int("Highs_getModelStatus", uint64(r.pointer)))
	a := external.Answer{Nodes: c.int64Info("mip_node_count")}
	if b := c.doubleInfo("mip_dual_bound"); !math.IsNaN(b) {
		a.Bound = external.RoundBound(b)
	}
	const feasible = 2
	if c.intInfo("primal_solution_status") == feasible {
		values := c.alloc(8 * uint32(len(r.names)))
		c.int("Highs_getSolution", uint64(r.pointer), uint64(values), 0, 0, 0)
		var err error
		if a.True, err = r.trueVariables(doubles(r.m, values, uint32(len(r.names)))); err != nil {
			return a, err
		}
		a.Objective = wholeObjective(c.doubleInfo("objective_function_value"))
		a.Status = external.Satisfiable
	}
	if c.err != nil {
		return a, c.err
	}
	switch status {
	case statusOptimal, statusEmpty:
		if a.True == nil && len(r.names) > 0 {
			return a, errors.New("HiGHS claims an optimum and gives no values")
		}
		if a.True == nil {
			a.True = map[int32]bool{}
		}
		a.Status, a.Bound = external.Optimal, a.Objective
	case statusInfeasible, statusUnboundedOrInfeasible:
		// No file of package format is unbounded.
		a = external.Answer{Status: external.Unsatisfiable, Nodes: a.Nodes}
	case statusTimeLimit, statusInterrupt, statusIterationLimit, statusSolutionLimit, statusBound, statusTarget:
	default:
		return a, fmt.Errorf("HiGHS ends with model status %d", status)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	a.Log = string(r.tail[max(0, len(r.tail)-tailSize):])
	return a, nil
}

// trueVariables reads a solution.
func (r *run) trueVariables(values []float64) (map[int32]bool, error) {
	if len(values) != len(r.names) {
		return nil, fmt.Errorf("HiGHS gives %d values for %d columns", len(values), len(r.names))
	}
	t := map[int32]bool{}
	for i, x := range values {
		switch {
		case r.names[i] < 0: // an integer, which follows from others
		case !(math.Abs(x-math.Round(x)) <= 1e-4) || math.Round(x) < 0 || math.Round(x) > 1:
			return nil, fmt.Errorf("HiGHS gives the value %v for x%d, expected 0 or 1", x, r.names[i])
		case math.Round(x) == 1 && r.names[i] > 0:
			t[r.names[i]] = true
		}
	}
	return t, nil
}

// wholeObjective rounds an objective's value; nil if there is none.
func wholeObjective(x float64) *int64 {
	if !(math.Abs(x) < 1<<53) {
		return nil
	}
	v := int64(math.Round(x))
	return &v
}

// Column returns the number of the column x12, minus that of the integer n12, and 0 for the column one.
func Column(name string) (int32, error) {
	if name == "one" {
		return 0, nil
	}
	digits, ok := strings.CutPrefix(name, "x")
	sign := int32(1)
	if !ok {
		digits, ok = strings.CutPrefix(name, "n")
		sign = -1
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	if !ok || err != nil || n < 1 {
		return 0, fmt.Errorf("column %q, expected x1, n1, x2, ... or one", name)
	}
	return sign * int32(n), nil
}
