package ground

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestSummands takes a reward apart, below a condition too.
func TestSummands(t *testing.T) {
	for reward, want := range map[string][]string{
		"fuel - 2 * at(x1) + 3":                                              {"1 fuel", "-2 at(x1)", "1 3"},
		"if (at(x1)) then 4 else 0":                                          {"1 if (at(x1)) then 4 else 0"},
		"if (at(x1)) then fuel - 2 * at(x2) else 0":                          {"1 if (at(x1)) then fuel else 0", "-2 if (at(x1)) then at(x2) else 0"},
		"-(if (at(x1)) then 0 else if (at(x2)) then 5 * fuel + 1 else fuel)": {"-5 if (at(x1)) then 0 else if (at(x2)) then fuel else 0", "-1 if (at(x1)) then 0 else if (at(x2)) then 1 else 0", "-1 if (at(x1)) then 0 else if (at(x2)) then 0 else fuel"},
		"-(if (at(x1)) then 5 * fuel + 1 else fuel)":                         {"-5 if (at(x1)) then fuel else 0", "-1 if (at(x1)) then 1 else 0", "-1 if (at(x1)) then 0 else fuel"},
	} {
		p := mustGround(t, strings.Replace(gridDomain, "-[sum_{?x : xpos} go(?x)] + 10 * at'(GOAL)", reward, 1))
		var got []string
		Summands(p.Reward, 1, func(coef, by float64) float64 { return coef * by }, func(n *Node, coef float64) {
			got = append(got, fmt.Sprintf("%v %s", coef, n))
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q; expected %q", reward, got, want)
		}
	}
}
