package search_test

import (
	"context"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

var (
	instances = flag.Int("instances", 90, "random problems on which search is compared with brute force")
	firstSeed = flag.Uint64("first-seed", 1_000_000, "seed of the first random problem")
)

// solve runs the engine on horizons lo..hi.
func solve(t *testing.T, task engine.Task, lo, hi int, l engine.Limits) *engine.Result {
	t.Helper()
	res, err := search.Engine{}.Solve(context.Background(), engine.Query{Task: task, MinHorizon: lo, MaxHorizon: hi}, l, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestRandomProblems compares search with brute force over all plans, its plan
// with the checker, its answers on one and on several threads with each other,
// and a range of horizons with each horizon alone.
func TestRandomProblems(t *testing.T) {
	feasible := 0
	for i := range *instances {
		seed := *firstSeed + uint64(i)
		p, net, horizon := randprob.New(seed, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		want, ok := randprob.BruteForce(p, net, horizon)
		res := solve(t, task, horizon, horizon, engine.Limits{Threads: 1})
		if !ok {
			if res.Status != engine.Infeasible {
				t.Fatalf("seed %d: search says %s %d, brute force that there is no plan", seed, res.Status, res.Reward)
			}
		} else {
			feasible++
			if res.Status != engine.Optimal || res.Reward != want {
				t.Fatalf("seed %d: search says %s %d, brute force %d", seed, res.Status, res.Reward, want)
			}
			checkPlan(t, seed, task, res)
		}
		again := solve(t, task, horizon, horizon, engine.Limits{Threads: 3})
		if !reflect.DeepEqual(res, again) {
			t.Fatalf("seed %d: one thread gives %+v, three %+v", seed, res, again)
		}
		checkRange(t, seed, task, horizon)
	}
	if feasible < *instances/4 {
		t.Errorf("only %d of %d random problems have a plan", feasible, *instances)
	}
}

// checkPlan has the checker replay the engine's trace, and its actions alone.
func checkPlan(t *testing.T, seed uint64, task engine.Task, res *engine.Result) {
	t.Helper()
	report, err := validate.Check(task.Problem, task.Network, validate.FromTrace(res.Trace))
	if err != nil {
		t.Fatal(err)
	}
	if !report.Valid || report.Reward != res.Reward {
		t.Fatalf("seed %d: the checker says %+v of the trace, the engine %d", seed, report, res.Reward)
	}
	plan := validate.FromTrace(res.Trace)
	plan.States = nil
	report, err = validate.Check(task.Problem, task.Network, plan)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Valid || report.Reward > res.Reward {
		t.Fatalf("seed %d: the checker says %+v of the actions alone", seed, report)
	}
}

func checkRange(t *testing.T, seed uint64, task engine.Task, horizon int) {
	t.Helper()
	res := solve(t, task, 1, horizon, engine.Limits{Threads: 2})
	var best *engine.Result
	for h := 1; h <= horizon; h++ {
		one := solve(t, task, h, h, engine.Limits{Threads: 1})
		if one.Status == engine.Optimal && (best == nil || one.Reward > best.Reward) {
			best = one
		}
		if horizon > 1 {
			if got := res.Horizons[h-1]; got.Status != one.Status || got.Reward != one.Reward {
				t.Fatalf("seed %d: the range says %+v, horizon %d alone %s %d", seed, got, h, one.Status, one.Reward)
			}
		}
	}
	if best == nil {
		if res.Status != engine.Infeasible {
			t.Fatalf("seed %d: the range says %s", seed, res.Status)
		}
		return
	}
	if res.Status != engine.Optimal || res.Reward != best.Reward || res.Horizon != best.Horizon || !reflect.DeepEqual(res.Trace, best.Trace) {
		t.Fatalf("seed %d: the range 1..%d says %s %d at %d, alone %d at %d", seed, horizon, res.Status, res.Reward, res.Horizon, best.Reward, best.Horizon)
	}
}

// TestTies has the plan that is promised among equals: the first in
// lexicographic order, by listing all plans in that order.
func TestTies(t *testing.T) {
	for i := range *instances / 4 {
		seed := *firstSeed + 500_000 + uint64(i)
		p, net, horizon := randprob.New(seed, randprob.Options{})
		res := solve(t, engine.Task{Problem: p, Network: net}, horizon, horizon, engine.Limits{Threads: 2})
		if res.Status != engine.Optimal || slices.ContainsFunc(p.Reward.Terms, func(r factored.RewardTerm) bool { return p.Kind(r.Lit.Bit) == factored.Auxiliary }) {
			continue // a reward on auxiliary bits is not a function of the step alone
		}
		if other := firstOptimal(p, net, res); other != "" {
			t.Fatalf("seed %d: search gives %s, but %s is as good and comes before", seed, spell(p, res.Trace.Steps), other)
		}
	}
}

// spell writes a run in the order that decides ties: first state, then actions
// and successors.
func spell(p *factored.Problem, steps []factored.Valuation) string {
	s := ""
	for i, v := range steps {
		for _, k := range []factored.Kind{factored.State, factored.Action} {
			if k == factored.Action && i == len(steps)-1 {
				continue
			}
			for _, b := range p.Bits(k) {
				if v[b] {
					s += "1"
				} else {
					s += "0"
				}
			}
		}
		s += " "
	}
	return s
}

// numbered is the i-th valuation of bits in lexicographic order, false before
// true and the first bit deciding first.
func numbered(val factored.Valuation, bits []factored.Bit, i int) factored.Valuation {
	for k, b := range bits {
		val[b] = i>>(len(bits)-1-k)&1 == 1
	}
	return val
}

// firstOptimal walks along the plan and returns another that is as good and
// comes before it, "" when there is none. The best reward from a state on is
// brute force's, of the problem that starts there.
func firstOptimal(p *factored.Problem, net *bnn.Network, res *engine.Result) string {
	states, actions := p.Bits(factored.State), p.Bits(factored.Action)
	horizon := res.Trace.Horizon()
	best := func(s factored.Valuation, steps int) (int64, bool) {
		if steps == 0 {
			// Asked as the last step of a plan that ends here: G and C alone.
			q := p.Clone()
			q.Transition, q.Inputs, q.Outputs, q.Reward.Terms, q.Reward.Constant = nil, nil, nil, nil, 0
			q.Global = nil
			for _, c := range p.Global {
				if !p.HasAction(&c) {
					q.Global = append(q.Global, c)
				}
			}
			q.Initial = at(p, s)
			// The next state is free; it must be s, for which G is stated twice.
			q.Initial = append(q.Initial, p.Goal...)
			q.Goal = nil
			return randprob.BruteForce(q, nil, 1)
		}
		q := p.Clone()
		q.Initial = at(p, s)
		return randprob.BruteForce(q, net, steps)
	}
	for t, now := range res.Trace.Steps {
		if t == horizon {
			break
		}
		want, _ := best(now, horizon-t)
		for i := range 1 << (len(actions) + len(states)) {
			then := numbered(make(factored.Valuation, p.NumBits()), states, i&(1<<len(states)-1))
			here := numbered(append(factored.Valuation(nil), now...), actions, i>>len(states))
			if spell(p, []factored.Valuation{here, then}) == spell(p, []factored.Valuation{now, res.Trace.Steps[t+1]}) {
				break // the plan's own step comes first
			}
			if f, err := validate.CheckStep(p, net, here, then); err != nil || f != nil {
				continue
			}
			if rest, ok := best(then, horizon-t-1); ok && rest+p.Reward.StepReward(here, then) == want {
				return fmt.Sprintf("step %d %s", t+1, spell(p, []factored.Valuation{here, then}))
			}
		}
	}
	return ""
}

// at states that the first state is s.
func at(p *factored.Problem, s factored.Valuation) []factored.Constraint {
	var out []factored.Constraint
	for _, b := range p.Bits(factored.State) {
		c := factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: b}}}, Op: factored.EQ}
		if s[b] {
			c.K = 1
		}
		out = append(out, c)
	}
	return out
}
