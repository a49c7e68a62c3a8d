package incremental

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Kind selects what is excluded when a plan fails.
type Kind string

// The kinds of landmarks.
const (
	// Plan excludes the plan, as the paper does.
	Plan Kind = "plan"
	// Prefix excludes every plan that begins with the joint actions to blame
	// (simulator.Failure.Prefix).
	Prefix Kind = "prefix"
	// Transition is Prefix, and also corrects the network wherever an observed transition
	// differs from it.
	Transition Kind = "transition"
)

// Kinds lists all kinds.
var Kinds = []Kind{Plan, Prefix, Transition}

// ErrEngine is wrapped by errors that are bugs of an engine: a plan that the checker refuses,
// or one that is excluded.
var ErrEngine = errors.New("the engine is wrong")

// Options of a run.
type Options struct {
	Landmarks Kind
	Limits    engine.Limits
	Report    func(engine.Progress) // of the engine; may be nil
	Iteration func(Iteration)       // called for each; may be nil
	// Save, if set, is called with the knowledge after each failed plan. If it returns an
	// error, the run ends. It must not change its argument.
	Save func(*State) error
	// Known is the knowledge of earlier runs; nil for none.
	Known *State
	// Recheck replays the failures of Known first, and discards those that the
	// system does not show any more.
	Recheck bool
	// Restart discards at each iteration what the engine learned, and keeps the landmarks. It
	// serves to measure what keeping it saves.
	Restart bool
	Now     func() time.Time // the clock
}

// Iteration is one iteration of the loop: a plan that was made and tried.
type Iteration struct {
	Number  int // from 1
	Status  engine.Status
	Trace   *factored.Trace // nil if there is no plan
	Reward  int64           // scaled, of the model
	Failure *simulator.Failure
	Depth   int // of the landmark; 0 also if the plan holds
	// Corrected counts the transitions that the network has right from now on. Fallen is the
	// reason why some could not be corrected, "" if all could.
	Corrected int
	Fallen    string
	Asked     int           // steps requested from the system
	Solve     time.Duration // of the engine, including opening it
	Simulate  time.Duration
}

// Result is the outcome of a run.
type Result struct {
	Status engine.Status
	// Trace is the plan that holds, and Run its execution in the system; nil if there is
	// none. Trace has the states of the model, with corrections.
	Trace      *factored.Trace
	Run        *simulator.Run
	Reward     int64  // scaled, of Trace
	Bound      *int64 // on the model's reward of every remaining plan; nil if nothing is known
	Reason     string // the limit that ended the run, "" for none
	Engine     string // engine of the last answer
	Prover     string // external solver on whose word alone Status or Bound rests; "" for none
	Iterations []Iteration
	Known      *State       // knowledge about the system at the end
	Network    *bnn.Network // of the last plan: corrected, or the task's own
	Corrected  int          // transitions that Network corrects
	Stats      map[string]int64
	Rechecked  int // failures of Options.Known that were replayed
	Forgotten  int // of these, those that are none
}

// loop is one call of Solve.
type loop struct {
	e       engine.Opener
	t       engine.Task // with the network as corrected so far
	base    *bnn.Network
	horizon int
	sys     *simulator.Session
	o       Options
	out     *Result
	rows    *rows // nil if transitions are not corrected
	session engine.Session
	marks   []engine.Landmark
	closed  map[string]int64  // counts of closed sessions
	tried   map[string]bool   // plans, by key
	known   *factored.Problem // with nothing learned; nil until needed
}

