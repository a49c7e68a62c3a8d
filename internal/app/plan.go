package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/validate"
)

// ErrInternal is wrapped by errors that are bugs: an answer that the checker
// refuses.
var ErrInternal = errors.New("internal error")

// Engines lists the names that Plan takes; auto chooses among the others.
var Engines = []string{"auto", "search", "pb", "maxsat", "blp"}

// Request is one planning query with its limits.
type Request struct {
	Engine                 string
	Encoding               cnf.Encoding    // of engine maxsat
	Solver                 string          // of maxsat, pb and blp: an outside solver, its name or a command with {in}; "" for none
	BLPHelp                string          // of blp: see blp.ParseHelp; "" for all
	Proof                  *conflict.Proof // of engine pb: takes a proof of the answer; nil for none
	MinHorizon, MaxHorizon int             // both 0: the problem's own
	Limits                 engine.Limits
	Report                 func(engine.Progress)
	Now                    func() time.Time // the clock
	Started                time.Time        // when the process did
	Loaded                 time.Time        // when the problem was there
}

// Plan has an engine answer and the checker confirm it.
func Plan(ctx context.Context, p *Problem, r Request) (*Document, error) {
	t := p.Task
	if r.MinHorizon == 0 && r.MaxHorizon == 0 {
		if t.Problem.Horizon == 0 {
			return nil, fmt.Errorf("%s has no horizon of its own; give one with -H", t.Problem.Name)
		}
		r.MinHorizon, r.MaxHorizon = t.Problem.Horizon, t.Problem.Horizon
	}
	if r.Proof != nil && r.Engine == "auto" {
		r.Engine = "pb"
	}
	if r.Proof != nil && r.Engine != "pb" {
		return nil, fmt.Errorf("engine %s writes no proofs; expected engine pb", r.Engine)
	}
	e, err := newEngine(&r)
	if err != nil {
		return nil, err
	}
	began := r.Now()
	res, err := e.Solve(ctx, engine.Query{Task: t, MinHorizon: r.MinHorizon, MaxHorizon: r.MaxHorizon}, r.Limits, r.Report)
	if err != nil {
		return nil, err
	}
	d := &Document{Schema: Schema, Problem: t.Problem.Name, Engine: e.Name(), Status: res.Status, Stopped: res.Reason, Stats: res.Stats}
	if res.Winner != "" {
		d.Engine = res.Winner
	}
	d.Seconds = Seconds{Load: r.Loaded.Sub(r.Started).Seconds(), Solve: r.Now().Sub(began).Seconds()}
	if r.MinHorizon == r.MaxHorizon {
		d.Horizon = &r.MinHorizon
	}
	for _, h := range res.Horizons {
		line := HorizonLine{Horizon: h.Horizon, Status: h.Status}
		if h.Status == engine.Optimal {
			line.Reward = rewardOf(t.Problem, h.Reward)
		}
		d.Horizons = append(d.Horizons, line)
	}
	if res.Bound != nil {
		d.Bound = rewardOf(t.Problem, *res.Bound)
	}
	if res.Trace != nil {
		if err := d.confirm(t, res); err != nil {
			return nil, err
		}
		if err := p.judge(d, res.Trace); err != nil {
			return nil, err
		}
		if err := p.countUnseen(d, res.Trace); err != nil {
			return nil, err
		}
	}
	d.Seconds.Total = r.Now().Sub(r.Started).Seconds()
	return d, nil
}

// confirm has the checker replay the engine's plan and writes it into d. A
// plan that it refuses is never an answer.
func (d *Document) confirm(t engine.Task, res *engine.Result) error {
	report, err := validate.Check(t.Problem, t.Network, validate.FromTrace(res.Trace))
	if err != nil {
		return fmt.Errorf("%w: checking the plan of engine %s: %w", ErrInternal, d.Engine, err)
	}
	if !report.Valid {
		return fmt.Errorf("%w: the checker refuses the plan of engine %s: %w", ErrInternal, d.Engine, report.Failure)
	}
	if report.Reward != res.Reward {
		return fmt.Errorf("%w: engine %s counted the reward %v, the checker %v", ErrInternal, d.Engine, *rewardOf(t.Problem, res.Reward), *rewardOf(t.Problem, report.Reward))
	}
	horizon := res.Trace.Horizon()
	d.Horizon = &horizon
	d.Reward = rewardOf(t.Problem, report.Reward)
	if d.Bound != nil {
		d.Gap = gap(*d.Bound, *d.Reward)
	}
	valid := true
	d.Valid.Model = &valid
	d.tell(t.Problem, res.Trace)
	return nil
}
