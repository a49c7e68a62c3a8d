package app

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// integers is a problem with a Boolean and an integer of each kind.
func integers(t testing.TB) *factored.Problem {
	p := factored.NewProblem("integers")
	for _, v := range []factored.Variable{
		{Name: "on(c1)", Kind: factored.State, Bool: true},
		{Name: "level", Kind: factored.State, Lo: -2, Hi: 5},
		{Name: "go", Kind: factored.Action, Bool: true},
		{Name: "order", Kind: factored.Action, Lo: 0, Hi: 6},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func valuation(t testing.TB, p *factored.Problem, values map[string]int64) factored.Valuation {
	val := make(factored.Valuation, p.NumBits())
	for name, x := range values {
		v, ok := p.Lookup(name)
		if !ok {
			t.Fatalf("no variable %s", name)
		}
		if err := v.Set(val, x); err != nil {
			t.Fatal(err)
		}
	}
	return val
}

func TestReadPlan(t *testing.T) {
	p := integers(t)
	got, err := ReadPlan(p, "plan.json", []byte(`{"schema":1,"other":[1],
		"plan":[{"go":true,"order":6},{}],
		"trace":[{"on(c1)":true,"level":-2},{"on[ c1 ]":false,"level":5},{"on(c1)":1,"level":0}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := validate.Plan{
		Actions: []factored.Valuation{valuation(t, p, map[string]int64{"go": 1, "order": 6}), valuation(t, p, nil)},
		States: []factored.Valuation{
			valuation(t, p, map[string]int64{"on(c1)": 1, "level": -2}),
			valuation(t, p, map[string]int64{"level": 5}), valuation(t, p, map[string]int64{"on(c1)": 1}),
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestDocumentRoundTrip writes a trace as a document and reads it back.
func TestDocumentRoundTrip(t *testing.T) {
	p := integers(t)
	tr := &factored.Trace{Steps: []factored.Valuation{
		valuation(t, p, map[string]int64{"on(c1)": 1, "level": -1, "order": 3}),
		valuation(t, p, map[string]int64{"level": 4, "go": 1}),
		valuation(t, p, map[string]int64{"level": 5}),
	}}
	d := Document{Schema: Schema, Problem: p.Name}
	d.tell(p, tr)
	var b strings.Builder
	if err := WriteJSON(&b, d); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"plan":[{"order":3},{"go":true}]`, `"trace":[{"on(c1)":true,"level":-1},`, `"horizon":null`, `"bound":null`} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%s lacks %s", b.String(), part)
		}
	}
	got, err := ReadPlan(p, "plan.json", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for i, val := range tr.Steps {
		for j, b := range p.Bits(factored.State) {
			if got.States[i][b] != val[b] {
				t.Errorf("state %d bit %d is lost", i, j)
			}
		}
		if i < tr.Horizon() {
			for j, b := range p.Bits(factored.Action) {
				if got.Actions[i][b] != val[b] {
					t.Errorf("action %d bit %d is lost", i, j)
				}
			}
		}
	}
}

// TestInitialFile has the two ways to write a state, and the faults of each.
func TestInitialFile(t *testing.T) {
	write := func(text string) string {
		name := filepath.Join(t.TempDir(), "initial")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	p := integers(t)
	c := Changes{Initial: write("# a state\n\nlevel=-2\non(c1)=true\n")}
	if err := c.apply(p); err != nil {
		t.Fatal(err)
	}
	if len(p.Initial) != 5 {
		t.Errorf("%d constraints for five bits", len(p.Initial))
	}
	c = Changes{Initial: write("on(c1),==,1\nlevel=3\n"), SetInitial: []string{"level = 4"}}
	if err := c.apply(p); err != nil {
		t.Fatal(err)
	}
	if got := p.Format(&p.Initial[1]); len(p.Initial) != 5 || got != "level#3 == 0" {
		t.Errorf("%d constraints, the second %s", len(p.Initial), got)
	}
	for text, want := range map[string]string{
		"level=1\nlevel=2": ":2: level has a value already in line 1",
		"level=9":          ":1: level cannot be 9",
		"x=9":              `:1: there is no variable "x"`,
		"go=1":             ":1: go is an action variable",
		"level":            ":1: expected variable=value",
		"\nlevel=true":     ":2: level is an integer; expected a number from -2 to 5",
		"\nnope,==,1":      ":2:1: ",
		"\ngo,==,1":        ":2:1: ",
	} {
		name := write(text)
		c := Changes{Initial: name}
		if err := c.apply(integers(t)); err == nil || !strings.HasPrefix(err.Error(), name+want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func FuzzReadPlan(f *testing.F) {
	for _, s := range []string{
		`{"schema":1,"plan":[{"go":true,"order":6},{}]}`, `{"schema":1,"plan":[{}],"trace":[{"on(c1)":true,"level":-2},{"on(c1)":true,"level":0}]}`,
		`{"schema":1`, `[]`, `{"schema":1,"plan":[{"order":1e3}]}`, `{"plan":[null]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := integers(t)
		plan, err := ReadPlan(p, "plan.json", data)
		if err != nil {
			return
		}
		if _, err := validate.Check(p, nil, plan); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzSetting(f *testing.F) {
	for _, s := range []string{"level=-2", "on(c1)=true", "on[c1] = 1", "=", "level==3", "go=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := integers(t)
		if err := setInitial(p, text); err == nil {
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
