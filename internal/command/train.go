package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/source"
)

// widthsFlag is a list of layer widths such as 128,128.
type widthsFlag []int

// UnmarshalText reads numbers with commas between.
func (w *widthsFlag) UnmarshalText(text []byte) error {
	*w = nil
	for _, part := range strings.Split(string(text), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a list of layer widths; expected numbers such as 128,128", text)
		}
		*w = append(*w, n)
	}
	return nil
}

type trainCmd struct {
	progressFlags
	Data   string `arg:"" help:"Data set (.parquet, .csv, .npz, .manifest) or log to learn from."`
	Task   string `help:"Bundled problem or task file whose learned fluents the network gives." required:"" placeholder:"PROBLEM"`
	Out    string `short:"o" help:"Network file to write." required:"" placeholder:"NETWORK"`
	Recipe string `help:"How to learn: structure finds the inputs of each output and builds an exact network; dense trains all weights. Flags that are of the dense recipe alone ask for it." enum:"structure,dense," default:"" placeholder:"structure|dense"`
	Lift   bool   `help:"Learn one function for all objects of a type, in which neighbours enter as counts; the network's file has them for fdplan lift."`
	// Of the dense recipe, as everything down to --report.
	Hidden widthsFlag `help:"Widths of the hidden layers; those of --init, else 128,128." placeholder:"N,N"`
	Init   string     `help:"Begin from this network, or from that of a bundled problem." placeholder:"NETWORK"`
	// More rows.
	Also        string  `help:"Learn the rows of this data set too; none of them is held out." placeholder:"DATA"`
	AlsoWeight  int     `help:"How many others each row of --also weighs." default:"10" placeholder:"N"`
	LearnReward bool    `help:"Learn the reward of a step from the column reward though the task has one in its RDDL; without, it is learned if the task gives none."`
	Noise       float64 `help:"The share of wrong cells that rows are known to have, below 0.5: what they explain is neither chance nor a rule of the system. By default it is estimated." placeholder:"RATE"`
	// See package train.
	Weights   string  `help:"Weights: ${enum}." enum:"ternary,binary" default:"ternary"`
	Epochs    int     `help:"Maximal number of epochs; training ends at the first without a wrong row." default:"500"`
	Rate      float64 `help:"Learning rate at the start." default:"0.003"`
	Threshold float64 `help:"With ternary weights, the latent magnitude below which a weight is 0." default:"0.8"`
	Split     string  `help:"What is held out: ${enum}; time, the default for logs, holds out the last tenth, the others draw rows or distinct rows, half of which choose the epoch." enum:"auto,time,random,distinct" default:"auto"`
	Prune     int     `help:"Once no row is wrong, remove what no row needs, and repeat this many times from a randomly changed network." placeholder:"ROUNDS"`
	// Rarely changed settings of the recipes.
	Multiplicity float64 `help:"Power of a row's count that weights its loss: 0 weights distinct rows equally, 1 by how often they were seen." default:"0"`
	Repeated     bool    `help:"An epoch goes over every row as often as it was seen, as in the paper, not over the distinct rows."`
	Sparsity     float64 `help:"How far each step moves weights towards 0, in units of the learning rate." default:"0"`
	BoundDecay   float64 `help:"How far each step moves integer thresholds towards 1, in units of the learning rate." default:"0"`
	Polish       bool    `help:"If few rows are wrong, search for changes of single weights and thresholds that correct them." negatable:"" default:"true"`
	gridFlags
	Connect
	Report string `help:"Folder for a report: what fdplan test says, and the structure as text, JSON and SVG or, of the dense recipe, loss and errors by epoch as CSV and SVG." placeholder:"DIR"`
	// Long runs.
	Checkpoint string `help:"Store the state of training in this file; with --grid, in this folder." placeholder:"FILE"`
	Resume     bool   `help:"Resume from the checkpoint, if it exists; the network is the same as without the interruption."`
	JSON       bool   `name:"json" help:"Print one JSON object."`

	IgnoreDiscount bool `help:"Treat a discount other than 1 as 1."`

	Threads int    `help:"Threads to use; 0 for one per core." default:"0"`
	Seed    uint64 `help:"Seed." default:"0"`
	bounds
}

