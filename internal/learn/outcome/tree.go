package outcome

import (
	"cmp"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/problem/chance"
)

// test is a question about a row: Variable <= Value, Variable == Value, Variable == Other, whether
// Variable, counted from its least value, has the remainder Value in a division by Stride, or Variable + Sign*Other <= Value.
type test struct {
	variable int
	other    int // a variable; -1 for none
	equal    bool
	value    int32
	stride   int32 // 0 for none
	sign     int32 // 1 or -1; 0 where two variables are not added up
}

// is answers a test for the values of all variables.
func (q test) is(t *Table, now []int32) bool {
	if q.other >= 0 {
		return q.compare(t, now[q.variable], now[q.other])
	}
	return q.compare(t, now[q.variable], 0)
}

func (q test) compare(t *Table, x, y int32) bool {
	switch {
	case q.sign != 0:
		return t.together(q, x, y) <= int64(q.value)
	case q.other >= 0:
		return int64(x)+t.Variables[q.variable].Base == int64(y)+t.Variables[q.other].Base
	}
	return q.among(x)
}

// among reports whether a test of one variable holds for a value.
func (q test) among(x int32) bool {
	switch {
	case q.stride > 0:
		return x%q.stride == q.value
	case q.equal:
		return x == q.value
	}
	return x <= q.value
}

// node is a part of a tree of contexts; a leaf where yes is nil.
type node struct {
	test    test
	bits    float64 // of the test
	yes, no *node
	rows    []int32
	cells   []cell
	fit     *fit
}

const (
	fullTests = 5  // tests that are tried by a fit, the best by each simple score
	worth     = 12 // bits of likelihood for which a node is split though the description grows
	aheadBits = 60 // bits of rows for which two tests are tried together
	// Rows in which that may be done, and the least that a trial counts as. Logs of grids with 40,000 rows take 1,000,000; in noise, each leaf would
	// be tried.
	mostAhead  = 3_000_000
	leastAhead = 500
	fewRows    = 4 // a side of a split
)

// grower grows a tree.
type grower struct {
	f      *fitter // as a tree grows, where the noise may be another one in each node
	pruned *fitter // as it is pruned, for one noise
	tests  float64 // bits of a test; 0 if those count that divide the rows
	coarse float64 // bits of a test beside those
	few    float64 // rows that a side of a split has
	worth  float64 // bits of likelihood for which a node is split though the description grows
	plain  bool    // no test is about two variables together
	ahead  bool    // two tests are tried together where none is worth it
	cancel func() bool
	left   *int // rows that may be looked at to compare whole trees
	looked int  // rows in which two tests were tried together, with those that such a trial counts as
}

// grow makes the tree of some rows.
func (g *grower) grow(rows []int32, depth int) *node {
	x := g.f.x
	n := &node{rows: rows, cells: x.cells(rows)}
	n.fit = g.f.fit(n.cells)
	if n.fit.bits < worth/2 || n.fit.rows < 2*g.few || depth == 0 || g.cancel() {
		return n
	}
	tests, asked := g.propose(rows, n.fit)
	if len(tests) == 0 {
		return n
	}
	at, cost, bits := g.best(rows, tests, asked)
	if cost >= n.fit.cost && n.fit.bits-bits < g.worth {
		if !g.ahead || n.fit.bits < aheadBits || g.looked > mostAhead {
			return n
		}
		// Two tests may tell what none of them tells alone.
		found := false
		for _, q := range tests {
			yes, no := x.split(rows, q)
			if c := g.next(yes) + g.next(no) + asked.of(q); c < n.fit.cost && (!found || c < cost) {
				at, cost, found = q, c, true
			}
		}
		if !found {
			return n
		}
	}
	yes, no := x.split(rows, at)
	n.test, n.bits, n.yes, n.no = at, asked.of(at), g.grow(yes, depth-1), g.grow(no, depth-1)
	return n
}

// next is the description of rows with one test at most.
func (g *grower) next(rows []int32) float64 {
	g.looked += len(rows) + leastAhead
	m := g.f.fit(g.f.x.cells(rows))
	tests, asked := g.propose(rows, m)
	_, cost, _ := g.best(rows, tests, asked)
	return min(m.cost, cost)
}

