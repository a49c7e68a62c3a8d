package bound

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// amount is an integer that stands for a weighted sum of what other groups
// contribute to a variable, such as the parts that all machines take from one
// store: sum of terms == sum of 2^j bits[j]. Its bits are variables of the relation's
// own. The rows that mention the sum mention the bits in its place, so that the
// group that owns the variable is listed by the amount, and is coupled to the
// contributors by one rule with a price per unit.
type amount struct {
	terms []model.Term // coefficients are positive, the variables ascend
	most  int64        // sum of the coefficients
	bits  []int32      // least first
	base  int          // of a sum of gates "input and selectors": the amount of the inputs; -1 otherwise
	// The amount of the inputs is that of base, or what is left of it.
	rest      bool
	selectors []model.Lit
	rows      []int // of a sum of gates: what makes it follow from its base and the selectors
	used      bool
}

// derived is a row that follows from rows of the problem: their sum, each times its
// factor, and the definitions of amounts, each times its factor, of any sign.
type derived struct {
	sum     model.Sum
	from    []weighted
	amounts []int64 // by amount
}

type weighted struct {
	sum    model.Sum
	factor int64
}

// The sums that become amounts have so many terms at least, of so many units, and fewer
// values than their terms have. An amount has so many bits at most.
const (
	minContributors = 4
	maxAmountBits   = 16
	wideRow         = 6 // a row over more variables may be one about an amount
)

// gate is an internal variable that is true if all inputs are.
type gate struct {
	inputs []model.Lit
	rows   []int
}

// finder looks for amounts.
type finder struct {
	r       *relation
	using   [][]int // by variable: the rows that it is in
	gates   map[int32]*gate
	touched []map[int32]bool // by unit: what decides its next value, sums over many left out
	owners  [][]int          // by row: the units whose next value it decides, for wide rows
	rows    []row            // those of the relation, and those with amounts
	gone    []bool           // by row
}

// addAmounts replaces sums over many groups.
func (r *relation) addAmounts() {
	x := &finder{r: r, using: make([][]int, r.numVars+1), gone: make([]bool, len(r.rows)), rows: slices.Clone(r.rows), owners: make([][]int, len(r.rows))}
	wide := false
	for i := range r.rows {
		for _, v := range r.rows[i].vars {
			x.using[v] = append(x.using[v], i)
		}
		wide = wide || r.rows[i].wide()
	}
	if !wide {
		return
	}
	x.findGates()
	x.reach()
	for i := range r.rows {
		for _, u := range x.owners[i] {
			x.findIn(i, u)
		}
	}
	if len(r.amounts) == 0 || r.stop() {
		r.amounts = nil
		return
	}
	x.rewrite()
}