// Run trains and writes the network.
func (c *trainCmd) Run(a *environment) error {
	ctx, cancel := c.context(a)
	defer cancel()
	ref := load.Ref{Name: c.Task, Untrained: true, IgnoreDiscount: c.IgnoreDiscount}
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
	grid, err := c.grid(c)
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
	progress := c.reporter(a)
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
	return a.answer(c.JSON, "", res, func(w io.Writer) error { return writeTrained(w, res) })
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
		c.Hidden = widthsFlag{128, 128}
	}
	if c.AlsoWeight < 1 || c.AlsoWeight > 1_000_000 {
		return learn.Training{}, fmt.Errorf("--also-weight %d; expected 1..1000000", c.AlsoWeight)
	}
	if c.Resume && c.Checkpoint == "" {
		return learn.Training{}, errors.New("--resume needs the file to go on from; expected --checkpoint FILE")
	}
	if !(c.Noise >= 0 && c.Noise < .5) {
		return learn.Training{}, fmt.Errorf("--noise %v; expected a share of wrong cells from 0 to below 0.5, such as 0.05", c.Noise)
	}
	t := learn.Training{Noise: c.Noise, Recipe: learn.Recipe(c.Recipe), Split: train.SplitMode(c.Split), Checkpoint: c.Checkpoint, Resume: c.Resume, Init: c.Init, Also: c.Also, AlsoWeight: c.AlsoWeight, LearnReward: c.LearnReward, Grid: grid, Config: train.Config{
		Hidden: c.Hidden, Weights: train.Weights(c.Weights), Epochs: c.Epochs, LearningRate: c.Rate,
		WeightThreshold: c.Threshold, Seed: c.Seed, Threads: c.Threads, Prune: c.Prune > 0, PruneRounds: c.Prune,
		Multiplicity: c.Multiplicity, Repeated: c.Repeated, Sparsity: c.Sparsity, BoundDecay: c.BoundDecay,
	}}
	if !c.Polish {
		t.Config.PolishRows = -1
	}
	return t, nil
}

// writeTrained writes the answer as text.
func writeTrained(w io.Writer, res *learn.Trained) error {
	if text := res.NoBetter(); text != "" {
		fmt.Fprintln(w, text)
	}
	fmt.Fprintf(w, "%s: %s, %s", res.Problem, res.Network, counted.Of(res.Edges, "edge"))
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
	for _, line := range res.Warnings() {
		fmt.Fprintln(w, line)
	}
	if res.Stopped != "" {
		fmt.Fprintf(w, "Stopped early: %s.\n", res.Stopped)
	}
	for _, line := range res.Next() {
		fmt.Fprintln(w, line)
	}
	if res.Grid != nil {
		return res.Grid.WriteText(w)
	}
	return nil
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
	progressFlags
	proveFlags
	Network string `arg:"" help:"Network file."`
	Data    string `arg:"" optional:"" help:"Data set or log, for example from exploration; without one, all legal rows are measured."`
	Legal   bool   `help:"Measure all legal states and actions too, which are listed one by one."`
	Task    string `help:"Bundled problem or task file of the network." required:"" placeholder:"PROBLEM"`
	JSON    bool   `name:"json" help:"Print one JSON object."`

	IgnoreDiscount bool `help:"Treat a discount other than 1 as 1."`

	Samples int    `help:"Rows to draw if the legal ones are too many to list." default:"200000" placeholder:"N"`
	Seed    uint64 `help:"Seed for drawing rows if the legal ones are too many to list." default:"0"`
	bounds
}

// Run measures a network.
func (c *testCmd) Run(a *environment) error {
	ctx, cancel := c.context(a)
	defer cancel()
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
	case c.Samples < 1:
		return fmt.Errorf("--samples %d; expected at least 1", c.Samples)
	}
	p, err := load.Load(ctx, load.Ref{Name: c.Task, Untrained: true, IgnoreDiscount: c.IgnoreDiscount})
	if err != nil {
		return err
	}
	t := learn.Testing{Data: c.Data, Legal: c.Legal, Seed: c.Seed, Samples: c.Samples}
	r := c.reporter(a)
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
	return a.answer(c.JSON, "", res, res.WriteText)
}
