package actions

import (
	"fmt"
	"math/bits"
	"slices"
)

// maxLiterals bounds the condition of an effect, and maxRivals the conditions of the same length.
const (
	maxLiterals = 3
	maxRivals   = 64
)

// shortest lists the shortest sets of literals that are true in all rows of yes, where no row of no has them all. A row has the truth of each atom;
// literal 2i is that atom i holds, 2i+1 that it does not. many reports that there are more than maxRivals.
func shortest(yes, no [][]bool) (sets [][]int, many bool) {
	if len(yes) == 0 {
		return nil, false
	}
	var candidates []int
	var excludes [][]uint64 // by candidate, the rows of no in which it is false
	for i := range yes[0] {
		for side := range 2 {
			if slices.ContainsFunc(yes, func(r []bool) bool { return r[i] == (side == 1) }) {
				continue
			}
			set := make([]uint64, (len(no)+63)/64)
			for k, r := range no {
				if r[i] == (side == 1) {
					set[k/64] |= 1 << (k % 64)
				}
			}
			candidates, excludes = append(candidates, 2*i+side), append(excludes, set)
		}
	}
	left := make([]uint64, (len(no)+63)/64)
	for k := range no {
		left[k/64] |= 1 << (k % 64)
	}
	for size := range maxLiterals + 1 {
		h := &hitting{candidates: candidates, excludes: excludes, seen: map[string]bool{}}
		if h.extend(nil, left, size); len(h.sets) > 0 {
			return h.sets, h.many
		}
	}
	return nil, false
}

// hitting searches for sets of candidates that exclude all rows.
type hitting struct {
	candidates []int
	excludes   [][]uint64
	sets       [][]int
	seen       map[string]bool
	many       bool
}

// extend adds candidates to a set until no row is left, each of which excludes the first one that is.
func (h *hitting) extend(set []int, left []uint64, size int) {
	first := -1
	for k, w := range left {
		if w != 0 {
			first = k*64 + bits.TrailingZeros64(w)
			break
		}
	}
	switch {
	case first < 0:
		s := slices.Sorted(slices.Values(set))
		if key := fmt.Sprint(s); !h.seen[key] {
			h.seen[key] = true
			if h.many = len(h.sets) >= maxRivals; !h.many {
				h.sets = append(h.sets, s)
			}
		}
		return
	case size == 0 || h.many:
		return
	}
	for i, x := range h.excludes {
		if x[first/64]>>(first%64)&1 == 0 {
			continue
		}
		rest := slices.Clone(left)
		for k := range rest {
			rest[k] &^= x[k]
		}
		h.extend(append(slices.Clone(set), h.candidates[i]), rest, size-1)
	}
}
