package quantity

import (
	"math"
	"slices"
)

// Function gives the next value of a quantity: a tree of conditions with linear leaves, clamped.
type Function struct {
	Output int // its column
	Terms  []Term
	Root   *Node
	Lo, Hi float64 // infinite for none
}

// Node is a leaf, or a condition: Low holds where the term Split is at most At.
type Node struct {
	Split     int // a term; -1 for a leaf
	At        float64
	Low, High *Node
	Constant  float64
	Weights   []float64 // of each term

	order int // of nodes that are split, from 1; the best first. See descent.take for leaves
	beta  []float64
	gram  *gram
	best  *split
	rows  []int // of the design
}

// split is a way to divide a node.
type split struct {
	term      int
	at, gain  float64
	before    float64 // the places that were tried beside it
	after     float64
	low, high *gram
}

// pull is the number of rows, like all rows together, that draw a leaf towards the node above it: so it is no worse a guess than that one where the
// log has no rows of it. With rows like those of the node above, errors beyond the range of a log were up to twice as large.
const pull = 25

// bins is the number of places at which a term can be split.
const bins = 16

// grow grows a tree on all rows of a design, one leaf more each time where the squared error falls most, with the terms in use.
func (d *design) grow(use, splits []int, leaves int) *Node {
	use = slices.Clone(use)
	d.in = nil
	for at, a := range use {
		if use[at] = at; a > 0 {
			d.in = append(d.in, a-1)
		}
	}
	d.all = d.gram()
	root := &Node{Split: -1, gram: d.all}
	for i := range d.y {
		root.rows = append(root.rows, i)
	}
	for a := range len(d.in) + 1 {
		root.gram.whole = append(root.gram.whole, root.gram.varies(a))
	}
	root.beta = d.solve(d.all, use, nil, nil, 0)
	open := []*Node{root}
	root.best = d.first(root, use, splits, leaves)
	for n := 1; n < leaves; n++ {
		var next *Node
		for _, l := range open {
			if l.best != nil && (next == nil || l.best.gain > next.best.gain) {
				next = l
			}
		}
		if next == nil {
			break
		}
		next.order = n
		b := next.best
		next.Split, next.At = b.term, b.at
		below := func(g *gram) *Node {
			return &Node{Split: -1, gram: g, beta: d.solve(g, use, d.all, next.beta, pull)}
		}
		next.Low, next.High = below(b.low), below(b.high)
		for _, i := range next.rows {
			if d.x[b.term][i] <= b.at {
				next.Low.rows = append(next.Low.rows, i)
			} else {
				next.High.rows = append(next.High.rows, i)
			}
		}
		open = slices.DeleteFunc(open, func(l *Node) bool { return l == next })
		for _, l := range []*Node{next.Low, next.High} {
			l.best = d.first(l, use, splits, leaves)
			open = append(open, l)
		}
		next.best, next.rows = nil, nil
	}
	return root
}

// mode is what a condition on a mode must gain for each coefficient to go before others, in errors of a row.
const mode = 2

// first finds the split of a leaf; nil for none. One on a mode goes first if it gains more than chance, even where another gains more at once.
func (d *design) first(l *Node, use, splits []int, leaves int) *split {
	if s := d.divide(l, use, d.modes, leaves); s != nil && s.gain > mode*float64(len(use))*l.gram.sse(l.beta)/l.gram.n {
		return s
	}
	return d.divide(l, use, splits, leaves)
}

// solve solves for terms in use, without those that have another sign than most of their group.
func (d *design) solve(g *gram, use []int, from *gram, prior []float64, weight float64) []float64 {
	for {
		beta := g.solve(use, from, prior, weight)
		if d.alike == nil {
			return beta
		}
		worst, sum := -1, make([]float64, len(d.alike)+1)
		for _, a := range use[1:] {
			sum[d.alike[d.in[a-1]]] += beta[a]
		}
		for _, a := range use[1:] {
			if g := d.alike[d.in[a-1]]; g > 0 && beta[a]*sum[g] < 0 && (worst < 0 || math.Abs(beta[a]) > math.Abs(beta[worst])) {
				worst = a
			}
		}
		if worst < 0 {
			return beta
		}
		use = slices.DeleteFunc(slices.Clone(use), func(a int) bool { return a == worst })
	}
}

