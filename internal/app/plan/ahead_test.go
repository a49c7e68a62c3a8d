package plan

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
)

// lamps burn out now and then. Ten have to be lit, one at a time.
const lamps = `domain lamps {
	types { lamp : object; };
	pvariables {
		lit(lamp) : { state-fluent, bool, default = false };
		light(lamp) : { action-fluent, bool, default = false };
	};
	cpfs { lit'(?l) = if (lit(?l) | light(?l)) then Bernoulli(0.9) else false; };
	reward = sum_{?l : lamp} [lit'(?l)];
}
instance ten {
	domain = lamps;
	objects { lamp : {a, b, c, d, e, f, g, h, i, j}; };
	max-nondef-actions = 1; horizon = 10; discount = 1.0;
}`

// TestAhead: what is planned ahead is where engines begin, a plan that is not proven is
// replaced by a better one only, and what is proven stays.
func TestAhead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lamps.rddl")
	if err := os.WriteFile(file, []byte(lamps), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := load.Load(context.Background(), load.Ref{Source: load.Source{Domain: file, Determinize: "most-likely"}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewAhead(p, 1)
	if err != nil || a == nil {
		t.Fatal(a, err)
	}
	const best = 55 // 1 + 2 + ... + 10
	var whole []app.Values
	for _, l := range "abcdefghij" {
		whole = append(whole, app.Values{{Name: "light(" + string(l) + ")", Value: true}})
	}
	state := make(factored.Valuation, p.Problem.NumBits())
	for n, want := range map[int]int64{0: 0, 3: 27, 10: best} {
		x, err := a.Begin(p.Task, state, 10, whole[:n])
		if err != nil {
			t.Fatal(err)
		}
		if tr, reward := x.Best(); tr == nil || *app.RewardOf(p.Problem, reward) != float64(want) {
			t.Errorf("%d actions are offered as %v with reward %d, want %d", n, tr, reward, want)
		}
	}
	improve := func(d *Document) *Document {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		if _, err := a.Begin(p.Task, state, 10, whole[:3]); err != nil {
			t.Fatal(err)
		}
		if err := a.Improve(ctx, p.Task, d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := improve(&Document{Status: engine.Unknown}); d.Status != engine.Feasible || d.Reward == nil || *d.Reward < 27 || len(d.Plan) != 10 || len(d.Trace) != 11 || d.Valid.Model == nil {
		t.Errorf("%+v; want a plan of at least 27", d)
	}
	reward := float64(best)
	if d := improve(&Document{Status: engine.Feasible, Plan: whole, Reward: &reward}); d.Trace != nil || *d.Reward != best {
		t.Errorf("%+v replaces the best plan", d)
	}
	if d := improve(&Document{Status: engine.Optimal, Plan: whole[:1]}); d.Trace != nil || len(d.Plan) != 1 {
		t.Errorf("%+v replaces what was proven", d)
	}
}
