// Package engine is the interface of all planning engines: a problem, a range of
// horizons and limits in; incumbents, bounds and a result out. An engine stops
// when its context ends, and then returns what it knows.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Task is a problem with the network that models the learned part of its
// transition; Network is nil when nothing is learned.
type Task struct {
	Problem *factored.Problem
	Network *bnn.Network
}

// Query asks for a plan of the best summed reward over the horizons
// MinHorizon..MaxHorizon; the shortest on a tie.
type Query struct {
	Task
	MinHorizon, MaxHorizon int
}

// ReasonConflicts is the reason of a result for which Limits.Conflicts was too few.
const ReasonConflicts = "the limit on conflicts was reached"

// Limits bound an engine's use of the machine.
type Limits struct {
	Threads int   // >= 1
	Memory  int64 // bytes for the engine's tables; 0 means no bound
	// Conflicts bounds the work on one question to a Clausal session; 0 means no bound.
	Conflicts int64
	// Shared connects engines that work on the same query; nil for one alone. See Of for
	// queries about several horizons.
	Shared *Exchange
	// Aside, where it is set, looks for plans beside an engine that plans without a horizon, and offers them to Shared. It does so much
	// work, in about 2 ns, and is false once it is done.
	Aside func(ctx context.Context, work int64) bool
	// Spend, where it is set, is told of work that reports of progress do not count: tables are laid out, in units of about 300 ns. Others
	// may have their turn meanwhile.
	Spend func(work int64)
	// Late is closed when an answer is due at once, some moment after the
	// context has ended; nil for never. See InTime.
	Late <-chan struct{}
}

// Of returns the limits for one horizon of a query. Of a range each horizon has an exchange
// of its own: a bound holds for one horizon alone.
func (l Limits) Of(q Query, horizon int) Limits {
	if q.MinHorizon != q.MaxHorizon {
		l.Shared = l.Shared.at(horizon)
	}
	return l
}

// ErrSettled is the cause of a context that ends because others have answered the query: what
// an engine knows by then is of no use.
var ErrSettled = errors.New("another engine was faster")

// TooLargeError is a model that an engine does not build: it alone would take
// more memory than the engine may have.
type TooLargeError struct {
	What         string // such as "the encoding"
	Bytes, Bound int64
	AtLeast      bool // Bytes is a lower bound, else an estimate
}

func (e *TooLargeError) Error() string {
	how := "about"
	if e.AtLeast {
		how = "at least"
	}
	return fmt.Sprintf("%s would take %s %d MiB, and the memory limit is %d MiB", e.What, how, e.Bytes>>20, e.Bound>>20)
}

// Status is what is known of a query.
type Status string

// The statuses of a result.
const (
	Optimal    Status = "optimal"    // Trace is a plan of the best reward, proven
	Feasible   Status = "feasible"   // Trace is a plan
	Infeasible Status = "infeasible" // no plan exists, proven
	Unknown    Status = "unknown"    // a limit was reached before any answer
)

// Result is an engine's answer. Rewards are in the problem's scaled integers.
type Result struct {
	Status  Status
	Horizon int             // of the plan; 0 without one
	Trace   *factored.Trace // nil without a plan
	Reward  int64           // of the plan, as the engine counted it
	Bound   *int64          // no plan of these horizons has a higher reward; nil when nothing is known
	// Horizons has a result for each requested horizon, if there was more than
	// one.
	Horizons []HorizonResult
	// Reason names the limit that ended the run, "" when it ended by itself.
	Reason string
	// Winner names the engine that answered where several worked side by side,
	// "" where there was one.
	Winner string
	// Note says how the result came about where work was divided, as a phrase; "" for
	// nothing to say.
	Note string
	// Prover names the outside program on whose word alone the status or the bound
	// stands, "" where this program proved it.
	Prover string
	// Evidence writes a proof of the result, put together from what the engine kept; nil
	// where a proof has to be found anew.
	Evidence *Evidence
	// Stats are the engine's own counts, for people and benchmarks.
	Stats map[string]int64
}

// Evidence is a proof of a result about one horizon that can be written at any time.
type Evidence struct {
	// Literal reports whether the proof is about the paper's own rows, else it is about the
	// model with propagated constants.
	Literal bool
	// Costly reports whether Write has to solve the problem again, so that other ways to a
	// proof are tried before.
	Costly bool
	// Write writes the proof. It returns the bound that the proof shows, which may be above
	// that of a result without an optimum; nil where it shows that there is no plan.
	Write func(ctx context.Context, w io.Writer, f proof.Format) (*int64, error)
}

// HorizonResult is what is known of a single horizon: Unknown, Infeasible, or
// Optimal with its best reward.
type HorizonResult struct {
	Horizon int
	Status  Status
	Reward  int64
}

// Progress is a report on the way: a new incumbent or a new bound.
type Progress struct {
	Phase  string // what is being done, for people
	Reward *int64 // best plan so far
	Bound  *int64 // best proven upper bound so far
	Prover string // names the outside program on whose word the bound stands; "" for none
	// Trace is a plan of that reward, which is not changed any more; nil where
	// the engine has none to show.
	Trace *factored.Trace
	// Settled is a horizon of a range that is done with; nil for no news of one.
	Settled *HorizonResult
	Work    int64 // how much was done, counted and not timed, in some tenths of a microsecond; it never falls
}

// Engine solves queries. Implementations keep no state between calls; report
// may be nil and is called from one goroutine at a time.
type Engine interface {
	Name() string
	Solve(ctx context.Context, q Query, l Limits, report func(Progress)) (*Result, error)
}
