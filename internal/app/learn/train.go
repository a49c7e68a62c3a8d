// Package learn implements the use cases of learning: it collects transitions, trains
// networks, converts foreign networks, and measures and reports their errors.
package learn

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/outcomes"
	"github.com/fdplan/fdplan/internal/learn/measure"
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
	// loss as alsoWeight other rows. Empty for none.
	Also string
	// LearnReward asks for the reward of a step to be learned for a problem that has one.
	LearnReward bool
	// Noise is the share of wrong cells that rows are known to have, as RecipeStructure reads them; 0 if it is not known.
	Noise float64
	// Lags is the number of rows back that functions of quantities may read, by RecipeStructure.
	Lags int
	// Grid, where not nil, sets the hidden layers; Checkpoint is then a folder.
	Grid *Grid
}

// Trained is the outcome of `fdplan train`.
type Trained struct {
	Schema  int    `json:"schema"`
	Recipe  Recipe `json:"recipe"`
	Problem string `json:"problem"`
	Network string `json:"network"` // its shape
	Neurons int    `json:"neurons"`
	Edges   int    `json:"edges"`
	Rows    int    `json:"rows"`     // in the data
	Unique  int    `json:"distinct"` // states and actions among them
	Epoch   int    `json:"epoch"`    // that the network is from; 0 without epochs
	Errors
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
	// Chance is what was found about outputs that state and action do not determine, absent if they determine all.
	Chance *outcomes.Line `json:"chance,omitempty"`
	// Quantities are the functions of quantities, which the network does not give; absent if there are none.
	Quantities []outcomes.QuantityLine `json:"quantities,omitempty"`
	// Stopped says which limit ended the run, absent when none did.
	Stopped string `json:"stopped,omitempty"`

	predict   measure.Predict // of the network learned without the rows held out; nil for none
	functions *load.Functions // of the most likely outcomes that the network does not give; nil for none
	file      *bnn.File
	from      *sourced // for reports
	chosen    bool     // rows that were not trained on chose the epoch
	history   []train.Record
}

// Train learns a network from a data set. If ctx ends, the best network so far is the answer,
// which reports the limit; if there is none, Train returns ctx's error.
func Train(ctx context.Context, p *load.Problem, file string, t Training) (*Trained, error) {
	from, err := sources(ctx, p, file, t.Also, t.Recipe == RecipeStructure)
	if err != nil {
		return nil, err
	}
	return trainFrom(ctx, p, from, t)
}

// trainFrom learns a network from data sets, and the reward if it is to be learned.
func trainFrom(ctx context.Context, p *load.Problem, from *sourced, t Training) (*Trained, error) {
	r, err := learnReward(ctx, p, from.data, t)
	if err != nil {
		return nil, err
	}
	out, err := trainNetwork(ctx, p, from, t)
	if err != nil {
		return nil, err
	}
	out.from, out.Dropped, out.DroppedWhy = from, from.dropped, from.why
	if r != nil {
		out.Reward = r
		rows, err := json.Marshal(r.RewardRows)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", app.ErrInternal, err)
		}
		out.file.Meta = append(out.file.Meta, [2]string{load.MetaReward, r.Reward}, [2]string{load.MetaRewardRows, string(rows)})
	}
	return out, nil
}

