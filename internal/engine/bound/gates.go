package bound

import (
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// gate is an internal variable that is true if all inputs are.
type gate struct {
	inputs []model.Lit
	rows   []int
}

func isClause(s *model.Sum) bool {
	return s.Op == factored.GE && s.K == 1
}

// findGates finds the variables that clauses define as a conjunction.
func (x *finder) findGates() {
	x.gates = map[int32]*gate{}
	for v := int32(1); v <= x.r.numVars; v++ {
		if x.r.role[v] != internal {
			continue
		}
		if g := x.gateOf(v); g != nil {
			x.gates[v] = g
		}
	}
	for v, i := range x.copies { // which nothing may read any more
		x.gates[v] = &gate{rows: []int{i}}
	}
}

func (x *finder) gateOf(v int32) *gate {
	g := &gate{}
	long := -1
	for _, i := range x.using[v] {
		w := &x.r.rows[i]
		if w.neuron != nil || !isClause(&w.sum) {
			continue
		}
		for _, t := range w.sum.Terms {
			switch {
			case t.Lit == model.Lit(v):
				if long >= 0 {
					return nil
				}
				long = i
			case t.Lit == -model.Lit(v) && len(w.sum.Terms) == 2:
				other := w.sum.Terms[0].Lit
				if other == t.Lit {
					other = w.sum.Terms[1].Lit
				}
				g.inputs, g.rows = append(g.inputs, other), append(g.rows, i)
			case t.Lit == -model.Lit(v):
				return nil
			}
		}
	}
	if long < 0 || len(g.inputs) < 2 || len(x.r.rows[long].sum.Terms) != len(g.inputs)+1 {
		return nil
	}
	for _, t := range x.r.rows[long].sum.Terms {
		if t.Lit != model.Lit(v) && !slices.Contains(g.inputs, -t.Lit) {
			return nil
		}
	}
	g.rows = append(g.rows, long)
	return g
}

// onlySummed reports whether only wide rows use a gate.
func (x *finder) onlySummed(v int32, g *gate) bool {
	for _, i := range x.using[v] {
		if !slices.Contains(g.rows, i) && x.sums[i] == nil {
			return false
		}
	}
	return true
}

// reach finds what decides the next value of each unit, with and without the wide rows.
func (x *finder) reach() {
	r := x.r
	hidden := make([]bool, len(r.rows)) // rows that only serve wide ones
	for v, g := range x.gates {
		if x.onlySummed(v, g) {
			for _, i := range g.rows {
				hidden[i] = true
			}
		}
	}
	p := r.Task.Problem
	x.touched = make([]map[int32]bool, len(p.Variables))
	reached := make([]map[int32]bool, len(p.Variables))
	for u := range p.Variables {
		if p.Variables[u].Kind != factored.State || !r.varies(u) {
			continue
		}
		x.touched[u] = map[int32]bool{}
		var next []int32
		owner := &p.Variables[u]
		for i := range owner.Width {
			next = append(next, r.nowVar(owner.First+factored.Bit(i))+r.stride)
		}
		x.walk(next, func(i int) bool { return !hidden[i] && x.sums[i] == nil }, func(v int32) { x.touched[u][v] = true }, nil)
		reached[u] = x.own(next, u)
	}
	x.touchRest(reached)
	x.touched = append(x.touched, nil)
	x.own(x.paid(), len(p.Variables))
}

// touchRest gives the actions that only wide rows lead to, to the one unit that says when they are allowed and does not follow from them, such as
// a nurse who is on duty, or else to the unit that follows from the fewest variables: how many leave
// a department is read there by a sum of three numbers, and in the pool of all by one over all departments.
func (x *finder) touchRest(reached []map[int32]bool) {
	var conditions [][]int
	for v := int32(1); v <= x.r.numVars; v++ {
		if x.r.role[v] != action || slices.ContainsFunc(x.touched, func(t map[int32]bool) bool { return t[v] }) {
			continue
		}
		if conditions == nil {
			asks, _ := x.defined.assertions()
			conditions = x.r.conditions(asks)
		}
		if units := slices.DeleteFunc(conditions[v], func(u int) bool { return reached[u][v] }); len(units) == 1 {
			x.touched[units[0]][v] = true
			continue
		}
		best := -1
		for u, all := range reached {
			if all[v] && (best < 0 || len(all) < len(reached[best])) {
				best = u
			}
		}
		if best >= 0 {
			x.touched[best][v] = true
		}
	}
}

// own notes that the wide rows that variables follow from are u's. It returns what they follow from.
func (x *finder) own(from []int32, u int) map[int32]bool {
	all := map[int32]bool{}
	x.walk(from, func(int) bool { return true }, func(v int32) { all[v] = true }, func(i int) {
		if x.sums[i] != nil {
			x.owners[i] = append(x.owners[i], u)
		}
	})
	return all
}

// walk follows rows from variables over internal ones.
func (x *finder) walk(from []int32, follow func(row int) bool, leaf func(v int32), visit func(row int)) {
	r := x.r
	seen := map[int32]bool{}
	have := map[int]bool{}
	stack := slices.Clone(from)
	for _, v := range from {
		seen[v] = true
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, i := range x.leading(v) {
			if have[i] || !follow(i) {
				continue
			}
			have[i] = true
			if visit != nil {
				visit(i)
			}
			for _, w := range x.vars[i] {
				switch {
				case seen[w]:
				case r.role[w] == internal:
					seen[w] = true
					stack = append(stack, w)
				default:
					seen[w] = true
					if leaf != nil {
						leaf(w)
					}
				}
			}
		}
	}
}

// leading lists the rows by which a variable follows from others: those that define it, if any do.
func (x *finder) leading(v int32) []int {
	if v, _ := x.original(model.Lit(v)); x.r.role[v.Var()] == internal && x.defined.rows[v.Var()] != nil {
		return x.defined.rows[v.Var()]
	}
	return x.using[v]
}

// dropGates leaves out the definitions of gates that nothing mentions any more.
func (x *finder) dropGates() {
	for again := true; again; {
		again = false
		used := make([]int, x.r.numVars+1)
		for i := range x.rows {
			for _, v := range x.rows[i].vars {
				if !x.gone[i] {
					used[v]++
				}
			}
		}
		for v, g := range x.gates {
			if used[v] == len(g.rows) && x.costs[v] == 0 {
				again = true
				for _, i := range g.rows {
					x.gone[i] = true
				}
			}
		}
	}
}

// gateSum is an amount of gates, some of which may be negated. It is the amount of their inputs where the selectors are true, and
// otherwise what the negated ones add up to, since no gate is true then.
type gateSum struct {
	*amount
	id      int
	x       *finder
	without int64 // what the negated gates add up to
}

// addGateRows states what an amount of gates is.
func (x *finder) addGateRows(a *amount, id int) {
	g := &gateSum{amount: a, id: id, x: x}
	for _, t := range a.terms {
		if t.Lit < 0 {
			g.without += t.Coef
		}
	}
	b := &x.r.amounts[a.base]
	sign, offset := int64(1), int64(0) // the inputs add up to sign times their amount, and offset
	if a.rest {
		sign, offset = -1, b.most
	}
	with := a.most - g.without
	for _, s := range a.selectors {
		g.state(append(a.value(-1), model.Term{Coef: with, Lit: s}), -g.without, 1, 0, func(t, _ model.Lit) []model.Lit {
			if t < 0 {
				return nil
			}
			return []model.Lit{-t, s}
		})
		g.state(append(a.value(1), model.Term{Coef: g.without, Lit: s}), g.without, -1, 0, func(t, _ model.Lit) []model.Lit {
			if t > 0 {
				return nil
			}
			return []model.Lit{t, s}
		})
	}
	g.state(g.off(append(b.value(sign), a.value(-1)...), g.without), -offset, 1, -sign, func(t, input model.Lit) []model.Lit {
		if t < 0 {
			return g.unless(-t, input)
		}
		return []model.Lit{-t, input}
	})
	g.state(g.off(append(a.value(1), b.value(-sign)...), with), offset, -1, sign, func(t, input model.Lit) []model.Lit {
		if t < 0 {
			return []model.Lit{t, -input}
		}
		return g.unless(t, -input)
	})
}

// state adds the row that terms are at least k, which follows from so many equations of both amounts and, for each literal, from a
// clause about it and its input: that a gate is false unless something is true, or true unless something is false. A literal
// for which there is no clause is as it may be; a row without any says nothing.
func (g *gateSum) state(terms []model.Term, k, ofGates, ofInputs int64, clause func(t, input model.Lit) []model.Lit) {
	r := g.x.r
	d := Derived{Sum: sumOf(terms, factored.GE, k), Amounts: make([]int64, len(r.amounts))}
	d.Amounts[g.id], d.Amounts[g.base] = ofGates, ofInputs
	for _, t := range g.terms {
		if lits := clause(t.Lit, g.x.inputOf(t.Lit, g.amount)); lits != nil {
			d.From = append(d.From, Weighted{clauseOf(lits), t.Coef})
		}
	}
	if len(d.From) > 0 {
		r.derived = append(r.derived, d)
		g.x.append(d.Sum)
		g.rows = append(g.rows, len(g.x.rows)-1)
	}
}

// unless adds that a selector is false to a clause.
func (g *gateSum) unless(lits ...model.Lit) []model.Lit {
	for _, s := range g.selectors {
		lits = append(lits, -s)
	}
	return lits
}

// off adds coef for each selector that is false.
func (g *gateSum) off(terms []model.Term, coef int64) []model.Term {
	for _, s := range g.selectors {
		if coef > 0 {
			terms = append(terms, model.Term{Coef: coef, Lit: -s})
		}
	}
	return terms
}

// inputOf is what a literal of a gate or its negation is where the selectors are true.
func (x *finder) inputOf(of model.Lit, a *amount) model.Lit {
	for _, l := range x.gates[of.Var()].inputs {
		if !slices.Contains(a.selectors, l) {
			return l.If(of > 0)
		}
	}
	return 0
}

// clauseOf states that one of the literals is true.
func clauseOf(lits []model.Lit) model.Sum {
	s := model.Sum{Op: factored.GE, K: 1}
	for _, l := range lits {
		s.Terms = append(s.Terms, model.Term{Coef: 1, Lit: l})
	}
	return s
}
