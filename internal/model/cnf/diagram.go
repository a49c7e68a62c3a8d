package cnf

import (
	"slices"

	"github.com/fdplan/fdplan/internal/model"
)

// general encodes a sum with unequal coefficients: one clause, or a decision diagram for each
// side, or adders.
func (n *normal) general(s Sink, limit int) {
	n.atMost(s, limit)
	if n.equal {
		m := &normal{terms: slices.Clone(n.terms), k: n.total - n.k, total: n.total}
		for i := range m.terms {
			m.terms[i].Lit = -m.terms[i].Lit
		}
		m.atMost(s, limit)
	}
}

// atMost writes the side sum <= k.
func (n *normal) atMost(s Sink, limit int) {
	smallest := n.terms[len(n.terms)-1].Coef
	if n.total-smallest <= n.k {
		s.Clause(negated(n.lits())...)
		return
	}
	d := &diagram{terms: n.terms, limit: limit, levels: make([][]interval, len(n.terms)+1)}
	d.rest = make([]int64, len(n.terms)+1)
	for i := len(n.terms) - 1; i >= 0; i-- {
		d.rest[i] = d.rest[i+1] + n.terms[i].Coef
	}
	if d.build(0, n.k); len(d.nodes) > limit {
		addersAtMost(s, n.terms, n.k)
		return
	}
	d.write(s)
}

// diagram is the reduced ordered binary decision diagram of sum of terms <= k, built directly
// from intervals (Abío, Nieuwenhuis, Oliveras, Rodríguez-Carbonell and Mayer-Eichberger, "A
// New Look at BDDs for Pseudo-Boolean Constraints", 2012, section 4). For all bounds k of an
// interval, the terms from some level on are the same function, so that one node per interval
// suffices.
type diagram struct {
	terms  []model.Term
	rest   []int64      // sum of the coefficients from a level on
	levels [][]interval // by level, in the order of their bounds
	nodes  []node       // children precede their parents
	limit  int
}

// interval records that the bounds lo..hi all lead to node of its level.
type interval struct {
	lo, hi int64
	node   int
}

// node tests term; yes is its child if the term's literal is true.
type node struct{ term, yes, no int }

// The leaves. Other nodes are indices into diagram.nodes.
const (
	leafFalse = -1
	leafTrue  = -2
)

// Bounds that act as infinite; sums of coefficients stay below.
const (
	lowest  = -1 << 62
	highest = 1 << 62
)

// build returns the interval of bounds around k for which the terms from level on are the
// same function. If the limit on nodes is exceeded, the result is meaningless.
func (d *diagram) build(level int, k int64) interval {
	if k < 0 {
		return interval{lowest, -1, leafFalse}
	}
	if k >= d.rest[level] {
		return interval{d.rest[level], highest, leafTrue}
	}
	known := d.levels[level]
	at, ok := slices.BinarySearchFunc(known, k, func(iv interval, k int64) int {
		switch {
		case iv.hi < k:
			return -1
		case iv.lo > k:
			return 1
		}
		return 0
	})
	if ok {
		return known[at]
	}
	if len(d.nodes) > d.limit {
		return interval{k, k, leafFalse}
	}
	coef := d.terms[level].Coef
	yes := d.build(level+1, k-coef) // first, so that bounds mostly arrive in increasing order
	no := d.build(level+1, k)
	iv := interval{max(no.lo, yes.lo+coef), min(no.hi, yes.hi+coef), no.node}
	if yes.node != no.node {
		iv.node = len(d.nodes)
		d.nodes = append(d.nodes, node{level, yes.node, no.node})
	}
	// The calls above changed lower levels only.
	d.levels[level] = slices.Insert(d.levels[level], at, iv)
	return iv
}

// write adds a variable for every node that implies its function, two clauses per node
// (section 5 of the paper; the constraint is monotone, so that the false child of a node
// holds wherever its true child does). The root, the last node, is asserted.
func (d *diagram) write(s Sink) {
	e := &emitter{Sink: s}
	lits := make([]model.Lit, len(d.nodes))
	at := func(i int) model.Lit {
		switch i {
		case leafFalse:
			return litFalse
		case leafTrue:
			return litTrue
		}
		return lits[i]
	}
	for i, n := range d.nodes {
		lits[i] = litTrue
		if i < len(d.nodes)-1 {
			lits[i] = s.NewVar()
		}
		e.clause(-lits[i], at(n.no))
		e.clause(-lits[i], -d.terms[n.term].Lit, at(n.yes))
	}
}
