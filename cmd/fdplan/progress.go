package main

import (
	"fmt"
	"time"

	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/experiment/bench"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/progress"
)

// progressFlags are those of every command that reports progress.
type progressFlags struct {
	Quiet    bool   `help:"No progress on standard error." short:"q"`
	Progress string `help:"Progress on standard error: bar, json (docs/formats.md) or none; default: bar on a terminal, else none." enum:"bar,json,none," default:"" placeholder:"bar|json|none"`
}

// reporter returns the reporter of the command's progress.
func (f *progressFlags) reporter(a *environment) *progress.Reporter {
	mode := progress.Mode(f.Progress)
	switch {
	case f.Quiet:
		mode = progress.None
	case mode == "" && a.terminal:
		mode = progress.Bar
	case mode == "":
		mode = progress.None
	}
	return progress.New(a.err, mode, a.now, a.started)
}

// planProgress reports an engine's progress.
type planProgress struct {
	*progress.Reporter
	task          engine.Task
	reward, bound *int64 // as last reported
}

func (f *progressFlags) plan(a *environment, task engine.Task) *planProgress {
	return &planProgress{Reporter: f.reporter(a), task: task}
}

// report reports a new best plan, a new bound, or a new phase of the work.
func (p *planProgress) report(e engine.Progress) {
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
	switch {
	case newPlan:
		out.Kind = "plan"
	case newBound:
		out.Kind = "bound"
	}
	p.Report(out)
}

// iteration reports a plan of Algorithm 1 that failed in the simulator.
func (p *planProgress) iteration(l execute.IterationLine) {
	if l.Failure == nil {
		return
	}
	p.Message(progress.Event{
		Kind: "iteration", Iteration: l.Iteration, Reward: l.Reward, Text: l.Failure.Text,
		Line: fmt.Sprintf("iteration %d: reward %v, fails: %s", l.Iteration, *l.Reward, l.Failure.Text),
	})
}

// reportTraining reports the epochs and the rounds of pruning of t.
func reportTraining(r *progress.Reporter, now func() time.Time, t *learn.Training) {
	epochs, rounds := t.Config.Epochs, t.Config.PruneRounds
	epoch, round := progress.Meter{Now: now}, progress.Meter{Now: now}
	t.Progress = func(e train.Epoch) {
		left, known := epoch.Left(e.Epoch, epochs)
		r.Report(progress.Event{
			Kind: "epoch", Done: &e.Epoch, Of: &epochs, Loss: &e.Loss, Wrong: &e.Train.WrongRows, Rows: &e.Train.Rows, Edges: &e.Edges, Left: progress.Left(left, known), Frequent: true,
			Line: fmt.Sprintf("epoch %d of %d: loss %.4f, %d of %d training rows wrong%s", e.Epoch, epochs, e.Loss, e.Train.WrongRows, e.Train.Rows, leftOf("at most", left, known)),
		})
	}
	t.Structure = func(step string, done float64) {
		r.Report(progress.Event{Kind: "phase", Phase: step, Frequent: true, Line: fmt.Sprintf("%s: %.0f %%", step, 100*done)})
	}
	t.Pruning = func(done, edges int) {
		left, known := round.Left(done, rounds)
		r.Report(progress.Event{
			Kind: "prune", Done: &done, Of: &rounds, Edges: &edges, Left: progress.Left(left, known), Frequent: true,
			Line: fmt.Sprintf("pruning round %d of %d: %d edges%s", done, rounds, edges, leftOf("about", left, known)),
		})
	}
}

// reportGrid reports the epochs of the cells of g.
func reportGrid(r *progress.Reporter, epochs int, g *learn.Grid) {
	g.Progress = func(e train.GridProgress) {
		ep := &e.Epoch
		r.Report(progress.Event{
			Kind: "cell", Hidden: e.Hidden, Done: &e.Done, Of: &e.Cells, Unit: fmt.Sprintf("epoch %d of %d", ep.Epoch, epochs), Loss: &ep.Loss, Wrong: &ep.Train.WrongRows, Rows: &ep.Train.Rows, Frequent: true,
			Line: fmt.Sprintf("%d of %d cells done; width %d, depth %d: epoch %d of %d, %d of %d training rows wrong",
				e.Done, e.Cells, e.Hidden[0], len(e.Hidden), ep.Epoch, epochs, ep.Train.WrongRows, ep.Train.Rows),
		})
	}
}

// reportRows returns a function that reports the collected rows.
func reportRows(r *progress.Reporter, of int) func(rows int) {
	return func(rows int) {
		r.Report(progress.Event{Kind: "rows", Done: &rows, Of: &of, Line: fmt.Sprintf("collect: %d of %d rows", rows, of)})
	}
}

// reportRuns returns a function that reports the runs of a bench.
func reportRuns(r *progress.Reporter) func(bench.Progress) {
	return func(e bench.Progress) {
		kind := "unit"
		if e.Ended {
			kind = "unit done"
		}
		left := e.Left.Round(time.Second)
		r.Report(progress.Event{
			Kind: kind, Done: &e.Done, Of: &e.Jobs, Unit: e.Current, Left: progress.Left(left, left > 0),
			Line: fmt.Sprintf("%d of %d%s: %.80s", e.Done, e.Jobs, leftOf("about", left, e.Left > 0), e.Current),
		})
	}
}

// leftOf returns the end of a line about the remaining time, if it is known.
func leftOf(bound string, left time.Duration, known bool) string {
	if !known {
		return ""
	}
	return fmt.Sprintf(", %s %v left", bound, left)
}
