package veripb

import (
	"cmp"
	"slices"
	"sort"
)

// shape selects how a constraint is propagated.
type shape uint8

const (
	trivial shape = iota // holds always
	clause               // saturated, all coefficients equal the degree: two watches
	linear               // counter of the slack in 64 bits
	packed               // linear, propagated by bits
	wide                 // numbers too large for that: scanned after everything else
)

// propagation is the propagator's state for a constraint.
type propagation struct {
	shape shape
	// For linear constraints: the coefficients, saturated to the degree. The slack is the sum
	// of those whose literal is not false, minus the degree.
	weights []int64
	slack   int64
	// The literals before this index are assigned. They are those of more weight than the
	// slack had when it was last looked at.
	forced int
	// The weight of the literal there, 0 at the end: a smaller slack forces, or contradicts.
	next int64
	place
}

// maxSlack bounds the sum of a linear constraint's weights.
const maxSlack = 1 << 61

// classify determines the shape of a constraint and its weights.
func classify(c *constraint) {
	switch {
	case c.degree.sign() <= 0:
		c.shape = trivial
		return
	case c.coefs == nil && c.degree == one:
		c.shape = clause
		return
	}
	if c.coefs != nil {
		sortTerms(c)
		if !c.coefs[len(c.coefs)-1].less(c.degree) {
			c.shape = clause
			return
		}
	}
	c.shape = wide
	if c.degree.big != nil || c.degree.small > maxSlack {
		return
	}
	weights := make([]int64, len(c.lits))
	sum := int64(0)
	for i := range weights {
		weights[i] = smaller(c.coef(i), c.degree).small
		if sum += weights[i]; sum > maxSlack {
			return
		}
	}
	c.shape, c.weights = linear, weights
}

// maxInsertions is the number of terms out of place from which sorting all is quicker. A
// neuron's row has one, its threshold.
const maxInsertions = 8

func sortTerms(c *constraint) {
	before := func(a, b term) int { return cmp.Or(b.coef.cmp(a.coef), cmp.Compare(a.lit, b.lit)) }
	at := func(i int) term { return term{c.coefs[i], c.lits[i]} }
	inserted := 0
	for i := 1; i < len(c.lits); i++ {
		moved := at(i)
		if before(at(i-1), moved) <= 0 {
			continue
		}
		if inserted++; inserted > maxInsertions {
			sortAll(c, before)
			return
		}
		to := sort.Search(i, func(k int) bool { return before(moved, at(k)) < 0 })
		copy(c.lits[to+1:i+1], c.lits[to:i])
		copy(c.coefs[to+1:i+1], c.coefs[to:i])
		c.lits[to], c.coefs[to] = moved.lit, moved.coef
	}
}

func sortAll(c *constraint, before func(a, b term) int) {
	terms, order := make([]term, len(c.lits)), make([]int32, len(c.lits))
	for i, l := range c.lits {
		terms[i], order[i] = term{c.coefs[i], l}, int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return before(terms[i], terms[j]) })
	for i, k := range order {
		c.coefs[i], c.lits[i] = terms[k].coef, terms[k].lit
	}
}

// add adds a constraint to the database.
func (p *propagator) add(c *constraint) {
	p.live = append(p.live, c)
	p.kept++
	for _, l := range c.lits {
		p.uses[l.variable()]++
	}
	classify(c)
	p.pack(c)
	p.attach(c)
	if p.conflict == nil {
		p.conflict = p.examine(c)
	}
	// A unit clause depends on no other constraint: as the reason, it allows the previous
	// reason to be deleted.
	if c.shape == clause && len(c.lits) == 1 && p.value[c.lits[0]] > 0 {
		p.reason[c.lits[0].variable()] = c
	}
}

// attach enters c into the lists that propagation uses.
func (p *propagator) attach(c *constraint) {
	switch c.shape {
	case clause:
		if len(c.lits) < 2 {
			return
		}
		p.chooseWatches(c)
		for i := range 2 {
			p.watches[c.lits[i]] = append(p.watches[c.lits[i]], watch{c, c.lits[1-i]})
		}
	case linear:
		c.slack = -c.degree.small
		c.rewind()
		for i, l := range c.lits {
			p.occurs[l] = append(p.occurs[l], occurrence{c, c.weights[i]})
			if p.value[l] >= 0 || int(p.at[l.variable()]) >= p.linears {
				c.slack += c.weights[i]
			}
		}
	case wide:
		p.wides = append(p.wides, c)
	}
}

// chooseWatches moves two literals to the front that are not false, as far as there are any,
// or else those that became false last.
func (p *propagator) chooseWatches(c *constraint) {
	rank := func(l lit) int32 {
		if p.value[l] >= 0 {
			return int32(len(p.trail))
		}
		return p.at[l.variable()]
	}
	for i := range 2 {
		best := i
		for j := i + 1; j < len(c.lits); j++ {
			if rank(c.lits[j]) > rank(c.lits[best]) {
				best = j
			}
		}
		c.swap(i, best)
	}
}

func (c *constraint) swap(i, j int) {
	c.lits[i], c.lits[j] = c.lits[j], c.lits[i]
	if c.coefs != nil {
		c.coefs[i], c.coefs[j] = c.coefs[j], c.coefs[i]
	}
}

// remove deletes a constraint.
func (p *propagator) remove(c *constraint) {
	if c == p.conflict {
		p.stale = true
	}
	for _, l := range c.lits {
		p.uses[l.variable()]--
		if p.value[l] > 0 && p.reason[l.variable()] == c {
			p.stale = true
		}
	}
	c.deleted = true
	if c.shape == packed {
		c.rows[c.at].c = nil
	}
	p.kept--
	if p.garbage++; p.garbage > 1000+p.kept {
		p.sweep()
	}
}

// sweep removes deleted constraints from the lists.
func (p *propagator) sweep() {
	p.garbage = 0
	gone := func(c *constraint) bool { return c.deleted }
	for l := range p.watches {
		p.watches[l] = slices.DeleteFunc(p.watches[l], func(w watch) bool { return w.c.deleted })
		p.occurs[l] = slices.DeleteFunc(p.occurs[l], func(o occurrence) bool { return o.c.deleted })
	}
	p.sweepRows()
	p.wides = slices.DeleteFunc(p.wides, gone)
	p.live = slices.DeleteFunc(p.live, gone)
}

// detachLast undoes the last attach, which was of c.
func (p *propagator) detachLast(c *constraint) {
	switch c.shape {
	case linear:
		for _, l := range c.lits {
			p.occurs[l] = p.occurs[l][:len(p.occurs[l])-1]
		}
	case wide:
		p.wides = p.wides[:len(p.wides)-1]
	}
}
