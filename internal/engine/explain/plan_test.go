package explain_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/explain"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

const none = int64(math.MinInt64)

// assignments calls f with now changed to every value of the bits of one kind.
func assignments(p *factored.Problem, k factored.Kind, now factored.Valuation, f func(factored.Valuation)) {
	bits := p.Bits(k)
	for pattern := range 1 << len(bits) {
		val := slices.Clone(now)
		for i, b := range bits {
			val[b] = pattern>>i&1 == 1
		}
		f(val)
	}
}

// best is the best reward of left steps that begin with the state and action of
// now, by the checker's steps and brute force for what follows; none without a
// way to the end.
func best(t *testing.T, task engine.Task, now factored.Valuation, left int) int64 {
	t.Helper()
	p := task.Problem
	most := none
	assignments(p, factored.State, make(factored.Valuation, p.NumBits()), func(next factored.Valuation) {
		failure, err := validate.CheckStep(p, task.Network, now, next)
		if err != nil {
			t.Fatal(err)
		}
		if failure != nil {
			return
		}
		one := p.Clone()
		one.Initial, one.Goal = nil, nil
		report, err := validate.Check(one, task.Network, validate.Plan{Actions: []factored.Valuation{now}, States: []factored.Valuation{now, next}})
		if err != nil {
			t.Fatal(err)
		}
		if !report.Valid { // C does not hold at next
			return
		}
		reward := report.Reward
		if left == 1 {
			if validate.CheckPart(p, validate.Goal, next) != nil {
				return
			}
		} else {
			q := p.Clone()
			q.Initial = nil
			for _, b := range p.Bits(factored.State) {
				c := factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: b, Neg: !next[b]}}}, Op: factored.GE, K: 1}
				q.Initial = append(q.Initial, c)
			}
			rest, ok := randprob.BruteForce(q, task.Network, left-1)
			if !ok {
				return
			}
			reward += rest
		}
		most = max(most, reward)
	})
	return most
}

// check compares an outcome with what brute force gives for the rest.
func check(t *testing.T, p *factored.Problem, seed uint64, what string, o *explain.Outcome, before, rest, total int64) {
	t.Helper()
	broken := o.Consequence == explain.Illegal || o.Consequence == explain.DeadEnd || o.Consequence == explain.GoalMissed
	switch {
	case rest == none && (!broken || o.Reward != nil):
		t.Fatalf("seed %d: %s: nothing follows, the outcome is %+v", seed, what, o)
	case rest == none && o.Consequence == explain.Illegal && o.Failure == nil:
		t.Fatalf("seed %d: %s: illegal without a reason", seed, what)
	case rest == none && o.Consequence == explain.GoalMissed && !slices.ContainsFunc(o.Against, func(m explain.Member) bool { return m.Group == "goal" }):
		t.Fatalf("seed %d: %s: a goal is out of reach, but not among %+v", seed, what, o.Against)
	case rest == none:
		return
	case o.Reward == nil || *o.Reward != before+rest:
		t.Fatalf("seed %d: %s: brute force says %d + %d, the outcome is %+v", seed, what, before, rest, o)
	}
	want := explain.AsGood
	if before+rest < total {
		want = explain.CostsMore
	} else if before+rest > total {
		want = explain.Better
	}
	if o.Consequence != want {
		t.Fatalf("seed %d: %s: %s, want %s", seed, what, o.Consequence, want)
	}
	if slices.ContainsFunc(p.Reward.Terms, func(r factored.RewardTerm) bool { return p.Kind(r.Lit.Bit) == factored.Auxiliary }) {
		return // several terms may pay for different values of one variable
	}
	var sum int64
	for _, d := range o.Differences {
		sum += d.Weight * int64(d.Otherwise-d.Plan)
	}
	if sum != before+rest-total {
		t.Fatalf("seed %d: %s: the differences sum to %d, the rewards differ by %d", seed, what, sum, before+rest-total)
	}
}

