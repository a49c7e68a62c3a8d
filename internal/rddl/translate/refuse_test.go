package translate

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// load grounds a domain given by its declarations, cpfs and other sections.
func load(t *testing.T, pvariables, cpfs, rest, discount string) *ground.Problem {
	t.Helper()
	text := `domain d {
pvariables {
` + pvariables + `
};
cpfs {
` + cpfs + `
};
` + rest + `
}
instance i { domain = d; init-state { }; max-nondef-actions = pos-inf; horizon = 5; discount = ` + discount + `; }
`
	f, err := rddl.Parse("d.rddl", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	g, err := ground.File(context.Background(), f, "")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestRefused checks what cannot be compiled, and the place in the message.
func TestRefused(t *testing.T) {
	const a = "a : { action-fluent, bool, default = false };\n"
	wide := "x : { state-fluent, int, default = 0 };\n"
	big := map[string]Range{"x": {Lo: 0, Hi: 1 << 20}}
	for _, c := range []struct {
		name, pvariables, cpfs, rest string
		options                      Options
		want                         string
	}{
		{"no range", a + wide, "x' = if (a) then x + 1 else x;", "reward = 0;", Options{}, "d.rddl:4:1: x is an integer without a range, and none follows from initial values, conditions and cpfs; expected --range x=LO..HI"},
		{"growing fast", a + wide, "x' = if (a) then 3 * x + 1 else x;", "reward = 0;", Options{}, "d.rddl:4:1: x is an integer without a range"},
		{"free action", a + "k : { action-fluent, int, default = 0 };", "", "reward = 0; action-preconditions { k >= 0; };", Options{}, "d.rddl:4:1: k is an integer without a range"},
		{"real state", a + "r : { state-fluent, real, default = 0.0 };", "r' = if (a) then r + 0.1 else r;", "reward = 0;", Options{}, "d.rddl:4:1: r is real, and no finite set of values follows"},
		{"dense real", a + "r : { state-fluent, real, default = 1.0 };", "r' = r / 3;", "reward = 0;", Options{}, "d.rddl:4:1: r is real, and no finite set of values follows"},
		{"stochastic", a + "s : { state-fluent, bool, default = false };", "s' =\n  if (a) then Bernoulli(0.5) else s;", "reward = 0;", Options{}, "d.rddl:8:15: s is stochastic (Bernoulli) and not learned"},
		{"stochastic interm", a + "s : { state-fluent, bool, default = false };\ni : { interm-fluent, bool };", "i = Bernoulli(0.5);\ns' = i;", "reward = 0;", Options{}, "d.rddl:8:5: i is stochastic"},
		{"zero divisor", a + wide, "x' = div[x, x];", "reward = 0;", Options{Ranges: map[string]Range{"x": {Lo: 0, Hi: 3}}}, "d.rddl:8:6: the divisor can be 0"},
		{"wide divisor", a + wide, "x' = div[5, x + 1];", "reward = 0;", Options{Ranges: big}, "expected a constant divisor"},
		{"wide function", a + wide, "x' = round[sqrt[x]];", "reward = 0;", Options{Ranges: big}, "d.rddl:8:12: sqrt of an expression"},
		{"initial outside", a + wide, "x' = x;", "reward = 0;", Options{Ranges: map[string]Range{"x": {Lo: 1, Hi: 3}}}, "d.rddl:4:1: x starts at 0, outside its range 1..3"},
		{"rounded comparison", a + wide + "y : { state-fluent, int, default = 0 };", "x' = x; y' = y;", "reward = (sqrt[x] + sqrt[y] <= 9.5);", Options{Ranges: map[string]Range{"x": {Lo: 0, Hi: 127}, "y": {Lo: 0, Hi: 127}}}, "d.rddl:10:29: reward: the values of a function that are not fractions are rounded"},
		{"wide reward", a + wide, "x' = x;", "reward = sqrt[x];", Options{Ranges: big}, "sqrt of an expression"},
		{"large weight", a, "", "reward = 1.0e30 * a;", Options{}, "d.rddl:9:17: reward: its numbers need more than 56 bits"},
		{"observation", a + "o : { observ-fluent, bool };", "o = a;", "reward = o;", Options{}, "d.rddl:9:10: o is an observation"},
		{"range of no fluent", a, "", "reward = 0;", Options{Ranges: map[string]Range{"z": {Lo: 0, Hi: 1}}}, "there is no fluent z"},
		{"range of a Boolean", a, "", "reward = 0;", Options{Ranges: map[string]Range{"a": {Lo: 0, Hi: 1}}}, "a is neither an integer nor a real with a step"},
		{"learned action", a, "", "reward = 0;", Options{Learned: []string{"a"}}, "there is no state fluent a to be learned"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Problem(context.Background(), load(t, c.pvariables, c.cpfs, c.rest, "1.0"), c.options)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	g := load(t, a, "", "reward = a;", "0.9")
	if _, err := Problem(context.Background(), g, Options{}); err == nil || !strings.Contains(err.Error(), "--ignore-discount") {
		t.Errorf("discount: %v", err)
	}
	if _, err := Problem(context.Background(), g, Options{IgnoreDiscount: true}); err != nil {
		t.Errorf("ignored discount: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Problem(ctx, g, Options{IgnoreDiscount: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

// TestLearned checks that a learned fluent is not compiled and that the network's bits are in
// order.
func TestLearned(t *testing.T) {
	g := load(t, "s : { state-fluent, bool, default = false };\nx : { state-fluent, int, default = 0 };\na : { action-fluent, bool, default = false };",
		"s' = Bernoulli(0.5);\nx' = if (a) then min[x + 1, 3] else x;", "reward = s;", "1.0")
	c, err := Problem(context.Background(), g, Options{Learned: []string{"s"}, Ranges: map[string]Range{"x": {Lo: 0, Hi: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	var in []string
	for _, b := range c.Problem.Inputs {
		in = append(in, c.Problem.BitName(b))
	}
	if got := strings.Join(in, " "); got != "a s x#1 x#0" {
		t.Errorf("the network reads %s", got)
	}
	if len(c.Problem.Outputs) != 1 || c.Problem.BitName(c.Problem.Outputs[0]) != "s" {
		t.Errorf("the network gives %v", c.Problem.Outputs)
	}
	c, err = Problem(context.Background(), g, Options{Learned: []string{"s"}, Inputs: []string{"x", "a"}, Ranges: map[string]Range{"x": {Lo: 0, Hi: 3}}})
	if err != nil || len(c.Problem.Inputs) != 3 || c.Problem.BitName(c.Problem.Inputs[2]) != "a" {
		t.Errorf("inputs in the order asked for: %v %v", c, err)
	}
}

// TestSimplest checks the fractions that constants stand for.
func TestSimplest(t *testing.T) {
	third, tenth := 1.0/3, 0.1
	for _, c := range []struct {
		f    float64
		want rat
	}{{0.1, rat{1, 10}}, {-0.1, rat{-1, 10}}, {third, rat{1, 3}}, {-third, rat{-1, 3}}, {1 - third, rat{2, 3}}, {7, rat{7, 1}},
		{0.5, rat{1, 2}}, {2.75, rat{11, 4}}, {0.123456789, rat{123456789, 1000000000}}, {tenth + 0.2, rat{3, 10}}} {
		got := simplest(c.f)
		if got != c.want {
			t.Errorf("%v is %v, want %v", c.f, got, c.want)
		}
	}
}
