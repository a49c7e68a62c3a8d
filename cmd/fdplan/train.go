package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/planner"
	"github.com/fdplan/fdplan/train"
)

// widthsFlag is a list of layer widths such as 128,128.
type widthsFlag []int

// UnmarshalText reads numbers with commas between.
func (w *widthsFlag) UnmarshalText(text []byte) error {
	*w = nil
	for _, part := range strings.Split(string(text), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no list of layer widths; expected numbers such as 128,128", text)
		}
		*w = append(*w, n)
	}
	return nil
}

type trainCmd struct {
	Data   string     `arg:"" help:"Data set (.parquet, .csv, .npz) or log to learn from."`
	Task   string     `help:"Bundled problem or task file whose learned fluents the network gives." required:"" placeholder:"PROBLEM"`
	Out    string     `short:"o" help:"Network file to write." required:"" placeholder:"NETWORK"`
	Hidden widthsFlag `help:"Widths of the hidden layers." default:"128,128" placeholder:"N,N"`
	// The recipes; see package train.
	Weights   string  `help:"Weights: ${enum}." enum:"ternary,binary" default:"ternary"`
	Epochs    int     `help:"Most epochs; training ends at the first without a wrong row." default:"500"`
	Rate      float64 `help:"Learning rate at the start." default:"0.003"`
	Threshold float64 `help:"With ternary weights, the latent magnitude below which a weight is 0." default:"0.8"`
	Split     string  `help:"How one tenth is held out: ${enum}." enum:"random,distinct" default:"random"`
	Prune     int     `help:"When no row is wrong, cut what no row needs, beginning again so many times from a network changed at random." placeholder:"ROUNDS"`
	// Long runs.
	Checkpoint string `help:"Keep the state of training in this file." placeholder:"FILE"`
	Resume     bool   `help:"Go on from the checkpoint, where there is one; the network is the same as without the interruption."`
	Quiet      bool   `help:"No progress on standard error." short:"q"`
	JSON       bool   `name:"json" help:"Print one JSON object."`

	Threads   int          `help:"Threads to use; 0 for one a core." default:"0"`
	Seed      uint64       `help:"Seed." default:"0"`
	TimeLimit durationFlag `help:"Stop after this time, counted from the start of the process." placeholder:"60s"`
}

// Run trains and writes the network.
func (c *trainCmd) Run(a *app) error {
	ctx, cancel := a.context(c.TimeLimit)
	defer cancel()
	p, err := planner.Load(planner.Ref{Name: c.Task, Untrained: true})
	if err != nil {
		return err
	}
	if c.Resume && c.Checkpoint == "" {
		return errors.New("--resume needs the file to go on from; expected --checkpoint FILE")
	}
	t := planner.Training{Split: train.SplitMode(c.Split), Checkpoint: c.Checkpoint, Resume: c.Resume, Config: train.Config{
		Hidden: c.Hidden, Weights: train.Weights(c.Weights), Epochs: c.Epochs, LearningRate: c.Rate,
		WeightThreshold: c.Threshold, Seed: c.Seed, Threads: c.Threads, Prune: c.Prune > 0, PruneRounds: c.Prune,
	}}
	shown := false
	if a.terminal && !c.Quiet {
		t.Progress = func(e train.Epoch) {
			fmt.Fprintf(a.err, "\r\x1b[Kepoch %d of %d: loss %.4f, %d of %d training rows wrong", e.Epoch, c.Epochs, e.Loss, e.Train.WrongRows, e.Train.Rows)
			shown = true
		}
	}
	res, err := p.Train(ctx, c.Data, t)
	if shown {
		fmt.Fprint(a.err, "\r\x1b[K")
	}
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", errLimit, err)
		}
		return err
	}
	if err := a.toFile(c.Out, res.Write); err != nil {
		return err
	}
	return a.answer(c.JSON, "", res, func(w io.Writer) error {
		fmt.Fprintf(w, "%s: %s, %d edges, epoch %d\n", res.Problem, res.Network, res.Edges, res.Epoch)
		fmt.Fprintf(w, "data: %d rows, %d distinct, %d contradictory\n", res.Rows, res.Unique, res.Contradictory)
		fmt.Fprintf(w, "training rows: %v\n", res.Train)
		if res.Test != nil {
			fmt.Fprintf(w, "held-out rows: %v\n", res.Test)
		}
		if res.Stopped != "" {
			fmt.Fprintf(w, "Stopped early: %s.\n", res.Stopped)
		}
		return nil
	})
}

type testCmd struct {
	Network string `arg:"" help:"Network file."`
	Data    string `arg:"" optional:"" help:"Data set or log; without one, all legal rows alone."`
	Task    string `help:"Bundled problem or task file that the network is of." required:"" placeholder:"PROBLEM"`
	JSON    bool   `name:"json" help:"Print one JSON object."`

	TimeLimit durationFlag `help:"Stop after this time, counted from the start of the process." placeholder:"60s"`
}

// Run measures a network.
func (c *testCmd) Run(a *app) error {
	ctx, cancel := a.context(c.TimeLimit)
	defer cancel()
	p, err := planner.Load(planner.Ref{Name: c.Task, Untrained: true})
	if err != nil {
		return err
	}
	text, err := os.ReadFile(c.Network)
	if err != nil {
		return err
	}
	res, err := p.Test(ctx, c.Network, text, c.Data)
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", errLimit, err)
		}
		return err
	}
	return a.answer(c.JSON, "", res, func(w io.Writer) error {
		fmt.Fprintf(w, "%s: %s\n", res.Problem, res.Network)
		if res.Data != nil {
			fmt.Fprintf(w, "data: %v\n", res.Data)
		}
		if res.Legal != nil {
			fmt.Fprintf(w, "all legal rows: %v\n", res.Legal)
		} else {
			fmt.Fprintf(w, "all legal rows: too many to list\n")
		}
		return nil
	})
}
