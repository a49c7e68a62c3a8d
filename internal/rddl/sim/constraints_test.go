package sim_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/source"
)

// tank is a counter: level grows by fill (0..3), falls by one on drain, must stay below 6,
// and may be filled only while below 4; the episode ends at level 5. The intermediate fluent
// full is true if level >= 5.
func tank() *ground.Problem {
	b := newBuilder("tank")
	b.State("level", ground.Int, 1)
	b.Action("fill", ground.Int, 0)
	b.Action("drain", ground.Bool, 0)
	b.Computed("full", ground.Interm, ground.Bool, b.Op(ground.Ge, b.Ref("level"), b.C(5)))
	b.CPF("level", b.Op(ground.Sub, b.Op(ground.Add, b.Ref("level"), b.Ref("fill")), b.Ref("drain")))
	b.Precondition("fill > 0 => level < 4", b.Op(ground.Implies, b.Op(ground.Gt, b.Ref("fill"), b.C(0)), b.Op(ground.Lt, b.Ref("level"), b.C(4))))
	b.Invariant("level < 6", b.Op(ground.Lt, b.Ref("level"), b.C(6)))
	b.Termination("full", b.Ref("full"))
	// The level before the step, plus ten times that after it.
	b.P.Reward = b.Op(ground.Add, b.Ref("level"), b.Op(ground.Mul, b.C(10), b.Ref("level'")))
	b.P.MaxActions = 1
	b.P.Horizon = 4
	b.P.Discount = 0.5
	return b.P
}

var tankRanges = sim.WithRanges(sim.Ranges{"level": {Lo: 0, Hi: 7}, "fill": {Lo: 0, Hi: 3}})

