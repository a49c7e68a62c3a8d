package expr_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestParts: each summand is a part, but for multiples of numbers. What it calculates with or orders is told from what it asks for being equal to something.
func TestParts(t *testing.T) {
	for text, want := range map[string]string{
		"2*(x == 1 ^ a) - 3*(y ~= 2 ^ a) - q":           "a x; a y",
		"2*(x == 1 ^ a) - 3*(y' ~= y) + 4*(a ^ x ~= 2)": "a x; y y'",
		"-(x == 1 ^ y' < 1) - 3*(y < 2) - (y'>1)":       "x y'<1; y<2; y'<2",
		"q - 0.5*q'":                           "",
		"-(x < 1 ^ 2 <= y ^ x >= 1) - (x > 1)": "x<1 y<2; x<2",
		"a - x*q + max[0, q - y']":             "a; q< x<; q< y'<",
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
			for _, v := range part {
				name := v.Name
				if v.Next {
					name += "'"
				}
				if v.Ordered {
					name += "<"
				}
				for _, k := range v.Cuts {
					name += fmt.Sprint(k)
				}
				names = append(names, name)
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