// best returns the test whose sides have the shortest description together with the test, that description, and its bits of rows.
func (g *grower) best(rows []int32, tests []test, asked asking) (at test, cost, bits float64) {
	cost = math.Inf(1)
	for _, q := range tests {
		yes, no := g.f.x.split(rows, q)
		a, b := g.f.fit(g.f.x.cells(yes)), g.f.fit(g.f.x.cells(no))
		if c := g.f.join(g.f.length(a), g.f.length(b), asked.of(q)).total; c < cost {
			at, cost, bits = q, c, a.bits+b.bits
		}
	}
	return at, cost, bits
}

// split divides rows by a test.
func (x *view) split(rows []int32, q test) (yes, no []int32) {
	holds := x.asks(q)
	for _, r := range rows {
		if holds(r) {
			yes = append(yes, r)
		} else {
			no = append(no, r)
		}
	}
	return yes, no
}

// asks returns what answers a test of a row.
func (x *view) asks(q test) func(r int32) bool {
	now := x.t.Now[q.variable]
	switch {
	case q.other >= 0:
		other := x.t.Now[q.other]
		return func(r int32) bool { return q.compare(x.t, now[r], other[r]) }
	case q.stride > 0:
		return func(r int32) bool { return now[r]%q.stride == q.value }
	case q.equal:
		return func(r int32) bool { return now[r] == q.value }
	}
	return func(r int32) bool { return now[r] <= q.value }
}

// propose lists the tests that tell most about what happens to the values: about the
// differences, about the values themselves, and about the effect of the fit that a row shows. It returns what it takes to
// say which of all it is, too.
func (g *grower) propose(rows []int32, m *fit) (best []test, asked asking) {
	x := g.f.x
	t := x.t
	if g.left != nil {
		*g.left -= len(rows)
	}
	classes := x.classes(rows, m)
	var tests []test
	gains := make([][]float64, len(classes))
	add := func(q test, n float64, gain func(c int) float64) {
		if n < g.few || m.rows-n < g.few {
			return
		}
		tests = append(tests, q)
		for c := range classes {
			gains[c] = append(gains[c], gain(c))
		}
	}
	for v := range t.Variables {
		x.single(v, x.tabulate(rows, classes, int(t.Variables[v].Values), func(r int32) int { return int(t.Now[v][r]) }), g.tests == 0, add)
	}
	g.compare(rows, classes, add)
	best = bestTests(tests, gains, fullTests)
	if asked.plain = g.tests; asked.plain == 0 {
		asked.plain = math.Log2(float64(max(1, len(tests)))) + g.coarse
	}
	tests, gains = nil, make([][]float64, len(classes))
	if !g.plain {
		g.together(rows, classes, add)
	}
	asked.sum = asked.plain + sumBits + max(0, math.Log2(float64(max(1, len(tests))))-asked.plain+g.coarse)
	return append(best, bestTests(tests, gains, fullSums)...), asked
}

// single adds the tests of one variable. With few, that the least or the greatest value of one with an order is meant is said by a bound.
func (x *view) single(v int, t *contingency, few bool, add adder) {
	ordered, total := x.t.Variables[v].Ordered, 0.0
	for _, n := range t.counts {
		total += n
	}
	t.each(func(at int, below float64, gain func(c int) float64) {
		count, value := t.counts[at], t.values[at]
		if ordered {
			add(test{variable: v, other: -1, value: value}, below, gain)
		}
		if !few || !ordered || below != count && below != total {
			add(test{variable: v, other: -1, equal: true, value: value}, count, func(c int) float64 { return t.gainOf(c, at) })
		}
	})
	for _, stride := range x.strides[v] {
		rests := t.byRemainder(stride)
		for rest, n := range rests.counts {
			add(test{variable: v, other: -1, equal: true, value: int32(rest), stride: stride}, n, func(c int) float64 { return rests.gainOf(c, rest) })
		}
	}
}

// compare adds the tests of two variables.
func (g *grower) compare(rows []int32, classes []class, add adder) {
	x := g.f.x
	for _, q := range x.t.comparisons(x.outputs) {
		holds := x.asks(q)
		t := x.tabulate(rows, classes, 2, func(r int32) int {
			if holds(r) {
				return 1
			}
			return 0
		})
		if at := slices.Index(t.values, 1); at >= 0 {
			add(q, t.counts[at], func(c int) float64 { return t.gainOf(c, at) })
		}
	}
}

