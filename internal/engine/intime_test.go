package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
)

// deaf reports what it is given and then waits for end, whatever its context
// does.
type deaf struct {
	reports []engine.Progress
	end     chan struct{}
	res     *engine.Result
	err     error
	said    chan struct{}
}

func (deaf) Name() string { return "deaf" }

func (e deaf) Solve(_ context.Context, _ engine.Query, _ engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	for _, p := range e.reports {
		report(p)
	}
	close(e.said)
	<-e.end
	report(engine.Progress{Phase: "too late"})
	return e.res, e.err
}

// TestInTime: an engine that does not stop is answered for by what it reported.
func TestInTime(t *testing.T) {
	three, five, seven := int64(3), int64(5), int64(7)
	a := &factored.Trace{Steps: make([]factored.Valuation, 3)}
	b := &factored.Trace{Steps: make([]factored.Valuation, 4)}
	for name, c := range map[string]struct {
		reports []engine.Progress
		status  engine.Status
		trace   *factored.Trace
		bound   *int64
	}{
		"nothing":       {nil, engine.Unknown, nil, nil},
		"a bound":       {[]engine.Progress{{Bound: &seven}, {Bound: &five}, {Bound: &seven}}, engine.Unknown, nil, &five},
		"a plan":        {[]engine.Progress{{Reward: &three, Trace: a}, {Reward: &five, Trace: b}, {Reward: &three, Trace: a}, {Bound: &seven}}, engine.Feasible, b, &seven},
		"not shown":     {[]engine.Progress{{Reward: &five}}, engine.Unknown, nil, nil},
		"bound reached": {[]engine.Progress{{Reward: &five, Trace: b}, {Bound: &five}}, engine.Optimal, b, &five},
	} {
		e := deaf{reports: c.reports, end: make(chan struct{}), said: make(chan struct{}), res: &engine.Result{Status: engine.Infeasible}}
		ctx, cancel := context.WithCancelCause(context.Background())
		late := make(chan struct{})
		heard := 0
		go func() {
			<-e.said
			cancel(errors.New("enough"))
			close(late)
		}()
		r, err := engine.InTime(e).Solve(ctx, engine.Query{}, engine.Limits{Late: late}, func(engine.Progress) { heard++ })
		close(e.end)
		if err != nil || r.Status != c.status || r.Trace != c.trace || (r.Bound == nil) != (c.bound == nil) || r.Bound != nil && *r.Bound != *c.bound || heard != len(c.reports) {
			t.Errorf("%s: %+v, %v after %d reports", name, r, err, heard)
		}
		if want := map[bool]string{true: "", false: "enough"}[c.status == engine.Optimal]; err == nil && r.Reason != want {
			t.Errorf("%s: reason %q", name, r.Reason)
		}
	}
}

// TestInTimeRange: of a range of horizons, what was settled before the end is told, by an
// engine that solves one after the other.
func TestInTimeRange(t *testing.T) {
	late := make(chan struct{})
	e := oneByOne{late}
	r, err := engine.InTime(e).Solve(context.Background(), engine.Query{MinHorizon: 2, MaxHorizon: 5}, engine.Limits{Late: late}, nil)
	want := []engine.HorizonResult{{2, engine.Infeasible, 0}, {3, engine.Optimal, -7}, {4, engine.Unknown, 0}, {5, engine.Unknown, 0}}
	if err != nil || !slices.Equal(r.Horizons, want) || r.Status != engine.Feasible || r.Reward != -7 || r.Bound != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// oneByOne finds no plan of 2 steps and one of 3, and does not end with more.
type oneByOne struct{ late chan struct{} }

func (oneByOne) Name() string { return "one by one" }

func (e oneByOne) Solve(ctx context.Context, q engine.Query, _ engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	return engine.EachHorizon(ctx, q, report, func(h int, _ func(engine.Progress)) (*engine.Result, error) {
		bound := int64(-7)
		switch h {
		case 2:
			return &engine.Result{Status: engine.Infeasible}, nil
		case 3:
			return &engine.Result{Status: engine.Optimal, Horizon: 3, Trace: &factored.Trace{Steps: make([]factored.Valuation, 4)}, Reward: -7, Bound: &bound}, nil
		}
		close(e.late)
		select {}
	})
}

// TestInTimePasses: an engine that ends in time answers for itself, and where
// nothing is ever late it is not asked in another way.
func TestInTimePasses(t *testing.T) {
	for _, late := range []chan struct{}{nil, make(chan struct{})} {
		e := deaf{end: make(chan struct{}), said: make(chan struct{}), res: &engine.Result{Status: engine.Infeasible}, err: errors.New("broken")}
		close(e.end)
		if r, err := engine.InTime(e).Solve(context.Background(), engine.Query{}, engine.Limits{Late: late}, func(engine.Progress) {}); r != e.res || err != e.err {
			t.Errorf("%v, %v", r, err)
		}
	}
}
