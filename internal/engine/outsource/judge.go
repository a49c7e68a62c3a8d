package outsource

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// LieError is a wrong answer of an external solver.
type LieError struct {
	Solver string // its name
	Msg    string // what is wrong
	Err    error  // the checker's objection to a plan; nil where it is another
}

func (e *LieError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("the answer of %s is wrong: %s: %v", e.Solver, e.Msg, e.Err)
	}
	return fmt.Sprintf("the answer of %s is wrong: %s", e.Solver, e.Msg)
}

func (e *LieError) Unwrap() error { return e.Err }

// Judge turns the claims of an external solver about one model into what is known. All
// fields are set before the first call; methods may be called from several
// goroutines.
type Judge struct {
	Engine   string // name of the engine, for progress
	Solver   string // name of the solver, for errors
	Model    *model.Model
	Constant int64             // scaled reward = -(objective + Constant)
	Excluded []engine.Landmark // no plan may begin as one of these
	Shared   *engine.Exchange  // nil for none
	Report   func(engine.Progress)
	Complete func(isTrue map[int32]bool) // sets the variables of states and actions from others of a solution; nil where they are in it

	cancel func() // stops the solver when it lies; nil for nothing to stop

	mu    sync.Mutex
	trace *factored.Trace // the best plan that was checked
	best  int64           // its scaled reward
	bound *int64          // upper bound on the scaled reward
	shown *int64          // the part of it that does not stand on the solver's word
	lie   error           // the first
	seen  int             // solutions of the solver that were looked at; see external.Progress
	work  int64
}

// Run has a solver answer within limits, and concludes. Errors are those of external.Run, and a
// *LieError.
func (j *Judge) Run(ctx context.Context, s external.Solver, in external.Input, l engine.Limits) (*engine.Result, error) {
	solving, cancel := context.WithCancel(ctx)
	defer cancel()
	j.cancel = cancel
	a, err := external.Run(solving, s, in, limitsOf(ctx, l), j.Progress)
	switch {
	case j.Lie() != nil:
		return nil, j.Lie()
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		a = external.Answer{} // the file was being written
	case err != nil:
		return nil, err
	}
	return j.Conclude(ctx, a)
}

// Know takes a plan that did not come from the solver. A plan that the checker
// refuses, or that is excluded, is left out.
func (j *Judge) Know(t *factored.Trace) {
	if reward, err := j.check(t); err == nil {
		j.mu.Lock()
		j.keep(t, reward)
		j.mu.Unlock()
	}
}

// KnowBound takes an upper bound on the scaled reward that did not come from the
// solver.
func (j *Judge) KnowBound(b int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.bound = &b
}

// Show takes an upper bound on the scaled reward that is proven without the solver.
func (j *Judge) Show(b int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.shown == nil || b < *j.shown {
		j.shown = &b
	}
	if j.bound == nil || b < *j.bound {
		j.bound = &b
		j.Shared.Lower(b)
	}
}

// Settled reports whether the best plan is proven to be, without the solver.
func (j *Judge) Settled() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.trace != nil && j.best >= j.proven()
}

// proven is the least upper bound on the scaled reward that does not stand on the
// solver's word: no cost is negative.
func (j *Judge) proven() int64 {
	free := -j.Model.ObjectiveConstant()
	if j.shown != nil {
		free = min(free, *j.shown)
	}
	return free
}

// Best is the best plan so far with its scaled reward; nil without one.
func (j *Judge) Best() (*factored.Trace, int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.trace, j.best
}

// errExcluded is the objection to a plan that begins as a landmark does.
var errExcluded = errors.New("the plan is one of those that are excluded")

// check replays a plan and counts its reward.
func (j *Judge) check(t *factored.Trace) (int64, error) {
	report, err := validate.Check(j.Model.Problem, j.Model.Network, validate.FromTrace(t))
	switch {
	case err != nil:
		return 0, err
	case !report.Valid:
		return 0, report.Failure
	}
	for i := range j.Excluded {
		if j.Excluded[i].Covers(j.Model.Problem, t) {
			return 0, errExcluded
		}
	}
	return report.Reward, nil
}

// keep makes a plan the incumbent if it is better.
func (j *Judge) keep(t *factored.Trace, reward int64) {
	if j.trace == nil || reward > j.best {
		j.trace, j.best = t, reward
		j.Shared.Offer(t, reward)
	}
}

// reward turns an objective into the scaled reward.
func (j *Judge) reward(objective int64) int64 { return -(objective + j.Constant) }

// read checks a solution.
func (j *Judge) read(isTrue map[int32]bool) (*factored.Trace, int64, error) {
	if j.Complete != nil {
		j.Complete(isTrue)
	}
	t := j.Model.Trace(func(v int32) bool { return isTrue[v] })
	reward, err := j.check(t)
	if err != nil {
		return nil, 0, &LieError{Solver: j.Solver, Msg: "its assignment is not a valid plan", Err: err}
	}
	return t, reward, nil
}

