package search_test

import (
	"context"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// TestPolish improves the worst plans of problems by local search. Every plan on the way keeps the
// rules and has the reward that is counted. Where few bits make a plan better, it becomes optimal.
func TestPolish(t *testing.T) {
	polish := func(p *factored.Problem, horizon int) (first, last, most int64) {
		t.Helper()
		best := polishStart(t, p, horizon, 1)
		if best.Trace == nil {
			return 0, 0, 0
		}
		first, last, ok, err := search.Polish(engine.Task{Problem: p}, polishStart(t, p, horizon, -1).Trace, 400, func(tr *factored.Trace, reward int64) {
			report, err := validate.Check(p, nil, validate.FromTrace(tr))
			if err != nil || !report.Valid || report.Reward != reward {
				t.Fatalf("the checker says %+v, %v of a plan of %d", report, err, reward)
			}
		})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if last < first || last > best.Reward {
			t.Fatalf("%d, from %d; the best is %d", last, first, best.Reward)
		}
		return first, last, best.Reward
	}
	better := 0
	for seed := range uint64(16) {
		if first, last, _ := polish(randprob.Tokens(seed, 1+int(seed%3), 4, 1, seed%4 > 0), 6); last > first {
			better++
		}
	}
	if better < 4 {
		t.Errorf("only %d plans of tokens were improved", better)
	}
	for goal := range 4 {
		if first, last, most := polish(switches(t, 9, goal), 4); last != most || first == last {
			t.Errorf("%d switches have to be on: %d from %d, the best is %d", goal, last, first, most)
		}
	}
}

// polishStart is a plan of the best reward with all weights times sign.
func polishStart(t *testing.T, p *factored.Problem, horizon int, sign int64) *engine.Result {
	t.Helper()
	terms := p.Reward.Terms
	defer func() { p.Reward.Terms = terms }()
	p.Reward.Terms = slices.Clone(terms)
	for i := range p.Reward.Terms {
		p.Reward.Terms[i].Weight *= sign
	}
	res, err := search.Engine{Without: search.Tables | search.CheapestWay}.Solve(context.Background(), engine.Query{Task: engine.Task{Problem: p}, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res
}
