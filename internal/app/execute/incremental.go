package execute

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/execution/incremental"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
)

// IncrementalRequest is a planning query that involves a real system: Algorithm 1 of the
// paper.
type IncrementalRequest struct {
	plan.Request
	LoopOptions
	Write     func(file string, write func(io.Writer) error) error `name:"-"` // writes files whole or not at all; nil writes none
	Iteration func(IterationLine)                                  `name:"-"` // called for each; may be nil
	// Prove is given the outcome when planning is done; may be nil. What it returns is
	// the folder of a certificate, "" for none.
	Prove func(*incremental.Result) (folder string, err error) `name:"-"`
}

// LoopOptions are those of Algorithm 1.
type LoopOptions struct {
	Landmarks incremental.Kind `help:"What is excluded when a plan fails, with --incremental: ${enum} (docs/incremental.md)." enum:"plan,prefix,transition" default:"prefix"`
	// Resume is rewritten after each plan that fails. If it is "", the knowledge goes to
	// DefaultState if the run ends early.
	Resume    string `help:"File with the knowledge about the simulator, with --incremental: read if it exists, and kept up to date." placeholder:"FILE"`
	Recheck   bool   `help:"Replay the landmarks of --resume first, and drop those that do not fail."`
	Corrected string `help:"Write the network as corrected by --landmarks transition." placeholder:"FILE"`
	Restart   bool   `help:"Discard what the engine learned at each iteration, to measure the effect of keeping it."`
}

// IterationLine is one iteration of Algorithm 1.
type IterationLine struct {
	Iteration int           `json:"iteration"`
	Status    engine.Status `json:"status"`
	Reward    *float64      `json:"reward"` // of the model
	Plan      []app.Values  `json:"plan"`
	Failure   *app.Fault    `json:"failure"` // null if the plan holds, or there is none
	// Depth is the number of joint actions of the landmark, null without one.
	Depth *int `json:"depth"`
	// Corrected counts transitions that the network has right from then on; NotCorrected is
	// the reason why some could not be corrected.
	Corrected    int     `json:"corrected"`
	NotCorrected string  `json:"not_corrected,omitempty"`
	Simulations  int     `json:"simulations"`
	Solve        float64 `json:"solve"`    // seconds
	Simulate     float64 `json:"simulate"` // seconds
}

// Loop is the part of a document about Algorithm 1.
type Loop struct {
	Kind        incremental.Kind `json:"kind"` // of the landmarks
	Simulator   string           `json:"simulator"`
	Resumed     int              `json:"resumed"`      // landmarks that earlier runs had left, without the forgotten ones
	ResumedFrom string           `json:"resumed_from"` // the simulator that showed them, as it was named then
	Rechecked   int              `json:"rechecked"`    // of these, how many were replayed in this run
	Forgotten   int              `json:"forgotten"`    // landmarks of earlier runs that the simulator does not show any more
	Corrected   int              `json:"corrected"`    // transitions of the network, those of earlier runs too
	Simulations int              `json:"simulations"`  // steps that the system was asked for
	Recorded    int              `json:"recorded"`     // transitions added to the data set
	State       string           `json:"state"`        // file in which the landmarks are, "" for none
	Solve       float64          `json:"solve"`        // seconds in the engine
	Simulate    float64          `json:"simulate"`     // seconds in the simulator
	Iterations  []IterationLine  `json:"iterations"`

	// Predicted is how often the network, as it was before corrections, predicts the steps wrongly; absent if
	// nothing is learned or no step was taken.
	Predicted *learn.Predicted `json:"predicted,omitempty"`

	network     *bnn.File
	predictions *learn.Predictions
}

// DefaultState is the file for landmarks if none was named.
func DefaultState(p *load.Problem, horizon int) string {
	name := strings.NewReplacer("/", "-", "\\", "-", " ", "-").Replace(p.Problem.Name)
	return fmt.Sprintf("landmarks-%s-%d.json", name, horizon)
}

// Document is the answer of `fdplan plan`, with Loop if Algorithm 1 was used.
type Document struct {
	plan.Document
	// Loop describes the iterations of Algorithm 1; absent if it was not used.
	Loop *Loop `json:"incremental,omitempty"`
	// Next says what to do where a learned model has no plan for Algorithm 1; absent otherwise.
	Next []string `json:"next,omitempty"`
}

