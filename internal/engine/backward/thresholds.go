package backward

import (
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// thresholds are literals for values of a sum X that cannot be negative:
//
//	U_i  <=>  X >= v_i
type thresholds struct {
	values []int64             // ascending, positive
	lits   map[int64]model.Lit // U by value
	orders []proof.ID          // U_i => U_j for neighbours j < i
	all    proof.ID            // X is at least the sum of the U_i, each times v_i less the value before
	when   []proof.ID          // X >= v_i => U_i
	rows   []proof.ID          // what was derived besides
}

// thresholds defines the literals for values of a sum, of which there is at least one.
func (w *writer) thresholds(sum []proof.Term, values []int64) *thresholds {
	x := &thresholds{values: values, lits: map[int64]model.Lit{}}
	low := int64(0)
	for j, v := range values {
		w.vars++
		x.lits[v] = w.vars
		only, when := w.log.Reify(w.vars, sum, v)
		if j == 0 {
			x.all = only
		} else {
			// Added up, the two definitions say that the literal implies the one before.
			w.log.BeginPol(only)
			w.log.Add(x.when[j-1], 1)
			w.log.Saturate()
			w.log.Divide(v - low + 1)
			x.orders = append(x.orders, w.log.EndPol())
			x.rows = append(x.rows, only)
			w.join(x, sum, only, j)
		}
		x.when = append(x.when, when)
		low = v
	}
	return x
}

// join derives sum >= L for the first j+1 values from that for the first j, and
// from the last definition.
//
// With X the sum, U_i the literals, v_i the values and d_i their differences, all is
// X >= sum of d_i U_i for i < j and only is X >= v_j U_j. Where d_j is 1, dividing
// v_(j-1) all + d_j only by v_j gives the result. Else a literal z for the result
// is defined, which follows in both cases of U_j.
func (w *writer) join(x *thresholds, sum []proof.Term, only proof.ID, j int) {
	v, low := x.values[j], x.values[j-1]
	x.rows = append(x.rows, x.all)
	if v-low == 1 && x.evenly(j) {
		w.log.BeginPol(x.all)
		w.log.Multiply(low)
		w.log.Add(only, 1)
		w.log.Divide(v)
		x.all = w.log.EndPol()
		return
	}
	terms := slices.Clone(sum)
	before := int64(0)
	for _, v := range x.values[:j+1] {
		terms = append(terms, proof.Term{Coef: v - before, Lit: -x.lits[v]})
		before = v
	}
	w.vars++
	z := w.vars
	first, when := w.log.Reify(z, terms, v)
	x.rows = append(x.rows, first, when)
	for _, id := range []proof.ID{x.all, only} {
		w.log.BeginPol(id)
		w.log.Add(when, 1)
		x.rows = append(x.rows, w.log.EndPol())
	}
	unit := w.log.Learn([]model.Lit{z})
	x.rows = append(x.rows, unit)
	w.log.BeginPol(first)
	w.log.Add(unit, v)
	x.all = w.log.EndPol()
}

// evenly reports whether the differences of the values before j survive the
// division by value j.
func (x *thresholds) evenly(j int) bool {
	v, low := x.values[j], x.values[j-1]
	before := int64(0)
	for _, u := range x.values[:j] {
		d := u - before
		if d > 1<<31 || low > 1<<31 || (d*low+v-1)/v != d {
			return false
		}
		before = u
	}
	return true
}
