package outsource_test

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/blp"
	"github.com/fdplan/fdplan/internal/engine/outsource"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/problem/factored"
)

// small is a problem whose variables over two steps are x1 (s), x2 (a), x3, x4,
// and x5: s follows a, s must hold at the end, each a costs 1. The best plan does
// a at step 2 alone.
func small(t *testing.T) engine.Task {
	t.Helper()
	p := factored.NewProblem("small")
	for _, v := range []factored.Variable{{Name: "s", Bool: true}, {Name: "a", Kind: factored.Action, Bool: true}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	s, a := factored.Lit{Bit: 0}, factored.Lit{Bit: 1}
	one := func(l factored.Lit, k int64) factored.Constraint {
		return factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: l}}, Op: factored.EQ, K: k}
	}
	p.Initial = []factored.Constraint{one(s, 0)}
	p.Goal = []factored.Constraint{one(s, 1)}
	p.Transition = []factored.Constraint{{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: 0, Next: true}}, {Coef: -1, Lit: a}}, Op: factored.EQ}}
	p.Reward = factored.Reward{Scale: 1, Terms: []factored.RewardTerm{{Lit: a, Weight: -1}}}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return engine.Task{Problem: p}
}

// fake is an engine whose solver is a shell script with the file as $1 and, for
// blp, the solution file as $2.
func fake(t *testing.T, name, script string) engine.Engine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts stand for solvers")
	}
	file := filepath.Join(t.TempDir(), "fake")
	extsolver.WriteScript(t, file, "#!/bin/sh\n"+script+"\n")
	kind := map[string]external.Kind{"maxsat": external.MaxSAT, "pb": external.PB, "blp": external.MILP}[name]
	line := file + " {in}"
	if kind == external.MILP {
		line += " {out}"
	}
	s, err := external.Command(kind, line)
	if err != nil {
		t.Fatal(err)
	}
	switch name {
	case "maxsat":
		return outsource.MaxSAT{Solver: s}
	case "pb":
		return outsource.PB{Solver: s}
	}
	return blp.Engine{Solver: &s}
}

// say prints lines.
func say(lines ...string) string { return "printf '" + strings.Join(lines, "\\n") + "\\n'" }

// wrote puts lines into the solution file.
func wrote(lines ...string) string { return say(lines...) + " > $2" }