// wide reports whether a row is a sum, not a clause, over many variables.
func (w *row) wide() bool {
	if w.neuron != nil || len(w.vars) <= wideRow {
		return false
	}
	return !isClause(&w.sum)
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
		if !slices.Contains(g.rows, i) && !x.r.rows[i].wide() {
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
		x.walk(u, func(i int) bool { return !hidden[i] && !r.rows[i].wide() }, func(v int32) { x.touched[u][v] = true }, nil)
		x.walk(u, func(int) bool { return true }, nil, func(i int) {
			if r.rows[i].wide() {
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
			for _, w := range r.rows[i].vars {
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

// standing says whose a variable is, as seen from a unit.
type standing uint8

const (
	neutral standing = iota // known at every step
	own
	others
)

// standing says whether a state bit or action belongs to u or to other units, of which
// it gives one.
func (x *finder) standing(v int32, u int) (standing, int) {
	r := x.r
	switch {
	case r.clocked(v):
		return neutral, -1
	case r.role[v] == now:
		if other := int(r.unit(v)); other != u {
			return others, other
		}
	case r.role[v] == action && !x.touched[u][v]:
		for other := range x.touched {
			if x.touched[other][v] {
				return others, other
			}
		}
	}
	return own, u
}

// contribution is a term of a wide row that comes from others.
type contribution struct {
	term  model.Term
	input model.Lit // of a gate: what others contribute to it; 0 otherwise
	unit  int
}

// findIn finds the amounts of a wide row that decides the next value of u.
func (x *finder) findIn(i, u int) {
	type kind struct {
		selectors []model.Lit
		parts     []contribution
	}
	var kinds []*kind
	at := map[string]*kind{}
	for _, t := range x.r.rows[i].sum.Terms {
		c, selectors, ok := x.contribution(t, u)
		if !ok {
			continue
		}
		key := fmt.Sprint(selectors)
		if at[key] == nil {
			at[key] = &kind{selectors: selectors}
			kinds = append(kinds, at[key])
		}
		at[key].parts = append(at[key].parts, c)
	}
	for _, k := range kinds {
		x.add(k.selectors, k.parts)
	}
}

// contribution tells what a term of a row about u takes from others.
func (x *finder) contribution(t model.Term, u int) (c contribution, selectors []model.Lit, ok bool) {
	v := t.Lit.Var()
	c.term = t
	if x.r.role[v] == now || x.r.role[v] == action {
		s, unit := x.standing(v, u)
		c.unit = unit
		return c, nil, s == others
	}
	g := x.gates[v]
	if g == nil {
		return c, nil, false
	}
	count := 0
	for _, l := range g.inputs {
		w := l.Var()
		s, unit := own, u
		if x.r.role[w] == now || x.r.role[w] == action {
			s, unit = x.standing(w, u)
		}
		if s == others {
			count++
			c.input, c.unit = l, unit
		} else {
			selectors = append(selectors, l)
		}
	}
	slices.Sort(selectors)
	switch {
	case count == len(g.inputs): // what others contribute is the gate itself
		c.input = 0
		return c, nil, true
	case count == 1:
		return c, selectors, true
	}
	return c, nil, false
}

// add makes an amount of contributions, and one of what gates have as inputs.
func (x *finder) add(selectors []model.Lit, parts []contribution) {
	var units []int
	var terms, inputs []model.Term
	seen := map[int32]bool{}
	for _, c := range parts {
		if !slices.Contains(units, c.unit) {
			units = append(units, c.unit)
		}
		terms = append(terms, c.term)
		if c.input != 0 {
			l := c.input
			if seen[l.Var()] {
				return
			}
			seen[l.Var()] = true
			inputs = append(inputs, model.Term{Coef: c.term.Coef, Lit: l})
		}
	}
	if len(parts) < minContributors || len(units) < 3 {
		return
	}
	if len(inputs) == 0 {
		x.amount(terms)
		return
	}
	for i := range terms {
		if (terms[i].Lit > 0) != (terms[0].Lit > 0) {
			return // not one sum
		}
	}
	base, rest := x.amount(inputs)
	id, _ := x.amount(terms)
	if base < 0 || id < 0 || x.r.amounts[id].base >= 0 {
		return
	}
	a := &x.r.amounts[id]
	a.base, a.rest, a.selectors = base, rest, selectors
	for _, v := range a.bits {
		x.r.role[v] = internal // they follow from the amount of the inputs
	}
}

// canonical divides terms by what all are multiples of, orders them, and complements
// their literals so that the first is a variable.
func canonical(terms []model.Term) (out []model.Term, unit int64, flipped bool) {
	out = slices.Clone(terms)
	slices.SortFunc(out, func(a, b model.Term) int { return int(a.Lit.Var() - b.Lit.Var()) })
	for _, t := range out {
		for a, b := unit, t.Coef; ; a, b = b, a%b {
			if b == 0 {
				unit = a
				break
			}
		}
	}
	flipped = out[0].Lit < 0
	for i := range out {
		out[i].Coef /= unit
		if flipped {
			out[i].Lit = -out[i].Lit
		}
	}
	return out, unit, flipped
}

// amount gives the number of the amount of terms, or of what is left of it, a new one
// if it was not there; -1 where it would gain nothing.
func (x *finder) amount(terms []model.Term) (id int, rest bool) {
	r := x.r
	out, _, flipped := canonical(terms)
	for i := range r.amounts {
		if slices.Equal(r.amounts[i].terms, out) {
			return i, flipped
		}
	}
	a := amount{terms: out, base: -1}
	for _, t := range out {
		a.most += t.Coef
	}
	n := bits.Len64(uint64(a.most))
	if n > maxAmountBits || n >= len(out) {
		return -1, false
	}
	for range n {
		r.numVars++
		a.bits = append(a.bits, r.numVars)
		r.role, r.bit, r.fixed, r.isClock = append(r.role, quantity), append(r.bit, -1), append(r.fixed, 0), append(r.isClock, false)
	}
	r.amounts = append(r.amounts, a)
	return len(r.amounts) - 1, flipped
}

// sum is a constraint over terms of any sign.
func sumOf(terms []model.Term, op factored.Op, k int64) model.Sum {
	s := model.Sum{Op: op, K: k}
	for _, t := range terms {
		if t.Coef < 0 {
			t.Coef, t.Lit = -t.Coef, -t.Lit
			s.K += t.Coef
		}
		s.Terms = append(s.Terms, t)
	}
	return s
}

// value is the amount as a sum of its bits, each times factor.
func (a *amount) value(factor int64) (terms []model.Term) {
	for j, v := range a.bits {
		terms = append(terms, model.Term{Coef: factor << j, Lit: model.Lit(v)})
	}
	return terms
}

// rewrite puts amounts in the place of sums, and adds the rows that say what they are.
func (x *finder) rewrite() {
	r := x.r
	for i := range r.rows {
		if r.rows[i].wide() && !r.rows[i].invariant {
			x.rewriteRow(i)
		}
	}
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
	n := row{sum: s}
	for _, t := range s.Terms {
		n.vars = append(n.vars, t.Lit.Var())
	}
	slices.Sort(n.vars)
	x.rows, x.gone = append(x.rows, n), append(x.gone, false)
}

// rewriteRow puts amounts in the place of parts of a row.
func (x *finder) rewriteRow(i int) {
	r := x.r
	w := &x.rows[i]
	d := derived{sum: w.sum, from: []weighted{{w.sum, 1}}, amounts: make([]int64, len(r.amounts))}
	changed := false
	for id := range r.amounts {
		a := &r.amounts[id]
		if len(a.terms) >= len(d.sum.Terms) {
			continue
		}
		factor, flipped := a.within(&d.sum)
		if factor == 0 {
			continue
		}
		var terms []model.Term
		for _, t := range d.sum.Terms {
			if !slices.ContainsFunc(a.terms, func(y model.Term) bool { return y.Lit.Var() == t.Lit.Var() }) {
				terms = append(terms, t)
			}
		}
		k := d.sum.K
		if flipped {
			k -= factor * a.most
			factor = -factor
		}
		d.sum = sumOf(append(terms, a.value(factor)...), d.sum.Op, k)
		d.amounts[id] -= factor
		a.used, changed = true, true
	}
	if changed {
		r.derived = append(r.derived, d)
		x.gone[i] = true
		x.append(d.sum)
	}
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
		d := derived{sum: sumOf(terms, factored.GE, k), amounts: make([]int64, len(r.amounts))}
		d.amounts[id], d.amounts[a.base] = ofGates, ofInputs
		for _, t := range a.terms {
			d.from = append(d.from, weighted{clauseOf(clause(t.Lit, x.inputOf(t.Lit.Var(), a))), t.Coef})
		}
		r.derived = append(r.derived, d)
		x.append(d.sum)
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
