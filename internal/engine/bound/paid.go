package bound

import (
	"slices"

	"github.com/fdplan/fdplan/internal/model"
)

// The reward may pay for a sum over many groups in some cases, such as what is missing where fewer fly than are wanted:
// max[0, wanted - sum] is "wanted - sum", term by term, where the sum is less. The terms are gates of one selector that
// follows from the sum, which is the same for all, and no group knows it. Amounts of them are paid in their place.

// paid lists the internal variables that cost something.
func (x *finder) paid() (out []int32) {
	for v, c := range x.costs {
		if c != 0 && x.r.role[v] == internal {
			out = append(out, int32(v))
		}
	}
	return out
}

// findPaid finds the amounts of the gates that the reward pays for.
func (x *finder) findPaid() {
	var terms []model.Term
	for _, v := range x.paid() {
		g := x.gates[v]
		if g != nil && slices.ContainsFunc(g.inputs, func(l model.Lit) bool { return x.fromSum(l.Var()) }) {
			c := x.costs[v]
			terms = append(terms, model.Term{Coef: max(c, -c), Lit: model.Lit(v).If(c > 0)})
		}
	}
	x.findIn(terms, len(x.r.Task.Problem.Variables))
}

// fromSum reports whether a variable follows from a sum over many variables.
func (x *finder) fromSum(v int32) bool {
	return x.r.role[v] == internal && slices.ContainsFunc(x.using[v], func(i int) bool { return x.sums[i] != nil })
}

// movePay has amounts of gates pay in the place of the gates, those of many before those of parts of them.
func (x *finder) movePay(largestFirst []int) {
	for _, id := range largestFirst {
		a := &x.r.amounts[id]
		if a.base < 0 {
			continue
		}
		factor := x.costs[a.terms[0].Lit] / a.terms[0].Coef // the first literal is not negated
		if factor == 0 || slices.ContainsFunc(a.terms, func(t model.Term) bool { return x.costs[t.Lit.Var()] != factor*unnegatedCoef(t) }) {
			continue
		}
		a.pays, a.used = factor, true
		for _, t := range a.terms {
			x.costs[t.Lit.Var()] = 0
		}
	}
}

// unnegatedCoef is what a term adds if its variable is true rather than false.
func unnegatedCoef(t model.Term) int64 {
	if t.Lit < 0 {
		return -t.Coef
	}
	return t.Coef
}

// pay moves what terms cost to the amounts that pay for them. It returns by how much the costs are less then, whatever is true.
func (r *relation) pay(weights []int64) (less int64) {
	for i := range r.amounts {
		a := &r.amounts[i]
		if a.pays == 0 {
			continue
		}
		for _, t := range a.terms {
			weights[t.Lit.Var()] -= a.pays * unnegatedCoef(t)
			if t.Lit < 0 {
				less += a.pays * t.Coef
			}
		}
		for j, v := range a.bits {
			weights[v] += a.pays << j
		}
	}
	return less
}
