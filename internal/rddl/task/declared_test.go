package task

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/factored"
)

const declared = `goal = "load < 200 ^ door == @open"
reward = "-0.5*go - 2*(load >= 400) + 0.25*floor"
rules = ["door == @open => ~go"]
learned = ["floor", "load"]

[[state]]
name = "floor"
range = [0, 3]
initial = 2

[[state]]
name = "load"
edges = [0, 200, 400, 800]
unit = "kg"
initial = 250.5

[[state]]
name = "door"
values = ["closed", "open"]

[[action]]
name = "go"
`

// TestDeclared compiles a task without RDDL.
func TestDeclared(t *testing.T) {
	k, err := Parse("t.toml", []byte(declared))
	if err != nil {
		t.Fatal(err)
	}
	p, err := k.Factored("lift")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Outputs) != 4 || len(p.Inputs) != 6 || len(p.Initial) != 4 || p.Reward.Scale != 4 {
		t.Errorf("%d outputs, %d inputs, %d initial values, scale %d", len(p.Outputs), len(p.Inputs), len(p.Initial), p.Reward.Scale)
	}
	val := make(factored.Valuation, p.NumBits())
	for name, text := range map[string]string{"floor": "3", "load": "199", "door": "open"} {
		v, _ := p.Lookup(name)
		x, err := v.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Set(val, x); err != nil {
			t.Fatal(err)
		}
	}
	holds := func() bool {
		for i := range p.Goal {
			if !p.Goal[i].Holds(val, nil) {
				return false
			}
		}
		return true
	}
	if !holds() {
		t.Error("the goal does not hold")
	}
	load, _ := p.Lookup("load")
	if err := load.Set(val, 1); err != nil {
		t.Fatal(err)
	}
	if holds() {
		t.Error("the goal holds with 200 kg")
	}
}

func TestDeclaredErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`range = [0, 3]`, `range = [3, 0]`, "t.toml:7:8: this is not a range for floor"},
		{`initial = 2`, `initial = 7`, "t.toml:9:11: floor cannot be 7; its range is 0..3"},
		{`initial = 2`, "outside = \"end\"\ninitial = 4", "t.toml:10:11: floor cannot be 4; its range is 0..3"},
		{`initial = 2`, `outside = "stop"`, "t.toml:7:8: floor has outside = \"stop\"; expected \"clamp\" or \"end\""},
		{`unit = "kg"`, `outside = "end"`, "t.toml:12:8: load has no range that a step can leave"},
		{`name = "go"`, "name = \"go\"\nrange = [0, 1]\noutside = \"end\"", "t.toml:22:8: go has no range that a step can leave"},
		{`initial = 2`, `initial = true`, "t.toml:9:11: true is not a value of floor"},
		{`initial = 250.5`, `initial = 900`, "t.toml:15:11: load cannot be 900; its range is 0..800 kg"},
		{`"closed", "open"]`, `"closed", "closed"]`, "t.toml:18:8: door has the value \"closed\" twice"},
		{`name = "go"`, `name = "7go"`, "t.toml:22:8: \"7go\" is not a name"},
		{`name = "go"`, `name = "floor"`, "t.toml:7:8: variable floor is declared twice"},
		{`load < 200`, `load < 250`, "t.toml:1:8: load < 250 ^ door == @open: 1:6: load < 250: 250 lies inside the bin 200–400 kg"},
		{`load < 200`, `load < 900`, "t.toml:1:8: "},
		{`load < 200`, `go`, "t.toml:1:8: "},
		{`-0.5*go`, `-0.5*load`, "t.toml:2:10: "},
		{`"floor", "load"]`, `"floor", "lod"]`, "t.toml:4:11: there is no state fluent lod"},
		{`[[action]]`, "domain = 3\n[[action]]", "t.toml:"},
		{`goal`, "domain = \"d.rddl\"\ngoal", "t.toml:1:1: the domain declares fluents"},
		{`~go`, `~gone`, "t.toml:3:9: rule 1, "},
		{"[\"door == @open => ~go\"]", "[\"go(B)\"]\nentity = [{name = \"B\"}]", "t.toml:3:9: rule 1, go(B): 1:1: there is no variable go(B) in lift; a rule holds for each entity, and a constraint that names them, as (B), is one of plans: --require with --entity"},
		{`initial = 2`, "[[state]]\nname = \"x\"\nlag = {of = \"flor\"}", "t.toml:11:7: x is a lag of \"flor\", and there is no such state or action"},
		{`initial = 2`, "[[state]]\nname = \"x\"\nlag = {of = \"floor\", by = 2}", "t.toml:11:7: x is a lag of floor by 2 steps; expected a state that is one by 1 too"},
		{`initial = 2`, "[[state]]\nname = \"x\"\nlag = {of = \"floor\", by = 0}", "t.toml:11:7: x is a lag by 0 steps"},
		{`initial = 2`, "[[state]]\nname = \"x\"\nrange = [0, 3]\nlag = {of = \"floor\"}", "t.toml:12:7: x is a lag, and has the type of floor"},
		{`"floor", "load"]`, "\"floor\", \"x\"]\n[[state]]\nname = \"x\"\nlag = {of = \"floor\"}", "t.toml:4:11: x is a lag of floor, which is known"},
	} {
		k, err := Parse("t.toml", []byte(strings.Replace(declared, c.old, c.new, 1)))
		if err == nil {
			_, err = k.Factored("lift")
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}

// TestDefaults: only a value that is declared to do nothing is omitted, and false.
func TestDefaults(t *testing.T) {
	for action, want := range map[string]struct {
		has     bool
		omitted int64
	}{
		`values = ["dropoff", "wait"]`:                         {},
		"values = [\"dropoff\", \"wait\"]\ndefault = \"wait\"": {true, 1},
		`range = [0, 3]`:                    {},
		"range = [1, 4]\ndefault = 1":       {true, 1},
		`edges = [0, 10, 20]`:               {},
		"edges = [0, 10, 20]\ndefault = 12": {true, 1},
		``:                                  {true, 0},
		`listed = true`:                     {},
	} {
		k, err := Parse("t.toml", []byte("[[state]]\nname = \"s\"\n[[action]]\nname = \"a\"\n"+action))
		if err != nil {
			t.Fatal(err)
		}
		p, err := k.Factored("x")
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := p.Lookup("a"); v.HasDefault() != want.has || want.has && v.Default != want.omitted {
			t.Errorf("%q: default %d of %s", action, v.Default, v.RangeText())
		}
	}
	for _, text := range []string{"listed = true\ndefault = false", "listed = true\n[[state]]\nname=\"z\"\nlisted = true"} {
		if _, err := Parse("t.toml", []byte("[[state]]\nname = \"s\"\n[[action]]\nname = \"a\"\n"+text)); err == nil || !strings.Contains(err.Error(), "cannot be listed") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestLags: lags have the type and the first value of what they are lags of, are read by the network and known.
func TestLags(t *testing.T) {
	k, err := Parse("t.toml", []byte(strings.Replace(declared, "[[action]]", `[[state]]
name = "before"
lag = {of = "load"}
[[state]]
name = "went"
lag = {of = "go", by = 1}
[[state]]
name = "earlier"
lag = {of = "load", by = 2}
initial = 600
[[action]]`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	p, err := k.Factored("lift")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Outputs) != 4 || len(p.Inputs) != 11 {
		t.Errorf("%d outputs, %d inputs", len(p.Outputs), len(p.Inputs))
	}
	now, _ := p.InitialBits()
	show := func(val factored.Valuation) string {
		var out []string
		for _, name := range []string{"load", "before", "earlier", "went"} {
			v, _ := p.Lookup(name)
			out = append(out, fmt.Sprint(v.Show(v.Value(val))))
		}
		return strings.Join(out, " ")
	}
	if got := show(now); got != "200–400 kg 200–400 kg 400–800 kg false" {
		t.Error(got)
	}
	next := slices.Clone(now)
	load, _ := p.Lookup("load")
	if err := load.Set(next, 0); err != nil {
		t.Fatal(err)
	}
	v, _ := p.Lookup("go")
	now[v.First] = true
	p.ShiftLags(next, now)
	if got := show(next); got != "0–200 kg 200–400 kg 200–400 kg true" {
		t.Error(got)
	}
	for i := range p.Transition {
		if c := &p.Transition[i]; strings.Contains(c.Origin, "had before") && !c.Holds(now, next) {
			t.Errorf("%s fails", c.Origin)
		}
	}
}

// TestFinal: a final state can be the last of a plan, and no other.
func TestFinal(t *testing.T) {
	k, err := Parse("t.toml", []byte("final = [\"s == 3 ^ b\"]\n[[state]]\nname = \"s\"\nrange = [0, 3]\n[[state]]\nname = \"b\"\n[[action]]\nname = \"a\""))
	if err != nil {
		t.Fatal(err)
	}
	p, err := k.Factored("x")
	if err != nil {
		t.Fatal(err)
	}
	for s := range int64(4) {
		for b := range int64(2) {
			val := make(factored.Valuation, p.NumBits())
			for name, x := range map[string]int64{"s": s, "b": b} {
				v, _ := p.Lookup(name)
				if err := v.Set(val, x); err != nil {
					t.Fatal(err)
				}
			}
			legal := true
			for i := range p.Transition {
				legal = legal && p.Transition[i].Holds(val, val)
			}
			if want := !(s == 3 && b == 1); legal != want || len(p.Global) > 0 {
				t.Errorf("a step from s=%d b=%d: %v, want %v; %d global constraints", s, b, legal, want, len(p.Global))
			}
		}
	}
	for _, text := range []string{"a", "s' == 3", "s == 9", "x"} {
		k.Final = []string{text}
		if _, err := k.Factored("x"); err == nil || !strings.Contains(err.Error(), "t.toml:1:9: final state 1, ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestChanceErrors: what is wrong with a declared draw is said with its place.
func TestChanceErrors(t *testing.T) {
	const text = `[[state]]
name = "x"
range = [0, 3]
[[state]]
name = "up"
[[action]]
name = "go"
[[chance]]
draw = ["x"]
[[chance.context]]
when = "go"
outcomes = ["1/2: x + 1", "1/2: keep"]
[[chance.context]]
outcomes = ["1: keep"]
[[chance]]
draw = ["up"]
[[chance.context]]
outcomes = ["30%: up = true", ".7: up = false"]
`
	load := func(text string) error {
		k, err := Parse("t.toml", []byte(text))
		if err != nil {
			return err
		}
		p, err := k.Factored("walk")
		if err != nil {
			return err
		}
		_, err = k.Chances(p)
		return err
	}
	if err := load(text); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"1/2: keep", "1/3: keep", "t.toml:12:12: the probabilities sum to 5/6; expected 1"},
		{"1/2: keep", "-1/2: keep", "t.toml:12:12: the probability -1/2 is outside 0..1"},
		{"x + 1", "y + 1", "t.toml:12:12: \"y + 1\" is no effect"},
		{".7: up", ".6: up", "t.toml:18:12: the probabilities sum to 9/10; expected 1"},
		{`when = "go"`, `when = "go ^ ~go"`, "t.toml:11:8: no state and action has this context"},
		{`when = "go"`, `when = "gone"`, "t.toml:11:8: "},
		{`draw = ["up"]`, `draw = ["down"]`, "t.toml:16:8: there is no state variable"},
		{`draw = ["up"]`, `draw = []`, "t.toml:16:8: [[chance]] 2 draws nothing"},
		{`draw = ["x"]`, "draw = [\"x\"]\nblocked = \"no\"", "t.toml:10:11: blocked is \"no\""},
		{"[[state]]", "learned = [\"x\"]\n[[state]]", "t.toml:1:11: x is learned and drawn"},
	} {
		if err := load(strings.Replace(text, c.old, c.new, 1)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}

// TestSteps declares quantities by a range and a step, or by decimals.
func TestSteps(t *testing.T) {
	const head = "reward = \"-price*pump/(1 + pump)\"\ngoal = \"level*level >= 6.25\"\n[[state]]\nname = \"level\"\n%s\n[[action]]\nname = \"pump\"\nrange = \"0..2 by 0.5\"\n[[state]]\nname = \"price\"\nrange = [0, 1.5]\ndecimals = 1\n"
	for text, want := range map[string]string{
		"range = \"0..4 by 0.25\"\nunit = \"m\"\ninitial = 0.6": "0.00..4.00 m",
		"range = [-1, 4]\ndecimals = 2":                         "-1.00..4.00",
		"range = [0, 30]\ndecimals = 0":                         "0..30",
		"range = [0, 4.5]":                                      "t.toml:4:8: this is not a range for level; 4.5 is no integer",
		"range = \"0..4 by 0.3\"":                               "this is not a range for level; 4 is no multiple of the step 0.3",
		"range = \"4\"":                                         "this is not a range for level; \"4\" is not a range",
		"decimals = 2":                                          "level has decimals and no range",
		"range = [0, 4]\nunit = \"m\"":                          "level has a unit and no bins or step",
		"range = [0, 4]\ndecimals = 40":                         "40 decimals; expected 0 to 12",
		"range = \"0..4 by 0.25\"\ninitial = 7":                 "level cannot be 7.00; its range is 0.00..4.00",
	} {
		k, err := Parse("t.toml", []byte(fmt.Sprintf(head, text)))
		var p *factored.Problem
		if err == nil {
			p, err = k.Factored("tank")
		}
		got := fmt.Sprint(err)
		if err == nil {
			v, _ := p.Lookup("level")
			got = v.RangeText()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
