package simulator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/factored"
)

// TestReplay: where plans fail, and how many of their actions are to blame.
func TestReplay(t *testing.T) {
	p := counter(t)
	rules := []Rules{ProblemRules{p}}
	for _, c := range []struct {
		name    string
		modes   []string
		rules   []Rules
		start   string // "" for the system's own
		plan    []string
		failure string // "" for none
		prefix  int
		reward  float64
		asked   int
	}{
		{"holds", nil, rules, "", []string{"inc", "", "toggle", "inc"}, "", 0, -3, 4},
		{"the system's reward", []string{"rewards"}, rules, "", []string{"inc", "toggle", "inc"}, "", 0, 2, 3},
		{"goal", nil, rules, "", []string{"inc", "inc"}, "step 3: the goal constraint on == 1 fails (counter:4); on=false", 2, -2, 2},
		{"no rules, no goal", nil, nil, "", []string{"inc toggle"}, "", 0, -2, 1},
		{"the system's goal", []string{"goal"}, rules, "", []string{"inc"}, "", 0, -1, 1},
		{"not the system's goal", []string{"goal"}, rules, "", []string{"inc", "inc"}, "step 3: the goal of the simulator does not hold", 2, -2, 2},
		{"an action of C", nil, rules, "", []string{"inc", "inc toggle", "inc"}, "step 2: the global constraint inc + toggle <= 1 fails (counter:2); inc=true, toggle=true", 2, -1, 1},
		{"a state of C", []string{"any"}, rules, "x=5", []string{"inc", "inc", "toggle"}, "step 3: the global constraint x <= 6 fails (counter:1); x=7", 2, -2, 2},
		{"the first state of C", []string{"any"}, rules, "x=7", []string{"inc"}, "step 1: the global constraint x <= 6 fails (counter:1); x=7", 0, 0, 0},
		{"refused", []string{"judges"}, nil, "", []string{"inc", "inc toggle"}, "step 2: the simulator constraint one thing at a time fails; inc=true, toggle=1, x=2.5", 2, -1, 2},
		{"judged", []string{"judges"}, nil, "", []string{"inc", "inc", "inc", "inc"}, "step 4: the simulator constraint x < 3 fails", 3, -3, 3},
		{"out of range", []string{"range"}, rules, "", []string{"inc", "inc"}, "step 3: the global constraint x <= 6 fails (counter:1); x=7", 2, -2, 2},
		{"terminal at the end", []string{"ends"}, nil, "", []string{"inc", "inc"}, "", 0, -2, 2},
		{"terminal before it", []string{"ends"}, rules, "", []string{"inc", "inc", "toggle"}, "step 3: a termination condition holds, but the plan goes on", 2, -2, 2},
		{"begins as planned", nil, rules, "x=0", []string{"inc", "inc", "toggle"}, "", 0, -3, 3},
		{"begins elsewhere", []string{"begins-elsewhere"}, rules, "x=2 on", []string{"inc"}, "step 1: the plan begins with x=2, on=true, the simulator with x=1, on=false", 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := NewSession(p, begin(t, p, c.modes...), Options{Rules: c.rules})
			var start factored.Valuation
			if c.start != "" {
				start = valuation(t, p, c.start)
			}
			run, err := s.Replay(context.Background(), start, actions(t, p, c.plan...))
			if err != nil {
				t.Fatal(err)
			}
			failure, prefix := "", 0
			if run.Failure != nil {
				failure, prefix = run.Failure.Error(), run.Failure.Prefix
			}
			if failure != c.failure || prefix != c.prefix {
				t.Errorf("fails with %q, prefix %d; want %q, %d", failure, prefix, c.failure, c.prefix)
			}
			if run.Reward == nil || *run.Reward != c.reward || run.Asked != c.asked || s.Steps() != c.asked {
				t.Errorf("reward %v, %d steps asked; want %v, %d", *run.Reward, run.Asked, c.reward, c.asked)
			}
		})
	}
}

func TestNonDeterminism(t *testing.T) {
	p := counter(t)
	ctx := context.Background()
	for _, c := range []struct {
		modes []string
		plans [][]string
		want  string // "" for none
	}{
		// The third step of the session leads elsewhere.
		{[]string{"moody"}, [][]string{{"inc", "toggle"}, {"inc"}},
			"to action inc=true in state nothing it answered x=1 (at its step 1) and x=2 (at its step 3)"},
		// This is asked for the first time, so no difference can be noticed.
		{[]string{"moody"}, [][]string{{"inc", "inc"}, {"toggle"}}, ""},
		// It declares itself deterministic, and is caught when the way to a new step leads
		// through known ones.
		{[]string{"liar", "deterministic"}, [][]string{{"toggle", "inc"}, {"toggle", "toggle"}},
			"to action toggle=true in state nothing it answered x=0 (at its step 1) and x=1 (at its step 3)"},
	} {
		s := NewSession(p, begin(t, p, c.modes...), Options{})
		var err error
		for _, plan := range c.plans {
			if _, err = s.Replay(ctx, nil, actions(t, p, plan...)); err != nil {
				break
			}
		}
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%v: %v", c.modes, err)
		case c.want != "" && (!errors.Is(err, ErrNonDeterminism) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v: got %v", c.modes, err)
		}
	}
}

