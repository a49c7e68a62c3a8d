// Package sorting sorts slices where speed does not matter. The functions of package slices are
// compiled anew for each type of struct, at 20 kB of program; Stable is compiled once, for all.
package sorting

import (
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

// Stable sorts as slices.SortStableFunc does, with a copy of xs. An order that compares all of an element
// gives what slices.SortFunc gives.
func Stable[S ~[]E, E any](xs S, compare func(a, b E) int) {
	order := integer.Below[int](len(xs))
	slices.SortStableFunc(order, func(i, j int) int { return compare(xs[i], xs[j]) })
	old := slices.Clone(xs)
	for to, from := range order {
		xs[to] = old[from]
	}
}
