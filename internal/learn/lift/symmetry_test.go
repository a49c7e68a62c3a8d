package lift

import (
	"fmt"
	"slices"
	"testing"
)

// TestAutomorphisms compares with the definition, over all permutations.
func TestAutomorphisms(t *testing.T) {
	for _, c := range []struct {
		name     string
		n        int
		relation [][]int
		want     int
	}{
		{"ring of 5", 5, [][]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}, 4},
		{"two-way ring of 5", 5, [][]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {1, 0}, {2, 1}, {3, 2}, {4, 3}, {0, 4}}, 9},
		{"path of 4", 4, [][]int{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 2}}, 1},
		{"chain of 4", 4, [][]int{{0, 1}, {1, 2}, {2, 3}}, 0},
		{"loops", 4, [][]int{{0, 0}, {3, 3}}, 3},
	} {
		got := automorphisms(c.n, c.relation)
		has := map[string]bool{}
		for _, pair := range c.relation {
			has[fmt.Sprint(pair)] = true
		}
		want := 0
		permute([]int{0, 1, 2, 3, 4}[:c.n], func(p []int) {
			for _, pair := range c.relation {
				if !has[fmt.Sprint([]int{p[pair[0]], p[pair[1]]})] {
					return
				}
			}
			if want++; !slices.IsSorted(p) && !slices.ContainsFunc(got, func(q []int) bool { return slices.Equal(p, q) }) {
				t.Errorf("%s: %v is missing", c.name, p)
			}
		})
		if len(got) != c.want || want != c.want+1 {
			t.Errorf("%s: %d permutations, expected %d", c.name, len(got), c.want)
		}
	}
}

// TestExchanges: 0 goes to every other place, and permutations are all there is of few.
func TestExchanges(t *testing.T) {
	for n, want := range []int{0, 0, 1, 5, 23} {
		if got := len(exchanges(n)); got != want {
			t.Errorf("%d objects: %d permutations, expected %d", n, got, want)
		}
	}
	all := exchanges(12)
	for k := 1; k < 12; k++ {
		if p := all[k-1]; p[0] != k || p[k] != 0 {
			t.Errorf("permutation %d is %v, expected the exchange of 0 and %d", k-1, p, k)
		}
	}
	for _, p := range all {
		if q := slices.Sorted(slices.Values(p)); q[0] != 0 || q[11] != 11 || len(slices.Compact(q)) != 12 {
			t.Errorf("%v is no permutation", p)
		}
	}
}