// TestRandomPlans explains plans of random problems, optimal ones and others, and
// compares every outcome with brute force.
func TestRandomPlans(t *testing.T) {
	ctx := context.Background()
	seen := map[explain.Consequence]int{}
	for i := range *instances {
		seed := *firstSeed + uint64(i)
		p, net, horizon := randprob.New(seed, randprob.Options{StateBits: 3, ActionBits: 2, Auxiliaries: 1})
		task := engine.Task{Problem: p, Network: net}
		session, err := search.Engine{}.Open(ctx, task, horizon)
		if err != nil {
			t.Fatal(err)
		}
		res, err := session.Solve(ctx, engine.Limits{Threads: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 1 && res.Trace != nil { // the next best plan
			if err := session.Exclude(engine.Landmark{Trace: res.Trace, Depth: horizon}); err != nil {
				t.Fatal(err)
			}
			if res, err = session.Solve(ctx, engine.Limits{Threads: 1}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if res.Trace == nil {
			continue
		}
		var e engine.Engine = search.Engine{}
		if i%3 == 0 {
			e = conflict.PB{}
		}
		f, err := explain.Plan(ctx, task, res.Trace, explain.Options{Engine: e, Limits: engine.Limits{Threads: 1}, Most: 100})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !f.Complete || f.Reward != res.Reward || len(f.Steps) != horizon {
			t.Fatalf("seed %d: %+v of a plan worth %d", seed, f, res.Reward)
		}
		var before int64
		for k := range f.Steps {
			s := &f.Steps[k]
			now, left := res.Trace.Steps[k], horizon-k
			tried := func(a factored.Valuation) bool {
				return slices.ContainsFunc(s.Alternatives, func(b explain.Alternative) bool { return same(p, a, b.Action) })
			}
			for j := range s.Alternatives {
				a := &s.Alternatives[j]
				check(t, p, seed, "an alternative", &a.Outcome, before, best(t, task, a.Action, left), f.Reward)
				seen[a.Consequence]++
			}
			others := none
			assignments(p, factored.Action, now, func(a factored.Valuation) {
				if same(p, a, now) {
					return
				}
				others = max(others, best(t, task, a, left))
				// All that is legal and gives more in this step has to be tried.
				free := engine.Task{Problem: p.Clone(), Network: net}
				free.Problem.Goal = nil
				if best(t, free, a, 1) > s.Reward && !tried(a) {
					t.Fatalf("seed %d step %d: an action that gives more was not tried", seed, k+1)
				}
			})
			check(t, p, seed, "the others", &s.Others, before, others, f.Reward)
			before += s.Reward
		}
	}
	for _, c := range []explain.Consequence{explain.Illegal, explain.DeadEnd, explain.GoalMissed, explain.CostsMore, explain.AsGood, explain.Better} {
		if *instances >= 300 && seen[c] == 0 {
			t.Errorf("no alternative was %s", c)
		}
	}
	t.Logf("%v", seen)
}

func same(p *factored.Problem, a, b factored.Valuation) bool {
	for _, bit := range p.Bits(factored.Action) {
		if a[bit] != b[bit] {
			return false
		}
	}
	return true
}

// TestPlanLimits ends before anything is tried, and explains an invalid plan.
func TestPlanLimits(t *testing.T) {
	for seed := *firstSeed; ; seed++ {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		res, err := search.Engine{}.Solve(context.Background(), engine.Query{Task: task, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if res.Trace == nil {
			continue
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errors.New("enough"))
		f, err := explain.Plan(ctx, task, res.Trace, explain.Options{Engine: search.Engine{}, Limits: engine.Limits{Threads: 1}})
		if err != nil || f.Complete || f.Steps[0].Others.Consequence == explain.AsGood {
			t.Errorf("seed %d after the end: %+v, %v", seed, f, err)
		}
		short := &factored.Trace{Steps: slices.Clone(res.Trace.Steps)}
		b := p.Bits(factored.State)[0]
		p.Initial = append(p.Initial, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: b, Neg: short.Steps[0][b]}}}, Op: factored.GE, K: 1})
		if _, err := explain.Plan(context.Background(), task, short, explain.Options{Engine: search.Engine{}}); err == nil {
			t.Error("an invalid plan is explained")
		}
		return
	}
}
