// Package learn implements the use cases of learning: it collects transitions, trains
// networks, converts foreign networks, and measures and reports their errors.
package learn

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

// Training contains the inputs and settings of training.
type Training struct {
	Recipe Recipe // RecipeDense where empty; of Config the other one reads Seed and Threads
	// Structure is called by RecipeStructure with a step and the part of it that is
	// done, in 0..1.
	Structure  func(step string, done float64)
	Output     func(done, of int) // called by RecipeStructure when the function of an output is found
	Config     train.Config
	Split      train.SplitMode
	Progress   func(train.Epoch)
	Pruning    func(rounds, edges int) // see train.Options
	Checkpoint string                  // file that holds the state of training; empty for none
	Resume     bool                    // continue from it
	// Init is the network file or bundled problem whose network training starts from, which
	// determines the hidden widths; empty for none.
	Init string
	// Also is a data set whose rows are learned too and never held out; each counts in the
	// loss as AlsoWeight other rows. Empty for none.
	Also       string
	AlsoWeight int
	// LearnReward asks for the reward of a step to be learned for a problem that has one.
	LearnReward bool
	// Grid, where not nil, sets the hidden layers; Checkpoint is then a folder.
	Grid *Grid
}

// Trained is the outcome of `fdplan train`.
type Trained struct {
	Schema  int        `json:"schema"`
	Recipe  Recipe     `json:"recipe"`
	Problem string     `json:"problem"`
	Network string     `json:"network"` // its shape
	Neurons int        `json:"neurons"`
	Edges   int        `json:"edges"`
	Rows    int        `json:"rows"`     // in the data
	Unique  int        `json:"distinct"` // of these
	Epoch   int        `json:"epoch"`    // that the network is from; 0 without epochs
	Train   *ErrorLine `json:"train"`
	Test    *ErrorLine `json:"test"` // null if no row was held out
	Exact   bool       `json:"exact"`
	// Contradictory counts states and actions with more than one next state.
	Contradictory int `json:"contradictory"`
	// Incomplete counts the rows with an empty cell, which Rows and Train leave out.
	Incomplete int `json:"incomplete"`
	// Dropped counts the rows of a log that gave no transition; DroppedWhy counts the
	// reasons.
	Dropped    int    `json:"dropped_rows"`
	DroppedWhy string `json:"dropped_why,omitempty"`
	// Drawn is the number of rows that the structure was found on, absent if it was all.
	Drawn int `json:"drawn_rows,omitempty"`
	// Grid describes every shape that was tried, absent if one was given.
	Grid *GridTable `json:"grid,omitempty"`
	// Reward is the reward that was learned, absent if none was.
	Reward *RewardLine `json:"reward,omitempty"`
	// Found is what the structure recipe found, absent otherwise.
	Found *Found `json:"structure,omitempty"`
	// Stopped says which limit ended the run, absent when none did.
	Stopped string `json:"stopped,omitempty"`

	file    *bnn.File
	rows    *train.Examples // of the data, for reports
	history []train.Record
}

// Train learns a network from a data set. If ctx ends, the best network so far is the answer,
// which reports the limit; if there is none, Train returns ctx's error.
func Train(ctx context.Context, p *load.Problem, file string, t Training) (*Trained, error) {
	from, err := sources(ctx, p, file, t.Also, t.AlsoWeight, t.Recipe == RecipeStructure)
	if err != nil {
		return nil, err
	}
	out, err := trainFrom(ctx, p, from.data, t)
	if err == nil {
		out.Dropped, out.DroppedWhy = from.dropped, from.why
	}
	return out, err
}

// trainFrom learns a network from data sets, and the reward if it is to be learned.
func trainFrom(ctx context.Context, p *load.Problem, from []train.Source, t Training) (*Trained, error) {
	r, err := learnReward(ctx, p, from, t)
	if err != nil {
		return nil, err
	}
	out, err := trainNetwork(ctx, p, from, t)
	if err == nil && r != nil {
		out.Reward = r
		rows, err := json.Marshal(r.RewardRows)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", app.ErrInternal, err)
		}
		out.file.Meta = append(out.file.Meta, [2]string{load.MetaReward, r.Reward}, [2]string{load.MetaRewardRows, string(rows)})
	}
	return out, err
}

