// Package events turns what engines, learners and simulators report into the events of
// package progress, for commands and servers alike. docs/progress.md describes them.
package events

import (
	"context"
	"fmt"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/data/rawlog"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/acting"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/progress"
	"github.com/fdplan/fdplan/problem/factored"
)

// Planning reports the progress of engines, of Algorithm 1 and of runs on one task.
type Planning struct {
	*progress.Reporter
	task          engine.Task
	reward, bound *int64 // as last reported
	landmarks     int
}

// NewPlanning returns a Planning that reports to r.
func NewPlanning(r *progress.Reporter, task engine.Task) *Planning {
	return &Planning{Reporter: r, task: task}
}

// Engine reports a new best plan, a new bound, or a new phase of the work.
func (p *Planning) Engine(e engine.Progress) {
	if !p.Enabled() {
		return
	}
	out := progress.Event{Kind: "phase", Phase: e.Phase, Line: e.Phase}
	differs := func(x, y *int64) bool { return x != nil && (y == nil || *x != *y) }
	newPlan, newBound := differs(e.Reward, p.reward), differs(e.Bound, p.bound)
	if e.Reward != nil {
		reward := p.task.Problem.Reward.Float(*e.Reward)
		out.Reward, out.Line = &reward, fmt.Sprintf("%s, best %v", out.Line, reward)
		p.reward = e.Reward
	}
	if e.Bound != nil {
		bound := p.task.Problem.Reward.Float(*e.Bound)
		out.Bound, out.Line = &bound, fmt.Sprintf("%s, bound %v", out.Line, bound)
		p.bound = e.Bound
	}
	if out.Reward != nil && out.Bound != nil {
		gap := plan.Gap(*out.Bound, *out.Reward)
		out.Gap = &gap
	}
	switch {
	case newPlan:
		out.Kind = "plan"
		if e.Trace != nil && p.Machine() {
			var d plan.Document
			d.Tell(p.task.Problem, e.Trace)
			out.Plan, out.Horizon = d.Plan, len(d.Plan)
		}
	case newBound:
		out.Kind = "bound"
	}
	p.Report(out)
}

// Iteration reports a plan of Algorithm 1 that was tried in the simulator, and the
// landmark that excludes it if it failed.
func (p *Planning) Iteration(l execute.IterationLine) {
	if len(l.Plan) == 0 {
		return
	}
	holds := l.Failure == nil
	p.Report(progress.Event{Kind: "simulation", Iteration: l.Iteration, Reward: l.Reward, Holds: &holds})
	if holds {
		return
	}
	p.Message(progress.Event{
		Kind: "iteration", Iteration: l.Iteration, Reward: l.Reward, Text: l.Failure.Text,
		Line: fmt.Sprintf("iteration %d: reward %v, fails: %s", l.Iteration, *l.Reward, l.Failure.Text),
	})
	p.landmarks++
	p.Report(progress.Event{Kind: "landmark", Iteration: l.Iteration, Landmarks: p.landmarks, Depth: l.Depth})
}

// RunPlan reports a plan that a run makes.
func (p *Planning) RunPlan(l execute.RunPlan) {
	p.reward, p.bound = nil, nil // those of the next query are new
	p.Report(progress.Event{Kind: "planned", Step: l.Step, Horizon: l.Horizon, Status: string(l.Status), Reward: l.Reward, Text: l.Instead})
}

// RunStep reports a step that a run takes in the simulator.
func (p *Planning) RunStep(l execute.RunStep) {
	planned := l.Differs == nil
	p.Report(progress.Event{Kind: "step", Step: l.Step, State: l.State, Action: l.Action, Reward: l.Reward, Holds: &planned})
}

// Acting returns a function that reports the steps of learning by acting.
func Acting(r *progress.Reporter, p *factored.Problem, of int) func(acting.Step) {
	return func(s acting.Step) {
		e := progress.Event{Kind: "step", Step: s.Steps, Rows: &s.Rows, Text: string(s.Why), Frequent: true, Line: fmt.Sprintf("step %d, %d seen", s.Steps, s.Rows)}
		if of > 0 {
			e.Of = &of
		}
		if s.Reward != nil {
			e.Reward = app.RewardOf(p, *s.Reward)
			e.Line += fmt.Sprintf(", plan %v", *e.Reward)
		}
		if s.Bound != nil {
			e.Bound = app.RewardOf(p, *s.Bound)
			e.Line += fmt.Sprintf(", bound %v", *e.Bound)
		}
		r.Report(e)
	}
}

