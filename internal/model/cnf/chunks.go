package cnf

import "github.com/fdplan/fdplan/internal/model"

// chunkLimit is the largest number of inputs for which the split points are searched for.
// With more inputs, the chunks that neurons can share are too small a part of the whole.
const chunkLimit = 48

// chunks splits all neurons of a group, which have the same variables, at the same points.
// The points are found by dynamic programming over intervals of the inputs: an interval costs
// one merge for each sign pattern (up to negation) that occurs on it.
func chunks(p *plan, group []input) {
	n := len(group[0].lits)
	lo, hi := n, 1
	for i := range group {
		r := group[i].reach()
		lo, hi = min(lo, r), max(hi, n+1-r)
	}
	counts := countPatterns(group)
	total := make([][]price, n+1) // total[i][j] for the interval i..j-1
	cut := make([][]int, n+1)
	for i := range total {
		total[i] = make([]price, n+1)
		cut[i] = make([]int, n+1)
	}
	for size := 2; size <= n; size++ {
		for i := 0; i+size <= n; i++ {
			j := i + size
			patterns := price(counts[i][j])
			s := partSpan(size, n-size, lo, hi)
			best := patterns * statedPrice(size, s, both)
			if size == n {
				best = unpayable
			}
			for k := i + 1; k < j; k++ {
				t := total[i][k] + total[k][j]
				if size < n {
					t += patterns * p.costs.merge(k-i, j-k, s, both).price
				} else {
					for u := range group {
						th := group[u].neuron.Threshold
						t += p.costs.merge(k-i, j-k, span{th, th}, both).price
					}
				}
				if t < best {
					best, cut[i][j] = t, k
				}
			}
			total[i][j] = best
		}
	}
	var build func(lits []model.Lit, i, j int) item
	build = func(lits []model.Lit, i, j int) item {
		k := cut[i][j]
		if k == 0 {
			return p.set(lits[i:j])
		}
		return p.merged(build(lits, i, k), build(lits, k, j))
	}
	for u, in := range group {
		p.roots[u] = build(in.lits, 0, n).view
	}
}

// countPatterns returns, for every interval i..j-1 of the inputs, the number of different
// sign patterns on it, up to negation.
func countPatterns(group []input) [][]int {
	n := len(group[0].lits)
	counts := make([][]int, n)
	pattern := make([]int, len(group)) // of each neuron, on i..j-1
	var next []int                     // number of a pattern and a relative sign
	for i := range counts {
		counts[i] = make([]int, n+1)
		clear(pattern)
		known := 1
		for j := i + 1; j <= n; j++ {
			next = append(next[:0], make([]int, 2*known)...)
			known = 0
			for u, in := range group {
				k := 2 * pattern[u]
				if (in.lits[i] < 0) != (in.lits[j-1] < 0) {
					k++
				}
				if next[k] == 0 {
					known++
					next[k] = known
				}
				pattern[u] = next[k] - 1
			}
			counts[i][j] = known
		}
	}
	return counts
}
