package learn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/outcomes"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

// Tested is the outcome of `fdplan test`.
type Tested struct {
	Schema  int          `json:"schema"`
	Problem string       `json:"problem"`
	Network string       `json:"network"`
	Trained *TrainedLine `json:"trained_on"` // null if the file does not contain them
	// ErrorLine is the error on the data set; its fields are absent if none was given.
	*ErrorLine
	// Dropped counts the rows of a log that gave no transition; DroppedWhy counts the
	// reasons.
	Dropped    int    `json:"dropped_rows,omitempty"`
	DroppedWhy string `json:"dropped_why,omitempty"`
	// Courses are predicted and logged values at the end of the data set; absent if all rows there lack a value.
	Courses *Courses `json:"courses,omitempty"`
	// Chance is how the outcomes that the network's file says to be drawn do on the data set; absent if there
	// are none.
	Chance *outcomes.Judged `json:"chance,omitempty"`
	// Quantities is how the functions do, one and several steps ahead; absent if there are none.
	Quantities []outcomes.QuantityTest `json:"quantities,omitempty"`
	Legal      *ErrorLine              `json:"legal"` // on every legal row; null if they were not asked for or are too many
	// Drawn is the error on legal rows drawn at random, if there are too many to list, and
	// null otherwise.
	Drawn *ErrorLine `json:"drawn"`
	// Unlisted is the reason why Legal is missing, absent if it is not, or was not asked for.
	Unlisted string `json:"unlisted,omitempty"`
}

// TrainedLine describes the training rows as recorded in a network's file.
type TrainedLine struct {
	Rows     int  `json:"rows"`      // distinct states and actions
	AllLegal bool `json:"all_legal"` // they are the legal ones, as far as these can be listed
	Exact    bool `json:"exact"`     // each of them is known
}

const (
	maxLegal  = 20_000_000 // bounds the attempted steps for listing all legal rows
	DrawnRows = 200_000    // number of rows drawn if that does not suffice and no other is asked for
)

// Testing says what a network is measured on.
type Testing struct {
	Data string // data set or log; empty for none
	// Legal asks for all legal rows. They are also listed if there are no data.
	Legal   bool
	Samples int // legal rows that are drawn if they are too many to list; DrawnRows if 0
	Seed    uint64
	// Begin is told how many legal rows there may be before they are listed, and Listed how many
	// have been so far; nil for none.
	Begin  func(train.Bound)
	Listed func(rows int)

	limit int // of attempted steps; maxLegal if 0
}

