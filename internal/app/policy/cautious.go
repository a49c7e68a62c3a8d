package policy

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/problem/factored"
)

// Avoided is the best policy of a learned model where another one was chosen, which counts on nothing in states in which no row begins: what a model says
// of such states is a guess, and the policy that is best in the model may be so by that guess alone.
type Avoided struct {
	Value     float64 `json:"value"`     // under the learned model
	Supported float64 `json:"supported"` // by the rows
}

// recorded is a process in which runs fail in states in which no row begins.
type recorded struct {
	process
	p      *factored.Problem
	states []int           // variables
	begins map[string]bool // by their values
	val    factored.Valuation
}

// Kind implements policy.Process.
func (x *recorded) Kind(state []uint64) (policy.Kind, error) {
	k, err := x.process.Kind(state)
	if err != nil || k != 0 {
		return k, err
	}
	if err := x.Unpack(x.val, state); err != nil {
		return 0, err
	}
	if !x.begins[stateKey(x.p, x.states, x.val)] {
		k = policy.Broken
	}
	return k, nil
}

// cautious takes the policy that counts on nothing in states in which no row begins, where the rows support nothing of the best one and something of that.
func (d *Document) cautious(ctx context.Context, p *load.Problem, r Request, m *model) (*Document, error) {
	if d.Objective != policy.Success || d.Supported == nil || d.Supported.Unleft == 0 || d.Supported.Value >= nothing**d.Value || r.Certify {
		return d, nil
	}
	w, err := newWitness(p)
	if err != nil || w == nil {
		return d, err
	}
	states := w.states()
	begins := w.beginnings(states)
	if begins == nil {
		return d, nil
	}
	by := *m
	by.process = &recorded{m.process, m.p.Problem, states, begins, make(factored.Valuation, m.p.Problem.NumBits())}
	s, err := by.solve(ctx, r)
	if errors.Is(err, policy.ErrTooLarge) || ctx.Err() != nil {
		return d, nil // the time is over
	}
	if err != nil {
		return nil, err
	}
	again := d.afresh()
	again.States, again.Pairs, again.Updates = s.States, s.Pairs, d.Updates+s.Updates
	if err := again.tell(&by, s); err != nil {
		return nil, err
	}
	if again.Supported == nil || again.Supported.Value <= d.Supported.Value {
		return d, nil
	}
	again.Avoids = &Avoided{*d.Value, d.Supported.Value}
	if again.Bound = d.Bound; *again.Value < *again.Bound && !near(*again.Value, *again.Bound) {
		again.Status = engine.Feasible
	}
	return &again, nil
}

// afresh is a document for another policy.
func (d *Document) afresh() Document {
	again := *d
	again.Table, again.Unseen, again.Disputed, again.Agree, again.Exact = Table{}, nil, 0, nil, ""
	return again
}

// Caution says what other policy was not chosen; empty for none.
func (d *Document) Caution() string {
	if d.Avoids == nil {
		return ""
	}
	return fmt.Sprintf("It counts on nothing in states in which no row begins. The best policy of the learned model, with probability %s, does, and the rows support %s of that",
		plan.Percent(d.Avoids.Value), plan.Percent(d.Avoids.Supported))
}
