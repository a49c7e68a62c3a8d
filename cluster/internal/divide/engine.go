package divide

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// Options set up an Engine. Only Executor is needed.
type Options struct {
	Executor Executor
	// First, where it is set, works on the whole problem by itself, and the problem is divided
	// only if it has no answer after HeadStart. It goes on beside the workers, so that they
	// make nothing slower.
	First     engine.Engine
	HeadStart time.Duration
	Unit      string // engine of the units, of Engines; empty is the first of these
	Cubes     int    // number of cubes at first; 0 is cubesPerSlot for each slot, at least fewestCubes
	Work      int64  // budget of a cube at first; 0 is firstBudget
	Proof     bool   // units return proofs, and the result has them joined
	Literal   bool   // the proof is about the paper's own rows; see Unit
}

// Defaults of Options.
const (
	cubesPerSlot = 4
	// fewestCubes are more than most machines have slots: many small searches find out less
	// in vain than few large ones (see BenchmarkDivided).
	fewestCubes = 64
	firstBudget = 3_000_000
)

// Limits of how a problem is divided.
const (
	// maxCubes bounds the cubes at first: to start a unit takes some milliseconds.
	maxCubes = 1 << 12
	// partsPerCube is the number of parts of a cube that exceeded its budget.
	partsPerCube = 4
	// attempts bounds how often a unit that fails is handed in.
	attempts = 3
)

// ErrUnit is wrapped by the error for a unit that failed each time that it was handed in, or
// whose outcome is false.
var ErrUnit = errors.New("a unit of the divided problem failed")

// Engine solves a problem by many workers. It implements engine.Engine.
type Engine struct{ Options }

// Name is "divide".
func (Engine) Name() string { return "divide" }

// Solve finds an optimal plan or proves that there is none, unless a limit is reached first.
// Of a range of horizons each is solved by itself. Stats of the result has the number of
// cubes: it is 0 if the problem was not divided.
func (e Engine) Solve(ctx context.Context, q engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	if e.Unit == "" {
		e.Unit = Engines()[0]
	}
	if e.Proof && e.Unit != Engines()[0] {
		return nil, fmt.Errorf("%w: %s writes no proofs of cubes; expected %s", ErrEngine, e.Unit, Engines()[0])
	}
	return engine.EachHorizon(ctx, q, report, func(h int, report func(engine.Progress)) (*engine.Result, error) {
		r := &run{Options: e.Options, task: q.Task, horizon: h, limits: l.Of(q, h), report: report, most: math.MaxInt64, asked: map[string]*node{}, stats: map[string]int64{}}
		return r.solve(ctx)
	})
}

// run is one problem over one horizon that is being solved.
type run struct {
	Options
	task    engine.Task
	horizon int
	limits  engine.Limits
	mu      sync.Mutex // held while reporting
	report  func(engine.Progress)

	alone   *alone // nil without Options.First
	root    *node
	workers Workers
	waiting []*node          // leaves that are not handed in
	asked   map[string]*node // handed in, without an outcome so far
	trace   *factored.Trace  // the best plan; nil if there is none
	reward  int64
	most    int64 // no plan of any kind has a higher reward
	reason  string
	stats   map[string]int64
}

// solve divides the problem and waits for the outcomes.
func (r *run) solve(ctx context.Context) (*engine.Result, error) {
	if r.limits.Shared == nil {
		r.limits.Shared = &engine.Exchange{}
	}
	if err := r.measure(ctx); err != nil {
		return nil, err
	}
	r.startAlone(ctx)
	defer r.stopAlone()
	r.headStart(ctx)
	r.exchange()
	if res, err := r.answer(); res != nil || err != nil {
		return res, err
	}
	if ctx.Err() != nil {
		return r.result(ctx)
	}
	if err := r.work(ctx); err != nil {
		return nil, err
	}
	r.stopAlone()
	r.exchange()
	if r.open() {
		if res, err := r.answer(); res != nil || err != nil {
			return res, err
		}
	}
	return r.result(ctx)
}

// work has workers do what is open. It is no error that ctx ends: what is known is the answer.
func (r *run) work(ctx context.Context) error {
	var err error
	if r.workers, err = r.Executor.Open(ctx, r.task, r.horizon); err != nil {
		return err
	}
	if r.trace != nil {
		r.workers.Publish(*bestOf(r.trace, r.reward))
	}
	if err = r.plant(ctx); err == nil {
		err = r.loop(ctx)
	}
	if ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, r.workers.Close())
}

// Names of counts in a result.
const (
	cubesStat    = "cubes"          // that were handed in
	refutedStat  = "refuted_cubes"  // by propagation, without a worker
	dividedStat  = "divided_again"  // cubes that took too long
	unitsStat    = "units"          // handed in, with those that were asked again
	repeatedStat = "repeated_units" // that were asked again
	extraStat    = "extra_outcomes" // of units that had one already
	workStat     = "work"           // of all units, in the engine's own measure
)

// measure finds out what a plan can have at most.
func (r *run) measure(ctx context.Context) error {
	m, err := model.New(r.task.Problem, r.task.Network, r.horizon, model.Options{Context: ctx})
	if err == nil {
		r.most = -m.ObjectiveConstant()
	}
	return err
}

