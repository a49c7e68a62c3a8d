package search_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/validate"
)

// TestCheapest compares the search for a cheapest way with the exploration of the
// graph, at horizons that are too short, just enough, and long.
func TestCheapest(t *testing.T) {
	ctx := context.Background()
	found, ways := map[engine.Status]int{}, 0
	for i := range max(1, *instances/3) {
		seed := uint64(i)
		p := randprob.Tokens(seed, 1+i%3, 4+i%2, 1+i%5/3, i%4 > 0)
		for _, h := range []int{2, 5, 9} {
			q := engine.Query{Task: engine.Task{Problem: p}, MinHorizon: h, MaxHorizon: h}
			want, err := search.Engine{Without: search.Tables | search.CheapestWay}.Solve(ctx, q, engine.Limits{Threads: 1}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := search.Engine{Eager: true}.Solve(ctx, q, engine.Limits{Threads: 1 + i%2}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != want.Status || got.Reward != want.Reward {
				t.Fatalf("seed %d, horizon %d: %s %d, the graph says %s %d", seed, h, got.Status, got.Reward, want.Status, want.Reward)
			}
			found[got.Status]++
			if got.Stats["joint_actions"] > 0 {
				ways++
			}
			if got.Trace == nil {
				continue
			}
			report, err := validate.Check(p, nil, validate.FromTrace(got.Trace))
			if err != nil || !report.Valid || report.Reward != got.Reward || got.Trace.Horizon() != h {
				t.Fatalf("seed %d, horizon %d: the checker says of the plan: %+v, %v", seed, h, report, err)
			}
		}
	}
	if ways == 0 {
		t.Error("no answer is that of a cheapest way")
	}
	if found[engine.Optimal] == 0 || found[engine.Infeasible] == 0 {
		t.Errorf("only %v", found)
	}
}

// TestOutgrown has the search for a cheapest way go on where the graph has no room for all states with their values, and the answers be those
// of a graph with room, and nothing be looked for once it has the answer.
func TestOutgrown(t *testing.T) {
	const memory = 60_000
	ctx := context.Background()
	proven := 0
	for i := range max(1, *instances/40) {
		p := randprob.Tokens(uint64(i), 3, 6, 2, false)
		q := engine.Query{Task: engine.Task{Problem: p}, MinHorizon: 60, MaxHorizon: 60}
		want, err := search.Engine{Without: search.Tables | search.Beam | search.LocalSearch}.Solve(ctx, q, engine.Limits{Threads: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		l := engine.Limits{Threads: 1, Memory: memory}
		alone, err := search.Engine{Without: search.Tables | search.Beam | search.LocalSearch | search.CheapestWay}.Solve(ctx, q, l, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := search.Engine{Without: search.Tables | search.Beam | search.LocalSearch}.Solve(ctx, q, l, nil)
		if err != nil {
			t.Fatal(err)
		}
		ended, after := false, 0
		if _, err := (search.Engine{Without: search.Beam | search.LocalSearch}).Solve(ctx, q, l, func(p engine.Progress) {
			if ended {
				after++
			}
			ended = ended || strings.HasPrefix(p.Phase, "search: a cheapest way")
		}); err != nil {
			t.Fatal(err)
		}
		if after > 2 { // the end of a phase is reported
			t.Fatalf("seed %d, %d bytes: %d reports after the cheapest way was found", i, memory, after)
		}
		switch got.Status {
		case engine.Optimal, engine.Infeasible:
			if got.Status != want.Status || got.Reward != want.Reward {
				t.Fatalf("seed %d, %d bytes: %s %d, with room %s %d", i, memory, got.Status, got.Reward, want.Status, want.Reward)
			}
			if alone.Status != engine.Optimal && alone.Status != engine.Infeasible {
				proven++
			}
		default:
			if got.Bound != nil && want.Status == engine.Optimal && *got.Bound < want.Reward {
				t.Fatalf("seed %d, %d bytes: the bound %d, with room %d", i, memory, *got.Bound, want.Reward)
			}
		}
	}
	if proven == 0 {
		t.Error("nothing is proven that the graph alone has no room for")
	}
}

// TestCheapestThreads wants the same plan on any number of threads.
func TestCheapestThreads(t *testing.T) {
	p := randprob.Tokens(7, 3, 6, 1, true)
	q := engine.Query{Task: engine.Task{Problem: p}, MinHorizon: 14, MaxHorizon: 14}
	var first *engine.Result
	for _, threads := range []int{1, 2, 5} {
		res, err := search.Engine{Eager: true}.Solve(context.Background(), q, engine.Limits{Threads: threads}, nil)
		if err != nil || res.Trace == nil {
			t.Fatal(res, err)
		}
		if first == nil {
			first = res
			continue
		}
		for k, v := range res.Trace.Steps {
			for b := range v {
				if v[b] != first.Trace.Steps[k][b] {
					t.Fatalf("%d threads: another plan at step %d", threads, k+1)
				}
			}
		}
	}
}