// Incremental plans until a plan holds in the real system, or none is left. With an error
// about the system the document is nil, but the knowledge has been saved, as the error
// reports. A limit, including the budget of simulator steps, is not an error: the status is
// then unknown.
func Incremental(ctx context.Context, p *load.Problem, real *Real, r IncrementalRequest) (*Document, error) {
	opener, err := r.prepare(p, real)
	if err != nil {
		return nil, err
	}
	h := r.Horizon.Min
	d := &Document{Document: *plan.About(p), Loop: &Loop{Kind: r.Landmarks, Simulator: real.Name, State: r.Resume, Iterations: []IterationLine{}, predictions: measured(p, real)}}
	o := incremental.Options{Landmarks: r.Landmarks, Limits: r.Limits, Report: r.Report, Restart: r.Restart, Recheck: r.Recheck, Now: r.Now}
	if r.Resume != "" {
		if o.Known, d.Loop.ResumedFrom, err = readState(r.Resume, p, h); err != nil {
			return nil, err
		}
		if o.Known != nil {
			d.Loop.Resumed = len(o.Known.Failures)
		}
	}
	save := func(file string) func(*incremental.State) error {
		return func(s *incremental.State) error {
			return r.Write(file, func(w io.Writer) error { return s.Write(w, p.Problem, h, real.Name) })
		}
	}
	if r.Resume != "" {
		o.Save = save(r.Resume)
	}
	o.Iteration = func(it incremental.Iteration) {
		line := d.Loop.add(p, &it)
		if r.Iteration != nil {
			r.Iteration(line)
		}
	}
	res, err := incremental.Solve(ctx, opener, p.Task, h, real.Session, o)
	if res == nil {
		return nil, err
	}
	switch {
	case err != nil && ctx.Err() != nil:
		res.Reason, err = context.Cause(ctx).Error(), nil
	case errors.Is(err, simulator.ErrBudget):
		res.Reason, err = err.Error(), nil
	}
	if r.Resume == "" && len(res.Known.Failures) > 0 && r.Write != nil && (err != nil || res.Status == engine.Unknown) {
		d.Loop.State = DefaultState(p, h)
		if err2 := save(d.Loop.State)(res.Known); err2 != nil {
			return nil, errors.Join(err, err2)
		}
	}
	if err != nil && len(res.Known.Failures) > 0 && r.Write != nil {
		err = fmt.Errorf("%w\n%s saved in %s; go on from there with --resume %s", err, res.Known.Describe(), d.Loop.State, d.Loop.State)
	}
	if errors.Is(err, incremental.ErrEngine) {
		err = fmt.Errorf("%w: %w", app.ErrInternal, err)
	}
	if err != nil {
		return nil, err
	}
	if err := d.tellLoop(p, real, &r, res); err != nil {
		return nil, err
	}
	return d, d.prove(&r, res)
}

// prove has the outcome proven.
func (d *Document) prove(r *IncrementalRequest, res *incremental.Result) error {
	if r.Prove == nil {
		return nil
	}
	folder, err := r.Prove(res)
	if folder != "" {
		d.Certified(folder)
	}
	return err
}

// Confirm replays what Algorithm 1 found to fail in the RDDL of a problem. The error
// wraps incremental.ErrHolds if a plan does not fail there.
func Confirm(ctx context.Context, p *load.Problem, s *incremental.State, horizon int) (err error) {
	real, err := OpenSimulator(ctx, p, SimulatorRef{Name: rddlName})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, real.Close()) }()
	return s.Confirm(ctx, real.Session, p.Problem, horizon)
}

// add notes an iteration.
func (l *Loop) add(p *load.Problem, it *incremental.Iteration) IterationLine {
	line := iterationLine(p, it)
	l.Iterations = append(l.Iterations, line)
	l.Solve += line.Solve
	l.Simulate += line.Simulate
	return line
}

