package robust

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
)

// heater is a temperature in tenths that loses a tenth of itself in each step and gains what the heater gives, with errors.
func heater(t *testing.T, lowest, highest int64) *load.Problem {
	t.Helper()
	p := factored.NewProblem("heater")
	p.Horizon = 5
	view := &factored.View{Num: 1, Den: 10}
	for _, v := range []factored.Variable{
		{Name: "heat", Kind: factored.Action, Hi: 50, View: view},
		{Name: "warm", Kind: factored.State, Hi: 400, View: view},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	warm := &p.Variables[1]
	p.Initial = warm.Equals(100, "initial")
	f := factored.Function{Variable: 1, Lo: 0, Hi: 400, Root: &factored.FunctionNode{Sum: factored.Affine{Terms: []factored.Summand{{Coef: 9, Variable: 1}, {Coef: 10, Variable: 0}}, Den: 10}}}
	if err := p.DefineFunction(f); err != nil {
		t.Fatal(err)
	}
	for _, c := range []factored.Constraint{{Op: factored.GE, K: lowest}, {Op: factored.LE, K: highest}} {
		for i := range warm.Width {
			c.Terms = append(c.Terms, factored.Term{Coef: p.Variables[1].Weight(i), Lit: factored.Lit{Bit: p.Variables[1].First + factored.Bit(i)}})
		}
		p.Goal = append(p.Goal, c)
	}
	out := &load.Problem{Task: engine.Task{Problem: p}}
	out.Residuals = map[string][]int64{"warm": {-2, 1, 0, 2, -1, 0, 1, -2, 2, 0, 1, -1, 0, 2, 1, -1}}
	out.Logged = map[string]load.Logged{"heat": {Low: 5, High: 30, Change: 10}}
	return out
}

// TestPlan: errors of .2 in each of five steps amount to .82 and rounding, so that a goal of 2 has a plan and one of 1 has none.
func TestPlan(t *testing.T) {
	for _, test := range []struct {
		low, high int64
		status    engine.Status
		says      string
	}{
		{140, 165, engine.Feasible, "the plan keeps every rule and reaches the goal in every run of 5 steps"},
		{140, 147, engine.Infeasible, "no plan holds for every error within the bands"},
	} {
		d, err := Plan(context.Background(), heater(t, test.low, test.high), Request{Against: Against{Robust: "99%"}, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		if d.Status != test.status || !strings.HasPrefix(d.Verdict, test.says) {
			t.Errorf("goal %d..%d: %s, %s", test.low, test.high, d.Status, d.Verdict)
		}
		if (d.Status == engine.Feasible) != (d.Robust.None == nil && len(d.Plan) == 5) {
			t.Errorf("goal %d..%d: %+v", test.low, test.high, d.Robust)
		}
	}
}

// TestWithinLog: actions beyond the log are told of, and left out where that is asked for.
func TestWithinLog(t *testing.T) {
	for _, within := range []bool{false, true} {
		f, err := NewFollower(context.Background(), heater(t, 200, 230), FollowRequest{Against: Against{Robust: "99%", WithinLog: within}, Horizon: 8, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if s := f.Stated(); (len(s.Outside) == 0) != within || s.Lower > s.Rate || s.Upper < s.Rate || s.Runs != scenarios {
			t.Errorf("within the log %v: %+v", within, s)
		}
	}
}

func TestNoQuantities(t *testing.T) {
	p := heater(t, 0, 1)
	p.Residuals = nil
	if _, err := Plan(context.Background(), p, Request{Against: Against{Robust: bind.DefaultShare}, Now: time.Now}); !errors.Is(err, ErrNoQuantities) {
		t.Error(err)
	}
}

// TestInputs: plans and runs take inputs as they are held or given, or hold against all values of a range.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	network := `fdplan-network 1
meta lag sun_1 = sun 1
meta function room' = 0.9*room + heat - 0.5*sun_1
meta band room 99% 1 -0.2 0.2
meta residuals room: -2 1 0 2 -1 0 1 -2 2 0 1 -1 0 2 1 -1
`
	write("room.bnn", fmt.Sprintf("%schecksum crc32c %08x\n", network, crc32.Checksum([]byte(network), crc32.MakeTable(crc32.Castagnoli))))
	task := write("task.toml", `network = "room.bnn"
horizon = 4
goal = "room >= 13.5 ^ room <= 17"
[[action]]
name = "heat"
range = "0..5 by 0.1"
[[input]]
name = "sun"
range = "0..4 by 0.5"
initial = 1
[[state]]
name = "room"
range = "0..40 by 0.1"
initial = 10
`)
	forecast := write("forecast.csv", "sun\n1\n4\n0\n")
	for _, test := range []struct {
		given  string
		status engine.Status
		says   string
	}{
		{"", engine.Feasible, "sun is held at 1.0"},
		{forecast, engine.Feasible, "at steps 1 to 3, and then 0.0"},
		{"sun=0..1", engine.Feasible, "from 0.0 to 1.0 at each step after the first"},
		{"sun=0..4", engine.Infeasible, "from 0.0 to 4.0 at each step after the first"},
	} {
		var changes load.Changes
		if test.given != "" {
			changes.Given = bind.Given{test.given}
		}
		p, err := load.Load(t.Context(), load.Ref{Name: task})
		if err == nil {
			err = p.Apply(changes)
		}
		if err != nil {
			t.Fatal(err)
		}
		d, err := Plan(t.Context(), p, Request{Against: Against{Robust: "99%"}, Now: time.Now})
		if err != nil {
			t.Fatalf("%s: %v", test.given, err)
		}
		if d.Status != test.status || !strings.Contains(load.Assumptions(d.Assumed), test.says) {
			t.Errorf("%s: %s, %s", test.given, d.Status, load.Assumptions(d.Assumed))
		}
		if len(d.Robust.Bands) != 1 {
			t.Errorf("%s: bands %+v", test.given, d.Robust.Bands)
		}
		f, err := NewFollower(t.Context(), p, FollowRequest{Against: Against{Robust: "99%"}, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if s := f.Stated(); s.Rate < .9 || strings.Contains(s.Says, "drawn evenly") != strings.Contains(test.given, "..") {
			t.Errorf("%s: %+v", test.given, s)
		}
	}
}

// TestAhead: without a reward a run that ends at the goal aims at it early, and looks some steps ahead to the end.
func TestAhead(t *testing.T) {
	m := &model{p: &load.Problem{}}
	m.p.Problem = &factored.Problem{}
	for _, c := range []struct {
		h, step, want int
		ends          bool
	}{{30, 1, 24, true}, {30, 19, 6, true}, {30, 24, 5, true}, {30, 29, 2, true}, {30, 30, 1, true}, {1, 1, 1, true}, {4, 1, 4, true}, {30, 19, 12, false}} {
		k := controller{m: m, h: c.h, ends: c.ends}
		if got := k.ahead(c.step); got != c.want {
			t.Errorf("step %d of %d: %d steps are planned; expected %d", c.step, c.h, got, c.want)
		}
	}
	m.p.Problem.Reward.Terms = []factored.RewardTerm{{}}
	if got := (&controller{m: m, h: 30, ends: true}).ahead(1); got != 30 {
		t.Errorf("with a reward %d steps are planned; expected 30", got)
	}
}
