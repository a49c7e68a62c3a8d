package outcome

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// A tree says again below each of its tests what both sides have in common. What happens only where several conditions hold at once, such as
// that nothing is granted in one state before a fee is paid, would take a copy of all that it is an exception from, in each branch. So exceptions have
// contexts of their own, which come before those of the tree (Rivest, Learning decision lists, Machine Learning 2, 1987).

// exception is a conjunction of tests with what happens there.
type exception struct {
	when []answer
	bits float64 // of the tests
	leaf *node
}

const (
	mostExceptions = 8  // of a group
	mostLiterals   = 4  // of an exception
	extended       = 24 // conjunctions that a test is added to, as far as mostAnswers allows
	weighed        = 12 // of which whole descriptions are compared
	paying         = 4  // bits by which an exception shortens the description: one in 16 groups without any has one by chance

	mostAnswers = 200_000_000 // of tests in rows, for one exception
	mostCuts    = 32          // of the values of a variable
)

// said is what a conjunction of so many literals takes to describe, in whatever order they stand.
func said(when []answer, literals int) (bits float64) {
	for i := range when {
		bits += math.Log2(float64(literals) / float64(i+1))
	}
	return bits
}

// conjunction is an exception that is looked for.
type conjunction struct {
	when  []answer
	rows  []int32
	score float64 // bits that its rows take less with shares of their own, without what describes these
	apart float64 // the same where those of each leaf have shares of their own
}

// except finds exceptions from the contexts of a group, as long as they shorten the description.
func (g *Group) except(ctx context.Context) {
	if !g.Random() {
		return
	}
	found := false
	for len(g.exceptions) < mostExceptions && ctx.Err() == nil && g.exceptOnce() {
		found = true
	}
	if found {
		g.Noise, g.Leaves = nil, nil
		g.finish()
	}
}

// exceptOnce adds the exception that shortens the description the most, if there is one.
func (g *Group) exceptOnce() bool {
	x := g.x
	literals := x.literals()
	width := min(extended, mostAnswers/(mostLiterals*max(1, len(x.ids)*len(literals))))
	if width == 0 {
		return false
	}
	before := g.f.describe(g.tree).total
	h := &grower{pruned: &g.f}
	var best exception
	var tree *node
	least := before - paying
	for _, c := range g.unlike(literals, width) {
		e := exception{when: c.when, bits: said(c.when, len(literals)), leaf: &node{rows: c.rows, cells: x.cells(c.rows)}}
		e.leaf.fit = g.f.fit(e.leaf.cells)
		gone := make([]bool, len(x.ids))
		for _, r := range c.rows {
			gone[r] = true
		}
		rest := g.tree.without(x, gone)
		if rest == nil {
			continue
		}
		rest, all := h.prune(rest)
		if cost := all.total + e.bits + e.leaf.fit.cost; cost < least {
			best, tree, least = e, rest, cost
		}
	}
	if tree == nil {
		return false
	}
	g.tree, g.exceptions, g.Cost = tree, append(g.exceptions, best), g.Cost+least-before
	return true
}

// without is the tree of the rows that are not gone; nil where none is left.
func (n *node) without(x *view, gone []bool) *node {
	out := &node{test: n.test, bits: n.bits}
	for _, r := range n.rows {
		if !gone[r] {
			out.rows = append(out.rows, r)
		}
	}
	if len(out.rows) == 0 {
		return nil
	}
	if out.cells = x.cells(out.rows); n.yes == nil {
		return out
	}
	switch out.yes, out.no = n.yes.without(x, gone), n.no.without(x, gone); {
	case out.yes == nil:
		return out.no
	case out.no == nil:
		return out.yes
	}
	return out
}

// literals lists tests with both answers, but for those that say the same.
func (x *view) literals() (out []answer) {
	for v := range x.t.Variables {
		k := x.t.Variables[v].Values
		for value := range k {
			q := test{variable: v, other: -1, equal: true, value: value}
			if k <= mostCuts {
				if out = append(out, answer{q, true}); k > 2 {
					out = append(out, answer{q, false})
				}
			}
			if x.t.Variables[v].Ordered && value > 0 && value < k-2 && value%max(1, k/mostCuts) == 0 {
				q.equal = false
				out = append(out, answer{q, true}, answer{q, false})
			}
		}
	}
	for _, q := range x.t.comparisons(x.outputs) {
		out = append(out, answer{q, true}, answer{q, false})
	}
	return out
}