// trainNetwork learns a network from data sets.
func trainNetwork(ctx context.Context, p *load.Problem, from *sourced, t Training) (*Trained, error) {
	if t.Recipe == RecipeStructure {
		return learnFunctions(ctx, p, from.data, t)
	}
	rows, err := split(p, from, t.Split, t.Config.Seed)
	if err != nil {
		return nil, err
	}
	o := train.Options{Test: rows.choosing, Progress: t.Progress, Pruning: t.Pruning, Checkpoint: t.Checkpoint, CheckpointEvery: 10, Resume: t.Resume}
	if t.Init != "" {
		if err := setInit(p, t.Init, &t.Config, &o); err != nil {
			return nil, err
		}
	}
	var res *train.Result
	var table *GridTable
	if t.Grid != nil {
		res, table, err = grid(ctx, &t, rows.training, rows.choosing)
	} else {
		res, err = train.Run(ctx, t.Config, rows.training, o)
	}
	out := &Trained{Schema: app.Schema, Recipe: RecipeDense, Problem: p.Problem.Name, Rows: rows.all.Total() + rows.all.Conflicts.Dropped, Unique: rows.all.Rows(), Contradictory: rows.all.Conflicts.Inputs}
	switch {
	case err != nil && (ctx.Err() == nil || res == nil || res.Network == nil):
		return nil, err
	case err != nil:
		out.Stopped = context.Cause(ctx).Error()
	}
	n := res.Network
	out.history, out.Grid, out.chosen = res.History, table, res.Test != nil
	out.Network, out.Neurons, out.Edges, out.Epoch = n.Shape(), n.Hidden()+n.Outputs(), n.Edges(), res.Epoch
	if out.Train, out.HeldOut, err = trainedLines(p, n, rows.holding, from.data); err != nil {
		return nil, err
	}
	out.heldOut(rows.holding)
	if out.file, err = train.File(p.Problem, t.Config, res); err != nil {
		return nil, err
	}
	out.file.Meta = append([][2]string{{"problem", p.Problem.Name}, {"transitions", fmt.Sprint(out.Rows)}}, out.file.Meta...)
	out.file.Meta = append(out.file.Meta, [2]string{load.MetaErrors, fmt.Sprint(out.Train.Wrong)})
	if out.HeldOut != nil {
		out.file.Meta = append(out.file.Meta, [2]string{"test-rows", fmt.Sprint(out.HeldOut.Rows)}, [2]string{"test-errors", fmt.Sprint(out.HeldOut.Wrong)})
	}
	if table != nil {
		out.file.Meta = append(out.file.Meta, [2]string{"grid", table.recipe()})
	}
	if o.Init != nil {
		out.file.Meta = append(out.file.Meta, [2]string{"initial", o.Init.Shape()})
	}
	_, err = cover(ctx, p, out.file, rows.all, rows.training, from.data)
	return out, err
}

// heldOut notes which rows were held out, and whether no row is wrong.
func (t *Trained) heldOut(h *holding) {
	t.HeldOutBy, t.HeldOutWhy = h.by, h.why
	t.On(t.Train)
}

// Warnings say, in one per line, what is doubtful about the rows.
func (t *Trained) Warnings() []string {
	if t.Found == nil {
		return nil
	}
	lines := t.Found.warnings()
	if t.Chance != nil {
		lines = append(lines, strings.Split(t.Chance.String(), "\n")...)
	}
	return lines
}

// Next says what to try if the network is wrong on training rows; nil if it is right on all.
func (t *Trained) Next() []string {
	if t.Exact || t.Train == nil || t.Train.Wrong == 0 {
		return nil
	}
	if len(t.Quantities) > 0 {
		return []string{"What is proven of plans holds if the functions of quantities have no error; simulate and run --simulator model draw their errors."}
	}
	if t.Chance != nil && len(t.Chance.Groups) > 0 {
		return []string{fmt.Sprintf("WARNING: the network gives the most likely outcomes, which %d of %d training rows do not have. What is proven of its plans holds if these happen; plan --policy plans for all outcomes.", t.Train.Wrong, t.Train.Rows)}
	}
	if t.Chance != nil && t.Chance.Errors() {
		return []string{fmt.Sprintf("WARNING: %d of %d training rows are not as the network says, and are taken as recording errors. What is proven of its plans holds in the system if they are.", t.Train.Wrong, t.Train.Rows)}
	}
	lines := []string{fmt.Sprintf("WARNING: the network is WRONG on %d of %d training rows. What is proven of its plans holds in it, not in the system.", t.Train.Wrong, t.Train.Rows)}
	if t.Contradictory > 0 {
		lines = append(lines, fmt.Sprintf("States and actions with several next states, which no network can learn: %d. %s of the rows have the next state that is most frequent for theirs. fdplan check TASK DATA --contradictions lists them. Record the column that is missing, use finer bins, or ignore a column that is chance.",
			t.Contradictory, measure.Percent(t.Train.Rows-t.Train.Floor, t.Train.Rows)))
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
