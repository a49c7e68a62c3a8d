package robust

import (
	"context"
	"errors"
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
