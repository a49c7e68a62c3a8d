package quantity

import (
	"math"
	"slices"
)

// sizes are the numbers of leaves that are compared.
var sizes = []int{1, 2, 3, 4, 6, 8, 12, 16, 24}

// trial is a candidate and the function that it learned without each block.
type trial struct {
	c    candidate
	by   []*Function
	cost int
}

// candidates lists the ways to learn a function that are compared, each by three penalties.
func (l *learner) candidates() (all []candidate) {
	amounts, once, modes := false, false, false
	for k, c := range l.t.Columns {
		modes = modes || c.Values > 0
		amounts = amounts || c.Role == Action && c.Values == 0
		once = once || c.Role == Action && (c.Values > 0 || l.slow[k])
	}
	for _, several := range []bool{false, true} {
		for _, acts := range []bool{false, true} {
			for lags := range l.o.Lags + 1 {
				if (amounts || !acts) && (!several || once && lags > 0) {
					all = append(all, candidate{lags: lags, leaves: sizes[len(sizes)-1], acts: acts, several: several})
				}
			}
			if several && once && l.o.Lags > 0 {
				all = append(all, candidate{lags: l.o.Lags, leaves: sizes[len(sizes)-1], acts: amounts && acts, several: true, free: true})
			}
		}
	}
	// What a mode changes, such as a fan that is on or off, is exact once its values are told apart, where conditions on quantities are never enough.
	for lags := 0; modes && lags <= l.o.Lags; lags++ {
		all = append(all, candidate{lags: lags, leaves: sizes[len(sizes)-1], modes: true})
	}
	return all
}

// try learns the functions of an output by all candidates.
func (l *learner) try(i int) ([]trial, error) {
	penalties := []float64{0, 2, math.Log(float64(len(l.rows)))}
	candidates := l.candidates()
	found, err := l.functions(i, candidates, penalties)
	if err != nil {
		return nil, err
	}
	still := trial{c: candidate{leaves: 1, still: true}}
	all := []trial{still}
	for b := range blocks {
		all[0].by = append(all[0].by, found[0][b][0][0].unchanged())
	}
	for k, c := range candidates {
		for p, penalty := range penalties {
			c.penalty = penalty
			if other := slices.ContainsFunc(found[k][:], func(x [][]*Function) bool { return p == 0 || x[p][0] != x[p-1][0] }); !other {
				continue
			}
			for _, n := range sizes {
				t := trial{c: c}
				t.c.leaves = n
				for b := range blocks {
					if by := found[k][b][p]; n <= len(by) {
						t.by = append(t.by, by[n-1])
						t.cost += by[n-1].size()
					}
				}
				if len(t.by) == blocks {
					all = append(all, t)
				}
			}
		}
	}
	return all, nil
}

// early is the number of leaves that functions have at first. They have more where some of the larger ones among them are no worse one step ahead in the
// blocks than the smaller ones, but for worse: a log in which linear functions are best has many useless trees.
const (
	early = 6
	small = 3
	worse = .02
)

// functions learns the functions of an output by candidates, without each block, with each penalty: by candidate, block, penalty and leaves.
func (l *learner) functions(i int, candidates []candidate, penalties []float64) ([][blocks][][]*Function, error) {
	found := make([][blocks][][]*Function, len(candidates))
	err := l.all(len(candidates)*blocks, func(k int) {
		c, b := candidates[k/blocks], k%blocks
		c.leaves = min(c.leaves, early)
		found[k/blocks][b] = l.penalized(i, c, l.train[b], penalties)
	})
	if err != nil {
		return nil, err
	}
	var again []int // the candidates of which some functions may have more leaves
	worth := make([][]float64, len(candidates))
	for k := range candidates {
		for p, penalty := range penalties {
			if l.worthMore(&found[k], p) {
				worth[k] = append(worth[k], penalty)
			}
		}
		if worth[k] != nil {
			again = append(again, k)
		}
	}
	return found, l.all(len(again)*blocks, func(n int) {
		k, b := again[n/blocks], n%blocks
		for at, fs := range l.penalized(i, candidates[k], l.train[b], worth[k]) {
			found[k][b][slices.Index(penalties, worth[k][at])] = fs
		}
	})
}

// worthMore reports whether functions of more leaves than early may be better than those that were learned with a penalty.
func (l *learner) worthMore(found *[blocks][][]*Function, p int) bool {
	least := [2]float64{math.Inf(1), math.Inf(1)} // of few leaves, and of more
	for n := range early {
		sum := 0.0
		for b := range blocks {
			fs := found[b][p]
			if n >= len(fs) {
				return false
			}
			sum += l.missed(b, fs[n])
		}
		if at := &least[min(1, n/small)]; sum < *at {
			*at = sum
		}
	}
	return least[1] <= (1+worse)*least[0]
}

// missed is the sum of squared errors of a function one step ahead in a block.
func (l *learner) missed(b int, f *Function) float64 {
	sum := 0.0
	for _, r := range l.fold[b] {
		e := l.t.Columns[f.Output].Next[r] - f.Value(func(j int) float64 { return l.t.of(f.Terms[j], r) })
		sum += e * e
	}
	return sum
}
