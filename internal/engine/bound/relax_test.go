package bound

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestRelax compares what tables and prices show alone with brute force: a bound is never below
// the best reward, no plan is never shown of a problem that has one, and the states of the best
// plan are among those that plans as good as it may pass.
func TestRelax(t *testing.T) {
	shown, passed := 0, 0
	for seed := range uint64(300) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		best, ok := randprob.BruteForce(p, net, horizon)
		relax := func(w Wanted) *Relaxation {
			x, err := Relax(context.Background(), task, horizon, w)
			if err != nil && !errors.Is(err, ErrNoGroups) {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return x
		}
		if x := relax(Wanted{Infeasible: true, Rounds: 50}); x != nil && ok {
			t.Errorf("seed %d: no plan is shown to exist, brute force finds %d", seed, best)
		}
		if !ok {
			continue
		}
		x := relax(Wanted{Most: best, Rounds: 100, Partial: true})
		if x == nil {
			continue
		}
		if x.Most() < best || x.Shows() != (x.Most() == best) {
			t.Errorf("seed %d: at most %d, wanted %d (shown: %t)", seed, x.Most(), best, x.Shows())
		}
		if x.Shows() {
			shown++
		}
		if better := relax(Wanted{Most: best - 1, Rounds: 50}); better != nil {
			t.Errorf("seed %d: at most %d is shown, brute force finds %d", seed, best-1, best)
		}
		res := solveNarrow(t, seed, task, horizon)
		if res == nil || rewardsAuxiliary(p) {
			continue
		}
		x = relax(Wanted{Most: best - x.Step(), Rounds: 50, Partial: true})
		checkChains(t, seed, x, res.Trace)
		for i, nodes := range x.Nodes(context.Background(), 1<<16) {
			passed++
			if !slices.ContainsFunc(nodes, func(n Node) bool { return holdsAll(x, res.Trace, i, n.Values) }) {
				t.Errorf("seed %d: the best plan's state %d is not among %d nodes", seed, i, len(nodes))
			}
		}
	}
	if shown < 50 || passed < 100 {
		t.Errorf("%d bounds were shown, %d states of plans were among nodes", shown, passed)
	}
}

// holdsAll reports whether a trace has these values of the groups at a step, from 0.
func holdsAll(x *Relaxation, trace *factored.Trace, at int, values []uint32) bool {
	for id, v := range values {
		for _, l := range x.Bits(id, v) {
			if trace.Steps[at][x.f.r.bit[l.Var()]] != (l > 0) {
				return false
			}
		}
	}
	return true
}

// checkChains compares a plan with the tables of each group: it costs no group less than the
// least cost of its chain, has only values that the group may have, and leaves no group less to
// pay than its value says.
func checkChains(t *testing.T, seed uint64, x *Relaxation, trace *factored.Trace) {
	horizon := trace.Horizon()
	systems := 0
	for id := range x.Groups() {
		chain := x.Group(id)
		rest := int64(0)
		values := x.Values(id)
		for at := horizon; at >= 0; at-- {
			if at < horizon {
				for _, w := range x.Costs(at + 1)[id] {
					known, value := valueIn(x, trace, at, int32(w.Lit))
					if !known {
						return // a hidden unit or an auxiliary bit is paid for, which a trace does not have
					}
					if value {
						rest += w.Coef
					}
				}
			}
			found := false
			for _, v := range values[at] {
				all := true
				for _, l := range x.Bits(id, v.Number) {
					all = all && trace.Steps[at][x.f.r.bit[l.Var()]] == (l > 0)
				}
				if all {
					found = true
					if rest < v.Cost {
						t.Errorf("seed %d: group %d pays %d from step %d on, its table says at least %d", seed, id, rest, at+1, v.Cost)
					}
				}
			}
			if !found {
				t.Errorf("seed %d: group %d has no value for the plan's state %d", seed, id, at)
			}
		}
		if rest < chain.Cost {
			t.Errorf("seed %d: group %d pays %d, its chain says at least %d", seed, id, rest, chain.Cost)
		}
		s := x.Systems(id, func() bool { return false })
		for at := 0; at <= horizon+1; at++ {
			if st := s.At(at); !st.Consistent() {
				t.Errorf("seed %d: the constraints of group %d at step %d have no solution, but there is a plan", seed, id, at)
			}
			systems++
		}
	}
	for at := 1; at <= horizon; at++ {
		for _, r := range x.Rules(at) {
			if r.Price <= 0 || r.Sum.Op == factored.EQ {
				t.Errorf("seed %d: the rule %v at step %d has the price %d", seed, r.Sum, at, r.Price)
			}
		}
	}
}

