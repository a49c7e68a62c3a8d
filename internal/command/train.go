package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/domain"
	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/request"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/source"
)

type trainCmd struct {
	request.Train
	progressFlags
	Connect
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run trains and writes the network.
func (c *trainCmd) Run(ctx context.Context, a *environment) error {
	if c.PDDL != "" || strings.HasSuffix(c.Out, ".pddl") {
		return c.actions(ctx, a)
	}
	if c.Task == "" {
		return errors.New("no task is named; expected --task PROBLEM, or -o DOMAIN.pddl to learn a PDDL domain")
	}
	ref := load.Ref{Name: c.Task, Source: load.Source{IgnoreDiscount: c.IgnoreDiscount}, Untrained: true}
	p, err := load.Load(ctx, ref)
	if err != nil {
		return err
	}
	if c.URL != "" && !c.Grid {
		return errors.New("--connect sends the cells of a grid to workers; expected --grid too")
	}
	if c.Lift {
		return c.lift(ctx, a, p)
	}
	grid, err := c.grid()
	if err != nil {
		return err
	}
	t, err := c.training(grid)
	if err != nil {
		return err
	}
	if grid != nil {
		grid.Now = a.now
	}
	defer sparing()()
	progress := c.reporter(a)
	ctx = events.Reading(ctx, progress)
	if progress.Enabled() {
		events.Training(progress, a.now, &t)
		if grid != nil {
			events.Grid(progress, c.Epochs, grid)
		}
	}
	var res *learn.Trained
	if c.URL != "" {
		res, err = c.spread(ctx, a, ref, t)
	} else {
		res, err = learn.Train(ctx, p, c.Data, t)
	}
	progress.Clear()
	if err != nil {
		return limited(ctx, err)
	}
	if err := a.toFile(c.Out, res.Write); err != nil {
		return err
	}
	if err := c.report(ctx, a, p, res); err != nil {
		return err
	}
	return a.answer(c.JSON, "", res, func(w io.Writer) { writeTrained(w, res) })
}

// actions learns a PDDL domain from trajectories.
func (c *trainCmd) actions(ctx context.Context, a *environment) error {
	switch {
	case c.Task != "":
		return errors.New("a PDDL domain is learned without a task; expected no --task beside --pddl or -o DOMAIN.pddl")
	case !strings.HasSuffix(c.Out, ".pddl"):
		return fmt.Errorf("-o %s; expected a file DOMAIN.pddl for a learned PDDL domain", c.Out)
	}
	res, err := domain.Train(ctx, c.PDDL, c.Data, c.Relevant, domain.Options{Clauses: c.Clauses, Terms: c.Terms})
	if err != nil {
		return limited(ctx, err)
	}
	res.Safe, res.Optimistic = c.Out, domain.OptimisticFile(c.Out)
	if err := errors.Join(a.toFile(res.Optimistic, res.WriteOptimistic), a.toFile(res.Safe, res.WriteSafe)); err != nil {
		return err
	}
	return a.tell(c.JSON, "", res)
}

// spread trains the cells of a grid on the workers of a server.
func (c *trainCmd) spread(ctx context.Context, a *environment, ref load.Ref, t learn.Training) (*learn.Trained, error) {
	to, end, err := c.coordinator(ctx, a, "train", int64(c.Memory))
	if err != nil {
		return nil, err
	}
	defer end()
	return to.Grid(ctx, ref, c.Data, t)
}

// training returns what the flags ask for.
func (c *trainCmd) training(grid *learn.Grid) (learn.Training, error) {
	if c.Hidden == nil && c.Init == "" && grid == nil {
		c.Hidden = bind.Widths{128, 128}
	}
	if c.Resume && c.Checkpoint == "" {
		return learn.Training{}, errors.New("--resume needs the file to go on from; expected --checkpoint FILE")
	}
	if !(c.Noise >= 0 && c.Noise < .5) {
		return learn.Training{}, fmt.Errorf("--noise %v; expected a share of wrong cells from 0 to below 0.5, such as 0.05", c.Noise)
	}
	t := learn.Training{Noise: c.Noise, Lags: c.Lags, Recipe: learn.Recipe(c.Recipe), Split: train.SplitMode(c.Split), Checkpoint: c.Checkpoint, Resume: c.Resume, Init: c.Init, Also: c.Also, LearnReward: c.LearnReward, Grid: grid, Config: train.Config{
		Hidden: c.Hidden, Weights: train.Weights(c.Weights), Epochs: c.Epochs, LearningRate: c.Rate,
		WeightThreshold: c.Threshold, Seed: c.Seed, Threads: c.Threads, Prune: c.Prune > 0, PruneRounds: c.Prune,
		Multiplicity: c.Multiplicity, Repeated: c.Repeated,
	}}
	if !c.Polish {
		t.Config.PolishRows = -1
	}
	return t, nil
}

// writeTrained writes the answer as text.
func writeTrained(w io.Writer, res *learn.Trained) {
	if text := res.NoBetter(); text != "" {
		fmt.Fprintln(w, text)
	}
	if res.Network == "" {
		fmt.Fprintf(w, "%s: functions, no network", res.Problem)
	} else {
		fmt.Fprintf(w, "%s: %s, %s", res.Problem, res.Network, counted.Of(res.Edges, "edge"))
	}
	if res.Recipe == learn.RecipeDense {
		fmt.Fprintf(w, ", epoch %d", res.Epoch)
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "data: %s, %d distinct states and actions, %d contradictory", counted.Of(res.Rows, "row"), res.Unique, res.Contradictory)
	if res.Incomplete > 0 {
		fmt.Fprintf(w, ", %d more with empty cells", res.Incomplete)
	}
	fmt.Fprintln(w)
	if res.Dropped > 0 {
		fmt.Fprintf(w, "dropped: %s of the log, %s\n", counted.Of(res.Dropped, "row"), res.DroppedWhy)
	}
	if res.Drawn > 0 {
		fmt.Fprintf(w, "structure: found on %s that were drawn\n", counted.Of(res.Drawn, "row"))
	}
	res.WriteErrors(w)
	if res.Reward != nil {
		fmt.Fprintf(w, "reward: %v\n", res.Reward)
	}
	for i := range res.Quantities {
		fmt.Fprintln(w, &res.Quantities[i])
	}
	for _, line := range res.Warnings() {
		fmt.Fprintln(w, line)
	}
	app.WriteStopped(w, res.Stopped)
	for _, line := range res.Next() {
		fmt.Fprintln(w, line)
	}
	if res.Grid != nil {
		_ = res.Grid.WriteText(w)
	}
}

// report writes the files of --report.
func (c *trainCmd) report(ctx context.Context, a *environment, p *load.Problem, t *learn.Trained) error {
	if c.Report == "" {
		return nil
	}
	r, err := learn.NewReport(ctx, p, t)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Report, 0o777); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	for _, f := range r.Files() {
		if err := a.toFile(filepath.Join(c.Report, f.Name), f.Write); err != nil {
			return err
		}
	}
	return nil
}

