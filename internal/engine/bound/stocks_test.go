package bound

import (
	"context"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/randprob"
)

// TestStocks compares bounds, and what the search finds, with brute force where a store counts what all machines take, and wants the
// explanation of a bound to name that sum.
func TestStocks(t *testing.T) {
	const horizon = 3
	counted, named := 0, 0
	for seed := range uint64(25) {
		task := engine.Task{Problem: randprob.Stock(seed)}
		f, want := checkStock(t, seed, task, horizon)
		if len(f.s.r.amounts) > 0 {
			counted++
		}
		s, err := Start(context.Background(), task, horizon, engine.Limits{Threads: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if x := Summarize(context.Background(), s); !x.Infeasible && x.Bound < want {
			t.Errorf("seed %d: the summary's bound is %d, brute force finds %d", seed, x.Bound, want)
		} else {
			for _, r := range x.Rules {
				if r.Sum && strings.Contains(r.Text, "repair(") {
					named++
				}
			}
		}
	}
	if counted < 20 || named == 0 {
		t.Errorf("a store counts what machines take in %d problems, and in %d rules of explanations", counted, named)
	}
}

// checkStock compares bounds, and what the search finds, with the best reward, which it returns.
func checkStock(t *testing.T, seed uint64, task engine.Task, horizon int) (*Factors, int64) {
	t.Helper()
	f, err := New(t.Context(), task, horizon, nil)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	want, ok := randprob.BruteForce(task.Problem, task.Network, horizon)
	checkBounds(t, seed, f, want, ok)
	res := solveNarrow(t, seed, task, horizon)
	if res == nil || ok != (res.Status == engine.Optimal) || ok && res.Reward != want {
		t.Fatalf("seed %d: %v, brute force finds %d (%t)", seed, res, want, ok)
	}
	return f, want
}

// TestLearnedStocks compares bounds, and what the search finds, with brute force where a network counts what machines take.
func TestLearnedStocks(t *testing.T) {
	const horizon = 3
	counted := 0
	for seed := range uint64(25) {
		p, net := randprob.LearnedStock(seed)
		f, _ := checkStock(t, seed, engine.Task{Problem: p, Network: net}, horizon)
		for i := range f.s.r.amounts {
			if f.s.r.amounts[i].used {
				counted++
			}
		}
	}
	if counted < 20 {
		t.Errorf("a network counts what machines take in %d of 25 problems", counted)
	}
}
