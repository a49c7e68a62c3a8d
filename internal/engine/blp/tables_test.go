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

// withGroups opens a session about a random problem. It returns nil if that does not fall into groups.
func withGroups(t *testing.T, seed uint64) *Session {
	t.Helper()
	p, net, horizon := randprob.New(seed, randprob.Options{})
	x := &Session{e: Engine{Help: Flow}, task: engine.Task{Problem: p, Network: net}, horizon: horizon}
	known, err := learn(context.Background(), x.task, horizon, Flow)
	if err != nil {
		t.Fatal(err)
	}
	if x.known = known; known.m.Infeasible() {
		return nil
	}
	if err := x.cutUp(context.Background(), engine.Limits{}); err != nil {
		t.Fatal(err)
	}
	if known.tables == nil || build(known, nil, nil).groups == nil {
		return nil
	}
	return x
}

// TestFlowKeepsPlans holds the best plans of random problems to the rows of the moves that plans as good make.
func TestFlowKeepsPlans(t *testing.T) {
	held, left, all := 0, 0, 0
	for seed := range uint64(300) {
		x := withGroups(t, seed)
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
		all += int(build(x.known, nil, nil).next)
		if err := x.learnTables(ctx, engine.Limits{}, &outsource.Judge{Model: x.known.m}); err != nil {
			t.Fatal(err)
		}
		b := build(x.known, nil, &res.Reward)
		left += int(b.next)
		values := b.solution(ctx, res.Trace)
		if values == nil {
			t.Errorf("seed %d: the best plan makes moves that were left out", seed)
			continue
		}
		for i := range b.rows {
			if !holds(&b.rows[i], values) {
				t.Errorf("seed %d: row %d of %d does not hold in the best plan: %+v", seed, i, len(b.rows), b.rows[i])
			}
		}
		cost := b.groups.Constant
		for _, c := range b.groups.Costs {
			cost += c.Coef * values[c.Lit.Var()]
		}
		if cost != -res.Reward {
			t.Errorf("seed %d: the moves cost %d, the plan's reward is %d", seed, cost, res.Reward)
		}
		held++
	}
	t.Logf("%d plans; tables leave %d of %d variables", held, left, all)
	if held < 50 || left >= all {
		t.Errorf("%d plans were held to their flows; tables leave %d of %d variables", held, left, all)
	}
}

// holds reports whether a row holds in a solution.
func holds(r *model.Sum, values map[int32]int64) bool {
	var sum int64
	for _, x := range r.Terms {
		if v := values[x.Lit.Var()]; x.Lit > 0 {
			sum += x.Coef * v
		} else {
			sum += x.Coef * (1 - v)
		}
	}
	return (r.Op == factored.GE || sum <= r.K) && (r.Op == factored.LE || sum >= r.K)
}

// TestFlowAlone has a solver prove what brute force finds, with the flow variables of groups and nothing else.
func TestFlowAlone(t *testing.T) {
	if _, _, err := (Engine{}).solver(); err != nil {
		var missing *external.MissingError
		if errors.As(err, &missing) {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	n := 0
	for seed := range uint64(*Problems) {
		x := withGroups(t, 1000+seed)
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
		t.Errorf("only %d problems fall into groups", n)
	}
}