// Episode reports that an episode of runs has ended.
func (p *Planning) Episode(l execute.EpisodeLine) {
	p.Report(progress.Event{Kind: "episode", Done: &l.Episode, Of: &l.Of, Status: string(l.Status), Reward: &l.Reward.Reward})
}

// Training reports the epochs and the rounds of pruning of t.
func Training(r *progress.Reporter, now func() time.Time, t *learn.Training) {
	epochs, rounds := t.Config.Epochs, t.Config.PruneRounds
	epoch, round := progress.Meter{Now: now}, progress.Meter{Now: now}
	t.Progress = func(e train.Epoch) {
		left, known := epoch.Left(e.Epoch, epochs)
		r.Report(progress.Event{
			Kind: "epoch", Done: &e.Epoch, Of: &epochs, Loss: &e.Loss, Accuracy: accuracy(e.Train), HeldOut: accuracy(e.Test), Wrong: &e.Train.WrongRows, Rows: &e.Train.Rows,
			Edges: &e.Edges, Left: progress.Left(left, known), Frequent: true,
			Line: fmt.Sprintf("epoch %d of %d: loss %.4f, %d of %d training rows wrong%s", e.Epoch, epochs, e.Loss, e.Train.WrongRows, e.Train.Rows, leftOf("at most", left, known)),
		})
	}
	t.Structure = Step(r)
	t.Output = func(done, of int) { r.Report(progress.Event{Kind: "output", Done: &done, Of: &of}) }
	t.Pruning = func(done, edges int) {
		left, known := round.Left(done, rounds)
		r.Report(progress.Event{
			Kind: "prune", Done: &done, Of: &rounds, Edges: &edges, Left: progress.Left(left, known), Frequent: true,
			Line: fmt.Sprintf("pruning round %d of %d: %d edges%s", done, rounds, edges, leftOf("about", left, known)),
		})
	}
}

// Step returns a function that reports how much of a step is done, in 0..1.
func Step(r *progress.Reporter) func(step string, done float64) {
	return func(step string, done float64) {
		r.Report(progress.Event{Kind: "phase", Phase: step, Share: &done, Passing: done > 0, Line: fmt.Sprintf("%s: %.0f %%", step, 100*done)})
	}
}

// Reading returns a context in which it is reported how far a log is read.
func Reading(ctx context.Context, r *progress.Reporter) context.Context {
	if !r.Enabled() {
		return ctx
	}
	step := Step(r)
	return rawlog.Telling(ctx, func(done float64) { step(rawlog.StepRead, done) })
}

// accuracy is the share of rows, counted as often as they were seen, that are right; nil
// for no rows.
func accuracy(m *train.Measure) *float64 {
	if m == nil || m.Rows == 0 {
		return nil
	}
	right := 1 - m.RowError()
	return &right
}

// Grid reports the epochs of the cells of g.
func Grid(r *progress.Reporter, epochs int, g *learn.Grid) {
	g.Progress = func(e train.GridProgress) {
		ep := &e.Epoch
		r.Report(progress.Event{
			Kind: "cell", Hidden: e.Hidden, Done: &e.Done, Of: &e.Cells, Unit: fmt.Sprintf("epoch %d of %d", ep.Epoch, epochs), Loss: &ep.Loss, Accuracy: accuracy(ep.Train),
			HeldOut: accuracy(ep.Test), Wrong: &ep.Train.WrongRows, Rows: &ep.Train.Rows, Frequent: true,
			Line: fmt.Sprintf("%d of %d cells done; width %d, depth %d: epoch %d of %d, %d of %d training rows wrong",
				e.Done, e.Cells, e.Hidden[0], len(e.Hidden), ep.Epoch, epochs, ep.Train.WrongRows, ep.Train.Rows),
		})
	}
}

// Rows returns a function that reports the collected rows.
func Rows(r *progress.Reporter, of int) func(rows int) {
	return func(rows int) {
		r.Report(progress.Event{Kind: "rows", Done: &rows, Of: &of, Line: fmt.Sprintf("collect: %d of %d rows", rows, of)})
	}
}

// leftOf returns the end of a line about the remaining time, if it is known.
func leftOf(bound string, left time.Duration, known bool) string {
	if !known {
		return ""
	}
	return fmt.Sprintf(", %s %v left", bound, left)
}

// Listed reports how many legal rows have been listed.
func Listed(r *progress.Reporter) func(rows int) {
	return func(rows int) {
		r.Report(progress.Event{Kind: "phase", Phase: "legal rows", Done: &rows, Line: fmt.Sprintf("%d legal rows", rows)})
	}
}