// plant divides the problem at first. Of one that was divided before, it lists what is open.
func (r *run) plant(ctx context.Context) error {
	if r.root != nil {
		clear(r.asked)
		r.waiting = r.root.leaves(nil)
		return nil
	}
	var err error
	if r.root, err = newNode(ctx, r.task, r.horizon, "", nil); err != nil || r.root.refuted {
		return err
	}
	want := r.Cubes
	if want == 0 {
		want = max(fewestCubes, cubesPerSlot*r.workers.Slots())
	}
	if r.Work == 0 {
		r.Work = firstBudget
	}
	if err := r.root.grow(ctx, r.task, r.horizon, min(want, maxCubes), r.Work); err != nil {
		return err
	}
	r.waiting = r.root.leaves(nil)
	return nil
}

// exchangeTime is how often the engine that works alone is asked for plans.
const exchangeTime = time.Second

// loop hands in units and takes outcomes until no cube is open, or nobody works on those that
// are.
func (r *run) loop(ctx context.Context) error {
	ended := r.ended()
	for r.trim(); r.open() && (len(r.asked)+len(r.waiting) > 0 || ended != nil); r.trim() {
		if err := r.handIn(ctx); err != nil {
			return err
		}
		var look <-chan time.Time
		if ended != nil {
			look = time.After(exchangeTime)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case o := <-r.workers.Outcomes():
			if err := r.take(ctx, o); err != nil {
				return err
			}
		case <-ended:
			if res, err := r.answer(); res != nil || err != nil {
				return err
			}
			ended = nil
		case <-look:
		}
		r.exchange()
		r.reportProgress()
	}
	return nil
}

// open reports whether a cube may have a plan that is better than the best.
func (r *run) open() bool {
	if r.root == nil {
		return true
	}
	bound, none := r.root.bound(r.ceiling(r.Proof), r.Proof)
	return !none && (r.trace == nil || bound > r.reward)
}

// trim forgets cubes that need not be done any more.
func (r *run) trim() { r.waiting = slices.DeleteFunc(r.waiting, r.closed) }

// closed reports whether a leaf has no plan that is better than the best, with a proof where
// one is wanted.
func (r *run) closed(n *node) bool {
	bound, none := n.bound(n.inherited(r.ceiling(r.Proof), r.Proof), r.Proof)
	return none || r.trace != nil && bound <= r.reward
}

// handIn keeps the workers busy.
func (r *run) handIn(ctx context.Context) error {
	for slots := max(1, r.workers.Slots()); len(r.waiting) > 0 && len(r.asked) < slots; {
		n := r.waiting[0]
		r.waiting = r.waiting[1:]
		if err := r.ask(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// ask hands in a unit.
func (r *run) ask(ctx context.Context, n *node) error {
	r.stats[unitsStat]++
	if n.asked == 0 {
		r.stats[cubesStat]++
	} else {
		r.stats[repeatedStat]++
	}
	u := Unit{ID: n.id, Attempt: n.asked, Horizon: r.horizon, Cube: literals(r.task.Problem, n.cube), Engine: r.Unit,
		Work: n.budget, Memory: r.limits.Memory, Proof: r.Proof, Literal: r.Literal}
	n.asked++
	r.asked[n.id] = n
	return r.workers.Start(ctx, u)
}

// retry asks for a unit once more that failed.
func (r *run) retry(n *node, fault string) error {
	if n.faults++; n.faults >= attempts {
		return fmt.Errorf("%w: cube %q, %d times: %s", ErrUnit, n.id, n.faults, fault)
	}
	r.waiting = append(r.waiting, n)
	return nil
}

// take takes an outcome. One of a unit that has one already changes nothing.
func (r *run) take(ctx context.Context, o *Outcome) error {
	if o.Lost != nil {
		return o.Lost
	}
	n, ok := r.asked[o.ID]
	if !ok {
		r.stats[extraStat]++
		return nil
	}
	delete(r.asked, o.ID)
	if o.Fault != "" {
		return r.retry(n, o.Fault)
	}
	if err := r.learn(o); err != nil {
		return r.retry(n, err.Error())
	}
	r.stats[workStat] += o.Work
	n.outcome = o
	switch {
	case r.closed(n):
		return nil
	case o.Reason == "":
		// Settled, and yet there may be a better plan, or the proof is missing.
		return r.retry(n, "its outcome does not settle it")
	case n.budget == 0 || n.split == nil:
		r.reason = o.Reason
		return nil
	}
	r.stats[dividedStat]++
	if err := n.grow(ctx, r.task, r.horizon, partsPerCube, 2*n.budget); err != nil {
		return err
	}
	r.waiting = append(r.waiting, n.leaves(nil)...)
	return nil
}

// learn takes the plan of an outcome.
func (r *run) learn(o *Outcome) error {
	if o.Best == nil || r.trace != nil && o.Best.Reward <= r.reward {
		return nil
	}
	t, reward, err := o.Best.checked(r.task, r.horizon)
	if err != nil {
		return err
	}
	r.trace, r.reward = t, reward
	r.workers.Publish(*bestOf(t, reward))
	r.limits.Shared.Offer(t, r.reward)
	return nil
}
