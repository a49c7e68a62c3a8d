package engine_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
)

// answers is a solve function for EachHorizon that looks its answers up.
func answers(of map[int]*engine.Result) func(int, func(engine.Progress)) (*engine.Result, error) {
	return func(h int, report func(engine.Progress)) (*engine.Result, error) {
		reward, bound := int64(-100), int64(100)
		report(engine.Progress{Phase: "work", Reward: &reward, Bound: &bound})
		r, ok := of[h]
		if !ok {
			return nil, errors.New("no answer")
		}
		return r, nil
	}
}

func TestEachHorizon(t *testing.T) {
	plan := func(h int) *factored.Trace { return &factored.Trace{Steps: make([]factored.Valuation, h+1)} }
	optimal := func(h int, reward int64) *engine.Result {
		return &engine.Result{Status: engine.Optimal, Horizon: h, Trace: plan(h), Reward: reward, Bound: &reward, Stats: map[string]int64{"nodes": 1}}
	}
	none := &engine.Result{Status: engine.Infeasible, Stats: map[string]int64{"nodes": 1}}
	high, low := int64(-1), int64(-7)
	open := func(h int, reward int64, bound *int64) *engine.Result {
		return &engine.Result{Status: engine.Feasible, Horizon: h, Trace: plan(h), Reward: reward, Bound: bound, Reason: "the limit was reached"}
	}
	unknown := &engine.Result{Status: engine.Unknown, Reason: "the limit was reached"}
	for name, c := range map[string]struct {
		of      map[int]*engine.Result
		status  engine.Status
		horizon int
		reward  int64
		bound   *int64
		lines   []engine.Status
	}{
		"shortest on a tie":       {map[int]*engine.Result{2: none, 3: optimal(3, -4), 4: optimal(4, -4)}, engine.Optimal, 3, -4, ptr(-4), []engine.Status{engine.Infeasible, engine.Optimal, engine.Optimal}},
		"the best, not the first": {map[int]*engine.Result{2: optimal(2, -9), 3: optimal(3, -4), 4: none}, engine.Optimal, 3, -4, ptr(-4), []engine.Status{engine.Optimal, engine.Optimal, engine.Infeasible}},
		"none anywhere":           {map[int]*engine.Result{2: none, 3: none, 4: none}, engine.Infeasible, 0, 0, nil, []engine.Status{engine.Infeasible, engine.Infeasible, engine.Infeasible}},
		"a bound that is open":    {map[int]*engine.Result{2: none, 3: optimal(3, -4), 4: open(4, -9, &high)}, engine.Feasible, 3, -4, &high, []engine.Status{engine.Infeasible, engine.Optimal, engine.Unknown}},
		"a bound that is enough":  {map[int]*engine.Result{2: none, 3: optimal(3, -4), 4: open(4, -9, &low)}, engine.Optimal, 3, -4, ptr(-4), []engine.Status{engine.Infeasible, engine.Optimal, engine.Unknown}},
		"no bound":                {map[int]*engine.Result{2: none, 3: optimal(3, -4), 4: open(4, -3, nil)}, engine.Feasible, 4, -3, nil, []engine.Status{engine.Infeasible, engine.Optimal, engine.Unknown}},
		"nothing known":           {map[int]*engine.Result{2: none, 3: unknown, 4: unknown}, engine.Unknown, 0, 0, nil, []engine.Status{engine.Infeasible, engine.Unknown, engine.Unknown}},
	} {
		got, err := engine.EachHorizon(context.Background(), engine.Query{MinHorizon: 2, MaxHorizon: 4}, nil, answers(c.of))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var lines []engine.Status
		for i, h := range got.Horizons {
			if h.Horizon != i+2 {
				t.Errorf("%s: line %d is of horizon %d", name, i, h.Horizon)
			}
			lines = append(lines, h.Status)
		}
		if got.Status != c.status || got.Horizon != c.horizon || got.Reward != c.reward || !reflect.DeepEqual(got.Bound, c.bound) || !reflect.DeepEqual(lines, c.lines) {
			t.Errorf("%s: %+v, expected %+v", name, got, c)
		}
	}
}

func ptr(x int64) *int64 { return &x }