// divide finds the best split of a leaf; nil for none. The place is looked for among few, and then among more near the best.
func (d *design) divide(l *Node, use []int, splits []int, leaves int) *split {
	if leaves < 2 {
		return nil
	}
	var best *split
	for _, s := range splits {
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
	parts := make([]*gram, len(edges)+1)
	for i := range parts {
		parts[i] = newGram(len(d.in))
	}
	z := make([]float64, len(d.in)+2)
	for _, i := range l.rows {
		at, _ := slices.BinarySearch(edges, d.x[term][i])
		parts[at].add(d, i, z)
	}
	own := l.gram.sse(l.beta)
	low, whole := newGram(len(d.in)), d.bounded(l.gram.whole, term)
	low.whole = whole
	for e, edge := range edges {
		low.merge(parts[e], 1)
		if low.n < least || l.gram.n-low.n < least {
			continue
		}
		high := newGram(len(d.in))
		high.merge(l.gram, 1)
		high.merge(low, -1)
		high.whole = whole
		gain := own - low.sse(low.solve(use, d.all, l.beta, pull)) - high.sse(high.solve(use, d.all, l.beta, pull))
		if best == nil || gain > best.gain {
			kept := newGram(len(d.in))
			kept.merge(low, 1)
			kept.whole = whole
			best = &split{term: term, at: edge, gain: gain, low: kept, high: high, before: math.Inf(-1), after: math.Inf(1)}
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

// function returns the tree with a number of leaves, without what it took to grow it.
func (d *design) function(output int, root *Node, leaves int) *Function {
	return &Function{Output: output, Terms: d.terms, Lo: d.lo, Hi: d.hi, Root: root.with(func(n *Node) *Node {
		if n.Split >= 0 && n.order < leaves {
			return nil
		}
		leaf := &Node{Split: -1, Constant: n.beta[0], Weights: make([]float64, len(d.terms))}
		for at, j := range d.in {
			leaf.Weights[j] = n.beta[at+1]
			leaf.Constant -= leaf.Weights[j] * d.shift[j]
		}
		leaf.Weights[d.own]++
		return leaf
	})}
}

// with is the tree in which leaf makes the leaves of nodes; nodes for which it is nil are the conditions.
func (n *Node) with(leaf func(*Node) *Node) *Node {
	if l := leaf(n); l != nil {
		return l
	}
	return &Node{Split: n.Split, At: n.At, Low: n.Low.with(leaf), High: n.High.with(leaf)}
}

// Raw returns what the function gives for the values of its terms, before it is clamped.
func (f *Function) Raw(x func(term int) float64) float64 {
	n := f.leaf(x)
	sum := n.Constant
	for j, w := range n.Weights {
		if w != 0 {
			sum += w * x(j)
		}
	}
	return sum
}

// leaf returns the leaf for the values of the terms.
func (f *Function) leaf(x func(term int) float64) *Node {
	n := f.Root
	for n.Split >= 0 {
		if x(n.Split) <= n.At {
			n = n.Low
		} else {
			n = n.High
		}
	}
	return n
}

// Value returns the next value.
func (f *Function) Value(x func(term int) float64) float64 {
	return math.Min(math.Max(f.Raw(x), f.Lo), f.Hi)
}

// Leaves counts the leaves.
func (f *Function) Leaves() int {
	n := 0
	f.Root.visit(func(l *Node) { n++ })
	return n
}

// visit calls leaf for each leaf.
func (n *Node) visit(leaf func(*Node)) {
	if n.Split < 0 {
		leaf(n)
		return
	}
	n.Low.visit(leaf)
	n.High.visit(leaf)
}

// refits is how often targets beyond a bound are set to what a linear function gives there.
const refits = 6

// choose returns the terms that earn the penalty, 0 for the constant, and sets the targets beyond bounds.
func (d *design) choose(output int, penalty float64) []int {
	times := 1
	if !math.IsInf(d.lo, 0) || !math.IsInf(d.hi, 0) {
		times += refits
	}
	d.in = nil
	for j := range d.terms {
		d.in = append(d.in, j)
	}
	never := func(a int) bool { return a > 0 && a <= len(d.terms) && d.terms[a-1].Value == change }
	for k := 1; ; k++ {
		g := d.gram()
		use := g.choose(penalty, len(d.y)/4, never)
		if k == times {
			return use
		}
		f := d.function(output, &Node{Split: -1, beta: d.solve(g, use, nil, nil, 0)}, 1)
		for i, y := range d.y {
			if y == d.hi {
				d.present[i] = max(y, f.Raw(func(j int) float64 { return d.x[j][i] }))
			} else if y == d.lo {
				d.present[i] = min(y, f.Raw(func(j int) float64 { return d.x[j][i] }))
			}
		}
	}
}

// gram adds all rows.
func (d *design) gram() *gram {
	g, z := newGram(len(d.in)), make([]float64, len(d.in)+2)
	for i := range d.y {
		g.add(d, i, z)
	}
	return g
}