// Progress takes what the solver reports while it runs.
func (j *Judge) Progress(p external.Progress) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lie != nil {
		return
	}
	fail := func(err error) {
		j.lie = err
		if j.cancel != nil {
			j.cancel()
		}
	}
	if p.Solutions > j.seen {
		j.seen = p.Solutions
		t, reward, err := j.read(p.True)
		if err != nil {
			fail(err)
			return
		}
		j.keep(t, reward)
	}
	if p.Bound != nil {
		if err := j.lower(*p.Bound); err != nil {
			fail(err)
			return
		}
	}
	j.work = max(j.work+1, p.Nodes)
	out := engine.Progress{Phase: fmt.Sprintf("%s: %s", j.Engine, j.Solver), Bound: j.bound, Prover: j.prover(engine.Unknown), Work: j.work}
	if p.Nodes > 0 {
		out.Phase += fmt.Sprintf(", %d nodes", p.Nodes)
	}
	switch {
	case j.trace != nil:
		out.Reward, out.Trace = &j.best, j.trace
	case p.Objective != nil: // said, not shown
		r := j.reward(*p.Objective)
		out.Phase += fmt.Sprintf(", says it has %v", j.Model.Problem.Reward.Float(r))
	}
	if out.Reward != nil {
		r := *out.Reward
		out.Reward = &r
		if out.Bound != nil {
			out.Phase += ", gap " + Gap(*out.Bound, r)
		}
	}
	if j.Report != nil {
		j.Report(out)
	}
}

// Gap is a gap in percent, as the paper's appendix prints it, of scaled values.
func Gap(bound, reward int64) string {
	size := max(reward, -reward, 1)
	return fmt.Sprintf("%.0f %%", 100*float64(bound-reward)/float64(size))
}

// lower takes a bound on the objective.
func (j *Judge) lower(objective int64) error {
	b := j.reward(objective)
	if j.bound == nil || b < *j.bound {
		j.bound = &b
		j.Shared.Lower(b)
	}
	if j.trace != nil && *j.bound < j.best {
		return &LieError{Solver: j.Solver, Msg: fmt.Sprintf("it bounds the reward by %v, and there is a plan of %v", j.float(*j.bound), j.float(j.best))}
	}
	return nil
}

func (j *Judge) float(scaled int64) float64 { return j.Model.Problem.Reward.Float(scaled) }

// Conclude takes the solver's last word. ctx tells why it may have been short.
func (j *Judge) Conclude(ctx context.Context, a external.Answer) (*engine.Result, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lie != nil {
		return nil, j.lie
	}
	if a.True != nil {
		t, reward, err := j.read(a.True)
		if err != nil {
			return nil, err
		}
		// Auxiliary variables that pay can leave less in a solution than its plan
		// is worth, unless it is an optimum.
		if o := a.Objective; o != nil && (j.reward(*o) > reward || a.Status == external.Optimal && j.reward(*o) < reward) {
			return nil, &LieError{Solver: j.Solver, Msg: fmt.Sprintf("it counts the reward %v, the checker %v", j.float(j.reward(*a.Objective)), j.float(reward))}
		}
		j.keep(t, reward)
		if a.Status == external.Optimal && j.best > reward {
			return nil, &LieError{Solver: j.Solver, Msg: fmt.Sprintf("it claims that %v is the best reward, and there is a plan of %v", j.float(reward), j.float(j.best))}
		}
	}
	if a.Bound != nil {
		if err := j.lower(*a.Bound); err != nil {
			return nil, err
		}
	}
	r := &engine.Result{Stats: map[string]int64{"nodes": a.Nodes}, Bound: j.bound}
	if j.trace != nil {
		r.Trace, r.Horizon, r.Reward = j.trace, j.Model.Horizon, j.best
	}
	switch {
	case a.Status == external.Unsatisfiable && j.trace != nil:
		return nil, &LieError{Solver: j.Solver, Msg: fmt.Sprintf("it claims that there is no plan, and there is one of %v", j.float(j.best))}
	case a.Status == external.Unsatisfiable:
		r.Status, r.Bound = engine.Infeasible, nil
	case a.Status == external.Optimal && a.True == nil:
		return nil, &LieError{Solver: j.Solver, Msg: "it claims an optimum and shows no plan"}
	case a.Status == external.Optimal || j.trace != nil && (j.best >= j.proven() || j.bound != nil && *j.bound == j.best):
		r.Status = engine.Optimal
		r.Bound = &r.Reward
	case j.trace != nil:
		r.Status = engine.Feasible
	default:
		r.Status = engine.Unknown
	}
	r.Prover = j.prover(r.Status)
	if r.Status == engine.Feasible || r.Status == engine.Unknown {
		r.Reason = j.reason(ctx)
	}
	return r, nil
}

// prover names the solver where a status, or with no proof the bound, stands on
// its word alone; "" where the model itself shows it, because no cost is negative, or
// what Show took.
func (j *Judge) prover(s engine.Status) string {
	proven := j.proven()
	switch {
	case s == engine.Infeasible:
		return j.Solver
	case j.trace != nil && j.best >= proven:
		return ""
	case s == engine.Optimal || j.bound != nil && *j.bound < proven:
		return j.Solver
	}
	return ""
}

// Ahead is how long before its deadline a solver that can be told of it is to
// stop, so that it has time to say what it knows.
const Ahead = 300 * time.Millisecond

// reason tells why the solver ended without a proof. A solver that was told of
// the deadline ends a moment before it.
func (j *Judge) reason(ctx context.Context) string {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < 3*time.Second/2 {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx).Error()
	}
	return j.Solver + " ended without a proof"
}

// limitsOf are those of a solver that is to end with its context. Solvers that
// count in whole seconds get whole ones.
func limitsOf(ctx context.Context, l engine.Limits) external.Limits {
	out := external.Limits{Threads: l.Threads}
	if deadline, ok := ctx.Deadline(); ok {
		out.Time = max(time.Until(deadline)-Ahead, time.Millisecond)
		if out.Time > time.Second {
			out.Time = out.Time.Truncate(time.Second)
		}
	}
	return out
}

// Lie returns the error of the first wrong claim that the solver made on its way;
// nil without one.
func (j *Judge) Lie() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lie
}
