// Package sorting sorts slices where speed does not matter. The functions of package slices are
// compiled anew for each type of struct, at 20 kB of program; what Stable does is compiled once, for all.
package sorting

import (
	"reflect"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

// Stable sorts as slices.SortStableFunc does. An order that compares all of an element
// gives what slices.SortFunc gives.
func Stable[S ~[]E, E any](xs S, compare func(a, b E) int) {
	stable(len(xs), func(i, j int) int { return compare(xs[i], xs[j]) }, reflect.Swapper(xs))
}

// stable finds the place of each of n elements before it moves any.
func stable(n int, compare func(i, j int) int, swap func(i, j int)) {
	order := integer.Below[int](n)
	slices.SortStableFunc(order, compare)
	place := make([]int, n)
	for to, from := range order {
		place[from] = to
	}
	for i := range place {
		for to := place[i]; to != i; to = place[i] {
			swap(i, to)
			place[i], place[to] = place[to], to
		}
	}
}