// Solve runs the loop over one horizon until a plan holds, none is left, or the context or a
// limit ends it. The first two are proofs if all of the engine's answers are: Status is then
// Optimal or Infeasible. No plan is proposed twice.
//
// An error is about the system (package simulator) or wraps ErrEngine. The result then
// describes how far the run came; it is nil if it never began.
func Solve(ctx context.Context, e engine.Opener, t engine.Task, horizon int, sys *simulator.Session, o Options) (*Result, error) {
	x := &loop{e: e, t: t, base: t.Network, horizon: horizon, sys: sys, o: o, closed: map[string]int64{}, tried: map[string]bool{}}
	x.out = &Result{Status: engine.Unknown, Engine: e.Name(), Network: t.Network, Known: &State{}, Stats: map[string]int64{}}
	if o.Landmarks == Transition && t.Network != nil {
		if err := sys.RequireFull("correcting transitions"); err != nil {
			return nil, err
		}
		x.rows = newRows(t.Problem)
	}
	if o.Recheck {
		if err := x.recheck(ctx); err != nil {
			return x.out, err
		}
	}
	if err := x.recall(); err != nil {
		return nil, err
	}
	for {
		done, err := x.iterate(ctx)
		if err != nil || done {
			return x.out, err
		}
	}
}

// recall adopts the knowledge of earlier runs.
func (x *loop) recall() error {
	if x.o.Known == nil {
		return nil
	}
	x.out.Known = x.o.Known.clone()
	for _, f := range x.out.Known.Failures {
		x.marks = append(x.marks, f.Landmark)
	}
	if x.rows == nil {
		return nil
	}
	x.rows.learn(x.out.Known)
	return x.correct()
}

// correct replaces the network by one corrected to the rows.
func (x *loop) correct() (err error) {
	x.t.Network, x.out.Corrected, err = x.rows.correct(x.base)
	x.out.Network = x.t.Network
	return err
}

// open returns the session, opening it if necessary.
func (x *loop) open(ctx context.Context) (engine.Session, error) {
	if x.session != nil {
		return x.session, nil
	}
	maps.Copy(x.closed, x.out.Stats)
	s, err := x.e.Open(ctx, x.t, x.horizon)
	for i := 0; err == nil && i < len(x.marks); i++ {
		err = s.Exclude(x.marks[i])
	}
	x.session = s
	return s, err
}

// iterate makes one plan and tries it.
func (x *loop) iterate(ctx context.Context) (done bool, err error) {
	it := Iteration{Number: len(x.out.Iterations) + 1}
	began := x.o.Now()
	res, err := x.plan(ctx)
	it.Solve = x.o.Now().Sub(began)
	if err != nil {
		if ctx.Err() == nil {
			return true, err
		}
		res = &engine.Result{Status: engine.Unknown, Reason: context.Cause(ctx).Error()}
	}
	it.Status, it.Trace, it.Reward = res.Status, res.Trace, res.Reward
	x.out.Bound, x.out.Prover = res.Bound, res.Prover
	if res.Trace == nil || ctx.Err() != nil {
		// If planning was cut short, the plan is not tried: whether it holds remains unknown.
		x.out.Status, x.out.Reason = res.Status, res.Reason
		if res.Trace != nil {
			x.out.Status, x.out.Reason = engine.Unknown, context.Cause(ctx).Error()
		}
		x.tell(it)
		return true, nil
	}
	if err := x.confirm(res); err != nil {
		return true, err
	}
	began = x.o.Now()
	run, err := x.sys.Replay(ctx, res.Trace.Steps[0], res.Trace.Steps[:x.horizon])
	it.Simulate = x.o.Now().Sub(began)
	if err != nil {
		return true, fmt.Errorf("iteration %d: %w", it.Number, err)
	}
	it.Asked, it.Failure = run.Asked, run.Failure
	if run.Failure == nil {
		x.out.Status, x.out.Reason = res.Status, res.Reason
		x.out.Trace, x.out.Reward, x.out.Run = res.Trace, res.Reward, run
		x.tell(it)
		return true, nil
	}
	if err := x.exclude(&it, run); err != nil {
		return true, err
	}
	x.tell(it)
	if x.o.Save != nil {
		return false, x.o.Save(x.out.Known)
	}
	return false, nil
}

