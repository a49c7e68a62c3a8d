package expr_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestParts: summands with a variable in common are one part, and multiples of numbers are none.
func TestParts(t *testing.T) {
	for text, want := range map[string]string{
		"2*(x == 1 ^ a) - 3*(y ~= 2 ^ a) - q":     "x a y",
		"2*(x == 1 ^ a) - 3*(y' ~= y) + 4":        "x a; y y'",
		"-(x == 1 ^ y' < 1) - 3*(y < 2) - (y'>1)": "x y'; y",
		"q - 0.5*q'": "",
		"a - x*q":    "a; x q",
	} {
		p := factored.NewProblem("parts")
		for _, v := range []factored.Variable{
			{Name: "x", Kind: factored.State, Hi: 3}, {Name: "y", Kind: factored.State, Hi: 3}, {Name: "q", Kind: factored.State, Hi: 7},
			{Name: "a", Kind: factored.Action, Bool: true, Hi: 1},
		} {
			if _, err := p.AddVariable(v); err != nil {
				t.Fatal(err)
			}
		}
		if err := expr.SetReward(p, text, "test"); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, part := range expr.Parts(&p.Reward) {
			var names []string
			for _, v := range part.Now {
				names = append(names, v.Name)
			}
			for _, v := range part.Next {
				names = append(names, v.Name+"'")
			}
			slices.Sort(names)
			got = append(got, strings.Join(names, " "))
		}
		slices.Sort(got)
		var wanted []string
		for _, part := range strings.Split(want, "; ") {
			names := strings.Fields(part)
			slices.Sort(names)
			if len(names) > 0 {
				wanted = append(wanted, strings.Join(names, " "))
			}
		}
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("%s: %q, want %q", text, got, wanted)
		}
	}
}
