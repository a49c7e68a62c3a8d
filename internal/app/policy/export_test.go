package policy

import (
	"cmp"
	"context"
	"encoding/json"
	"math/big"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine/policy"
)

// Copy is a follower of the same run so far.
func Copy(f *Follower) *Follower {
	g := *f
	return &g
}

// Proven is the bound that the checker finds for the proof of an answer after a change; nil where it refuses it.
func Proven(ctx context.Context, p *load.Problem, d *Document, change func(*Sums)) (*big.Rat, error) {
	text, err := json.Marshal(d.proof)
	c := &Sums{}
	if err == nil {
		err = json.Unmarshal(text, c)
	}
	if err != nil {
		return nil, err
	}
	change(c)
	s, err := c.table(p.Problem)
	if err != nil {
		return nil, nil
	}
	m, err := d.model(p)
	if err != nil {
		return nil, err
	}
	parts, err := m.parts()
	if err != nil {
		return nil, err
	}
	found, err := s.Check(ctx, m.of, parts, m.start)
	if err != nil || found.Refused != "" {
		return nil, err
	}
	bound, err := found.At(m.start, d.Horizon)
	if bound != nil && d.Objective == policy.Reward {
		bound.Quo(bound, new(big.Rat).SetInt64(p.Problem.Reward.Scale))
	}
	return bound, err
}

// ByScenarios answers by a search by scenarios, whatever fits memory.
func ByScenarios(ctx context.Context, p *load.Problem, r Request) (*Document, error) {
	m, err := newModel(p)
	if err != nil {
		return nil, err
	}
	r.Horizon, r.Limits = cmp.Or(r.Horizon, p.Problem.Horizon), app.Limits(r.Limits)
	q, err := m.ask(hasGoal(p) && r.Objective == policy.Success, r.Blind, r.Robust.Disturbances)
	if err != nil {
		return nil, err
	}
	d, err := m.scenarios(ctx, r, q)
	if d != nil {
		d.Assumed, d.Altered = p.Assumed(), p.Altered
	}
	return d, err
}
