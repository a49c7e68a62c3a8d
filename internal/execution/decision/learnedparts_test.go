package decision_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/execution/decision"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

var problems = flag.Uint64("bounded", 5, "number of random problems")

// system draws a problem with chance: three numbers, of which one is kept or follows from another, and an action.
func system(t *testing.T, rng *rand.Rand) (*factored.Problem, *chance.Model, string) {
	t.Helper()
	p := factored.NewProblem("system")
	for _, v := range []factored.Variable{{Name: "a", Kind: factored.Action, Hi: 2}, {Name: "x", Hi: 3}, {Name: "y", Lo: -1, Hi: 2}, {Name: "z", Hi: 1}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	effect := func(v string) string {
		return pick(v+" + 1", v+" - 1", "keep", v+" = x", v+" = y + a - 1", v+" = 1")
	}
	text := ""
	for _, v := range []string{"x", "y"} {
		names, follow := v, ""
		if v == "y" {
			names, follow = pick("y", "y, z"), "follow z = 1 when y >= 1\nfollow z = 0\n"
		}
		if names == v {
			follow = ""
		}
		text += "draw " + names + "\nblocked " + pick("clamp", "keep", "others", "rest") + "\n" + follow
		for _, when := range []string{"when " + pick("a == 1", "a == 2 ^ z == 1", "y >= 1", "x == 0 | a == 0"), "otherwise"} {
			w := 1 + rng.IntN(9)
			text += fmt.Sprintf("%s\n%d/10: %s\n%d/10: %s\n", when, w, effect(v), 10-w, effect(v))
		}
	}
	text = strings.TrimSpace(strings.ReplaceAll(text, ": x = x", ": keep"))
	m, line, err := chance.Parse(p, strings.Split(text, "\n"))
	if err != nil {
		t.Fatalf("line %d: %v\n%s", line+1, err, text)
	}
	reward := pick("x - 2*(y >= 1)", "x + y - (a ~= 0)", "-abs(x - y) - a", "3*(x == 3 ^ y == 2) - (a == 1 | x == 0)", "min(x, y) + z")
	if err := expr.SetReward(p, reward, "reward"); err != nil {
		t.Fatal(err)
	}
	condition := func(text string) *expr.Expr {
		e, err := expr.Parse(p, text, expr.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	rule := pick("", "", "x == 0 => a ~= 1", "x + y <= 4", "y == 2 ^ x >= 1 => a == 0", "x*y <= 5")
	if rule != "" {
		if err := condition(rule).Require(p, false, "rule"); err != nil {
			t.Fatal(err)
		}
	}
	goal := pick("x == 3", "x == y ^ x >= 2", "x*y >= 4")
	if err := condition(goal).Goal(p, "goal"); err != nil {
		t.Fatal(err)
	}
	return p, m, fmt.Sprintf("%s\nreward %s\nrule %s\ngoal %s", text, reward, rule, goal)
}

// What is known exactly lies in the interval, but for lower bounds of 99 % confidence.
func TestBoundsOfLearned(t *testing.T) {
	kinds := map[string]int{}
	for seed := range *problems {
		rng := rand.New(rand.NewPCG(seed, 7))
		p, m, text := system(t, rng)
		start := make(factored.Valuation, p.NumBits())
		for _, v := range p.OfKind(factored.State) {
			if err := v.Set(start, v.Lo+rng.Int64N(v.Hi-v.Lo+1)); err != nil {
				t.Fatal(err)
			}
		}
		objective := policy.Objectives[seed%2]
		if objective == policy.Reward {
			p.Goal = nil
		}
		l, err := decision.NewLearned(p, chance.NewTransition(p, nil, m, nil), start)
		if err != nil {
			t.Fatal(err)
		}
		s, err := policy.Solve(t.Context(), l, policy.Options{Objective: objective, Horizon: 4, Threads: 1, Memory: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		parts, err := l.Factored(objective == policy.Reward)
		if errors.Is(err, decision.ErrNotFactored) {
			kinds["not factored"]++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		b, err := decision.Bound(t.Context(), parts, decision.BoundOptions{Objective: objective, Horizon: 4, Seed: seed, Memory: 1 << 28, Confidence: .99, Now: time.Now})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		kinds[string(objective)]++
		if b.Upper < s.Value-1e-9 {
			t.Errorf("seed %d, %s: the upper bound is %v, the value %v\n%s", seed, objective, b.Upper, s.Value, text)
		}
		if b.Upper < s.Value+1e-6 {
			kinds["tight"]++
		}
		if b.Lower > s.Value+1e-9 || math.IsInf(b.Lower, 0) {
			kinds["wrong"]++
		}
	}
	t.Log(kinds)
	if kinds["tight"] < 3 || kinds["wrong"] > 1+int(*problems)/50 || kinds[string(policy.Reward)] == 0 || kinds[string(policy.Success)] == 0 {
		t.Errorf("the intervals are %v", kinds)
	}
}

// TestFactoredFirst splits a process before any step of it was looked at, with an action whose values do not have 0 among them.
func TestFactoredFirst(t *testing.T) {
	p := factored.NewProblem("tills")
	for _, v := range []factored.Variable{{Name: "open", Kind: factored.Action, Lo: 1, Hi: 3, Default: -1}, {Name: "queue", Hi: 5}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	m, line, err := chance.Parse(p, strings.Split("draw queue\nblocked clamp\nwhen open == 3\n1/2: queue - 1\n1/2: keep\notherwise\n1: queue + 1", "\n"))
	if err != nil {
		t.Fatalf("line %d: %v", line+1, err)
	}
	if err := expr.SetReward(p, "-queue", "reward"); err != nil {
		t.Fatal(err)
	}
	l, err := decision.NewLearned(p, chance.NewTransition(p, nil, m, nil), make(factored.Valuation, p.NumBits()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Factored(true); err != nil {
		t.Error(err)
	}
}

// TestBoundsOfSeveral: what actions cost is paid where the machine is that they are about, so that the bound of machines that do not depend on each other
// is nearly the sum of what they are worth, though they have 3^4 joint actions.
func TestBoundsOfSeveral(t *testing.T) {
	p := factored.NewProblem("press")
	for _, v := range []factored.Variable{{Name: "a", Kind: factored.Action, Hi: 2}, {Name: "wear", Hi: 5}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	m, line, err := chance.Parse(p, []string{
		"draw wear", "blocked clamp", "when a == 1", "1/2: wear + 1", "1/8: wear + 2", "3/8: keep", "when a == 2", "4/5: wear = 0", "1/5: keep", "otherwise", "1: keep",
	})
	if err != nil {
		t.Fatalf("line %d: %v", line, err)
	}
	if err := expr.SetReward(p, "(a == 1)*(12 - 2*wear) - 15*(a == 2) - (a == 0)", "reward"); err != nil {
		t.Fatal(err)
	}
	const horizon = 10
	l, err := decision.NewLearned(p, chance.NewTransition(p, nil, m, nil), make(factored.Valuation, p.NumBits()))
	if err != nil {
		t.Fatal(err)
	}
	one, err := policy.Solve(t.Context(), l, policy.Options{Objective: policy.Reward, Horizon: horizon, Threads: 1, Memory: 1 << 28})
	if err != nil {
		t.Fatal(err)
	}
	systems := []string{"A", "B", "C", "D"}
	q, err := p.Copies(systems)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Copies(q, systems)
	if err != nil {
		t.Fatal(err)
	}
	rule, err := expr.Parse(q, "(a(A) == 2) + (a(B) == 2) + (a(C) == 2) + (a(D) == 2) <= 3", expr.Options{})
	if err == nil {
		err = rule.Require(q, false, "crew")
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err = decision.NewLearned(q, chance.NewTransition(q, nil, c, nil), make(factored.Valuation, q.NumBits()))
	if err != nil {
		t.Fatal(err)
	}
	parts, err := l.Factored(true)
	if err != nil {
		t.Fatal(err)
	}
	b, err := decision.Bound(t.Context(), parts, decision.BoundOptions{Objective: policy.Reward, Horizon: horizon, Seed: 1, Memory: 1 << 28, Confidence: .99, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if sum := 4 * one.Value; b.Upper < sum-1 || b.Upper > 1.02*sum || b.Mean < .95*sum {
		t.Errorf("the bound is %v and runs reach %v on average, want about %v", b.Upper, b.Mean, sum)
	}
}