// bestTests lists the tests with the highest gains, so many at least by each score.
func bestTests(tests []test, gains [][]float64, full int) (out []test) {
	taken := make([]bool, len(tests))
	for _, gain := range gains {
		order := integer.Below[int](len(tests))
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(gain[b], gain[a]) })
		// The best tests may all be of one variable and tell the same: the best of others are tried, too.
		seen := map[int]bool{}
		for k, i := range order {
			if v := tests[i].variable; k < full || len(seen) < full && !seen[v] {
				seen[v] = true
				if !taken[i] {
					taken[i] = true
					out = append(out, tests[i])
				}
			}
		}
	}
	return out
}

// maxCompared bounds the variables of which all pairs are compared.
const maxCompared = 24

// comparisons lists the tests of two variables for equality: all, or those of the outputs.
func (t *Table) comparisons(outputs []int) []test {
	var all []test
	for a := range t.Variables {
		for b := range a {
			alike := t.Variables[a].Kind >= 0 && t.Variables[a].Kind == t.Variables[b].Kind
			own := slices.ContainsFunc(outputs, func(o int) bool { return t.Outputs[o] == a || t.Outputs[o] == b })
			if alike && (own || len(t.Variables) <= maxCompared) {
				all = append(all, test{variable: b, other: a, equal: true})
			}
		}
	}
	return all
}

// class numbers what happens in each row.
type class struct {
	of []int32
	n  int
}

// number divides rows by a key of their pairs.
func (x *view) number(rows []int32, key func(id int32, p *pair) [4]int32) class {
	const most = 64 // classes: the rest is one
	ids := map[[4]int32]int32{}
	of := make([]int32, len(x.pairs))
	for i := range of {
		of[i] = -1
	}
	out := class{of: make([]int32, len(rows))}
	for i, r := range rows {
		id := x.ids[r]
		if of[id] < 0 {
			k := key(id, &x.pairs[id])
			c, ok := ids[k]
			if !ok {
				c = int32(min(len(ids), most))
				ids[k] = c
			}
			of[id] = c
		}
		out.of[i] = of[id]
	}
	out.n = min(len(ids), most+1)
	return out
}

// differences divides rows by the differences of the outputs.
func (x *view) differences(rows []int32) class {
	return x.number(rows, func(_ int32, p *pair) (k [4]int32) {
		for j := range p.now {
			k[min(j, 3)] = k[min(j, 3)]*4096 + p.next[j] - p.from[j] + 1
		}
		return k
	})
}

// classes divides rows by the differences of the outputs, by their values, and by the effect of a fit.
func (x *view) classes(rows []int32, m *fit) []class {
	return []class{
		x.differences(rows),
		x.number(rows, func(_ int32, p *pair) (k [4]int32) {
			for j := range p.now {
				k[min(j, 3)] = k[min(j, 3)]*4096 + p.next[j] + 1
			}
			return k
		}),
		x.number(rows, func(id int32, _ *pair) (k [4]int32) {
			k[0] = int32(slices.IndexFunc(m.effects, func(e int32) bool { return slices.Contains(x.shows[id], e) }))
			return k
		}),
	}
}

// prune fits all nodes for one way to treat blocked effects, and keeps the splits that shorten
// the description. It returns what is left, and its description.
func (g *grower) prune(n *node) (*node, length) {
	out := &node{test: n.test, bits: n.bits, rows: n.rows, cells: n.cells}
	out.fit = g.pruned.fit(n.cells)
	if n.yes == nil {
		return out, g.pruned.length(out.fit)
	}
	yes, a := g.prune(n.yes)
	no, b := g.prune(n.no)
	if both := g.pruned.join(a, b, n.bits); both.total < out.fit.cost {
		out.yes, out.no = yes, no
		return out, both
	}
	return out, g.pruned.length(out.fit)
}

// leaves calls visit with each leaf and the way to it.
func (n *node) leaves(path []answer, visit func(*node, []answer)) {
	if n.yes == nil {
		visit(n, path)
		return
	}
	n.yes.leaves(append(slices.Clone(path), answer{n.test, true}), visit)
	n.no.leaves(append(slices.Clone(path), answer{n.test, false}), visit)
}

// answer is a test with what it found.
type answer struct {
	test
	yes bool
}

// ways lists the ways to treat blocked effects, in the order in which they are tried: of equal ones the first is taken. A sum of values stays at the end of its range, as a
// stock is full.
func (x *view) ways() []chance.Blocked {
	if slices.ContainsFunc(x.sums, func(s sum) bool { return s != nil }) {
		return []chance.Blocked{chance.Clamp, chance.Keep, chance.Others, chance.Rest}
	}
	return ways
}

var ways = []chance.Blocked{chance.Keep, chance.Clamp, chance.Others, chance.Rest}
