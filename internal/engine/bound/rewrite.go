package bound

import (
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// rewrite puts amounts in the place of sums, and adds the rows that say what they are.
func (x *finder) rewrite() {
	r := x.r
	order := x.largestFirst()
	for i := range r.rows {
		for _, d := range x.sums[i] {
			if !r.rows[i].invariant {
				x.rewriteRow(i, d, order)
			}
		}
	}
	x.movePay(order)
	for i := range r.amounts {
		if a := &r.amounts[i]; a.base >= 0 && a.used {
			r.amounts[a.base].used = true
		}
	}
	for i := range r.amounts {
		a := &r.amounts[i]
		switch {
		case !a.used:
			for _, v := range a.bits {
				r.fixed[v] = -1
			}
		case a.base >= 0:
			x.addGateRows(a, i)
		default:
			all := append(slices.Clone(a.terms), a.value(-1)...)
			x.append(sumOf(all, factored.EQ, 0))
			r.defining, r.definedBy = append(r.defining, len(x.rows)-1), append(r.definedBy, i)
		}
	}
	x.dropGates()
	place := make([]int, len(x.rows))
	var rows []row
	for i := range x.rows {
		place[i] = len(rows)
		if !x.gone[i] {
			rows = append(rows, x.rows[i])
		}
	}
	r.rows = rows
	for i, k := range r.defining {
		r.defining[i] = place[k]
	}
	for i := range r.amounts {
		for j, k := range r.amounts[i].rows {
			r.amounts[i].rows[j] = place[k]
		}
	}
}

// append adds a row over amounts.
func (x *finder) append(s model.Sum) {
	x.rows, x.gone = append(x.rows, sumRow(s)), append(x.gone, false)
}

// rewriteRow puts amounts, in this order, in the place of parts of a sum that a row states.
func (x *finder) rewriteRow(i int, d Derived, order []int) {
	r := x.r
	d.Amounts = make([]int64, len(r.amounts))
	changed := false
	for _, id := range order {
		a := &r.amounts[id]
		if len(a.terms) >= len(d.Sum.Terms) {
			continue
		}
		factor, flipped := a.within(&d.Sum)
		if factor == 0 {
			continue
		}
		var terms []model.Term
		for _, t := range d.Sum.Terms {
			if !slices.ContainsFunc(a.terms, func(y model.Term) bool { return y.Lit.Var() == t.Lit.Var() }) {
				terms = append(terms, t)
			}
		}
		k := d.Sum.K
		if flipped {
			k -= factor * a.most
			factor = -factor
		}
		d.Sum = sumOf(append(terms, a.value(factor)...), d.Sum.Op, k)
		d.Amounts[id] -= factor
		a.used, changed = true, true
	}
	if changed {
		r.derived = append(r.derived, d)
		x.gone[i] = true
		x.append(d.Sum)
	}
}

// largestFirst lists the amounts, those of many terms before those of parts of them.
func (x *finder) largestFirst() []int {
	out := integer.Below[int](len(x.r.amounts))
	slices.SortStableFunc(out, func(a, b int) int { return len(x.r.amounts[b].terms) - len(x.r.amounts[a].terms) })
	return out
}

// within finds the amount in a sum: times factor, or what is left of it times factor.
func (a *amount) within(s *model.Sum) (factor int64, flipped bool) {
	found := 0
	for _, t := range s.Terms {
		j, ok := slices.BinarySearchFunc(a.terms, t.Lit.Var(), func(y model.Term, v int32) int { return int(y.Lit.Var() - v) })
		if !ok {
			continue
		}
		y := a.terms[j]
		f, neg := t.Coef/y.Coef, t.Lit != y.Lit
		if f*y.Coef != t.Coef || found > 0 && (f != factor || neg != flipped) {
			return 0, false
		}
		factor, flipped = f, neg
		found++
	}
	if found < len(a.terms) {
		return 0, false
	}
	return factor, flipped
}