// TestEachHorizonReports wants reports of a range without bounds, with the
// reward of the best plan of all, and errors passed on.
func TestEachHorizonReports(t *testing.T) {
	reward := int64(-4)
	of := map[int]*engine.Result{1: {Status: engine.Optimal, Horizon: 1, Trace: &factored.Trace{}, Reward: reward, Bound: &reward}}
	var seen []engine.Progress
	_, err := engine.EachHorizon(context.Background(), engine.Query{MinHorizon: 1, MaxHorizon: 2}, func(p engine.Progress) { seen = append(seen, p) }, answers(of))
	if err == nil || err.Error() != "no answer" {
		t.Errorf("the error of horizon 2 became %v", err)
	}
	settled := engine.HorizonResult{Horizon: 1, Status: engine.Optimal, Reward: reward}
	if len(seen) == 3 && seen[1].Settled != nil && *seen[1].Settled == settled && *seen[1].Reward == -4 && seen[1].Bound == nil {
		seen = slices.Delete(seen, 1, 2)
	}
	if len(seen) != 2 || seen[0].Phase != "horizon 1, work" || *seen[0].Reward != -100 || *seen[1].Reward != -4 || seen[0].Bound != nil || seen[1].Bound != nil {
		t.Errorf("reports %+v", seen)
	}
	for _, q := range []engine.Query{{}, {MinHorizon: 2, MaxHorizon: 1}} {
		if _, err := engine.EachHorizon(context.Background(), q, nil, answers(of)); err == nil {
			t.Errorf("the horizons %d..%d are accepted", q.MinHorizon, q.MaxHorizon)
		}
	}
	// One horizon is passed through, reports and all.
	got, err := engine.EachHorizon(context.Background(), engine.Query{MinHorizon: 1, MaxHorizon: 1}, nil, answers(of))
	if err != nil || got != of[1] {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestExchange(t *testing.T) {
	var nobody *engine.Exchange
	nobody.Offer(&factored.Trace{}, 1)
	nobody.Lower(1)
	if plan, _ := nobody.Best(); plan != nil || nobody.Bound() != nil {
		t.Error("a nil Exchange knows something")
	}
	x := &engine.Exchange{}
	first, second := &factored.Trace{}, &factored.Trace{}
	x.Offer(nil, 9)
	x.Offer(first, -5)
	x.Offer(second, -5)
	if plan, reward := x.Best(); plan != first || reward != -5 {
		t.Errorf("the best is %p with %d", plan, reward)
	}
	x.Offer(second, -4)
	if plan, reward := x.Best(); plan != second || reward != -4 {
		t.Errorf("the best is %p with %d", plan, reward)
	}
	for _, c := range [][2]int64{{3, 3}, {5, 3}, {-1, -1}} {
		x.Lower(c[0])
		if *x.Bound() != c[1] {
			t.Errorf("after %d the bound is %d, expected %d", c[0], *x.Bound(), c[1])
		}
	}
}

func TestLandmark(t *testing.T) {
	p := factored.NewProblem("p")
	for _, v := range []factored.Variable{{Name: "s", Kind: factored.State, Bool: true}, {Name: "a", Kind: factored.Action, Bool: true}, {Name: "x", Kind: factored.Auxiliary, Bool: true}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	trace := func(bits string) *factored.Trace {
		out := &factored.Trace{}
		for _, step := range strings.Fields(bits) {
			v := make(factored.Valuation, len(step))
			for i := range step {
				v[i] = step[i] == '1'
			}
			out.Steps = append(out.Steps, v)
		}
		return out
	}
	failed := trace("100 010 100")
	for _, c := range []struct {
		depth  int
		plan   string
		covers bool
	}{
		{2, "100 010 100", true},
		{2, "101 011 001", true}, // auxiliaries and later states do not count
		{2, "100 000 100", false},
		{1, "100 000 100", true},
		{1, "110 010 100", false},
		{0, "110 010 100", true},
		{0, "000 010 100", false}, // another initial state
	} {
		l := engine.Landmark{Trace: failed, Depth: c.depth}
		if err := l.Check(2); err != nil {
			t.Error(err)
		}
		if got := l.Covers(p, trace(c.plan)); got != c.covers {
			t.Errorf("depth %d covers %s: %t", c.depth, c.plan, got)
		}
	}
	for _, l := range []engine.Landmark{{Trace: failed, Depth: -1}, {Trace: failed, Depth: 3}, {Trace: &factored.Trace{}, Depth: 0}} {
		if l.Check(2) == nil {
			t.Errorf("%+v fits", l)
		}
	}
}
