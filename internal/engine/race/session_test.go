package race_test

import (
	"context"
	"errors"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/race"
	"github.com/fdplan/fdplan/problem/factored"
)

// fake is an engine and its session at once: solve answers both.
type fake struct {
	name     string
	solve    func(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error)
	excluded *int
}

func (f fake) Name() string { return f.name }

func (f fake) Solve(ctx context.Context, _ engine.Query, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	return f.solve(ctx, l, report)
}

func (f fake) Open(context.Context, engine.Task, int) (engine.Session, error) {
	return fakeSession{f}, nil
}

type fakeSession struct{ f fake }

func (s fakeSession) Solve(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	return s.f.solve(ctx, l, report)
}

func (s fakeSession) Exclude(engine.Landmark) error { *s.f.excluded++; return nil }

// pair is a race of one engine that finds a plan and one that finds a bound.
// Neither has a proof; the second takes the first one's plan for one.
func pair(excluded *[2]int) race.Engine {
	plan := &factored.Trace{Steps: make([]factored.Valuation, 2)}
	finder := fake{"finder", func(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
		l.Shared.Offer(plan, 5)
		report(engine.Progress{Work: 1 << 40})
		<-ctx.Done()
		return &engine.Result{Status: engine.Feasible, Trace: plan, Horizon: 1, Reward: 5}, nil
	}, &excluded[0]}
	prover := fake{"prover", func(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
		t, reward := l.Shared.Best()
		if t == nil || l.Memory != 50 {
			return nil, errors.New("no plan was shared, or not the memory")
		}
		bound := int64(5)
		l.Shared.Lower(bound)
		report(engine.Progress{Bound: &bound})
		return &engine.Result{Status: engine.Optimal, Trace: t, Horizon: 1, Reward: reward, Bound: &bound}, nil
	}, &excluded[1]}
	return race.New(finder, prover)
}

// TestShared has the engines of a race know of each other's plans, asked once
// and asked again: the second proves what the first found.
func TestShared(t *testing.T) {
	var excluded [2]int
	e := pair(&excluded)
	q := engine.Query{MinHorizon: 1, MaxHorizon: 1}
	limits := engine.Limits{Threads: 1, Memory: 100}
	var last engine.Progress
	report := func(p engine.Progress) { last = p }
	s, err := e.Open(context.Background(), q.Task, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Exclude(engine.Landmark{}); err != nil || excluded != [2]int{1, 0} {
		t.Fatalf("%v; %v landmarks before the second engine has joined", err, excluded)
	}
	for name, solve := range map[string]func() (*engine.Result, error){
		"once":    func() (*engine.Result, error) { return e.Solve(context.Background(), q, limits, report) },
		"session": func() (*engine.Result, error) { return s.Solve(context.Background(), limits, report) },
	} {
		res, err := solve()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if res.Status != engine.Optimal || res.Winner != "prover" || res.Reward != 5 {
			t.Errorf("%s: %+v, expected the prover to prove 5", name, res)
		}
		if last.Reward == nil || *last.Reward != 5 || last.Bound == nil || *last.Bound != 5 {
			t.Errorf("%s: the last report is %+v, expected the plan and the bound together", name, last)
		}
	}
	// The winner continues alone, and was told of the landmark.
	if err := s.Exclude(engine.Landmark{}); err != nil || excluded != [2]int{1, 2} {
		t.Errorf("%v; %v landmarks after the first engine has lost", err, excluded)
	}
}

// TestJoined has what two engines know put together where neither has a proof,
// and the others join when the first gives up.
func TestJoined(t *testing.T) {
	plan := &factored.Trace{Steps: make([]factored.Valuation, 2)}
	knows := func(name string, r engine.Result, err error) fake {
		return fake{name, func(context.Context, engine.Limits, func(engine.Progress)) (*engine.Result, error) {
			if err != nil {
				return nil, err
			}
			out := r
			return &out, nil
		}, new(int)}
	}
	bound := func(b int64) *int64 { return &b }
	broken := errors.New("broken")
	found := engine.Result{Status: engine.Feasible, Trace: plan, Horizon: 1, Reward: 3}
	bounded := engine.Result{Status: engine.Unknown, Bound: bound(4), Reason: "time"}
	tight := engine.Result{Status: engine.Unknown, Bound: bound(3), Reason: "time"}
	for name, c := range map[string]struct {
		engines []engine.Engine
		status  engine.Status
		winner  string
		fails   bool
	}{
		"plan and bound":       {engines: []engine.Engine{knows("a", bounded, nil), knows("b", found, nil)}, status: engine.Feasible, winner: "b"},
		"plan and tight bound": {engines: []engine.Engine{knows("a", found, nil), knows("b", tight, nil)}, status: engine.Optimal, winner: "a"},
		"three":                {engines: []engine.Engine{knows("a", bounded, nil), knows("b", found, nil), knows("c", tight, nil)}, status: engine.Optimal, winner: "b"},
		"one alone":            {engines: []engine.Engine{knows("a", bounded, nil)}, status: engine.Unknown, winner: "a"},
		"one fails":            {engines: []engine.Engine{knows("a", found, broken), knows("b", found, nil)}, status: engine.Feasible, winner: "b"},
		"all fail":             {engines: []engine.Engine{knows("a", found, broken), knows("b", found, broken)}, fails: true},
	} {
		e := race.New(c.engines[0].(engine.Opener), c.engines[1:]...)
		res, err := e.Solve(context.Background(), engine.Query{MinHorizon: 1, MaxHorizon: 1}, engine.Limits{Threads: 1}, nil)
		if c.fails != (err != nil) || err != nil && !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && (res.Status != c.status || res.Winner != c.winner) {
			t.Errorf("%s: %+v, expected %s by %s", name, res, c.status, c.winner)
		}
	}
}

// TestSettled tells the engine that is beaten that its answer is of no use.
func TestSettled(t *testing.T) {
	var cause error
	slow := fake{name: "slow", solve: func(ctx context.Context, _ engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
		report(engine.Progress{Work: 1 << 40})
		<-ctx.Done()
		cause = context.Cause(ctx)
		return &engine.Result{Status: engine.Unknown}, nil
	}}
	quick := fake{name: "quick", solve: func(context.Context, engine.Limits, func(engine.Progress)) (*engine.Result, error) {
		return &engine.Result{Status: engine.Infeasible}, nil
	}}
	res, err := race.New(slow, quick).Solve(context.Background(), engine.Query{MinHorizon: 1, MaxHorizon: 1}, engine.Limits{Threads: 1}, nil)
	if err != nil || res.Winner != "quick" || !errors.Is(cause, engine.ErrSettled) {
		t.Errorf("%+v, %v; the other ends because of %v", res, err, cause)
	}
}
