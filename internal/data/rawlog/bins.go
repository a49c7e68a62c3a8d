package rawlog

import (
	"iter"
	"math"
	"slices"
	"sync"
)

// maxSplits bounds how deep the bins of one quantity are split by behaviour.
const maxSplits = 3

// maxGaps is the most gaps that make clusters.
const maxGaps = 15

// leastSamples is the least number of samples that are split.
const leastSamples = 20

// sample is a value of a quantity with the change that followed: the joint action, and that
// together with how another fluent changed.
type sample struct {
	x              float64
	action, change int
}

// edgesOf chooses the inner edges of a quantity: in the gaps between clusters of values; if
// there are none, where the behaviour of another fluent changes, with a list of changes for
// each of these, by value; else quartiles. lo and hi are the extreme values.
func edgesOf(values []float64, changes iter.Seq[[]sample]) (edges []float64, how string) {
	slices.Sort(values)
	lo, hi := values[0], values[len(values)-1]
	add := func(a, b float64) {
		if e := roundest(a, b); e > lo && !slices.Contains(edges, e) {
			edges = append(edges, e)
		}
	}
	for _, g := range clusters(values) {
		add(g[0], g[1])
		how = "gaps between the values"
	}
	if len(edges) > 0 { // the values are levels already, and measured with noise
		changes = slices.Values([][]sample{})
	}
	for list := range changes {
		for _, g := range split(list, maxSplits) {
			add(g[0], g[1])
			how = "where the behaviour changes"
		}
	}
	a, b := outer(lo, hi)
	inner := func() bool { // a quarter of the values may be the highest one
		edges = slices.DeleteFunc(edges, func(e float64) bool { return e <= a || e >= b })
		return len(edges) > 0
	}
	if !inner() {
		how = "quartiles"
		for _, list := range [][]float64{values, slices.Compact(slices.Clone(values))} {
			if inner() {
				break
			}
			for k := 1; k < 4; k++ {
				at := len(list) * k / 4
				width := (hi - lo) / 40
				add(list[at]-width, list[at]+width)
			}
		}
	}
	if !inner() {
		edges = []float64{roundest(lo+(hi-lo)*0.3, lo+(hi-lo)*0.7)}
	}
	edges = append(edges, a, b)
	slices.Sort(edges)
	return slices.Compact(edges), how
}

// clusters returns the gaps between clusters of sorted values, nil if there are none.
func clusters(values []float64) [][2]float64 {
	distinct := slices.Compact(slices.Clone(values))
	if len(distinct) < 3 {
		return nil
	}
	gaps := make([]float64, len(distinct)-1)
	for i := range gaps {
		gaps[i] = distinct[i+1] - distinct[i]
	}
	sorted := slices.Clone(gaps)
	slices.Sort(sorted)
	least := max(10*sorted[len(sorted)*9/10], (distinct[len(distinct)-1]-distinct[0])/50)
	if len(distinct) <= maxGaps+1 {
		least = 0 // few values: each is a cluster
	}
	var out [][2]float64
	for i, g := range gaps {
		if g > least {
			out = append(out, [2]float64{distinct[i], distinct[i+1]})
		}
	}
	if least > 0 && (strays(values, out) || !apart(distinct, out)) {
		return nil
	}
	if len(out) > maxGaps {
		return nil
	}
	return out
}

// leastCluster is the least share of the values in a cluster: a few that stray from the others
// are none.
const leastCluster = 0.005

// isGrid reports whether numbers are multiples of a step of which few are in their range: settings, which are exact, and no
// levels that are measured with noise. Clusters of one value each would say no more, and could not be added up.
func isGrid(values []float64, width float64) bool {
	r := resolution(values).Float()
	return width/r < maxInt
}

// strays reports whether gaps leave too few of the sorted values on one side or between them.
func strays(values []float64, gaps [][2]float64) bool {
	begin := 0
	for i := range len(gaps) + 1 {
		end := len(values)
		if i < len(gaps) {
			end, _ = slices.BinarySearch(values, gaps[i][1])
		}
		if float64(end-begin) < leastCluster*float64(len(values)) {
			return true
		}
		begin = end
	}
	return false
}

// apart reports whether the gaps between clusters are as wide as the clusters, all together: levels that are measured with noise are. A humidity that was
// never between two values for some days is none of two levels.
func apart(distinct []float64, gaps [][2]float64) bool {
	sum := 0.0
	for _, g := range gaps {
		sum += g[1] - g[0]
	}
	return 2*sum >= distinct[len(distinct)-1]-distinct[0]
}

// tally counts actions and changes on one side of a split. H is the sum of n log2 n of the
// changes, minus that of the actions: -H is the entropy of the changes given the actions, in
// bits of all samples.
type tally struct {
	actions, changes map[int]int
	h                float64
}

// fewNlogn has n log2 n of small numbers.
var fewNlogn = sync.OnceValue(func() []float64 {
	out := make([]float64, 1<<13)
	for n := 1; n < len(out); n++ {
		out[n] = float64(n) * math.Log2(float64(n))
	}
	return out
})

func nlogn(n int) float64 {
	if few := fewNlogn(); n < len(few) {
		return few[n]
	}
	return float64(n) * math.Log2(float64(n))
}

func (t *tally) add(s sample, d int) {
	t.h += nlogn(t.changes[s.change]+d) - nlogn(t.changes[s.change])
	t.h -= nlogn(t.actions[s.action]+d) - nlogn(t.actions[s.action])
	t.changes[s.change] += d
	t.actions[s.action] += d
}

// leastGain is the share of the uncertainty about the changes that a split has to remove.
// Rows that follow each other are not independent, so that small gains are chance.
const leastGain = 0.03

// split returns the gaps between neighbouring values at which the behaviour changes, by
// splitting at the threshold that tells most about the changes, as long as it tells more than
// it takes to describe (Fayyad and Irani, 1993).
func split(list []sample, depth int) [][2]float64 {
	if depth == 0 || len(list) < leastSamples {
		return nil
	}
	left := tally{actions: map[int]int{}, changes: map[int]int{}}
	right := tally{actions: map[int]int{}, changes: map[int]int{}}
	for _, s := range list {
		right.add(s, 1)
	}
	whole := right.h
	kinds := float64(len(right.changes))
	best, at := 0.0, 0
	for i, s := range list[:len(list)-1] {
		left.add(s, 1)
		right.add(s, -1)
		if gain := left.h + right.h - whole; gain > best && list[i+1].x > s.x {
			best, at = gain, i+1
		}
	}
	if best <= math.Log2(float64(len(list)))+2*kinds || best < -whole*leastGain {
		return nil
	}
	out := split(list[:at], depth-1)
	out = append(out, [2]float64{list[at-1].x, list[at].x})
	return append(out, split(list[at:], depth-1)...)
}
