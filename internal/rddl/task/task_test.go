package task

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl/translate"
)

const good = `# a comment
domain = "../d.rddl"
instance = "i.rddl"
goal = "x == 2 ^ p"
horizon = 3
learned = ["p"]
inputs = ["a", "x"]
network = "net.bnn"

[ranges]
x = [0, 3]

[files]
a = "act"
x = ["x_1", "x_0"]
`

func TestParse(t *testing.T) {
	got, err := Parse("some/where/task.toml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	got.where = nil
	want := &Task{
		File: "some/where/task.toml", Domain: "some/d.rddl", Instance: "some/where/i.rddl", Goal: "x == 2 ^ p", Horizon: 3,
		Learned: []string{"p"}, Inputs: []string{"a", "x"}, Network: "some/where/net.bnn",
		Ranges:   map[string]translate.Range{"x": {Lo: 0, Hi: 3}},
		BitNames: map[string][]string{"a": {"act"}, "x": {"x_1", "x_0"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestMalformed checks single faults, each made by replacing one part of the good file, and
// the reported place.
func TestMalformed(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown key", "horizon = 3", "horizont = 3", "t.toml:5:1: there is no key horizont; expected domain,"},
		{"unknown key of a table", "horizon = 3", "horizon = 3\n[log]\ntme = \"t\"", "t.toml:7:1: there is no key tme in [log]; expected delimiter, episode,"},
		{"unknown section", "[ranges]", "[range]", "t.toml:10:2: there is no key range"},
		{"no domain", `domain = "../d.rddl"`, "", "t.toml:1:1: there is no domain"},
		{"empty domain", `"../d.rddl"`, `""`, "t.toml:2:10: domain names no file"},
		{"wrong type", "horizon = 3", `horizon = "3"`, "t.toml:5:11: "},
		{"syntax", "horizon = 3", "horizon 3", "t.toml:5:9: "},
		{"horizon 0", "horizon = 3", "horizon = 0", "t.toml:5:11: the horizon is 0"},
		{"empty goal", `"x == 2 ^ p"`, `" "`, "t.toml:4:8: the goal is empty"},
		{"twice learned", `["p"]`, `["p", "p"]`, "t.toml:6:11: learned lists p twice"},
		{"network alone", `learned = ["p"]` + "\n" + `inputs = ["a", "x"]`, "", "t.toml:7:11: there is a network but no learned fluent"},
		{"range of one", "[0, 3]", "[3]", "t.toml:11:5: this is not a range for x"},
		{"range turned", "[0, 3]", "[3, 0]", "t.toml:11:5: this is not a range for x"},
		{"bit name twice", `["x_1", "x_0"]`, `["x_1", "x_1"]`, "t.toml:15:5: x_1 is the name of a bit of x already"},
		{"bit name number", `"act"`, "7", "t.toml:14:5: these are not names"},
		{"no bits", "[files]", "[discretize]\nx = {lo = 0, hi = 1}\n[files]", "t.toml:14:5: x cannot be discretised: expected {lo"},
		{"range and bits", "[files]", "[discretize]\nx = {lo = 0, hi = 1, bits = 2}\n[files]", "t.toml:14:5: x has a range already"},
		{"no bins", "[files]", "[discretize]\ny = {lo = 1, hi = 1, bits = 2}\n[files]", "t.toml:14:5: y cannot be discretised: the range 1..1"},
		{"17 bits", "[files]", "[discretize.y]\nlo = 0\nhi = 1\nbits = 17\n[files]", "t.toml:16:8: y cannot be discretised: 17 bits"},
		{"infinite bins", "[files]", "[discretize]\ny = {lo = 0, hi = inf, bits = 2}\n[files]", "t.toml:14:5: y cannot be discretised: the range 0..+Inf"},
		{"key of bins", "[files]", "[discretize]\ny = {lo = 0, hi = 1, bins = 2}\n[files]", "t.toml:14:22: there is no key bins in [discretize]; expected {lo"},
		{"key twice", "horizon = 3", "goal = \"p\"", "t.toml:5:1: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(good, c.old, c.new, 1)
			_, err := Parse("t.toml", []byte(text))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

const (
	domainText = `domain d {
	pvariables {
		a : { action-fluent, bool, default = false };
		p : { state-fluent, bool, default = false };
		x : { state-fluent, int, default = 0 };
	};
	cpfs {
		p' = a;
		x' = if (a) then min[x + 1, 3] else x;
	};
	reward = -a;
}`
	instanceText = `instance i { domain = d; max-nondef-actions = 1; horizon = 9; discount = 1.0; }`
)

// TestProblem checks faults that only the RDDL reveals.
func TestProblem(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"good", "", "", ""},
		{"goal of no fluent", "x == 2", "y == 2", ":4:9: "},
		{"goal of an action", "x == 2", "a", ":4:9: a is an action-fluent"},
		{"goal of no condition", "x == 2 ^ p", "x + 2", ":4:"},
		{"range of no fluent", "x = [0, 3]", "y = [0, 3]", ":11:5: there is no integer fluent y"},
		{"range of a Boolean", "x = [0, 3]", "p = [0, 3]", ":11:5: there is no integer fluent p"},
		{"learned action", `learned = ["p"]`, `learned = ["a"]`, ":6:11: there is no state fluent a"},
		{"input of nothing", `["a", "x"]`, `["b"]`, ":7:10: there is no state or action fluent b"},
		{"bits of nothing", `a = "act"`, `b = "act"`, ":14:5: there is no state or action variable b"},
		{"discretised", "[ranges]\nx = [0, 3]", "[discretize]\nx = {lo = -1, hi = 2.5, bits = 2}", ":4:11: x is a quantity in bins; expected <, <=, > or >= with a bin edge: -1, -0.125, 0.75, 1.625, 2.5"},
		{"discretised Boolean", "[files]", "[discretize]\np = {lo = 0, hi = 1, bits = 1}\n[files]", ":14:"},
		{"too many bits", `a = "act"`, `a = ["act", "bct"]`, ":14:5: a has 1 bits, and 2 names are given"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"d.rddl": domainText, "sub/i.rddl": instanceText, "sub/task.toml": strings.Replace(good, c.old, c.new, 1)} {
				name = filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			file := filepath.Join(dir, "sub/task.toml")
			tk, err := Load(file, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tk.Problem(context.Background(), Options{})
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				p := got.Problem
				if p.Horizon != 3 || len(p.Outputs) != 1 || len(p.Inputs) != 3 || tk.BitName(p, p.Inputs[1]) != "x_1" {
					t.Errorf("horizon %d, outputs %v, inputs %v", p.Horizon, p.Outputs, p.Inputs)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), file+c.want) {
				t.Errorf("got %v, want %s", err, file+c.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("domain = 'x'\n[files]\n\"a b\".c = [1]"))
	f.Add([]byte("domain = \"\"\"\nx\"\"\"\nranges = {x = [0, 1]}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		tk, err := Parse("t.toml", text)
		if (err == nil) == (tk == nil) {
			t.Fatalf("%v, %v", tk, err)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Fatalf("more than one line: %v", err)
		}
	})
}

// TestParseRange reads ranges as options have them.
func TestParseRange(t *testing.T) {
	for text, want := range map[string]translate.Range{"x=0..3": {Hi: 3}, "level(c1)=-2..4": {Lo: -2, Hi: 4}, "x=0-3": {Hi: 3}, "x=-3:3": {Lo: -3, Hi: 3}, "x=0,3": {Hi: 3}} {
		if _, r, err := ParseRange(text); err != nil || r != want {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
	for _, bad := range []string{"x", "x=3", "x=3..", "x=4..3", "=0..3", "x=a..b"} {
		if _, _, err := ParseRange(bad); err == nil || !strings.Contains(err.Error(), "LO..HI") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
