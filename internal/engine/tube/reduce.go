package tube

import (
	"math"
	"slices"
)

// reduce makes the least symbols of sets into one for each state (Girard, Reachability of uncertain linear systems using
// zonotopes, 2005), once there are many. Sets keep their symbols in common.
func (r *reacher) reduce(sets []*set) {
	if r.cols <= mostCols {
		return
	}
	weight := make([]float64, r.cols)
	for _, s := range sets {
		for i := range s.x {
			for k, g := range s.x[i].g {
				weight[k] += math.Abs(g)
			}
		}
	}
	order := make([]int, r.cols)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case weight[a] > weight[b]:
			return -1
		case weight[a] < weight[b]:
			return 1
		}
		return 0
	})
	kept := order[:mostCols/2]
	slices.Sort(kept)
	place := make([]int, r.cols)
	for k := range place {
		place[k] = -1
	}
	for i, k := range kept {
		place[k] = i
	}
	for _, s := range sets {
		for i := range s.x {
			f, rest := moved(&s.x[i], place, len(kept))
			s.x[i] = f.plus(len(kept)+i, rest)
		}
		rows := make([]form, len(s.rows))
		for i := range s.rows {
			f, rest := moved(&s.rows[i], place, len(kept))
			f.c -= up(rest, rest+math.Abs(f.c), 2)
			rows[i] = f
		}
		s.rows = rows
	}
	r.cols = len(kept) + len(r.t.States)
}

// moved returns f over the symbols that have a place, and a bound on the rest.
func moved(f *form, place []int, n int) (out form, rest float64) {
	out = form{c: f.c, g: make([]float64, n)}
	rest = f.e
	for k, g := range f.g {
		if p := place[k]; p >= 0 {
			out.g[p] = g
		} else {
			rest += math.Abs(g)
		}
	}
	if rest > 0 {
		rest = up(rest, rest, len(f.g))
	}
	return out, rest
}