// valueIn is the value of a variable of the one-step model at a step of a trace, from 0; known
// is false of what a trace does not have.
func valueIn(x *Relaxation, trace *factored.Trace, at int, v int32) (known, value bool) {
	r := x.f.r
	switch r.role[v] {
	case now, action:
		return true, trace.Steps[at][r.bit[v]]
	case after:
		return true, trace.Steps[at+1][r.bit[v]]
	}
	return false, false
}

// TestSummary compares the bounds of summaries with brute force.
func TestSummary(t *testing.T) {
	rules := 0
	for seed := range uint64(60) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		if seed%2 == 1 {
			p, net = randprob.Machines(seed, 3)
			horizon = 3
		}
		best, ok := randprob.BruteForce(p, net, horizon)
		s, err := Start(context.Background(), engine.Task{Problem: p, Network: net}, horizon, engine.Limits{Threads: 1}, nil)
		if errors.Is(err, ErrNoGroups) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		sum := Summarize(context.Background(), s)
		switch {
		case sum.Infeasible && ok:
			t.Errorf("seed %d: no plan is said to exist, brute force finds %d", seed, best)
		case sum.Infeasible:
			continue
		case ok && (sum.Bound < best || sum.Without < sum.Bound):
			t.Errorf("seed %d: bounds %d without prices and %d with, brute force finds %d", seed, sum.Without, sum.Bound, best)
		}
		for _, g := range sum.Groups {
			if g.Values == 0 || g.Moves == 0 {
				t.Errorf("seed %d: a group has %d values and %d moves", seed, g.Values, g.Moves)
			}
		}
		for _, r := range sum.Rules {
			rules++
			if r.Text == "" || len(r.Prices) != horizon || !r.Agreement && r.Words == "" && r.Text != "a rule between hidden units" {
				t.Errorf("seed %d: rule %+v", seed, r)
			}
		}
	}
	if rules < 10 {
		t.Errorf("only %d rules with a price", rules)
	}
}

// TestSearch compares what stages find when all are done, and what Assist leaves, with brute force.
func TestSearch(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(150) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		best, any := randprob.BruteForce(p, net, horizon)
		s, err := Start(ctx, task, horizon, engine.Limits{Threads: 1}, nil)
		if errors.Is(err, ErrNoGroups) {
			continue
		}
		for err == nil && !s.Done() {
			err = s.Advance(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		if res := s.Result(); any != (res.Status == engine.Optimal) || any && res.Reward != best {
			t.Errorf("seed %d: %s %d, brute force finds %d (%t)", seed, res.Status, res.Reward, best, any)
		}
		if s, err = Assist(ctx, task, horizon, engine.Limits{}, nil, nil, nil, nil); err != nil {
			t.Fatal(err)
		}
		if any && s.Proven() && s.Result().Reward != best {
			t.Errorf("seed %d: %d is proven, brute force finds %d", seed, s.Result().Reward, best)
		}
		for over := best - 1; any && over <= best; over++ { // no plan is known, and only better ones are looked for
			if s, err = Assist(ctx, task, horizon, engine.Limits{}, nil, &over, nil, nil); err != nil {
				t.Fatal(err)
			}
			if res := s.Result(); res.Bound != nil && *res.Bound < best || res.Trace != nil && (res.Reward != best || over == best) {
				t.Errorf("seed %d: of plans with more than %d it says %+v, the best has %d", seed, over, res, best)
			}
		}
	}
}
