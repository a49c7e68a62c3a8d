package engine

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/problem/factored"
)

// deaf reports what it is given and then waits for end, whatever its context
// does.
type deaf struct {
	reports []Progress
	end     chan struct{}
	res     *Result
	err     error
	said    chan struct{}
}

func (deaf) Name() string { return "deaf" }

func (e deaf) Solve(_ context.Context, _ Query, _ Limits, report func(Progress)) (*Result, error) {
	for _, p := range e.reports {
		report(p)
	}
	close(e.said)
	<-e.end
	report(Progress{Phase: "too late"})
	return e.res, e.err
}

// TestInTime: an engine that does not stop is answered for by what it reported.
func TestInTime(t *testing.T) {
	three, five, seven := int64(3), int64(5), int64(7)
	a := &factored.Trace{Steps: make([]factored.Valuation, 3)}
	b := &factored.Trace{Steps: make([]factored.Valuation, 4)}
	for name, c := range map[string]struct {
		reports []Progress
		status  Status
		trace   *factored.Trace
		bound   *int64
	}{
		"nothing":       {nil, Unknown, nil, nil},
		"a bound":       {[]Progress{{Bound: &seven}, {Bound: &five}, {Bound: &seven}}, Unknown, nil, &five},
		"a plan":        {[]Progress{{Reward: &three, Trace: a}, {Reward: &five, Trace: b}, {Reward: &three, Trace: a}, {Bound: &seven}}, Feasible, b, &seven},
		"not shown":     {[]Progress{{Reward: &five}}, Unknown, nil, nil},
		"bound reached": {[]Progress{{Reward: &five, Trace: b}, {Bound: &five}}, Optimal, b, &five},
	} {
		e := deaf{reports: c.reports, end: make(chan struct{}), said: make(chan struct{}), res: &Result{Status: Infeasible}}
		ctx, cancel := context.WithCancelCause(context.Background())
		late := make(chan struct{})
		heard := 0
		go func() {
			<-e.said
			cancel(errors.New("enough"))
			close(late)
		}()
		r, err := InTime(e).Solve(ctx, Query{}, Limits{Late: late}, func(Progress) { heard++ })
		close(e.end)
		if err != nil || r.Status != c.status || r.Trace != c.trace || (r.Bound == nil) != (c.bound == nil) || r.Bound != nil && *r.Bound != *c.bound || heard != len(c.reports) {
			t.Errorf("%s: %+v, %v after %d reports", name, r, err, heard)
		}
		if want := map[bool]string{true: "", false: "enough"}[c.status == Optimal]; err == nil && r.Reason != want {
			t.Errorf("%s: reason %q", name, r.Reason)
		}
	}
}

// TestInTimeRange: of a range of horizons, what was settled before the end is told, by an
// engine that solves one after the other.
func TestInTimeRange(t *testing.T) {
	late := make(chan struct{})
	e := oneByOne{late}
	r, err := InTime(e).Solve(context.Background(), Query{MinHorizon: 2, MaxHorizon: 5}, Limits{Late: late}, nil)
	want := []HorizonResult{{2, Infeasible, 0}, {3, Optimal, -7}, {4, Unknown, 0}, {5, Unknown, 0}}
	if err != nil || !slices.Equal(r.Horizons, want) || r.Status != Feasible || r.Reward != -7 || r.Bound != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// oneByOne finds no plan of 2 steps and one of 3, and does not end with more.
type oneByOne struct{ late chan struct{} }

func (oneByOne) Name() string { return "one by one" }

func (e oneByOne) Solve(ctx context.Context, q Query, _ Limits, report func(Progress)) (*Result, error) {
	return EachHorizon(ctx, q, report, func(h int, _ func(Progress)) (*Result, error) {
		bound := int64(-7)
		switch h {
		case 2:
			return &Result{Status: Infeasible}, nil
		case 3:
			return &Result{Status: Optimal, Horizon: 3, Trace: &factored.Trace{Steps: make([]factored.Valuation, 4)}, Reward: -7, Bound: &bound}, nil
		}
		close(e.late)
		select {}
	})
}

// TestInTimePasses: an engine that ends in time answers for itself, and where
// nothing is ever late it is not asked in another way.
func TestInTimePasses(t *testing.T) {
	for _, late := range []chan struct{}{nil, make(chan struct{})} {
		e := deaf{end: make(chan struct{}), said: make(chan struct{}), res: &Result{Status: Infeasible}, err: errors.New("broken")}
		close(e.end)
		if r, err := InTime(e).Solve(context.Background(), Query{}, Limits{Late: late}, func(Progress) {}); r != e.res || err != e.err {
			t.Errorf("%v, %v", r, err)
		}
	}
}