// Test measures a network file on a data set and on the legal rows of the problem or, if they cannot be
// listed, on samples drawn from them.
func Test(ctx context.Context, p *load.Problem, network string, text []byte, t Testing) (*Tested, error) {
	if _, err := learner(p); err != nil {
		return nil, err
	}
	f, err := bnn.ReadFile(network, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	trained, err := load.ReadTrained(network, f)
	if err != nil {
		return nil, err
	}
	of := *p // what the network gives, and functions
	if of.Problem = p.Problem.Clone(); trained.Functions != nil {
		if err := trained.Functions.Define(network, of.Problem); err != nil {
			return nil, err
		}
	}
	if err := load.Fits(network, f, of.Problem); err != nil {
		return nil, err
	}
	if err := trained.ReadChance(network, of.Problem); err != nil {
		return nil, err
	}
	if t.Data == "" && p.Truth == nil {
		return nil, errors.New("without RDDL it is not known which states and actions are legal; expected a data set to test the network on")
	}
	var from *sourced
	if t.Data != "" {
		if from, err = measuredSources(ctx, p, t.Data); err != nil {
			return nil, err
		}
	} else {
		t.Legal = true
	}
	return test(ctx, p, f.Network, trained, from, t)
}

// test measures a network on data, if there are any, and on legal rows if they are asked for.
func test(ctx context.Context, p *load.Problem, net *bnn.Network, trained load.Trained, from *sourced, t Testing) (*Tested, error) {
	out := &Tested{Schema: app.Schema, Problem: p.Problem.Name, Network: net.Shape()}
	if seen := trained.Seen; seen != nil {
		out.Trained = &TrainedLine{Rows: seen.Rows(), AllLegal: seen.AllLegal(), Exact: seen.Exact()}
	}
	if from != nil {
		if err := out.measure(p, net, trained, from); err != nil {
			return nil, err
		}
	}
	if !t.Legal {
		return out, nil
	}
	return out, out.testLegal(ctx, p, net, trained, t)
}

// measure measures a network on data.
func (t *Tested) measure(p *load.Problem, net *bnn.Network, trained load.Trained, from *sourced) error {
	if trained.Functions != nil {
		return t.measureFunctions(p, net, trained, from)
	}
	c, incomplete, err := countErrors(p, measure.Network(net), nil, from.data)
	if err == nil {
		t.Courses, err = coursesOf(p.Problem, measure.Network(net), from.data)
	}
	if err != nil {
		return err
	}
	t.ErrorLine = detailed(p, net, c, trained)
	t.Incomplete, t.Dropped, t.DroppedWhy = incomplete, from.dropped, from.why
	t.addOutside(&from.outside)
	if trained.Chance == nil {
		return nil
	}
	t.Chance, err = outcomes.Judge(p.Problem, trained.Chance, net, from.data)
	return err
}

// testLegal measures a network on legal rows, which are drawn if they are too many to list.
func (t *Tested) testLegal(ctx context.Context, p *load.Problem, net *bnn.Network, trained load.Trained, o Testing) error {
	if trained.Functions != nil {
		t.Unlisted = "not for functions of quantities, which are no table"
		return nil
	}
	if p.Truth == nil {
		t.Unlisted = "not known without RDDL"
		return nil
	}
	if o.limit == 0 {
		o.limit = maxLegal
	}
	c := measure.NewCounter(p.Problem, measure.Network(net))
	rows := 0
	err := train.EachLegal(ctx, p.Truth.Compiled, p.Truth.Sim, o.limit, o.Begin, func(r *train.Row) {
		c.Add(r, nil, false)
		if rows++; o.Listed != nil && rows%listedEvery == 0 {
			o.Listed(rows)
		}
	})
	switch {
	case err == nil && rows == 0:
		return fmt.Errorf("%s has no legal state and action", p.Problem.Name)
	case err == nil:
		t.Legal = detailed(p, net, c, trained)
		if seen := trained.Seen; seen != nil {
			none := t.Legal.Unseen == nil || *t.Legal.Unseen == 0
			t.Trained.AllLegal = none && seen.Exact() && seen.Rows() == t.Legal.Distinct
		}
		return nil
	case !errors.Is(err, train.ErrTooMany):
		return err
	}
	_, number, _ := strings.Cut(err.Error(), ": ")
	t.Unlisted = "too many to list: " + number + "; test --prove compares them without a list"
	drawn, err := draw(ctx, p, o.Seed, o.Samples)
	switch {
	case err == nil:
		if c, _, err = countErrors(p, measure.Network(net), nil, []train.Source{{Data: drawn}}); err == nil {
			t.Drawn = detailed(p, net, c, trained)
		}
		return err
	case ctx.Err() != nil:
		return err
	}
	t.Unlisted += fmt.Sprintf(", and to draw some of them fails: %v", err)
	return nil
}

// listedEvery is how many legal rows are listed between two reports.
const listedEvery = 1 << 16

// draw takes legal rows at random.
func draw(ctx context.Context, p *load.Problem, seed uint64, samples int) (*dataset.Data, error) {
	if samples == 0 {
		samples = DrawnRows
	}
	schema, err := collect.Schema(p.Truth.Sim)
	if err != nil {
		return nil, err
	}
	d := &dataset.Data{Schema: schema}
	err = collect.Rows(ctx, p.Truth.Sim, collect.Options{Rows: samples, Policy: collect.Restart, Seed: seed}, func(values []float64) error {
		d.Add(values)
		return nil
	})
	return d, err
}