// trainNetwork learns a network from data sets.
func trainNetwork(ctx context.Context, p *load.Problem, from []train.Source, t Training) (*Trained, error) {
	if t.Recipe == RecipeStructure {
		return learnStructure(ctx, p, from, t)
	}
	rows, err := train.FromSources(p.Problem, from...)
	if err != nil {
		return nil, err
	}
	training, testing, err := train.Split(rows, t.Split, t.Config.Seed)
	if err != nil {
		return nil, err
	}
	o := train.Options{Test: testing, Progress: t.Progress, Pruning: t.Pruning, Checkpoint: t.Checkpoint, CheckpointEvery: 10, Resume: t.Resume}
	if t.Init != "" {
		if err := setInit(p, t.Init, &t.Config, &o); err != nil {
			return nil, err
		}
	}
	var res *train.Result
	var table *GridTable
	if t.Grid != nil {
		res, table, err = grid(ctx, p, &t, training, testing)
	} else {
		res, err = train.Run(ctx, t.Config, training, o)
	}
	out := &Trained{Schema: app.Schema, Recipe: RecipeDense, Problem: p.Problem.Name, Rows: rows.Total(), Unique: rows.Rows(), Contradictory: rows.Conflicts.Inputs, rows: rows}
	switch {
	case err != nil && (ctx.Err() == nil || res == nil || res.Network == nil):
		return nil, err
	case err != nil:
		out.Stopped = context.Cause(ctx).Error()
	}
	n := res.Network
	out.history, out.Grid = res.History, table
	out.Network, out.Neurons, out.Edges, out.Epoch, out.Exact = n.Shape(), n.Hidden()+n.Outputs(), n.Edges(), res.Epoch, res.Exact()
	out.Train = errorLine(p, res.Train)
	if res.Test != nil {
		out.Test = errorLine(p, res.Test)
	}
	if out.file, err = train.File(p.Problem, t.Config, res); err != nil {
		return nil, err
	}
	out.file.Meta = append([][2]string{{"problem", p.Problem.Name}, {"transitions", fmt.Sprint(out.Rows)}}, out.file.Meta...)
	if table != nil {
		out.file.Meta = append(out.file.Meta, [2]string{"grid", table.recipe()})
	}
	if o.Init != nil {
		out.file.Meta = append(out.file.Meta, [2]string{"initial", o.Init.Shape()})
	}
	_, err = cover(ctx, p, out.file, rows, training, from)
	return out, err
}

// Warnings say, in one per line, what is doubtful about the rows.
func (t *Trained) Warnings() []string {
	if t.Found == nil {
		return nil
	}
	return t.Found.warnings()
}

// Next says what to try if the network is wrong on training rows; nil if it is right on all.
func (t *Trained) Next() []string {
	if t.Exact || t.Train == nil || t.Train.Wrong == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("WARNING: the network is WRONG on %d of %d distinct training rows. What is proven of its plans holds in it, not in the system.", t.Train.Wrong, t.Train.Rows)}
	if t.Contradictory > 0 {
		lines = append(lines, fmt.Sprintf("States and actions with several next states, which no network can learn: %d. fdplan check TASK DATA --contradictions lists them. Record the column that is missing, use finer bins, or ignore a column that is chance.", t.Contradictory))
	}
	switch {
	case t.Stopped != "":
		lines = append(lines, "Training was cut short: allow more time.")
	case t.Recipe == RecipeDense:
		lines = append(lines, "Try --recipe structure, more --epochs, wider --hidden layers, or more rows.")
	default:
		lines = append(lines, "Try more rows; --report DIR shows which outputs are wrong and what they depend on.")
	}
	return append(lines, "fdplan test NETWORK DATA --task TASK counts the errors of each output; plan --incremental --simulator corrects plans that fail.")
}

// Write writes the network.
func (t *Trained) Write(w io.Writer) error { return bnn.WriteFile(w, t.file) }
