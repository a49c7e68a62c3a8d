package expr_test

import (
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

func functionProblem(t *testing.T) *factored.Problem {
	t.Helper()
	p := factored.NewProblem("tank")
	fixed := func(name string, kind factored.Kind, hi int64) factored.Variable {
		return factored.Variable{Name: name, Kind: kind, Hi: hi, View: &factored.View{Num: 1, Den: 100}}
	}
	for _, v := range []factored.Variable{
		fixed("level", factored.State, 1000), fixed("level_1", factored.State, 1000), fixed("pump", factored.Action, 500),
		{Name: "valve", Kind: factored.Action, Bool: true}, {Name: "mode", Kind: factored.Action, Hi: 2, View: &factored.View{Names: []string{"a", "b c", "else"}}},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestFunction(t *testing.T) {
	p := functionProblem(t)
	f, err := expr.ParseFunction(p, `level' = max(min((if (level - level_1 <= 0.1) then 1.5*level - 0.5*level_1 + 0.02*pump else (if (level > 5) then 4 else level + 0.5*valve - 0.25*(mode == "else"))), 9.5), 0)`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		values []int64
		want   int64
	}{
		{[]int64{400, 400, 100, 0, 0}, 402},
		{[]int64{400, 401, 100, 0, 0}, 402}, // 401.5: halves to the even
		{[]int64{402, 401, 100, 0, 0}, 404}, // 404.5
		{[]int64{990, 985, 0, 0, 0}, 950},   // clamped
		{[]int64{600, 500, 0, 0, 0}, 400},
		{[]int64{400, 300, 0, 1, 2}, 425},
		{[]int64{0, 400, 0, 0, 0}, 0},
	} {
		if got := f.Next(c.values); got != c.want {
			t.Errorf("%v: %d, expected %d", c.values, got, c.want)
		}
	}
	if err := p.DefineFunction(*f); err != nil {
		t.Fatal(err)
	}
}

func TestFunctionErrors(t *testing.T) {
	for text, want := range map[string]string{
		"level = 3":                                 "expected NAME' = EXPRESSION",
		"leve' = 3":                                 `there is no state variable "leve"`,
		"pump' = 3":                                 `there is no state variable "pump"`,
		"mode' = 3":                                 `there is no state variable "mode"`,
		"level' = 2*":                               "expected a variable",
		"level' = level*pump":                       "",
		"level' = min(level, x)":                    "there is no variable x",
		"level' = min(level, pump)":                 "pump is no number to clamp to",
		"level' = max(min(level, 1), 2)":            "clamped to nothing",
		"level' = (if (level) then 1 else 2)":       "",
		"level' = (if (level <= 3) then 1 2)":       "expected",
		"level' = (if (level == 3) then 1 else 2)":  "expected <=, <, >= or >",
		"level' = level) + 1":                       "stands after the function",
		"level' = 0.000000000001*level + 100000000": "too many digits",
	} {
		if _, err := expr.ParseFunction(functionProblem(t), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; expected %s", text, err, want)
		}
	}
}
