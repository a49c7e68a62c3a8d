package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// Transition is a step: the state and the action in Now, the state after it in
// Next.
type Transition struct {
	Now, Next factored.Valuation
	Reward    *float64 // nil for none
}

// TrainOn is Train on transitions in memory.
func TrainOn(ctx context.Context, p *load.Problem, rows []Transition, t Training) (*Trained, error) {
	if _, err := learner(p); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%w, expected at least one transition", train.ErrEmpty)
	}
	schema, err := collect.Schema(p.Truth.Sim)
	if err != nil {
		return nil, err
	}
	d := &dataset.Data{Schema: schema}
	system := p.Truth.System()
	for _, r := range rows {
		d.Add(slices.Concat(system.State(r.Now), system.Action(r.Now), system.State(r.Next)))
	}
	return trainFrom(ctx, p, &sourced{data: []train.Source{{Data: d}}}, t)
}

// With returns the problem with the network that was trained.
func With(p *load.Problem, t *Trained) (*load.Problem, error) {
	trained, err := load.ReadTrained("", t.file)
	if err != nil {
		return nil, err
	}
	q := *p
	q.Network, q.Trained = t.file.Network, trained
	if trained.Functions != nil {
		q.Problem = p.Problem.Clone()
		err = trained.Functions.Define("", q.Problem)
	}
	if len(t.file.Network.Layers) == 0 {
		q.Network = nil
	}
	return &q, err
}

// Explore draws transitions by the policy collect.Exploration.
func Explore(ctx context.Context, p *load.Problem, rows int, seed uint64) ([]Transition, error) {
	s, err := p.Simulator()
	if err != nil {
		return nil, err
	}
	if rows < 1 {
		return nil, fmt.Errorf("%d rows to draw; expected at least 1", rows)
	}
	if p.Truth.Compiled == nil {
		return nil, fmt.Errorf("%s can only be simulated: its transitions are not those of a problem to plan in", p.Problem.Name)
	}
	out := make([]Transition, 0, rows)
	err = collect.Rows(ctx, s, collect.Options{Rows: rows, Seed: seed}, func(values []float64) error {
		for row := range slices.Chunk(values, 2*len(s.States())+len(s.Actions())) {
			x, err := transition(p.Truth, row)
			if err != nil {
				return err
			}
			out = append(out, x)
		}
		return nil
	})
	return out, err
}

// transition is a row, values of the state, the action and the state after, as
// bits.
func transition(t *load.Truth, row []float64) (x Transition, err error) {
	states, actions := t.Sim.States(), t.Sim.Actions()
	fluents := len(t.Compiled.Ground.Fluents)
	now, next := make([]float64, fluents), make([]float64, fluents)
	for i, f := range states {
		now[f], next[f] = row[i], row[len(states)+len(actions)+i]
	}
	for i, f := range actions {
		now[f] = row[len(states)+i]
	}
	if x.Now, err = t.Compiled.Valuation(now); err == nil {
		x.Next, err = t.Compiled.Valuation(next)
	}
	return x, err
}

// ReadTransitions reads the transitions of a data set, all of whose cells must be known.
func ReadTransitions(ctx context.Context, p *load.Problem, name string) ([]Transition, error) {
	schema, err := learner(p)
	if err != nil {
		return nil, err
	}
	d, err := dataset.ReadAs(name, schema)
	if err != nil {
		return nil, err
	}
	var out []Transition
	for i := range d.Rows {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		x, err := transitionOf(p, d.Row(i))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+2, err)
		}
		if d.Rewards != nil && !math.IsNaN(d.Rewards[i]) {
			x.Reward = &d.Rewards[i]
		}
		out = append(out, x)
	}
	return out, nil
}

// transitionOf is a row of the columns of a problem.
func transitionOf(p *load.Problem, row []float64) (x Transition, err error) {
	if p.Truth != nil {
		return transition(p.Truth, row)
	}
	f := p.World()
	x.Now, x.Next = make(factored.Valuation, f.NumBits()), make(factored.Valuation, f.NumBits())
	at := 0
	for _, side := range []struct {
		kind factored.Kind
		to   factored.Valuation
	}{{factored.State, x.Now}, {factored.Action, x.Now}, {factored.State, x.Next}} {
		for _, v := range f.OfKind(side.kind) {
			if row[at] != math.Trunc(row[at]) {
				return x, fmt.Errorf("%s is not known; expected a whole number", v.Name)
			}
			if err := v.Set(side.to, int64(row[at])); err != nil {
				return x, err
			}
			at++
		}
	}
	return x, nil
}