func mustNew(t *testing.T, p *ground.Problem, opts ...sim.Option) *sim.Simulator {
	t.Helper()
	s, err := sim.New(p, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestViolations(t *testing.T) {
	p := tank()
	pre, inv := p.Preconditions[0].Pos, p.Invariants[0].Pos
	level, fill := p.Fluents[0].Pos, p.Fluents[1].Pos
	r := mustNew(t, p, tankRanges).NewRunner(nil)
	for _, c := range []struct {
		state  float64
		action []float64
		kind   sim.Kind
		pos    ground.Pos
		taken  bool
		want   string
	}{
		{4, []float64{2, 0}, sim.Precondition, pre, false, "step 1: the precondition does not hold: fill > 0 => level < 4 (level = 4, fill = 2)"},
		{1, []float64{2, 1}, sim.MaxActions, ground.Pos{}, false, "step 1: too many actions at once: 2 actions are not at their default, max-nondef-actions allows 1 (fill = 2, drain = true)"},
		{1, []float64{4, 0}, sim.OutOfRange, fill, false, "step 1: a value is out of range: fill is an integer in 0..3 (fill = 4)"},
		{1, []float64{0.5, 0}, sim.OutOfRange, fill, false, "(fill = 0.5)"},
		{3, []float64{3, 0}, sim.Invariant, inv, true, "step 2: the invariant does not hold: level < 6 (level = 6)"},
		{0, []float64{0, 1}, sim.OutOfRange, p.Fluents[0].CPF.Pos, false, "step 2: a value is out of range: level is an integer in 0..7 (level' = -1, level = 0, fill = 0, drain = true)"},
	} {
		if err := r.SetState([]float64{c.state}); err != nil {
			t.Fatal(err)
		}
		_, err := r.Step(c.action)
		var v *sim.Violation
		var src *source.Error
		if !errors.As(err, &v) || !errors.As(err, &src) || v.Kind != c.kind || v.Pos != c.pos || !strings.Contains(err.Error(), c.want) {
			t.Errorf("level %v, action %v: got %v, want %s", c.state, c.action, err, c.want)
		}
		if got := r.Steps() == 1; got != c.taken {
			t.Errorf("level %v, action %v: taken %v", c.state, c.action, got)
		}
	}
	for state, want := range map[float64]string{
		6:  "step 1: the invariant does not hold: level < 6 (level = 6)",
		-1: "level is an integer in 0..7 (level = -1)",
	} {
		if err := r.SetState([]float64{state}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("state %v: got %v", state, err)
		}
	}
	_ = level
	if _, err := r.Step([]float64{1}); err == nil {
		t.Error("a joint action of the wrong length is taken")
	}
	if err := r.SetState(nil); err == nil {
		t.Error("a state of the wrong length is taken")
	}
}

// TestReward: unprimed is the state before the step, primed the one after.
func TestReward(t *testing.T) {
	r := mustNew(t, tank()).NewRunner(nil)
	reward, err := r.Step([]float64{2, 0})
	if err != nil || reward != 1+10*3 {
		t.Errorf("got %v, %v", reward, err)
	}
}

// TestConditionErrors: a condition that cannot be evaluated is an error at its
// place, and not a violation.
func TestConditionErrors(t *testing.T) {
	for want, spoil := range map[string]func(b *builder, bad *node){
		"step 1, precondition bad: division by zero: 1 / 0 (x = 0)": func(b *builder, bad *node) {
			b.Precondition("bad", b.Op(ground.And, b.Op(ground.Not, b.Ref("a")), bad))
		},
		"step 1, invariant bad: division by zero":             func(b *builder, bad *node) { b.Invariant("bad", bad) },
		"step 1, termination condition bad: division by zero": func(b *builder, bad *node) { b.Termination("bad", bad) },
		"step 1, reward: division by zero":                    func(b *builder, bad *node) { b.P.Reward = bad.Args[0] },
		"step 1, reward: the reward is not a finite number":   func(b *builder, _ *node) { b.P.Reward = b.Op(ground.Mul, b.C(1e300), b.C(1e300)) },
	} {
		b := newBuilder("conditions")
		b.State("x", ground.Int, 0)
		b.Action("a", ground.Bool, 0)
		b.CPF("x", b.Ref("x"))
		spoil(b, b.Op(ground.Lt, b.Op(ground.Div, b.C(1), b.Ref("x")), b.C(1)))
		_, err := mustNew(t, b.P).NewRunner(nil).Run(sim.Noop{}, 1, nil)
		var v *sim.Violation
		if err == nil || errors.As(err, &v) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestRefusedProblems checks inconsistent problems.
func TestRefusedProblems(t *testing.T) {
	for want, spoil := range map[string]func(b *builder){
		"reads x', expected fluents of the present": func(b *builder) { b.Precondition("p", b.Op(ground.Gt, b.Ref("x'"), b.C(0))) },
		"is random, expected one":                   func(b *builder) { b.Invariant("p", b.Random(ground.Bool, "Bernoulli", b.C(0.5))) },
		"reads the action a":                        func(b *builder) { b.Invariant("p", b.Ref("a")) },
		"reads r, whose value is drawn": func(b *builder) {
			b.Computed("r", ground.Interm, ground.Bool, b.Random(ground.Bool, "Bernoulli", b.C(0.5)))
			b.Precondition("p", b.Ref("r"))
		},
		"reads the action a, expected a condition on states": func(b *builder) {
			b.Computed("r", ground.Interm, ground.Bool, b.Ref("a"))
			b.Termination("p", b.Ref("r"))
		},
		"x has the range 3..1":  func(b *builder) { b.State("z", ground.Bool, 0) },
		"default 0 of the acti": func(b *builder) { b.Action("n", ground.Int, 0) },
	} {
		b := newBuilder("refused")
		b.State("x", ground.Int, 0)
		b.Action("a", ground.Bool, 0)
		b.CPF("x", b.Ref("x"))
		spoil(b)
		ranges := sim.Ranges{"n": {Lo: 1, Hi: 2}}
		if want == "x has the range 3..1" {
			ranges["x"] = sim.Range{Lo: 3, Hi: 1}
		}
		if _, err := sim.New(b.P, sim.WithRanges(ranges)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestEpisodes: termination, the horizon, the end of a plan, and a violation.
func TestEpisodes(t *testing.T) {
	r := mustNew(t, tank(), tankRanges).NewRunner(nil)
	for _, c := range []struct {
		plan  sim.Policy
		steps int
		want  sim.Episode
		err   string
	}{
		{sim.Noop{}, 0, sim.Episode{Steps: 4, Reward: 44, Discounted: 11 * 1.875, End: sim.AtHorizon}, ""},
		{sim.Noop{}, 2, sim.Episode{Steps: 2, Reward: 22, Discounted: 16.5, End: sim.AtHorizon}, ""},
		{sim.Plan{{2, 0}, {2, 0}, {0, 1}}, 0, sim.Episode{Steps: 2, Reward: 31 + 53, Discounted: 31 + 26.5, End: sim.AtTerminal}, ""},
		{sim.Plan{{2, 0}}, 0, sim.Episode{Steps: 1, Reward: 31, Discounted: 31, End: sim.AtPlanEnd}, ""},
		{sim.Plan{{2, 0}, {3, 0}}, 0, sim.Episode{Steps: 2, Reward: 31 + 63, Discounted: 31 + 31.5, End: sim.AtError}, "step 3: the invariant"},
		{sim.Plan{{0, 1}, {1, 1}}, 0, sim.Episode{Steps: 1, Reward: 1, Discounted: 1, End: sim.AtError}, "step 2: too many"},
	} {
		got, err := r.Run(c.plan, c.steps, nil)
		if !reflect.DeepEqual(got, c.want) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: got %+v, %v; want %+v, %s", c.plan, got, err, c.want, c.err)
		}
	}
}

func TestTraceCSV(t *testing.T) {
	b := newBuilder("trace")
	b.State("at(a,b)", ground.Bool, 1)
	b.State("mode", ground.Enum, 0, "@slow", "@fast")
	b.Action("go", ground.Bool, 0)
	b.Computed("speed", ground.Interm, ground.Real, b.Op(ground.Div, b.Op(ground.Add, b.C(1), b.Ref("go")), b.C(4)))
	b.CPF("at(a,b)", b.Op(ground.Not, b.Ref("go")))
	b.CPF("mode", b.Op(ground.If, b.Ref("go"), b.C(1), b.Ref("mode")))
	b.Computed("seen", ground.Observ, ground.Bool, b.Ref("at(a,b)'"))
	b.P.Reward = b.Op(ground.Neg, b.Ref("speed"))
	s := mustNew(t, b.P)
	var out strings.Builder
	trace, err := sim.NewTrace(&out, s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.NewRunner(nil).Run(sim.Plan{{0}, {1}}, 5, trace); err != nil {
		t.Fatal(err)
	}
	const want = `step,"at(a,b)",mode,go,speed,seen,reward
1,true,@slow,false,0.25,true,-0.25
2,true,@slow,true,0.5,false,-0.5
3,false,@fast,,,,
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// TestManyValues: a message lists a dozen values, those that are not 0 first.
func TestManyValues(t *testing.T) {
	b := newBuilder("many")
	var args []*node
	for i := range 30 {
		name := "s(x" + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + ")"
		b.State(name, ground.Bool, float64(i/29))
		b.CPF(name, b.Ref(name))
		args = append(args, b.Op(ground.Not, b.Ref(name)))
	}
	b.Invariant("none", b.Op(ground.And, args...))
	err := mustNew(t, b.P).NewRunner(nil).Reset()
	if err == nil || !strings.Contains(err.Error(), "none (s(xdx) = true, s(xa) = false,") || !strings.HasSuffix(err.Error(), ", and 18 more)") {
		t.Errorf("got %v", err)
	}
}

func TestStepsAllocateNothing(t *testing.T) {
	s := mustNew(t, sysAdmin(5, 3))
	r := s.NewRunner(nil)
	action := []float64{1, 1, 0, 0, 0}
	if n := testing.AllocsPerRun(100, func() {
		_ = r.Reset()
		if _, err := r.Step(action); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}
