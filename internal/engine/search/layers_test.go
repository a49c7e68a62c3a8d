package search_test

import (
	"context"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// TestLayers finds the best plan in the layers, and every walk through them valid.
func TestLayers(t *testing.T) {
	ctx := context.Background()
	walks := 0
	for seed := range uint64(150) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		want, err := search.Engine{}.Solve(ctx, engine.Query{Task: task, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		layers, ok, err := search.Explore(ctx, task, horizon, 1<<16)
		if err != nil || !ok {
			t.Fatalf("seed %d: %v %v", seed, ok, err)
		}
		if (len(layers.Edges[0]) > 0) != (want.Trace != nil) {
			t.Fatalf("seed %d: %d steps to begin with, search says %s", seed, len(layers.Edges[0]), want.Status)
		}
		if want.Trace == nil {
			continue
		}
		for i, edges := range layers.Edges {
			if !slices.ContainsFunc(edges, func(e search.Edge) bool {
				return slices.Equal(e.Action, want.Trace.Steps[i]) && slices.Equal(layers.States[i+1][e.To], states(p, want.Trace.Steps[i+1]))
			}) {
				t.Fatalf("seed %d: step %d of the best plan is not there", seed, i+1)
			}
		}
		// From every first step the last edge of each state leads on to an end.
		for _, first := range layers.Edges[0] {
			trace, at := &factored.Trace{Steps: []factored.Valuation{first.Action}}, first.To
			for i := 1; i < horizon; i++ {
				edges := layers.Edges[i]
				k := len(edges) - 1
				for edges[k].From != at {
					k-- // each state has one, or the index leaves the edges
				}
				trace.Steps, at = append(trace.Steps, edges[k].Action), edges[k].To
			}
			trace.Steps = append(trace.Steps, layers.States[horizon][at])
			walks++
			if r, err := validate.Check(p, net, validate.FromTrace(trace)); err != nil || !r.Valid {
				t.Fatalf("seed %d: a walk is no plan: %v, %v", seed, r, err)
			}
		}
	}
	if walks < 100 {
		t.Errorf("%d walks", walks)
	}
	p, net, _ := randprob.New(1, randprob.Options{})
	if _, ok, err := search.Explore(ctx, engine.Task{Problem: p, Network: net}, 3, 0); ok || err != nil {
		t.Errorf("no edge is enough: %v, %v", ok, err)
	}
}

// states are the state bits of a valuation alone.
func states(p *factored.Problem, v factored.Valuation) factored.Valuation {
	out := make(factored.Valuation, len(v))
	for _, b := range p.Bits(factored.State) {
		out[b] = v[b]
	}
	return out
}
