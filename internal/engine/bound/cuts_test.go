package bound

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestCuts holds the best plans of random problems to the cuts, and looks whether
// cuts list values at all.
func TestCuts(t *testing.T) {
	held, values := 0, 0
	for seed := range uint64(400) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		res := solveNarrow(t, seed, task, horizon)
		if res == nil || res.Trace == nil || rewardsAuxiliary(p) {
			continue
		}
		s, err := Start(context.Background(), task, horizon, engine.Limits{Threads: 1}, nil)
		if errors.Is(err, ErrNoGroups) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + seed%3 {
			if err := s.Advance(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range s.Cuts() {
			held++
			values += len(c.Values)
			most := c.Most
			for _, v := range c.Values {
				if hasAll(s.f.r, res.Trace, c.Step, v.Bits) {
					if v.Never {
						t.Errorf("seed %d: step %d: the plan has a value that no plan has", seed, c.Step)
					}
					most -= v.Less
				}
			}
			if sum := c.Unit * rewardFrom(p, res.Trace, c.Step); sum > most {
				t.Errorf("seed %d: step %d: the plan still earns %d, the cut allows %d", seed, c.Step, sum, most)
			}
		}
	}
	if held < 300 || values < 300 {
		t.Errorf("only %d cuts with %d values", held, values)
	}
}

// rewardsAuxiliary reports whether the reward has auxiliary bits, which a trace has not.
func rewardsAuxiliary(p *factored.Problem) bool {
	return slices.ContainsFunc(p.Reward.Terms, func(w factored.RewardTerm) bool { return p.Kind(w.Lit.Bit) == factored.Auxiliary })
}

// hasAll reports whether literals of step t are true in a trace.
func hasAll(r *relation, trace *factored.Trace, t int, bits []model.Lit) bool {
	for _, l := range bits {
		b := factored.Bit(r.bit[l.Var()-r.stride*int32(t-1)])
		if trace.Steps[t-1][b] != (l > 0) {
			return false
		}
	}
	return true
}

// rewardFrom is the scaled reward of a trace from step t on.
func rewardFrom(p *factored.Problem, trace *factored.Trace, t int) (sum int64) {
	for ; t <= trace.Horizon(); t++ {
		sum += p.Reward.StepReward(trace.Steps[t-1], trace.Steps[t])
	}
	return sum
}