type testCmd struct {
	request.Test
	progressFlags
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run measures a network.
func (c *testCmd) Run(ctx context.Context, a *environment) error {
	if strings.HasSuffix(c.Network, ".pddl") && c.Prove {
		return c.proveWritten(ctx, a)
	}
	if strings.HasSuffix(c.Network, ".pddl") {
		res, err := domain.Test(ctx, c.Network, c.PDDL, c.Data)
		if err != nil {
			return limited(ctx, err)
		}
		return a.tell(c.JSON, "", res)
	}
	if c.Task == "" {
		return errors.New("no task is named; expected --task PROBLEM, or a learned domain (.pddl)")
	}
	text, err := source.ReadFile(c.Network)
	if err != nil {
		return err
	}
	switch {
	case c.Proof != "" && !c.Prove:
		return errors.New("--proof names where proofs go; expected --prove too")
	case c.Prove && c.Data != "":
		return errors.New("--prove is about all legal states and actions; expected no data set")
	case c.Prove:
		return c.prove(ctx, a, text)
	}
	p, err := load.Load(ctx, load.Ref{Name: c.Task, Source: load.Source{IgnoreDiscount: c.IgnoreDiscount}, Untrained: true})
	if err != nil {
		return err
	}
	t := learn.Testing{Data: c.Data, Legal: c.Legal, Seed: c.Seed, Samples: c.Samples}
	defer sparing()()
	r := c.reporter(a)
	ctx = events.Reading(ctx, r)
	if !c.Quiet {
		t.Begin = func(b train.Bound) {
			a.note(fmt.Sprintf("listing all legal rows: about %.4g states with at most %.4g actions each", b.States, b.Actions))
		}
	}
	if r.Enabled() {
		t.Listed = events.Listed(r)
	}
	res, err := learn.Test(ctx, p, c.Network, text, t)
	r.Clear()
	if err != nil {
		return limited(ctx, err)
	}
	if c.Out != "" {
		if err := res.CanDraw(c.Out); err != nil {
			return err
		}
		if err := a.toFile(c.Out, res.WriteFit); err != nil {
			return err
		}
	}
	return a.tell(c.JSON, "", res)
}
