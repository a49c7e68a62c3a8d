package translate

import (
	"maps"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// Intermediate fluents, each of which reads the one before, are a chain if they are so many, such as what is left of a capacity after each of those that it is
// handed out to; fewer are enough if some have one base name, or are sums over nested terms.
const (
	chainLength   = 3
	unnamedLength = 5
)

// findChains finds the intermediate fluents of chains; those from first on are of nested terms. A table over all that the last of a chain
// follows from says the same of each value of the fluents between, and hides them from those that look for what hands
// something on, such as bounds.
func (c *compiler) findChains(first int) {
	reads := make([][]int, len(c.g.Fluents))
	for f := range c.g.Fluents {
		if x := &c.g.Fluents[f]; x.Kind == ground.Interm && x.CPF != nil {
			x.CPF.Walk(func(n *ground.Node) bool {
				if n.Op == ground.Ref && c.g.Fluents[n.Fluent].Kind == ground.Interm && c.g.Fluents[n.Fluent].Type != ground.Real {
					reads[f] = append(reads[f], n.Fluent)
				}
				return true
			})
		}
	}
	// The lengths of the longest ways to what a fluent reads, and from what reads it, and the base names on the ways.
	below, above := make([]int, len(reads)), make([]int, len(reads))
	bases, again := make([]map[string]bool, len(reads)), map[string]bool{}
	for _, f := range c.g.Order {
		base := c.g.Fluents[f].Base
		bases[f] = map[string]bool{}
		for _, g := range reads[f] {
			below[f] = max(below[f], below[g]+1)
			maps.Copy(bases[f], bases[g])
		}
		again[base] = again[base] || bases[f][base]
		bases[f][base] = true
	}
	c.chained = make([]bool, len(reads))
	for _, f := range slices.Backward(c.g.Order) {
		for _, g := range reads[f] {
			above[g] = max(above[g], above[f]+1)
			c.chained[g] = c.chained[g] || f >= first
		}
		length := below[f] + above[f] + 1
		c.chained[f] = c.chained[f] || f >= first || length >= unnamedLength || length >= chainLength && again[c.g.Fluents[f].Base]
	}
	for _, f := range c.g.Order { // and what reads them
		c.chained[f] = c.chained[f] || slices.ContainsFunc(reads[f], func(g int) bool { return c.chained[g] })
	}
	c.findCompared()
}

// findCompared finds the numbers of chains that are not only terms of sums. Others are sums themselves, of what they follow from: a limit on one is a rule about
// all that adds up to it.
func (c *compiler) findCompared() {
	c.compared = make([]bool, len(c.chained))
	seen := [2]map[*ground.Node]bool{{}, {}}
	var visit func(n *ground.Node, bent int)
	visit = func(n *ground.Node, bent int) {
		if n == nil || seen[bent][n] {
			return
		}
		seen[bent][n] = true
		switch n.Op {
		case ground.Ref:
			c.compared[n.Fluent] = c.compared[n.Fluent] || bent == 1 && c.chained[n.Fluent]
		case ground.Add, ground.Sub, ground.Neg:
		case ground.Mul:
			terms := 0
			for _, a := range n.Args {
				if a.Op != ground.Const {
					terms++
				}
			}
			if terms > 1 {
				bent = 1
			}
		default:
			bent = 1
		}
		for _, a := range n.Args {
			visit(a, bent)
		}
	}
	for n := range c.g.Expressions() {
		visit(n, 0)
	}
}

// readsChain reports whether n reads an intermediate fluent of a chain.
func (c *compiler) readsChain(n *ground.Node) bool {
	if is, ok := c.reading[n]; ok {
		return is
	}
	is := n.Op == ground.Ref && c.chained[n.Fluent] ||
		slices.ContainsFunc(n.Args, func(a *ground.Node) bool { return a != nil && c.readsChain(a) })
	c.reading[n] = is
	return is
}

// narrow bounds a number of a chain by its values where a table lists them: what is taken from a capacity is no more than that, if it is a minimum of both, so
// that what is left is not negative. Without that, ranges would grow from link to link.
func (c *compiler) narrow(n *ground.Node, x *number) {
	of := c.supportOf(n, false)
	if of.over || len(of.keys) < 2 || len(x.terms) < 2 {
		return
	}
	s := &support{size: of.size}
	for _, k := range of.keys {
		part := &support{keys: []fluentKey{k}, bits: len(c.keyVector(k).lits), size: 1}
		if f := &c.g.Fluents[k>>1]; f.Kind == ground.Interm {
			reads := c.supportOf(f.CPF, false)
			if slices.ContainsFunc(reads.keys, func(y fluentKey) bool { return slices.Contains(of.keys, y) }) {
				part = reads // it depends on another that n reads
			}
		}
		s.merge(c, part)
	}
	s.over = s.over || s.bits > c.tableBits
	t := c.fill(n, s)
	if t == nil {
		return
	}
	first := true
	var least, most rat
	for r, care := range t.care {
		v := t.values[r]
		switch {
		case !care:
			continue
		case v.inexact:
			return
		case first:
			least, most, first = v.rat, v.rat, false
		}
		least, most = least.min(v.rat), most.max(v.rat)
	}
	if !first {
		x.lo, x.hi = x.lo.max(least), x.hi.min(most)
	}
}
