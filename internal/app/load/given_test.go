package load

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
)

const house = `[[state]]
name = "warm"
initial = true
[[input]]
name = "outdoor"
edges = [-10, 0, 10, 20, 30]
initial = 5
[[input]]
name = "open"
initial = false
[[action]]
name = "heat"
[log]
columns = {outdoor = "T out"}
`

func loadHouse(t *testing.T) *Problem {
	t.Helper()
	name := filepath.Join(t.TempDir(), "task.toml")
	if err := os.WriteFile(name, []byte(house), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := Load(t.Context(), Ref{Name: name, Simulate: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// course lists the values of the inputs that follow from the first ones, as the transitions of q determine them.
func course(t *testing.T, q *factored.Problem, steps int) string {
	t.Helper()
	now, _ := q.InitialBits()
	var out []string
	for range steps {
		next := make(factored.Valuation, q.NumBits())
		for i := range q.Transition {
			c := &q.Transition[i]
			last := c.Terms[0]
			if c.Op != factored.EQ || !last.Lit.Next {
				t.Fatalf("%s gives no next bit", c.Origin)
			}
			next[last.Lit.Bit] = c.Holds(now, next) == next[last.Lit.Bit]
			if !c.Holds(now, next) {
				t.Fatalf("%s has no solution", c.Origin)
			}
		}
		var values []string
		for _, v := range q.Given() {
			values = append(values, fmt.Sprint(v.Show(v.Value(now))))
		}
		out = append(out, strings.Join(values, ","))
		now = next
	}
	return strings.Join(out, " ")
}

// TestGiven: inputs are held, fixed, or follow a forecast from any step of a run on.
func TestGiven(t *testing.T) {
	forecast := filepath.Join(t.TempDir(), "forecast.csv")
	if err := os.WriteFile(forecast, []byte("hour;T out;open\n1;5,5;off\n2;15;on\n3;25;off\n4;-3;off\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		given            bind.Given
		says, first, run string
	}{
		{nil, "outdoor is held at 0–10; open is held at false", "0–10,false 0–10,false 0–10,false", "0–10,true 0–10,true"},
		{bind.Given{"outdoor=25"}, "outdoor is 20–30 at all steps; open is held at false", "20–30,false 20–30,false", "0–10,true 20–30,true"},
		{bind.Given{forecast}, "outdoor is that of " + forecast + " at steps 1 to 4, and then -10–0; open is that of " + forecast + " at steps 1 to 4, and then false",
			"0–10,false 10–20,true 20–30,false -10–0,false -10–0,false", "0–10,true 20–30,false -10–0,false -10–0,false"},
		{bind.Given{"open=1,0,1"}, "outdoor is held at 0–10; open is as given at steps 1 to 3, and then true", "0–10,true 0–10,false 0–10,true 0–10,true", "0–10,true 0–10,true 0–10,true"},
	} {
		p := loadHouse(t)
		if err := p.Apply(Changes{Given: c.given}); err != nil {
			t.Fatal(err)
		}
		if got := Assumptions(p.Assumed()); got != "assumed of inputs: "+c.says {
			t.Error(got)
		}
		if got := course(t, p.Problem, strings.Count(c.first, " ")+1); got != c.first {
			t.Errorf("%v: %s", c.given, got)
		}
		state, _ := p.World().InitialBits()
		for name, x := range map[string]int64{"outdoor": 1, "open": 1} {
			v, _ := p.World().Lookup(name)
			if err := v.Set(state, x); err != nil {
				t.Fatal(err)
			}
		}
		q, err := p.From(state, 2, 3)
		if err != nil {
			t.Fatal(err)
		}
		if got := course(t, q, strings.Count(c.run, " ")+1); got != c.run {
			t.Errorf("%v, from step 2: %s", c.given, got)
		}
	}
	for _, c := range []struct{ given, want string }{
		{"outdor=3", "--given outdor=3: outdor is no input of "},
		{"warm=1", "--given warm=1: warm is no input of "},
		{"outdoor=40", "--given outdoor=40: outdoor cannot be 40; its range is -10..30"},
		{"outdoor=20..0", "--given outdoor=20..0: expected NAME=LO..HI with LO <= HI"},
		{"open=maybe", `--given open=maybe: "maybe" is not a value for open`},
	} {
		if err := loadHouse(t).Apply(Changes{Given: bind.Given{c.given}}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", c.given, err)
		}
	}
	p := loadHouse(t)
	if err := p.Apply(Changes{Given: bind.Given{"outdoor=-5..15"}}); err != nil {
		t.Fatal(err)
	}
	if err := p.CheckHorizon(3); err == nil || !strings.Contains(err.Error(), "outdoor may be anything from -10–0 to 10–20 at each step, and plans hold for one course") {
		t.Error(err)
	}
	outdoor := slices.IndexFunc(p.Problem.Variables, func(v factored.Variable) bool { return v.Name == "outdoor" })
	if r := p.Courses(); !slices.ContainsFunc(r, func(c Course) bool { return c.Variable == outdoor && c.Against && c.Lo == 0 && c.Hi == 2 }) {
		t.Error(r)
	}
	q, assumed, err := p.AnyInputs()
	if err != nil {
		t.Fatal(err)
	}
	if got := Assumptions(assumed); got != "assumed of inputs: outdoor may be anything from -10–0 to 10–20 at each step; open may be anything: false or true" {
		t.Error(got)
	}
	if n := len(q.Problem.Transition) - len(p.World().Transition); n != 0 {
		t.Errorf("%d transitions of inputs", n)
	}
}

// TestEntities: one entity has its first values, and several have fluents of their own.
func TestEntities(t *testing.T) {
	name := filepath.Join(t.TempDir(), "task.toml")
	text := house + `[[entity]]
name = "A"
initial = {outdoor = 15}
[[entity]]
name = "B"
initial = {warm = false, open = true}
`
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	begin := func(entities ...string) (string, error) {
		p, err := Load(t.Context(), Ref{Name: name, Simulate: true, Source: Source{Entity: entities}})
		if err != nil {
			return "", err
		}
		if err := p.Apply(Changes{Given: bind.Given{"open=0"}}); err != nil {
			return "", err
		}
		val, _ := p.World().InitialBits()
		var out []string
		for _, v := range p.World().OfKind(factored.State) {
			out = append(out, fmt.Sprintf("%s=%v", v.Name, v.Show(v.Value(val))))
		}
		return strings.Join(out, " "), nil
	}
	for _, c := range []struct {
		entities []string
		want     string
	}{
		{nil, "warm=true outdoor=0–10 open=false"},
		{[]string{"A"}, "warm=true outdoor=10–20 open=false"},
		{[]string{"B", "A"}, "warm(B)=false outdoor(B)=0–10 open(B)=false warm(A)=true outdoor(A)=10–20 open(A)=false"},
	} {
		if got, err := begin(c.entities...); err != nil || got != c.want {
			t.Errorf("%v: %s, %v", c.entities, got, err)
		}
	}
	if _, err := begin("A", "C"); err == nil || !strings.Contains(err.Error(), "--entity C: there is no such entity; expected one of A, B") {
		t.Error(err)
	}
}

// TestErrorsOfEntities: of several entities, each has the errors of functions that are of it, if there are some, and else those of all.
func TestErrorsOfEntities(t *testing.T) {
	f := factored.NewProblem("rooms")
	for _, v := range []factored.Variable{
		{Name: "room", Hi: 1, View: &factored.View{Names: []string{"north", "south"}}}, {Name: "temp", Hi: 9}, {Name: "heat", Kind: factored.Action, Hi: 2},
	} {
		if _, err := f.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	alone := &Problem{Task: engine.Task{Problem: f}}
	alone.Residuals = map[string][]int64{"temp": {1, 0}, `temp if room == "south"`: {5}}
	alone.Logged = map[string]Logged{"heat": {0, 2, 1}}
	p := &Problem{}
	for name, begin := range map[string]int64{"A": 0, "B": 1} {
		p.takeErrors(alone, name, map[string]int64{"room": begin})
	}
	if got := fmt.Sprint(p.Residuals, p.Logged, p.Inexact()); got != "map[temp(A):[1 0] temp(B):[5]] map[heat(A):{0 2 1} heat(B):{0 2 1}] true" {
		t.Error(got)
	}
}