// unlike lists the conjunctions whose rows differ the most from what their leaves give.
func (g *Group) unlike(literals []answer, width int) (out []conjunction) {
	x := g.x
	bits, leaf := make([]float64, len(x.ids)), make([]int32, len(x.ids)) // of each row
	var rows []int32
	leaves := 0
	g.tree.leaves(nil, func(n *node, _ []answer) {
		of := map[int32]float64{}
		for i, b := range g.f.eachBits(n.fit, n.cells) {
			of[n.cells[i].pair] = b
		}
		for _, r := range n.rows {
			bits[r], leaf[r] = of[x.ids[r]]*x.weight[r], int32(leaves)
		}
		rows = append(rows, n.rows...)
		leaves++
	})
	slices.Sort(rows)
	classes := x.differences(rows)
	s := &surprise{x: x, bits: bits, leaf: leaf, leaves: leaves, class: make([]int32, len(x.ids)), classes: classes.n}
	for i, r := range rows {
		s.class[r] = classes.of[i]
	}
	// Of a conjunction that pays, what describes its shares is not known before it is fitted: one effect at least.
	pays := func(c *conjunction) float64 { return c.score - said(c.when, len(literals)) - math.Log2(x.possible) }
	list := []conjunction{{rows: rows}}
	for range mostLiterals {
		var next []conjunction
		for i := range list {
			next = append(next, s.extend(&list[i], literals, width)...)
		}
		slices.SortStableFunc(next, func(a, b conjunction) int { return cmp.Compare(b.apart, a.apart) })
		list = list[:0]
		for _, c := range next {
			if len(list) < width && !slices.ContainsFunc(list, func(d conjunction) bool { return slices.Equal(c.rows, d.rows) }) {
				list = append(list, c)
			}
		}
		for _, c := range list {
			if pays(&c) > paying {
				out = append(out, c)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b conjunction) int { return cmp.Compare(pays(&b), pays(&a)) })
	return out[:min(len(out), weighed)]
}

// surprise compares what rows take with what they would take by themselves.
type surprise struct {
	x       *view
	bits    []float64 // of each row
	leaf    []int32   // it is in
	leaves  int
	class   []int32 // what happens in it
	classes int
}

// extend adds one test to a conjunction: those that tell the most.
func (s *surprise) extend(c *conjunction, literals []answer, width int) []conjunction {
	all := make([]conjunction, 0, len(literals))
	for _, q := range literals {
		if d := s.with(c, q); d != nil {
			all = append(all, *d)
		}
	}
	slices.SortStableFunc(all, func(a, b conjunction) int { return cmp.Compare(b.apart, a.apart) })
	all = all[:min(width, len(all))]
	for i := range all {
		q := all[i].when[len(c.when)]
		yes, no := s.x.split(c.rows, q.test)
		if all[i].rows = yes; !q.yes {
			all[i].rows = no
		}
	}
	return all
}

// with adds a test to a conjunction, whose rows are left out; nil where these are too few, or all.
func (s *surprise) with(c *conjunction, q answer) *conjunction {
	counts, rows := make([]float64, s.leaves*s.classes), 0
	sum, n := 0.0, 0.0
	holds := s.x.asks(q.test)
	for _, r := range c.rows {
		if holds(r) == q.yes {
			rows++
			counts[int(s.leaf[r])*s.classes+int(s.class[r])] += s.x.weight[r]
			sum, n = sum+s.bits[r], n+s.x.weight[r]
		}
	}
	if n < fewRows || rows == len(c.rows) {
		return nil
	}
	d := &conjunction{when: append(slices.Clone(c.when), q), score: sum - xlogx(n), apart: sum}
	pool := make([]float64, s.classes)
	for leaf := range s.leaves {
		in := 0.0
		for k, m := range counts[leaf*s.classes : (leaf+1)*s.classes] {
			pool[k] += m
			in += m
			d.apart += xlogx(m)
		}
		d.apart -= xlogx(in)
	}
	for _, m := range pool {
		d.score += xlogx(m)
	}
	return d
}
