package quantity

import (
	"cmp"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

// split is a way to divide a node.
type split struct {
	term      int
	at, gain  float64
	before    float64 // the places that were tried beside it
	after     float64
	low, high *gram
}

// bins is the number of places at which a term can be split.
const bins = 16

// mode is what a condition on a mode must gain for each coefficient to go before others, in errors of a row.
const mode = 2

// first finds the split of a leaf; nil for none. One on a mode goes first if it gains more than chance, even where another gains more at once.
func (d *design) first(l *Node, use, splits []int, leaves int) *split {
	if s := d.divide(l, use, d.modes, leaves); s != nil && s.gain > mode*float64(len(use))*l.gram.sse(l.beta)/l.gram.n {
		return s
	}
	return d.divide(l, use, splits, leaves)
}

// divide finds the best split of a leaf; nil for none. The place is looked for among few, and then among more near the best.
func (d *design) divide(l *Node, use []int, splits []int, leaves int) *split {
	if leaves < 2 {
		return nil
	}
	var best *split
	for _, s := range d.promising(l, splits) {
		best = d.scan(l, use, s, quantiles(d.x[s], l.rows), best)
	}
	const closer = 2
	for range closer {
		if best == nil {
			break
		}
		var near []int
		for _, i := range l.rows {
			if x := d.x[best.term][i]; x > best.before && x <= best.after {
				near = append(near, i)
			}
		}
		best = d.scan(l, use, best.term, quantiles(d.x[best.term], near), best)
	}
	if own := l.gram.sse(l.beta); best == nil || best.gain <= 1e-9*(own+1e-12) {
		return nil
	}
	return best
}

// scan returns the best of a split and those of a term at edges.
func (d *design) scan(l *Node, use []int, term int, edges []float64, best *split) *split {
	least := float64(max(10, len(use)+2))
	if len(edges) == 0 || float64(len(l.rows)) < 2*least {
		return best
	}
	parts, low, high := d.scans.take(len(edges)+1, len(d.in))
	for _, i := range l.rows {
		at, _ := slices.BinarySearch(edges, d.x[term][i])
		parts[at].outer(d.row(i))
	}
	own, whole := l.gram.sse(l.beta), d.bounded(l.gram.whole, term)
	low.whole, high.whole = whole, whole
	for e, edge := range edges {
		low.merge(parts[e], 1)
		if low.n < least || l.gram.n-low.n < least {
			continue
		}
		high.less(l.gram, low)
		gain := own - low.sse(low.solve(&d.work, use, d.all, l.beta, pull))
		gain -= high.sse(high.solve(&d.work, use, d.all, l.beta, pull))
		if best == nil || gain > best.gain {
			best = &split{term: term, at: edge, gain: gain, low: low.clone(), high: high.clone(), before: math.Inf(-1), after: math.Inf(1)}
			if e > 0 {
				best.before = edges[e-1]
			}
			if e+1 < len(edges) {
				best.after = edges[e+1]
			}
		}
	}
	return best
}

// scans has the memory for comparing splits.
type scans struct {
	grams  []*gram
	slopes []float64 // by row of a leaf and coefficient
	sums   []float64 // of slopes between the places of a split
	codes  [][]uint8 // by term and row; see code
	parts  []int
}

// take returns sums of nothing: some parts, and two more.
func (s *scans) take(parts, terms int) (of []*gram, low, high *gram) {
	if len(s.grams) > 0 && len(s.grams[0].s) != (terms+2)*(terms+2) {
		s.grams = nil
	}
	for len(s.grams) < parts+2 {
		s.grams = append(s.grams, newGram(terms))
	}
	for _, g := range s.grams[:parts+2] {
		g.n = 0
		clear(g.s)
	}
	return s.grams[2 : parts+2], s.grams[0], s.grams[1]
}

// tried is the number of terms whose splits are compared, those that promise most.
const tried = 6

// promising returns the terms whose splits promise most, in their order. It is the score test for a change of the coefficients at a place: the errors of
// the leaf's function, times the terms, sum to nothing in the leaf, and to little on each side of a place if the coefficients are the same there. As what a
// split explains, that is exact if terms have the same sums of products on both sides for each row (Zeileis, Hothorn and Hornik, "Model-Based Recursive
// Partitioning", 2008).
func (d *design) promising(l *Node, splits []int) []int {
	if len(splits) <= tried {
		return splits
	}
	d.slopes(l)
	scores := make([]float64, len(d.terms))
	for _, s := range splits {
		scores[s] = d.promise(l, s)
	}
	best := slices.Clone(splits)
	slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	best = best[:tried]
	slices.Sort(best)
	return best
}

// slopes sets the errors of a leaf's function times the terms, less their mean, and factors its sums of products.
func (d *design) slopes(l *Node) {
	m, s := len(l.beta), &d.scans
	s.slopes = slices.Grow(s.slopes[:0], len(l.rows)*m)[:len(l.rows)*m]
	mean := make([]float64, m)
	for r, i := range l.rows {
		z := d.row(i)
		e := z[m]
		for a, x := range l.beta {
			e -= x * z[a]
		}
		for a, to := 0, s.slopes[r*m:(r+1)*m]; a < m; a++ {
			to[a] = e * z[a]
			mean[a] += to[a] / float64(len(l.rows))
		}
	}
	for r := range l.rows {
		for a, x := range mean {
			s.slopes[r*m+a] -= x
		}
	}
	w := &d.work
	w.a = slices.Grow(w.a[:0], m*m)[:m*m]
	for u := range m {
		for v := range u + 1 {
			w.a[u*m+v] = l.gram.at(m+1, u, v)
		}
	}
	w.Factor(w.a, m)
}

// code numbers the parts of a term's values that quantiles of all rows divide, from 0, for each row.
func (d *design) code(term int) (of []uint8, parts int) {
	if d.scans.codes == nil {
		d.scans.codes, d.scans.parts = make([][]uint8, len(d.terms)), make([]int, len(d.terms))
	}
	if d.scans.codes[term] == nil {
		x := d.x[term]
		edges := quantiles(x, integer.Below[int](len(x)))
		of := make([]uint8, len(x))
		for i, v := range x {
			at, _ := slices.BinarySearch(edges, v)
			of[i] = uint8(at)
		}
		d.scans.codes[term], d.scans.parts[term] = of, len(edges)+1
	}
	return d.scans.codes[term], d.scans.parts[term]
}

// promise is the score of the best place to split a leaf by a term, of those between quantiles of all rows.
func (d *design) promise(l *Node, term int) float64 {
	m, n := len(l.beta), float64(len(l.rows))
	code, parts := d.code(term)
	sums := slices.Grow(d.scans.sums[:0], parts*m)[:parts*m]
	d.scans.sums = sums
	clear(sums)
	var count [2 * bins]float64
	for r, i := range l.rows {
		at := int(code[i])
		count[at]++
		to := sums[at*m : (at+1)*m]
		for a, y := range d.scans.slopes[r*m : (r+1)*m] {
			to[a] += y
		}
	}
	best, low, least := 0.0, 0.0, float64(max(10, m+2))
	for e := range parts - 1 {
		to := sums[e*m : (e+1)*m]
		if e > 0 {
			for a, y := range sums[(e-1)*m : e*m] {
				to[a] += y
			}
		}
		if low += count[e]; count[e] == 0 || low < least || n-low < least {
			continue
		}
		score := 0.0
		for a, y := range d.work.Solve(to) {
			score += y * to[a]
		}
		best = max(best, score*(n/low+n/(n-low)))
	}
	return best
}

// bounded returns the variances without those of the column of a term that a condition is on: the leaf is for no other values.
func (d *design) bounded(whole []float64, term int) []float64 {
	whole = slices.Clone(whole)
	for at, j := range d.in {
		if d.terms[j].Column == d.terms[term].Column && d.terms[term].Value == number {
			whole[at+1] = 0
		}
	}
	return whole
}

// quantiles returns places between values of some rows that divide these about evenly: at most bins-1.
func quantiles(x []float64, rows []int) []float64 {
	values := make([]float64, len(rows))
	for i, r := range rows {
		values[i] = x[r]
	}
	slices.Sort(values)
	distinct := slices.Compact(slices.Clone(values))
	var edges []float64
	if len(distinct) <= 2*bins {
		for i := 1; i < len(distinct); i++ {
			edges = append(edges, distinct[i-1])
		}
		return edges
	}
	for b := 1; b < bins; b++ {
		v := values[b*len(values)/bins]
		if at, _ := slices.BinarySearch(distinct, v); at+1 < len(distinct) {
			edges = append(edges, v)
		}
	}
	return slices.Compact(edges)
}