// TestMemory counts the steps that repeated plans cost. Every plan has two steps; the second
// and the third share the first step of the first.
func TestMemory(t *testing.T) {
	p := counter(t)
	ctx := context.Background()
	plans := [][]string{{"inc", "toggle"}, {"inc", "inc"}, {"inc", "toggle"}}
	for _, c := range []struct {
		modes []string
		asked []int
	}{
		{nil, []int{2, 2, 2}},
		{[]string{"any"}, []int{2, 2, 2}},
		{[]string{"deterministic"}, []int{2, 2, 0}},
		{[]string{"deterministic", "any"}, []int{2, 1, 0}},
	} {
		seen := 0
		s := NewSession(p, begin(t, p, c.modes...), Options{Observe: func(Transition) error { seen++; return nil }})
		for i, plan := range plans {
			run, err := s.Replay(ctx, nil, actions(t, p, plan...))
			if err != nil {
				t.Fatal(err)
			}
			if run.Asked != c.asked[i] || len(run.Answers) != 3 {
				t.Errorf("%v, plan %d: %d steps, want %d", c.modes, i, run.Asked, c.asked[i])
			}
		}
		if seen != 3 {
			t.Errorf("%v: %d transitions observed, 3 are different", c.modes, seen)
		}
	}
}

func TestBudget(t *testing.T) {
	p := counter(t)
	s := NewSession(p, begin(t, p), Options{MaxSteps: 3})
	if _, err := s.Replay(context.Background(), nil, actions(t, p, "inc", "toggle")); err != nil {
		t.Fatal(err)
	}
	_, err := s.Replay(context.Background(), nil, actions(t, p, "inc", "inc"))
	if !errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), ": 3 were allowed") || s.Steps() != 3 {
		t.Errorf("got %v after %d steps", err, s.Steps())
	}
}

func TestPartial(t *testing.T) {
	p := counter(t)
	ctx := context.Background()
	s := NewSession(p, begin(t, p, "partial"), Options{Rules: []Rules{ProblemRules{p}}})
	if err := s.RequireFull("planning"); !errors.Is(err, ErrPartial) || !strings.Contains(err.Error(), "which planning needs") {
		t.Errorf("got %v", err)
	}
	// The goal cannot be evaluated.
	if _, err := s.Replay(ctx, nil, actions(t, p, "inc")); !errors.Is(err, ErrPartial) || !strings.Contains(err.Error(), "not observed: on") {
		t.Errorf("got %v", err)
	}
	// The system evaluates it. The same observed state may be left in two ways, so answers
	// are not compared: toggling is not observed.
	s = NewSession(p, begin(t, p, "partial", "goal", "judges"), Options{Rules: []Rules{ProblemRules{p}}})
	for _, plan := range [][]string{{"inc"}, {"toggle", "inc"}} {
		run, err := s.Replay(ctx, nil, actions(t, p, plan...))
		if err != nil || run.Failure != nil || run.Reward != nil {
			t.Errorf("%v: %+v, %v", plan, run, err)
		}
	}
	// C is not checked on a state that is not observed: the system refuses.
	run, err := s.Replay(ctx, nil, actions(t, p, "inc toggle"))
	if err != nil || run.Failure == nil || run.Failure.Group != "simulator" {
		t.Errorf("got %+v, %v", run, err)
	}
	s = NewSession(p, begin(t, p, "partial", "goal"), Options{Observe: func(Transition) error { return nil }})
	if _, err := s.Replay(ctx, nil, actions(t, p, "inc")); !errors.Is(err, ErrPartial) {
		t.Errorf("recording: %v", err)
	}
}

func TestReset(t *testing.T) {
	p := counter(t)
	s := NewSession(p, begin(t, p, "any", "begins-elsewhere"), Options{})
	_, err := s.Replay(context.Background(), valuation(t, p, "x=3"), actions(t, p, "inc"))
	if !errors.Is(err, ErrReset) || !strings.Contains(err.Error(), "it was asked for x=3 and shows x=1") {
		t.Errorf("got %v", err)
	}
}

// TestRequired checks conditions of the user's on states, actions and steps.
func TestRequired(t *testing.T) {
	p := counter(t)
	x := func(val factored.Valuation) int64 { return p.Variables[0].Value(val) }
	shown := func(now, next factored.Valuation) []Value { return []Value{ValueOf(&p.Variables[0], now)} }
	rules := RequiredRules{
		{Text: "x < 3", Holds: func(now, _ factored.Valuation) bool { return x(now) < 3 }, Variables: shown},
		{Text: "inc => on", Action: true, Holds: func(now, _ factored.Valuation) bool { return !now[4] || now[3] }, Variables: shown},
		{Text: "x' < x + 1 | x < 1", Next: true, Holds: func(now, next factored.Valuation) bool { return x(next) < x(now)+1 || x(now) < 1 }, Variables: shown},
	}
	for i, c := range []struct {
		plan   []string
		want   string
		prefix int
	}{
		{[]string{"toggle", "inc"}, "", 0},
		{[]string{"toggle", "inc", "toggle", "inc"}, "step 4: the require constraint inc => on fails; x=1", 4},
		{[]string{"toggle", "inc", "inc"}, "step 3: the require constraint x' < x + 1 | x < 1 fails; x=1", 3},
	} {
		run, err := NewSession(p, begin(t, p), Options{Rules: []Rules{rules}}).Replay(context.Background(), nil, actions(t, p, c.plan...))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if run.Failure != nil {
			got = fmt.Sprintf("%v (prefix %d)", run.Failure, run.Failure.Prefix)
			c.want = fmt.Sprintf("%s (prefix %d)", c.want, c.prefix)
		}
		if got != c.want {
			t.Errorf("%d: got %q, want %q", i, got, c.want)
		}
	}
	run, err := NewSession(p, begin(t, p, "any"), Options{Rules: []Rules{rules}}).Replay(context.Background(), valuation(t, p, "x=3"), actions(t, p, ""))
	if err != nil || run.Failure == nil || run.Failure.Error() != "step 1: the require constraint x < 3 fails; x=3" || run.Failure.Prefix != 0 {
		t.Errorf("got %+v, %v", run.Failure, err)
	}
}
