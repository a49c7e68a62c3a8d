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

	reads []int32 // of a leaf, the terms whose weights are not 0
	order int     // of nodes that are split, from 1; the best first. See descent.take for leaves
	beta  []float64
	gram  *gram
	best  *split
	rows  []int // of the design
}

// pull is the number of rows, like all rows together, that draw a leaf towards the node above it: so it is no worse a guess than that one where the
// log has no rows of it. With rows like those of the node above, errors beyond the range of a log were up to twice as large.
const pull = 25

// grow grows a tree on all rows of a design, one leaf more each time where the squared error falls most, with the terms in use.
func (d *design) grow(use, splits []int, leaves int) *Node {
	use = slices.Clone(use)
	d.in = nil
	for at, a := range use {
		if use[at] = at; a > 0 {
			d.in = append(d.in, a-1)
		}
	}
	d.fill()
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

// solve solves for terms in use, without those that have another sign than most of their group.
func (d *design) solve(g *gram, use []int, from *gram, prior []float64, weight float64) []float64 {
	for {
		beta := slices.Clone(g.solve(&d.work, use, from, prior, weight))
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

// with is the tree in which leaf makes new leaves of nodes; nodes for which it is nil are the conditions.
func (n *Node) with(leaf func(*Node) *Node) *Node {
	if l := leaf(n); l != nil {
		for j, w := range l.Weights {
			if w != 0 {
				l.reads = append(l.reads, int32(j))
			}
		}
		return l
	}
	return &Node{Split: n.Split, At: n.At, Low: n.Low.with(leaf), High: n.High.with(leaf)}
}

// Raw returns what the function gives for the values of its terms, before it is clamped.
func (f *Function) Raw(x func(term int) float64) float64 {
	n := f.leaf(x)
	sum := n.Constant
	for _, j := range n.reads {
		sum += n.Weights[j] * x(int(j))
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

// fill sets the rows of the terms in use.
func (d *design) fill() {
	k := len(d.in) + 2
	d.rows = slices.Grow(d.rows[:0], len(d.y)*k)[:len(d.y)*k]
	for i := range d.y {
		d.values(i, d.row(i))
	}
}

// values sets z to 1, the terms in use about their means, and the target, the change of the output, in row i.
func (d *design) values(i int, z []float64) {
	z[0], z[len(z)-1] = 1, d.present[i]-d.now[i]
	for at, j := range d.in {
		z[at+1] = d.x[j][i] - d.shift[j]
	}
}

// row is the row i of the terms in use.
func (d *design) row(i int) []float64 {
	k := len(d.in) + 2
	return d.rows[i*k : (i+1)*k]
}
