package incremental_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/blp"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/outsource"
	"github.com/fdplan/fdplan/internal/engine/race"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/validate"
)

var instances = flag.Int("instances", 72, "random problems on which sessions are compared with brute force")

var openers = []engine.Opener{search.Engine{}, conflict.PB{}, conflict.MaxSAT{}, race.New(search.Engine{}, conflict.PB{})}

// enginesOf returns the engines that try problem i: all embedded ones, blp on one
// problem in thirty if HiGHS is there, since it is slow to start, and clasp on
// another if it is installed.
func enginesOf(t *testing.T) func(i int) []engine.Opener {
	t.Helper()
	solver, err := external.Lookup(external.MILP, "highs")
	if err != nil {
		t.Fatal(err)
	}
	_, missing := solver.Program()
	if missing != nil {
		t.Run("blp", func(t *testing.T) { extsolver.Missing(t, missing.Error()) })
	}
	outside := clasp(t)
	return func(i int) []engine.Opener {
		list := openers[:len(openers):len(openers)]
		switch {
		case i%30 == 0 && missing == nil:
			return append(list, blp.Engine{})
		case i%30 == 1:
			return append(list, outside...)
		}
		return list
	}
}

// clasp returns the engines that use clasp as their solver; none if it is not installed.
func clasp(t *testing.T) []engine.Opener {
	t.Helper()
	maxsat, err := external.Lookup(external.MaxSAT, "clasp")
	if err != nil {
		t.Fatal(err)
	}
	pb, err := external.Lookup(external.PB, "clasp")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pb.Program(); err != nil {
		t.Run("clasp", func(t *testing.T) { extsolver.Missing(t, err.Error()) })
		return nil
	}
	return []engine.Opener{outsource.MaxSAT{Solver: maxsat, Encoding: cnf.Paper}, outsource.PB{Solver: pb}}
}

// small is the size that brute force over all plans can handle.
var small = randprob.Options{StateBits: 3, ActionBits: 2, Auxiliaries: 2}

// TestSessions excludes plans at random depths until none is left, and compares
// each answer with brute force over the plans that are not excluded.
func TestSessions(t *testing.T) {
	answers, begun := 0, 0
	engines := enginesOf(t)
	for i := range *instances {
		seed := 3_000_000 + uint64(i)
		p, net, horizon := randprob.New(seed, small)
		if i%3 == 0 { // weights with many different sums
			for j := range p.Reward.Terms {
				p.Reward.Terms[j].Weight = p.Reward.Terms[j].Weight*1_000_003 + int64(j)*7919
			}
		}
		all := randprob.Plans(p, net, horizon)
		best, ok := randprob.BruteForce(p, net, horizon)
		if top := top(all); ok != (top != nil) || ok && top.Reward != best {
			t.Fatalf("seed %d: two brute forces differ", seed)
		}
		for _, e := range engines(i) {
			name := fmt.Sprintf("seed %d: %s", seed, e.Name())
			rng := rand.New(rand.NewPCG(seed, 1))
			task := engine.Task{Problem: p, Network: net}
			s, err := e.Open(context.Background(), task, horizon)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			left := append([]randprob.Plan(nil), all...)
			exclude := func(m engine.Landmark) {
				if err := s.Exclude(m); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				start, actions := randprob.Spell(p, m.Trace.Steps)
				var kept []randprob.Plan
				for _, x := range left {
					if !x.Begins(start, actions, m.Depth) {
						kept = append(kept, x)
					}
				}
				left = kept
			}
			if i%4 == 1 && top(all) != nil { // before the first answer, as when a run is resumed
				res, err := search.Engine{}.Solve(context.Background(), engine.Query{Task: task, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
				if err != nil {
					t.Fatal(err)
				}
				exclude(engine.Landmark{Trace: res.Trace, Depth: horizon})
				begun++
			}
			for {
				res, err := s.Solve(context.Background(), engine.Limits{Threads: 1}, nil)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				want := top(left)
				if want == nil {
					if res.Status != engine.Infeasible {
						t.Fatalf("%s says %s %d, brute force that no plan is left of %d", name, res.Status, res.Reward, len(all))
					}
					break
				}
				if res.Status != engine.Optimal || res.Reward != want.Reward || res.Bound == nil || *res.Bound != want.Reward {
					t.Fatalf("%s says %s %d, brute force %d with %d of %d plans left", name, res.Status, res.Reward, want.Reward, len(left), len(all))
				}
				report, err := validate.Check(p, net, validate.FromTrace(res.Trace))
				if err != nil || !report.Valid || report.Reward != want.Reward {
					t.Fatalf("%s: the checker says of its plan: %+v, %v", name, report, err)
				}
				answers++
				before := len(left)
				depth := horizon
				if rng.IntN(3) == 0 {
					depth = rng.IntN(horizon + 1)
				}
				exclude(engine.Landmark{Trace: res.Trace, Depth: depth})
				if len(left) == before {
					t.Fatalf("%s gives a plan that is excluded", name)
				}
				if before-len(left) > 0 && answers%7 == 0 { // asked again with nothing new
					if _, err := s.Solve(context.Background(), engine.Limits{Threads: 1}, nil); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	if answers < 10**instances || begun == 0 {
		t.Errorf("only %d answers, %d sessions begun with something excluded", answers, begun)
	}
}

// top is the best of plans, nil when there is none.
func top(plans []randprob.Plan) *randprob.Plan {
	var best *randprob.Plan
	for i := range plans {
		if best == nil || plans[i].Reward > best.Reward {
			best = &plans[i]
		}
	}
	return best
}
