package learn

import (
	"context"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/outcomes"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

// learnFunctions learns functions of quantities and, by RecipeStructure, a network that gives all else.
func learnFunctions(ctx context.Context, p *load.Problem, from []train.Source, t Training) (*Trained, error) {
	threads := app.Threads(t.Config.Threads)
	if report := t.step("functions of quantities"); report != nil {
		report(0)
	}
	q, err := outcomes.FindQuantities(ctx, p, from, false, t.Lags, threads)
	if err != nil {
		return nil, err
	}
	if q == nil {
		return learnStructure(ctx, p, from, t)
	}
	out := &Trained{Schema: app.Schema, Recipe: RecipeStructure, Problem: p.Problem.Name, Found: &Found{}, file: &bnn.File{Network: &bnn.Network{}}}
	if len(q.Network.Problem.Outputs) > 0 {
		if out, err = learnStructure(ctx, q.Network, from, t); err != nil {
			return nil, err
		}
	} else {
		out.file.Meta = [][2]string{{"problem", p.Problem.Name}, {"transitions", fmt.Sprint(rowsOf(from))}, {"recipe", string(RecipeStructure)}}
	}
	meta, err := q.Meta()
	if err != nil {
		return nil, err
	}
	out.file.Meta = append(out.file.Meta, meta...)
	out.Network, out.Quantities = out.file.Network.Shape(), q.Lines
	return out, out.measureWhole(ctx, p, q, from, t.Lags, threads)
}

// measureWhole measures functions and network together: as they are on all rows, and as they are learned without the last
// ones on these.
func (t *Trained) measureWhole(ctx context.Context, p *load.Problem, q *outcomes.Quantities, from []train.Source, lags, threads int) error {
	var network measure.Predict
	if len(t.file.Network.Layers) > 0 {
		network = measure.Network(t.file.Network)
	}
	whole, predict, rows, err := q.Whole(network, from)
	if err != nil {
		return err
	}
	c, incomplete, err := countErrors(whole, predict, nil, rows)
	if err != nil {
		return err
	}
	t.Train = lineOf(whole, c)
	t.Rows, t.Unique, t.Incomplete = t.Train.Rows, t.Train.Distinct, incomplete
	h := byTime(from)
	defer func() { t.heldOut(h) }()
	if h.held == nil {
		return nil
	}
	without, err := outcomes.FindQuantities(ctx, p, from, true, lags, threads)
	if err != nil {
		return err
	}
	if without == nil {
		h = &holding{why: "the other rows are too few to learn the functions of quantities from"}
		return nil
	}
	if whole, predict, rows, err = without.Whole(t.predict, from); err != nil {
		return err
	}
	c, _, err = countErrors(whole, predict, func(r *train.Row) bool { return r.Index >= rows[r.Source].Cut && rows[r.Source].Cut > 0 }, rows)
	t.HeldOut, t.Refitted = lineOf(whole, c), true
	return err
}

// measureFunctions measures functions and network together on data.
func (t *Tested) measureFunctions(p *load.Problem, net *bnn.Network, trained load.Trained, from *sourced) error {
	var network measure.Predict
	if len(net.Layers) > 0 {
		network = measure.Network(net)
	}
	whole, predict, rows, err := outcomes.Whole(p, trained.Functions, network, from.data)
	if err != nil {
		return err
	}
	c, incomplete, err := countErrors(whole, predict, nil, rows)
	if err != nil {
		return err
	}
	t.ErrorLine = lineOf(whole, c)
	t.Incomplete, t.Dropped, t.DroppedWhy = incomplete, from.dropped, from.why
	t.addOutside(&from.outside)
	if early := rowsOf(from.data) - rowsOf(rows); early > 0 {
		t.Dropped += early
		t.DroppedWhy = strings.TrimPrefix(t.DroppedWhy+fmt.Sprintf(", %d have no rows before that functions read", early), ", ")
	}
	t.Quantities, err = outcomes.TestQuantities(p, trained, from.data)
	return err
}
