package outcome

import (
	"math"
	"slices"
)

// length is what describes a part of a tree. Its effects are described one by one for each leaf, or each once, and leaves say which of them they have: contexts
// tend to have the same outcomes, with other probabilities.
type length struct {
	bits    float64   // of tests, rows and shares
	sets    [][]int32 // the effects of each leaf, in order
	effects []int32   // all of them, each once
	total   float64
}

// length describes a leaf.
func (f *fitter) length(m *fit) length {
	effects := slices.Compact(slices.Sorted(slices.Values(m.effects)))
	return length{m.cost - float64(len(m.effects))*math.Log2(f.x.possible), [][]int32{effects}, effects, m.cost}
}

// join describes two parts together, with a test that tells them apart. Leaves of single effects, as functions have, share none.
func (f *fitter) join(a, b length, test float64) length {
	l := length{bits: a.bits + b.bits + test, total: a.total + b.total + test}
	if f.most == 1 {
		return l
	}
	l.sets, l.effects = slices.Concat(a.sets, b.sets), slices.Concat(a.effects, b.effects)
	slices.Sort(l.effects)
	l.effects = slices.Compact(l.effects)
	n := float64(len(l.effects))
	shared := l.bits + n*math.Log2(f.x.possible)
	for _, set := range l.sets {
		if shared++; len(set) < len(l.effects) { // all, or some: by a yes or no of each, or by their names
			shared += min(n, float64(len(set))*math.Log2(n+1))
		}
	}
	l.total = min(l.total, shared)
	return l
}

// describe is the length of a tree. A node that was pruned to a leaf asks no test.
func (f *fitter) describe(n *node) length {
	if n.yes == nil {
		return f.length(n.fit)
	}
	return f.join(f.describe(n.yes), f.describe(n.no), n.bits)
}
