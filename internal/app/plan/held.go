package plan

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Held is a plan that was seen to hold with at least the reward that bounds all plans, though the
// training rows do not support all of its steps.
type Held struct {
	Reward float64 `json:"reward"`
	// By is what showed it: the "simulator", or the "log", whose rows have all of its steps.
	By    string       `json:"by"`
	Plan  []app.Values `json:"plan"`
	Trace []app.Values `json:"trace"` // the states that were seen
}

// The values of Held.By.
const (
	bySimulator = "simulator"
	byLog       = "log"
)

// replay tries a trace in a system.
type replay = func(context.Context, *factored.Trace) (*simulator.Run, error)

// Untried is a replay of no plan, for a system in which Bracket is to try none.
func Untried(context.Context, *factored.Trace) (*simulator.Run, error) { return nil, nil }

// hold looks for a plan with the reward of the bound that holds: the best one of the learned
// model, and the one that was found where next values that are not supported are free. The
// bracket is closed then, unless it is already.
func (d *Document) hold(ctx context.Context, p *load.Problem, r *Request, free *engine.Result) error {
	b := d.Safe
	if free.Status != engine.Optimal || free.Trace == nil || b.Reward != nil && *b.Reward >= *b.BoundUnseen {
		return nil
	}
	try := r.Try
	if try == nil {
		try = inRDDL(p)
	}
	var traces []*factored.Trace
	e, err := registry.New(registry.Options{})
	if err != nil {
		return err
	}
	h := free.Trace.Horizon()
	own, err := engine.InTime(e).Solve(ctx, engine.Query{Task: p.Task, MinHorizon: h, MaxHorizon: h}, r.Limits, r.Report)
	if err != nil {
		return err
	}
	if own.Trace != nil && own.Reward == free.Reward {
		traces = append(traces, own.Trace)
	}
	wished := &factored.Trace{}
	for _, val := range free.Trace.Steps {
		wished.Steps = append(wished.Steps, val[:p.Problem.NumBits()])
	}
	for _, tr := range append(traces, wished) {
		if b.Held, err = d.held(ctx, p, tr, try); err != nil || b.Held != nil {
			return err
		}
	}
	return nil
}

// held is a plan that rows or a system show to hold with the reward of the bound; nil for one
// that they do not.
func (d *Document) held(ctx context.Context, p *load.Problem, tr *factored.Trace, try replay) (*Held, error) {
	seen, err := seenInLog(p, tr)
	if err != nil {
		return nil, err
	}
	h := &Held{Reward: *d.Safe.BoundUnseen, By: byLog}
	var told Document
	if told.Tell(p.Problem, tr); seen {
		h.Plan, h.Trace = told.Plan, told.Trace
		return h, nil
	}
	if try == nil {
		return nil, nil
	}
	run, err := try(ctx, tr)
	if err != nil {
		return nil, fmt.Errorf("trying a plan with the reward of the bound: %w", err)
	}
	if run == nil || run.Failure != nil || p.TimedFailure(run.Answers, tr.Steps[:tr.Horizon()]) != nil {
		return nil, nil
	}
	told.Observe(p.World(), tr, run.Answers)
	h.By, h.Plan, h.Trace = bySimulator, told.Plan, told.Trace
	switch {
	case told.Observed == nil: // as it was planned
	case len(told.Observed) < len(tr.Steps):
		return nil, nil
	default:
		h.Trace = told.Observed
	}
	switch {
	case run.Reward != nil:
		h.Reward = *run.Reward
	case told.Observed != nil:
		return nil, nil // its reward is not known
	}
	if h.Reward < *d.Safe.BoundUnseen-tolerance(*d.Safe.BoundUnseen) {
		return nil, nil
	}
	return h, nil
}

// tolerance is how much sums of the same rewards may differ.
func tolerance(reward float64) float64 { return 1e-9 * math.Max(1, math.Abs(reward)) }

// seenInLog reports whether rows have all steps of a trace, and none disputes them.
func seenInLog(p *load.Problem, tr *factored.Trace) (bool, error) {
	j := support.NewJudge(p)
	if j == nil {
		return false, nil
	}
	steps, err := j.Steps(tr)
	if err != nil {
		return false, support.Known(err)
	}
	if len(steps.Of(support.Seen)) < len(steps) {
		return false, nil
	}
	// The rows have the network's next values.
	report, err := validate.Check(p.Problem, p.Network, validate.FromTrace(tr))
	return err == nil && report.Valid, nil
}

// text is what the plan shows of a bound, with what that rests on.
func (h *Held) text(bound float64, assuming string) string {
	how := "was seen to hold in the simulator"
	if h.By == byLog {
		how = "has steps that rows of the log show, each of them"
	}
	if h.Reward > bound+tolerance(bound) {
		return fmt.Sprintf("A plan of reward %v %s, which is better than the bound %v: it is not true that %s", h.Reward, how, bound, strings.TrimPrefix(assuming, ", if "))
	}
	return fmt.Sprintf("A plan of reward %v %s, and nothing can beat it%s", h.Reward, how, assuming)
}
