package learn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/outcomes"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// learnFunctions learns functions of quantities and, by RecipeStructure, a network that gives all else.
func learnFunctions(ctx context.Context, p *load.Problem, from []train.Source, t Training) (*Trained, error) {
	threads := app.Threads(t.Config.Threads)
	if report := t.step("functions of quantities"); report != nil {
		report(0)
	}
	q, err := outcomes.FindQuantities(ctx, p, from, false, t.Lags, threads, nil)
	if err != nil {
		return nil, err
	}
	skip, err := exactly(ctx, p, from, t, q)
	if err != nil {
		return nil, err
	}
	if len(skip) > 0 {
		if q, err = outcomes.FindQuantities(ctx, p, from, false, t.Lags, threads, skip); err != nil {
			return nil, err
		}
	}
	if q == nil {
		out, err := learnStructure(ctx, p, from, t)
		if err == nil && out.functions != nil {
			out.file.Meta = append(out.file.Meta, out.functions.Meta()...)
		}
		return out, err
	}
	out := withoutNetwork(p, rowsOf(from))
	if len(q.Network.Problem.Outputs) > 0 {
		if out, err = learnStructure(ctx, q.Network, from, t); err != nil {
			return nil, err
		}
		if out.functions != nil {
			q.Functions().Texts = append(q.Functions().Texts, out.functions.Texts...)
		}
	}
	meta, err := q.Meta()
	if err != nil {
		return nil, err
	}
	out.file.Meta = append(out.file.Meta, meta...)
	out.Network, out.Quantities = out.file.Network.Shape(), q.Lines
	return out, out.measureWhole(ctx, p, q, from, t, skip)
}

// narrow is the number of values up to which a quantity may be a table that rows show exactly.
const narrow = 64

// exactly lists the quantities of few steps that a network gives exactly in all rows, and no worse than their function does in
// rows that were held out: such a system is one of integers.
func exactly(ctx context.Context, p *load.Problem, from []train.Source, t Training, q *outcomes.Quantities) (skip []string, err error) {
	if q == nil {
		return nil, nil
	}
	few := *p
	few.Problem = p.Problem.Clone()
	few.Problem.Outputs = slices.DeleteFunc(slices.Clone(p.Problem.Outputs), func(b factored.Bit) bool {
		v, _ := p.Problem.Owner(b)
		return v.Hi-v.Lo >= narrow || !slices.ContainsFunc(q.Lines, func(l outcomes.QuantityLine) bool {
			return l.Fluent == v.Name && l.HeldOut.Function[0] != nil && *l.HeldOut.Function[0] > 0
		})
	})
	if len(few.Problem.Outputs) == 0 {
		return nil, nil
	}
	t.Checkpoint = ""
	out, err := learnStructure(ctx, &few, from, t)
	if err != nil || out.HeldOut == nil {
		return nil, err
	}
	for i := range out.HeldOut.Fluents {
		f := &out.HeldOut.Fluents[i]
		for _, l := range q.Lines {
			if l.Fluent == f.Name && out.Train.Fluents[i].Wrong == 0 && f.Distance != nil && f.RMS <= float64(*l.HeldOut.Function[0]) {
				skip = append(skip, f.Name)
			}
		}
	}
	return skip, nil
}

// measureWhole measures functions and network together: as they are on all rows, and as they are learned without the last
// ones on these.
func (t *Trained) measureWhole(ctx context.Context, p *load.Problem, q *outcomes.Quantities, from []train.Source, o Training, skip []string) error {
	incomplete, err := t.measureWith(p, q.Functions(), from)
	if err != nil {
		return err
	}
	t.Rows, t.Unique, t.Incomplete = t.Train.Rows, t.Train.Distinct, incomplete
	h := byTime(from)
	defer func() { t.heldOut(h) }()
	if h.held == nil {
		return nil
	}
	without, err := outcomes.FindQuantities(ctx, p, from, true, o.Lags, app.Threads(o.Config.Threads), skip)
	if err != nil {
		return err
	}
	if without == nil {
		h = &holding{why: "the other rows are too few to learn the functions of quantities from"}
		return nil
	}
	whole, predict, rows, err := outcomes.Whole(p, without.Functions(), t.predict, from)
	if err != nil {
		return err
	}
	c, _, err := countErrors(whole, predict, func(r *train.Row) bool { return r.Index >= rows[r.Source].Cut && rows[r.Source].Cut > 0 }, rows)
	t.HeldOut, t.Refitted = lineOf(whole, c), true
	return err
}

// measureFunctions measures functions and network together on data.
func (t *Tested) measureFunctions(p *load.Problem, net *bnn.Network, trained load.Trained, from *sourced) error {
	whole, predict, rows, err := outcomes.Whole(p, trained.Functions, predictionOf(net), from.data)
	if err != nil {
		return err
	}
	c, incomplete, err := countErrors(whole, predict, nil, rows)
	if err == nil {
		t.Courses, err = coursesOf(whole.Problem, predict, rows)
	}
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
	if t.Quantities, err = outcomes.TestQuantities(p, trained, from.data); err == nil && len(t.Quantities) == 0 && trained.Chance != nil {
		t.Chance, err = outcomes.Judge(p.Problem, trained.Chance, net, from.data)
	}
	return err
}