func (x *loop) tell(it Iteration) {
	x.out.Iterations = append(x.out.Iterations, it)
	if x.o.Iteration != nil {
		x.o.Iteration(it)
	}
}

// plan asks the engine for a plan among those that are left.
func (x *loop) plan(ctx context.Context) (*engine.Result, error) {
	s, err := x.open(ctx)
	if err != nil {
		return nil, err
	}
	res, err := s.Solve(ctx, x.o.Limits, x.o.Report)
	if err != nil {
		return nil, err
	}
	maps.Copy(x.out.Stats, x.closed)
	for k, v := range res.Stats { // counts of a session since it was opened
		x.out.Stats[k] = x.closed[k] + v
	}
	if res.Winner != "" {
		x.out.Engine = res.Winner
	}
	return res, nil
}

// confirm lets the checker replay a plan before the system does, whose steps are expensive,
// and refuses a plan that has been tried.
func (x *loop) confirm(res *engine.Result) error {
	report, err := validate.Check(x.t.Problem, x.t.Network, validate.FromTrace(res.Trace))
	switch {
	case err != nil:
		return fmt.Errorf("%w: checking a plan of %s: %w", ErrEngine, x.out.Engine, err)
	case !report.Valid:
		return fmt.Errorf("%w: the checker refuses a plan of %s: %w", ErrEngine, x.out.Engine, report.Failure)
	case report.Reward != res.Reward:
		return fmt.Errorf("%w: %s counts the reward %d, the checker %d", ErrEngine, x.out.Engine, res.Reward, report.Reward)
	}
	key := planKey(x.t.Problem, res.Trace)
	if x.tried[key] {
		return fmt.Errorf("%w: %s gives a plan that is excluded", ErrEngine, x.out.Engine)
	}
	x.tried[key] = true
	return nil
}

// planKey identifies a plan: the initial state and the actions.
func planKey(p *factored.Problem, tr *factored.Trace) string {
	key := bitText(p.Bits(factored.State), tr.Steps[0])
	for _, now := range tr.Steps[:tr.Horizon()] {
		key += bitText(p.Bits(factored.Action), now)
	}
	return key
}

// exclude adds the landmark of a plan that failed.
func (x *loop) exclude(it *Iteration, run *simulator.Run) error {
	it.Depth = x.horizon
	if x.o.Landmarks != Plan {
		it.Depth = it.Failure.Prefix
	}
	mark := engine.Landmark{Trace: it.Trace, Depth: it.Depth}
	x.marks = append(x.marks, mark)
	x.out.Known.Failures = append(x.out.Known.Failures, Failure{Landmark: mark, Text: it.Failure.Error(), Observed: observed(x.t.Problem, run)})
	if x.rows != nil {
		before := x.out.Corrected
		failure := &x.out.Known.Failures[len(x.out.Known.Failures)-1]
		failure.steps(x.t.Problem, func(now, next factored.Valuation) {
			agrees := x.rows.add(now, next)
			switch {
			case it.Fallen != "":
			case !agrees:
				it.Fallen = "the same inputs of the network were seen to have two outcomes"
			case x.elsewhere(now, next):
				it.Fallen = "the outcome differs in variables that are not learned"
			}
		})
		if err := x.correct(); err != nil {
			return err
		}
		if it.Corrected = x.out.Corrected - before; it.Corrected > 0 {
			x.session = nil
			return nil
		}
	}
	if x.o.Restart {
		x.session = nil
		return nil
	}
	return x.session.Exclude(mark)
}

// elsewhere reports whether the known part of the transition excludes a step.
func (x *loop) elsewhere(now, next factored.Valuation) bool {
	if x.known == nil {
		x.known = x.t.Problem.Clone()
		x.known.Inputs, x.known.Outputs = nil, nil
	}
	f, err := validate.CheckStep(x.known, nil, now, next)
	return err == nil && f != nil && f.Group == "transition"
}
