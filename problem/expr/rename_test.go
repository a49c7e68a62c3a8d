package expr_test

import (
	"testing"

	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// tank has a level, a pump in another place and an action.
func tank(t *testing.T) *factored.Problem {
	t.Helper()
	p := factored.NewProblem("tank")
	for _, v := range []factored.Variable{
		{Name: "level", Hi: 4}, {Name: "pump(a,b)", Kind: factored.Action, Hi: 2}, {Name: "mode", Hi: 1, View: &factored.View{Names: []string{"level-2", "max"}}},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestRenamed(t *testing.T) {
	p := tank(t)
	for _, c := range [][2]string{
		{"level >= 2 ^ ~(pump(a,b)==1)", "level(B) >= 2 ^ ~(pump(a,b,B)==1)"},
		{`mode == "level-2" => level' + max[level, 1.5e0]<= 3 `, `mode(B) == "level-2" => level(B)' + max[level(B), 1.5e0]<= 3 `},
		{"level@2 == 1 | mode == @max", "level(B)@2 == 1 | mode(B) == @max"},
	} {
		got, err := expr.Renamed(p, c[0], func(name string) string { return factored.NameOf(name, "B") })
		if err != nil || got != c[1] {
			t.Errorf("%s: %s, want %s (%v)", c[0], got, c[1], err)
		}
	}
	if _, err := expr.Renamed(p, "lvel == 1", func(name string) string { return name }); err == nil {
		t.Error("a variable that does not exist was renamed")
	}
}

// TestCopies: what was written of one system is what is said of each copy.
func TestCopies(t *testing.T) {
	p := tank(t)
	e, err := expr.Parse(p, "level*pump(a,b) <= 3", expr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Require(p, false, "rule"); err != nil {
		t.Fatal(err)
	}
	q, err := p.Copies([]string{"A", "B"})
	if err != nil {
		t.Fatal(err)
	}
	var rules []factored.Statement
	for _, cs := range [][]factored.Constraint{q.Global, q.Transition} {
		for i := range cs {
			if w := cs[i].Written; w != nil {
				rules = append(rules, w)
			}
		}
	}
	if len(rules) != 2 || rules[1].String() != "level*pump(a,b) <= 3 of B" {
		t.Fatalf("rules: %v", rules)
	}
	val := make(factored.Valuation, q.NumBits())
	for level := range int64(5) {
		for pump := range int64(3) {
			for name, x := range map[string]int64{"level(B)": level, "pump(a,b,B)": pump, "level(A)": 4 - level, "pump(a,b,A)": 2 - pump} {
				v, _ := q.Lookup(name)
				if err := v.Set(val, x); err != nil {
					t.Fatal(err)
				}
			}
			for i, want := range []bool{(4-level)*(2-pump) <= 3, level*pump <= 3} {
				if got := rules[i].Holds(val, nil); got != want {
					t.Errorf("level %d, pump %d of B: rule %d is %v", level, pump, i, got)
				}
			}
		}
	}
	names := ""
	rules[1].Reads(func(v *factored.Variable, _ bool) { names += v.Name + " " })
	if names != "level(B) pump(a,b,B) " {
		t.Errorf("the rule of B reads %s", names)
	}
}