// TestAnswers has solvers tell the truth, lie, crash and babble.
func TestAnswers(t *testing.T) {
	const plan, worse, none = "v -1 -2 -3 4 5", "v -1 2 3 4 5", "v -1 2 3 -4 -5"
	cases := []struct {
		name, engine, script string
		known                bool   // the best plan was found elsewhere
		status               string // or, for errors, part of the message
		lie                  bool
	}{
		{"an optimum", "maxsat", say("o 2", "o 1", "s OPTIMUM FOUND", plan), false, "optimal", false},
		{"an optimum in bits", "maxsat", say("o 1", "s OPTIMUM FOUND", "v 00011"), true, "optimal", false},
		{"an optimum", "pb", say("o 1", "s OPTIMUM FOUND", "v -x1 -x2 -x3 x4 x5"), true, "optimal", false},
		{"an optimum", "blp", wrote("Optimal - objective value 1", "3 x4 1 0", "4 x5 1 0"), true, "optimal", false},
		{"no proof", "pb", say("o 2", "s SATISFIABLE", worse), false, "feasible", false},
		{"no proof", "blp", wrote("Stopped on time - objective value 2", "1 x2 1 0", "2 x3 1 0", "3 x4 1 0", "4 x5 1 0"), false, "feasible", false},
		{"no proof, better known", "pb", say("o 2", "s SATISFIABLE", worse), true, "feasible", false},

		{"an invalid plan", "maxsat", say("o 1", "s OPTIMUM FOUND", none), false, "its assignment is not a valid plan", true},
		{"an invalid plan", "pb", say("o 1", "s OPTIMUM FOUND", none), false, "its assignment is not a valid plan", true},
		{"an invalid plan", "blp", wrote("Optimal - objective value 1", "1 x2 1 0", "2 x3 1 0"), false, "its assignment is not a valid plan", true},
		{"an invalid plan, no proof", "pb", say("s SATISFIABLE", none), false, "its assignment is not a valid plan", true},
		{"a wrong count", "maxsat", say("o 0", "s OPTIMUM FOUND", plan), false, "it counts the reward", true},
		{"a wrong count", "blp", wrote("Optimal - objective value 0", "3 x4 1 0", "4 x5 1 0"), false, "it counts the reward", true},
		{"an optimum that is none", "pb", say("o 2", "s OPTIMUM FOUND", worse), true, "claims that -2 is the best", true},
		{"no plan although there is one", "pb", say("s UNSATISFIABLE"), true, "claims that there is no plan", true},
		{"no plan although there is one", "blp", wrote("Infeasible - objective value 0"), true, "claims that there is no plan", true},

		{"a crash", "maxsat", "echo out of luck >&2; exit 3", false, "ended without an answer: exit status 3; its last words: \"out of luck\"", false},
		{"a crash", "blp", "kill -SEGV $$", false, "ended without an answer: signal", false},
		{"babble", "pb", say("s MAYBE"), false, "is not understood", false},
		{"babble", "maxsat", say("o 1", "s OPTIMUM FOUND", "v 1 two"), false, "is not understood", false},
		{"babble", "blp", wrote("42"), false, "is not understood", false},
		{"half a unit", "blp", wrote("Optimal - objective value 1", "3 x4 0.5 0"), false, "expected the value 0 or 1", false},
		{"silence", "blp", "true", false, "ended without a verdict", false},
	}
	for _, c := range cases {
		t.Run(c.engine+" "+c.name, func(t *testing.T) {
			t.Parallel()
			task := small(t)
			var l engine.Limits
			if c.known {
				best, err := search.Engine{}.Solve(context.Background(), engine.Query{Task: task, MinHorizon: 2, MaxHorizon: 2}, l, nil)
				if err != nil {
					t.Fatal(err)
				}
				l.Shared = &engine.Exchange{}
				l.Shared.Offer(best.Trace, best.Reward)
			}
			res, err := fake(t, c.engine, c.script).Solve(context.Background(), engine.Query{Task: task, MinHorizon: 2, MaxHorizon: 2}, l, nil)
			var lie *outsource.LieError
			switch {
			case err == nil && string(res.Status) != c.status:
				t.Errorf("status %s, expected %s", res.Status, c.status)
			case err == nil && res.Status == engine.Optimal && (res.Reward != -1 || *res.Bound != -1):
				t.Errorf("reward %d", res.Reward)
			case err == nil && c.known && res.Reward != -1:
				t.Errorf("reward %d, a better one was known", res.Reward)
			case err != nil && !strings.Contains(err.Error(), c.status):
				t.Errorf("got %v, expected %q", err, c.status)
			case errors.As(err, &lie) != c.lie:
				t.Errorf("got %v, is it a lie: %v", err, c.lie)
			case err != nil && !strings.Contains(err.Error(), "fake"):
				t.Errorf("%v does not name the solver", err)
			}
		})
	}
}

// TestTime has solvers that do not end: their last plan counts, or that which branch and cut
// starts from, and the engine returns in time.
func TestTime(t *testing.T) {
	for name, script := range map[string]string{
		"maxsat": "trap '' TERM\n" + say("o 2", "v -1 2 3 4 5") + "\nsleep 60",
		"pb":     say("o 2", "v -x1 x2 x3 x4 x5") + "\nsleep 60",
		"blp":    "sleep 60",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reason := errors.New("time is up")
			ctx, cancel := context.WithTimeoutCause(context.Background(), time.Second, reason)
			defer cancel()
			began := time.Now()
			res, err := fake(t, name, script).Solve(ctx, engine.Query{Task: small(t), MinHorizon: 2, MaxHorizon: 2}, engine.Limits{}, nil)
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
			want := int64(-2)
			if name == "blp" {
				want = -1
			}
			if err != nil || res.Status != engine.Feasible || res.Reward != want || res.Reason != reason.Error() {
				t.Errorf("got %+v, %v; expected a plan of %d", res, err, want)
			}
		})
	}
}

// TestLieOnTheWay stops a solver whose incumbent is none.
func TestLieOnTheWay(t *testing.T) {
	began := time.Now()
	e := fake(t, "pb", say("o 2", "v -x1 x2 x3 -x4 -x5", "o 1", "o 0")+"\nsleep 60")
	_, err := e.Solve(context.Background(), engine.Query{Task: small(t), MinHorizon: 2, MaxHorizon: 2}, engine.Limits{}, nil)
	var lie *outsource.LieError
	if !errors.As(err, &lie) || time.Since(began) > 10*time.Second {
		t.Errorf("got %v after %v", err, time.Since(began))
	}
}
