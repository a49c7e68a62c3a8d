package bound

import (
	"context"
	"errors"
	"flag"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/validate"
)

var clauseProblems = flag.Int("clause-problems", 40, "random problems of clauses; one in five is compared with brute force")

// TestClauses compares bounds, and what beams of growing width find, with brute force where groups read joint values of
// several others. The plan of each beam must pass the checker, and cost what the beam says.
func TestClauses(t *testing.T) {
	const horizon = 3
	several, plans := 0, 0
	for i := range uint64(*clauseProblems) {
		seed := 200 + i // of 239 the second source's classes were once read at the first one's places
		p := clausal(seed)
		task := engine.Task{Problem: p}
		f, err := New(context.Background(), task, horizon, nil)
		if errors.Is(err, ErrNoGroups) || err == nil && f == nil {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !readsClassesOfTwo(f) {
			continue
		}
		several++
		want, ok := randprob.BruteForce(p, nil, horizon)
		checkBounds(t, seed, f, want, ok)
		plans += checkBeams(t, seed, f)
		res := solveNarrow(t, seed, task, horizon)
		if res != nil && (ok != (res.Status == engine.Optimal) || ok && res.Reward != want) {
			t.Errorf("seed %d: %s %d, brute force finds %d (%t)", seed, res.Status, res.Reward, want, ok)
		}
		if t.Failed() {
			return
		}
	}
	if several < *clauseProblems/20 || plans < 2*several {
		t.Errorf("%d problems have a group that reads classes of two others, %d plans were checked", several, plans)
	}
}

// readsClassesOfTwo reports whether a group reads joint values of more than one group.
func readsClassesOfTwo(f *Factors) bool {
	home := map[int32]int32{}
	for _, c := range f.s.classes {
		if h, ok := home[c.reader]; ok && h != f.s.home[c.bit] {
			return true
		}
		home[c.reader] = f.s.home[c.bit]
	}
	return false
}

// checkBeams has the checker replay the plans of beams from the narrowest on.
func checkBeams(t *testing.T, seed uint64, f *Factors) (plans int) {
	starts, ok := f.listStarts(context.Background())
	if !ok {
		return 0
	}
	o := f.newOptimizer(scale)
	o.improve(context.Background(), 20, infinite)
	for _, width := range []int{1, 4, 16, 256} {
		trace, cost, _ := f.newBeam(f.newOrder(), o.best, infinite-1, width, 0).run(context.Background(), starts)
		if trace == nil {
			continue
		}
		plans++
		report, err := validate.Check(f.r.Task.Problem, nil, validate.FromTrace(trace))
		if err != nil || !report.Valid || report.Reward != f.reward(cost) {
			t.Errorf("seed %d, width %d: a plan of reward %d: the checker says %+v, %v", seed, width, f.reward(cost), report, err)
		}
	}
	return plans
}
