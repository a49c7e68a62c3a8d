package blp

import (
	"context"
	"errors"
	"flag"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/outsource"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/problem/factored"
)

// Problems is a flag of all tests.
var Problems = flag.Int("instances", 12, "random problems that are compared with brute force")

// withCuts opens a session that has the cuts of tables, but neither their plan nor their
// bound. It returns nil if the tables give no cuts.
func withCuts(t *testing.T, seed uint64) *Session {
	t.Helper()
	p, net, horizon := randprob.New(seed, randprob.Options{})
	x := &Session{task: engine.Task{Problem: p, Network: net}, horizon: horizon}
	known, err := learn(context.Background(), x.task, horizon, false)
	if err != nil {
		t.Fatal(err)
	}
	known.layers = nil
	x.known = known
	if known.m.Infeasible() {
		return nil
	}
	if err := x.learnTables(context.Background(), engine.Limits{}, &outsource.Judge{Model: known.m}); err != nil {
		t.Fatal(err)
	}
	if known.tables == nil || len(known.tables.cuts) == 0 {
		return nil
	}
	known.tables.result = &engine.Result{Status: engine.Unknown}
	return x
}

// TestCutsKeepPlans holds what the best plans of random problems make of a program to
// its rows.
func TestCutsKeepPlans(t *testing.T) {
	held, values := 0, 0
	for seed := range uint64(300) {
		x := withCuts(t, seed)
		if x == nil {
			continue
		}
		ctx := context.Background()
		res, err := search.Engine{}.Solve(ctx, engine.Query{Task: x.task, MinHorizon: x.horizon, MaxHorizon: x.horizon}, engine.Limits{Threads: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if res.Trace == nil {
			continue
		}
		b := build(x.known, nil)
		isTrue := b.solution(ctx, res.Trace)
		for i := range b.rows {
			if !holds(&b.rows[i], isTrue) {
				t.Errorf("seed %d: row %d of %d does not hold in the best plan: %+v", seed, i, len(b.rows), b.rows[i])
			}
		}
		held += len(x.known.tables.cuts)
		values += len(b.values)
	}
	if held < 100 || values < 100 {
		t.Errorf("only %d cuts with %d values of several bits", held, values)
	}
}

// holds reports whether a row holds in a solution.
func holds(r *model.Sum, isTrue map[int32]bool) bool {
	var sum int64
	for _, x := range r.Terms {
		if isTrue[x.Lit.Var()] == (x.Lit > 0) {
			sum += x.Coef
		}
	}
	return (r.Op == factored.GE || sum <= r.K) && (r.Op == factored.LE || sum >= r.K)
}

// TestCutsAlone has a solver prove what brute force finds, with the cuts of tables.
func TestCutsAlone(t *testing.T) {
	if _, _, err := (Engine{}).solver(); err != nil {
		var missing *external.MissingError
		if errors.As(err, &missing) {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	n := 0
	for seed := range uint64(*Problems) {
		x := withCuts(t, 1000+seed)
		if x == nil {
			continue
		}
		n++
		want, ok := randprob.BruteForce(x.task.Problem, x.task.Network, x.horizon)
		r, err := x.Solve(context.Background(), engine.Limits{Threads: 1}, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", 1000+seed, err)
		}
		switch {
		case ok && (r.Status != engine.Optimal || r.Reward != want):
			t.Errorf("seed %d: %s %d, brute force finds %d", 1000+seed, r.Status, r.Reward, want)
		case !ok && r.Status != engine.Infeasible:
			t.Errorf("seed %d: %s, brute force finds no plan", 1000+seed, r.Status)
		}
	}
	if n < *Problems/6 {
		t.Errorf("only %d problems have cuts", n)
	}
}
