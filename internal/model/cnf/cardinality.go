package cnf

import (
	"slices"

	"github.com/fdplan/fdplan/internal/model"
)

// cardinality encodes that at most (or, with equal, exactly) k of x are true, 0 < k < len(x).
func (e Encoding) cardinality(s Sink, x []model.Lit, equal bool, k int) {
	n := len(x)
	if k == n-1 && !equal {
		s.Clause(negated(x)...)
		return
	}
	switch {
	case e == Unidirectional:
		sequentialAtMost(s, x, k)
		if equal {
			sequentialAtMost(s, negated(x), n-k)
		}
	case e == Default && equal:
		sortedBounds(s, x, k, k)
	case e == Default:
		sortedBounds(s, x, 0, k)
	case equal:
		networkExactly(s, x, k)
	default:
		networkAtMost(s, x, k, e == Published)
	}
}

// sortedBounds encodes that at least lo and at most hi of x are true: c_lo must hold and
// c_{hi+1} must not. It writes only the part of the sorted list, and the directions, that the
// two bounds need.
func sortedBounds(s Sink, x []model.Lit, lo, hi int) {
	p := newPlan(newCosts())
	w := &writer{emitter: emitter{Sink: s}, costs: p.costs}
	x = slices.Clone(x)
	sortByVar(x)
	v := p.set(x).view
	if lo > 0 {
		v.require(span{lo, lo}, backward)
	}
	if hi < len(x) {
		v.require(span{hi + 1, hi + 1}, forward)
	}
	p.settle()
	if lo > 0 {
		v.define(w, lo, litTrue)
	}
	if hi < len(x) {
		v.define(w, hi+1, litFalse)
	}
}
