package bound

import (
	"context"
	"errors"
	"flag"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/validate"
)

var (
	instances = flag.Int("instances", 1500, "random problems on which bounds are compared with brute force")
	firstSeed = flag.Uint64("first-seed", 3_000_000, "seed of the first random problem")
)

// TestRandomProblems compares bounds with the optimum that brute force finds:
// the tables without prices, with prices, and with prices drawn at random, and
// then the answer of the search, whose plan the checker replays.
func TestRandomProblems(t *testing.T) {
	var next, grouped, feasible atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(*instances) && !t.Failed(); i = next.Add(1) - 1 {
				g, ok := checkRandom(t, *firstSeed+uint64(i))
				grouped.Add(g)
				feasible.Add(ok)
			}
		})
	}
	wg.Wait()
	if n := int64(*instances); grouped.Load() < n/2 || feasible.Load() < n/4 {
		t.Errorf("of %d problems %d fell into groups, %d have a plan", n, grouped.Load(), feasible.Load())
	}
}

// TestFixedInGoal has a goal over one group and a bit that never changes: the group
// cannot be swapped with one that is like it otherwise.
func TestFixedInGoal(t *testing.T) { checkRandom(t, 50_569_905) }

// TestAllKnown has groups that are all known at every step: none can be planned again.
func TestAllKnown(t *testing.T) { checkRandom(t, 40_011_734) }

func checkRandom(t *testing.T, seed uint64) (grouped, feasible int64) {
	p, net, horizon := randprob.New(seed, randprob.Options{})
	task := engine.Task{Problem: p, Network: net}
	want, ok := randprob.BruteForce(p, net, horizon)
	if ok {
		feasible = 1
	}
	f, err := New(context.Background(), task, horizon, nil)
	switch {
	case errors.Is(err, ErrNoGroups):
		return 0, feasible
	case err != nil:
		t.Errorf("seed %d: %v", seed, err)
		return 0, 0
	case f == nil:
		if ok {
			t.Errorf("seed %d: no plan is said to exist, brute force finds %d", seed, want)
		}
		return 1, feasible
	}
	checkBounds(t, seed, f, want, ok)
	res := solveNarrow(t, seed, task, horizon)
	switch {
	case res == nil:
		return 0, feasible
	case !ok && res.Status != engine.Infeasible:
		t.Errorf("seed %d: %s %d, brute force finds no plan", seed, res.Status, res.Reward)
	case ok && (res.Status != engine.Optimal || res.Reward != want):
		t.Errorf("seed %d: %s %d, brute force finds %d", seed, res.Status, res.Reward, want)
	case ok:
		report, err := validate.Check(p, net, validate.FromTrace(res.Trace))
		if err != nil || !report.Valid || report.Reward != want {
			t.Errorf("seed %d: the checker says %+v, %v", seed, report, err)
		}
	}
	return 1, feasible
}

// solveNarrow searches with beams that begin so narrow that they drop nodes; nil where the problem
// does not fall into groups.
func solveNarrow(t *testing.T, seed uint64, task engine.Task, horizon int) *engine.Result {
	s, err := Start(context.Background(), task, horizon, engine.Limits{Threads: 1}, nil)
	if errors.Is(err, ErrNoGroups) {
		return nil
	}
	if err != nil {
		t.Errorf("seed %d: %v", seed, err)
		return nil
	}
	s.width, s.narrow = 1, 0
	if seed%2 == 1 {
		s.FlowFirst()
	}
	for !s.Done() {
		if err := s.Advance(context.Background()); err != nil {
			t.Errorf("seed %d: %v", seed, err)
			return nil
		}
	}
	return s.Result()
}

// checkBounds compares the tables' bounds with the best reward.
func checkBounds(t *testing.T, seed uint64, f *Factors, want int64, ok bool) {
	check := func(o *optimizer, what string) {
		cost := f.cost(o.bound, scale)
		if ok && (cost >= infinite || f.reward(cost) < want) {
			t.Errorf("seed %d: the bound %s is %d, brute force finds %d", seed, what, f.reward(cost), want)
		}
	}
	o := f.newOptimizer(scale)
	check(o, "without prices")
	o.improve(context.Background(), 20, infinite)
	check(o, "with prices")
	// Any prices are admissible, if those of inequalities are not negative.
	x := seed*2654435761 + 12345
	for i := range o.trial.Price {
		for e := range o.trial.Price[i] {
			x = x*6364136223846793005 + 1442695040888963407
			price := int64(x>>33)%9000 - 4500
			if !f.rels[e].equal {
				price = max(price, 0)
			}
			o.trial.Price[i][e] = price
		}
	}
	f.fill(o.trial)
	o.bound = f.root(o.trial)
	check(o, "with random prices")
}
