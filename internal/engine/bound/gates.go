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
	for u := range p.Variables {
		if p.Variables[u].Kind != factored.State || !r.varies(u) {
			continue
		}
		x.touched[u] = map[int32]bool{}
		x.walk(u, func(i int) bool { return !hidden[i] && x.sums[i] == nil }, func(v int32) { x.touched[u][v] = true }, nil)
		x.walk(u, func(int) bool { return true }, nil, func(i int) {
			if x.sums[i] != nil {
				x.owners[i] = append(x.owners[i], u)
			}
		})
	}
}

// walk follows rows from the next bits of a unit over internal variables.
func (x *finder) walk(u int, follow func(row int) bool, leaf func(v int32), visit func(row int)) {
	r := x.r
	seen := map[int32]bool{}
	have := map[int]bool{}
	var stack []int32
	owner := &r.Task.Problem.Variables[u]
	for i := range owner.Width {
		v := r.nowVar(owner.First+factored.Bit(i)) + r.stride
		seen[v] = true
		stack = append(stack, v)
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, i := range x.using[v] {
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

// dropGates leaves out the definitions of gates that nothing mentions any more.
func (x *finder) dropGates() {
	paid, _ := x.r.weights()
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
			if used[v] == len(g.rows) && paid[v] == 0 {
				again = true
				for _, i := range g.rows {
					x.gone[i] = true
				}
			}
		}
	}
}

// addGateRows states that an amount of gates is that of their inputs where the selectors are
// true, and nothing otherwise.
func (x *finder) addGateRows(a *amount, id int) {
	r := x.r
	b := &r.amounts[a.base]
	sign, offset := int64(1), int64(0) // the inputs add up to sign times their amount, and offset
	if a.rest {
		sign, offset = -1, b.most
	}
	add := func(terms []model.Term, k, ofGates, ofInputs int64, clause func(gate, input model.Lit) []model.Lit) {
		d := Derived{Sum: sumOf(terms, factored.GE, k), Amounts: make([]int64, len(r.amounts))}
		d.Amounts[id], d.Amounts[a.base] = ofGates, ofInputs
		for _, t := range a.terms {
			d.From = append(d.From, Weighted{clauseOf(clause(t.Lit, x.inputOf(t.Lit.Var(), a))), t.Coef})
		}
		r.derived = append(r.derived, d)
		x.append(d.Sum)
		a.rows = append(a.rows, len(x.rows)-1)
	}
	for _, s := range a.selectors {
		add(append(a.value(-1), model.Term{Coef: a.most, Lit: s}), 0, 1, 0, func(gate, _ model.Lit) []model.Lit { return []model.Lit{-gate, s} })
	}
	add(append(b.value(sign), a.value(-1)...), -offset, 1, -sign, func(gate, input model.Lit) []model.Lit { return []model.Lit{-gate, input} })
	least := append(a.value(1), b.value(-sign)...)
	for _, s := range a.selectors {
		least = append(least, model.Term{Coef: a.most, Lit: -s})
	}
	add(least, offset, -1, sign, func(gate, input model.Lit) []model.Lit {
		lits := []model.Lit{gate, -input}
		for _, s := range a.selectors {
			lits = append(lits, -s)
		}
		return lits
	})
}

// inputOf is the input of a gate that is no selector.
func (x *finder) inputOf(v int32, a *amount) model.Lit {
	for _, l := range x.gates[v].inputs {
		if !slices.Contains(a.selectors, l) {
			return l
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
