package search

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/validate"
)

// TestTablesOfRange has the tables answer ranges of horizons of random problems before any
// state is explored, and compares every horizon with brute force.
func TestTablesOfRange(t *testing.T) {
	answered := 0
	for seed := range uint64(100) {
		p, net, most := randprob.New(seed, randprob.Options{})
		q := engine.Query{Task: engine.Task{Problem: p, Network: net}, MinHorizon: 1, MaxHorizon: most + 1}
		s, err := newRelation(q.Task)
		if err != nil {
			t.Fatal(err)
		}
		var settled []engine.HorizonResult
		shared := engine.Limits{Shared: &engine.Exchange{}}
		r := &run{q: q, g: newGraph(s), tables: tables{shared: shared}, report: func(p engine.Progress) {
			if p.Settled != nil {
				settled = append(settled, *p.Settled)
			} else if p.Bound != nil {
				t.Fatalf("seed %d: the bound of one horizon is reported for all", seed)
			}
		}}
		r.advanceTables(context.Background(), math.MaxInt64)
		if r.tables.err != nil {
			t.Fatal(r.tables.err)
		}
		if r.tables.refused {
			continue
		}
		if !r.tables.proven() || r.tables.nodes() == 0 && r.tables.s.Nodes() > 0 {
			t.Fatalf("seed %d: %+v has no answer", seed, r.tables)
		}
		answered++
		res, err := r.tables.result(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		want := engine.Result{Status: engine.Infeasible}
		for h := q.MinHorizon; h <= q.MaxHorizon; h++ {
			line := engine.HorizonResult{Horizon: h, Status: engine.Infeasible}
			if reward, ok := randprob.BruteForce(p, net, h); ok {
				line.Status, line.Reward = engine.Optimal, reward
				if want.Status == engine.Infeasible || reward > want.Reward {
					want.Status, want.Reward, want.Horizon = engine.Optimal, reward, h
				}
			}
			want.Horizons = append(want.Horizons, line)
		}
		if res.Status != want.Status || res.Reward != want.Reward || res.Horizon != want.Horizon || !slices.Equal(res.Horizons, want.Horizons) || !slices.Equal(settled, want.Horizons) {
			t.Fatalf("seed %d: %+v, settled %+v; brute force %+v", seed, res, settled, want)
		}
		if res.Trace != nil {
			if report, err := validate.Check(p, net, validate.FromTrace(res.Trace)); err != nil || !report.Valid || report.Reward != res.Reward {
				t.Fatalf("seed %d: the checker says %+v, %v", seed, report, err)
			}
		}
	}
	if answered < 33 {
		t.Errorf("only %d ranges were answered by tables", answered)
	}
}

// TestWork counts a joint action that propagation completes as several, which code or a network
// tries in the same time.
func TestWork(t *testing.T) {
	p := randprob.Tokens(1, 3, 6, 1, true)
	s, err := newRelation(engine.Task{Problem: p})
	if err != nil {
		t.Fatal(err)
	}
	r := &run{g: newGraph(s)}
	r.g.tried = 1000
	if got, want := r.work(), 1000*s.effort(); s.effort() < 2 || got != want {
		t.Errorf("work %d at an effort of %d, expected %d", got, s.effort(), want)
	}
	x, err := s.compile(context.Background())
	if err != nil || x == nil {
		t.Fatal(x, err)
	}
	r.g.compiled, r.completed = x, 600
	if got, want := r.work(), 600*s.effort()+400; got != want {
		t.Errorf("work %d, expected %d", got, want)
	}
}