// prepare completes and checks the request, and makes its engine.
func (r *IncrementalRequest) prepare(p *load.Problem, real *Real) (engine.Opener, error) {
	if err := NoTimed(p); err != nil {
		return nil, err
	}
	if r.Horizon.Max == 0 {
		r.Horizon = bind.Steps(p.Problem.Horizon)
	}
	if r.Horizon.Min == 0 || r.Horizon.Min != r.Horizon.Max {
		return nil, errors.New("planning with a simulator needs one horizon; give it with -H")
	}
	if real.Name == rddlName && !real.Info().Deterministic {
		return nil, errors.New("the RDDL is stochastic; whether a plan holds in it is a matter of chance")
	}
	r.SetDefaults()
	e, err := registry.New(r.Options)
	if err != nil {
		return nil, err
	}
	opener, ok := e.(engine.Opener)
	if !ok {
		return nil, fmt.Errorf("engine %s cannot exclude plans", e.Name())
	}
	return opener, nil
}

// tellLoop writes the outcome of a run to d.
func (d *Document) tellLoop(p *load.Problem, real *Real, r *IncrementalRequest, res *incremental.Result) error {
	d.Horizon = &r.Horizon.Min
	d.Engine, d.Status, d.Stopped, d.Stats = res.Engine, res.Status, res.Reason, res.Stats
	d.Landmarks = len(res.Known.Failures)
	d.Loop.Rechecked, d.Loop.Forgotten = res.Rechecked, res.Forgotten
	d.Loop.Resumed -= res.Forgotten
	d.Loop.Corrected, d.Loop.Simulations, d.Loop.Recorded = res.Corrected, real.Steps(), real.Recorded()
	d.Loop.Predicted, d.OutOfRange = d.Loop.predictions.Errors(), real.Outside()
	d.Loop.network = networkFile(p, res.Network, res.Corrected)
	d.Seconds = plan.Seconds{Load: r.Loaded.Sub(r.Started).Seconds(), Solve: d.Loop.Solve}
	if res.Bound != nil {
		d.Bound = app.RewardOf(p.Problem, *res.Bound)
	}
	d.Claim(res.Prover)
	if res.Trace != nil {
		t := p.Task
		t.Network = res.Network
		if err := d.Confirm(t, &engine.Result{Trace: res.Trace, Reward: res.Reward}); err != nil {
			return err
		}
		holds := true
		d.Valid.Simulator, d.Simulated = &holds, res.Run.Reward
		if err := d.Judge(p, res.Trace); err != nil {
			return err
		}
	}
	d.Sum(p.Task)
	d.TellNoPlan(p)
	d.Seconds.Total = r.Now().Sub(r.Started).Seconds()
	return nil
}

// networkFile returns the network as a file; nil if nothing is learned.
func networkFile(p *load.Problem, n *bnn.Network, corrected int) *bnn.File {
	if n == nil {
		return nil
	}
	return &bnn.File{
		Network: n, Inputs: load.BitNames(p.Problem, p.Problem.Inputs), Outputs: load.BitNames(p.Problem, p.Problem.Outputs),
		Meta: [][2]string{{"problem", p.Problem.Name}, {"corrected", fmt.Sprint(corrected)}},
	}
}

// ErrNoNetwork is the error of WriteNetwork if nothing is learned.
var ErrNoNetwork = errors.New("nothing is learned in this problem: there is no network to write")

// WriteNetwork writes the network of the last plan, with its corrected transitions.
func (l *Loop) WriteNetwork(w io.Writer) error {
	if l.network == nil {
		return ErrNoNetwork
	}
	return bnn.WriteFile(w, l.network)
}

func iterationLine(p *load.Problem, it *incremental.Iteration) IterationLine {
	line := IterationLine{
		Iteration: it.Number, Status: it.Status, Plan: []app.Values{}, Corrected: it.Corrected, NotCorrected: it.Fallen, Simulations: it.Asked,
		Solve: it.Solve.Seconds(), Simulate: it.Simulate.Seconds(),
	}
	if it.Trace != nil {
		line.Reward = app.RewardOf(p.Problem, it.Reward)
		var d plan.Document
		d.Tell(p.Problem, it.Trace)
		line.Plan = d.Plan
	}
	if it.Failure != nil {
		line.Failure, line.Depth = app.SimulatorFault(it.Failure), &it.Depth
	}
	return line
}

// readState reads the knowledge of earlier runs, and the name of their simulator; nil if
// there is no such file yet.
func readState(file string, p *load.Problem, horizon int) (*incremental.State, string, error) {
	data, err := source.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", source.Errorf(file, 0, 0, "cannot be opened: %v", source.Cause(err))
	}
	return incremental.Read(file, data, p.Problem, horizon)
}
