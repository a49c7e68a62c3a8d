package cnf

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

// similarLimit is the largest number of neurons of one call for which similar ones are
// searched for; the search takes quadratic time.
const similarLimit = 1024

// byThreshold places neurons next to each other that need similar outputs.
func byThreshold(group []input) []int {
	order := integer.Below[int](len(group))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(group[i].reach(), group[j].reach()) })
	return order
}

// reach is the threshold or the flipped threshold, whichever is smaller.
func (in *input) reach() int { return min(in.neuron.Threshold, len(in.lits)+1-in.neuron.Threshold) }

// bySimilarity places neurons next to each other that agree on many inputs, or differ on
// many, and have similar thresholds. If b is the size of the smaller shared list, the larger
// one is needed only in a range of b+1 outputs, or in the hull of two such ranges for two
// thresholds. So the more the two sizes differ, the less there is to merge.
//
// Pairs are matched greedily, then pairs of pairs by the remaining agreement.
func bySimilarity(group []input) []int {
	signs := signSets(group)
	like := func(u, v int) int {
		equal, differ := 0, 0
		for i, s := range signs[u] {
			t := signs[v][i]
			equal += bits.OnesCount64(s.pos&t.pos | s.neg&t.neg)
			differ += bits.OnesCount64(s.pos&t.neg | s.neg&t.pos)
		}
		p, q, n := group[u].neuron.Threshold, group[v].neuron.Threshold, len(group[v].lits)
		return max(equal-abs(p-q), differ-abs(p-(n+1-q)))
	}
	pairs := match(len(group), like)
	quads := match(len(pairs), func(a, b int) int {
		best := 0
		for _, u := range pairs[a] {
			for _, v := range pairs[b] {
				best += like(u, v)
			}
		}
		return best
	})
	var order []int
	for _, q := range quads {
		for _, i := range q {
			order = append(order, pairs[i]...)
		}
	}
	return order
}

// match splits 0..n-1 into pairs, those of the highest score first; if n is odd, one remains
// alone.
func match(n int, score func(int, int) int) [][]int {
	type scored struct{ u, v, score int }
	var all []scored
	for u := range n {
		for v := u + 1; v < n; v++ {
			all = append(all, scored{u, v, score(u, v)})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v))
	})
	taken := make([]bool, n)
	var pairs [][]int
	for _, s := range all {
		if !taken[s.u] && !taken[s.v] {
			taken[s.u], taken[s.v] = true, true
			pairs = append(pairs, []int{s.u, s.v})
		}
	}
	for u := range n {
		if !taken[u] {
			pairs = append(pairs, []int{u})
		}
	}
	return pairs
}

// signs covers 64 variables: those that a neuron has, by their sign.
type signs struct{ pos, neg uint64 }

// signSets returns each neuron's signs for all variables of the group.
func signSets(group []input) [][]signs {
	var vars []int32
	for _, in := range group {
		for _, l := range in.lits {
			vars = append(vars, l.Var())
		}
	}
	slices.Sort(vars)
	vars = slices.Compact(vars)
	table := make([][]signs, len(group))
	for u, in := range group {
		table[u] = make([]signs, (len(vars)+63)/64)
		i := 0
		for _, l := range in.lits {
			for vars[i] != l.Var() {
				i++
			}
			if s := &table[u][i/64]; l > 0 {
				s.pos |= 1 << (i % 64)
			} else {
				s.neg |= 1 << (i % 64)
			}
		}
	}
	return table
}

func abs(x int) int { return max(x, -x) }
