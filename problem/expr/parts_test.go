package expr_test

import (
	"slices"
	"testing"

	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestParts: each summand is a part, but for multiples of numbers. What it calculates with is told from what it compares.
func TestParts(t *testing.T) {
	for text, want := range map[string][]string{
		"2*(x == 1 ^ a) - 3*(y ~= 2 ^ a) - q":           {"a, x from [1 2]", "a, y from [2 3]"},
		"2*(x == 1 ^ a) - 3*(y' ~= y) + 4*(x ~= 1 ^ a)": {"a, x from [1 2]", "y' with y"},
		"-(x == 1 ^ y' < 1) - 3*(y < 2) - (y'>1)":       {"x from [1 2], y' from [1]", "y from [2]", "y' from [2]"},
		"q - 0.5*q'":                                       nil,
		"-(x < 1 ^ 2 <= y ^ x >= 1) - (x > 1)":             {"x from [1], y from [2]", "x from [2]"},
		"3*(x == 1 ^ a | y == 2 ^ a)":                      {"a, x from [1 2]", "a, y from [2 3]"},
		"a - x*q + max[0, q - y'] + 2*(x < y ^ x + y > 3)": {"a", "number x, number q", "number q, number y'", "x with y, number x, number y"},
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
			got = append(got, part.String())
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
