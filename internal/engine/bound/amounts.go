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
	pays      int64 // what a unit of it costs in the place of its terms; 0 if they cost what they do
}

// The sums that become amounts have so many terms at least, of so many units, and fewer
// values than their terms have. An amount has so many bits at most.
const (
	minContributors = 4
	minMixed        = 7 // of gates some of which are subtracted: fewer are read one by one
	maxAmountBits   = 16
	wideRow         = 6 // a row over more variables may be one about an amount
)

// finder looks for amounts.
type finder struct {
	r       *relation
	all     bool          // what a unit contributes to itself is taken with what others do
	sums    [][]Derived   // by row: what it states about sums over many variables
	copies  map[int32]int // the neurons that copy an input, by what they put out; nil where no sum needs them
	vars    [][]int32     // by row: its variables, originals in place of copies
	using   [][]int       // by variable: the rows that it is in so
	gates   map[int32]*gate
	touched []map[int32]bool  // by unit: what decides its next value, sums over many left out; at last of the reward: nothing
	owners  [][]int           // by row: the units whose next value it decides, and the reward, for wide rows
	rows    []row             // those of the relation, and those with amounts
	gone    []bool            // by row
	defined *definitions      // without amounts
	from    map[int32][]int32 // by internal variable: what it follows from, see sources
	costs   []int64           // by variable: what it costs, but for what amounts pay in its place
}

// withAmounts replaces sums over many groups. Where all is set, what a group contributes itself to its next value is a part of
// the sum too, so that it reads the sum alone: an account of all that it gives and gets.
// d are the definitions of r. It gives r itself where no sum is replaced.
func (r *relation) withAmounts(d *definitions, all bool) *relation {
	x := r.copied()
	if x.addAmounts(d, all); len(x.amounts) == 0 {
		return r
	}
	return x
}

func (r *relation) addAmounts(d *definitions, all bool) {
	x := &finder{r: r, all: all, defined: d, from: map[int32][]int32{}, sums: make([][]Derived, len(r.rows)), copies: map[int32]int{}, vars: make([][]int32, len(r.rows)), using: make([][]int, r.numVars+1)}
	if !x.findSums() {
		return
	}
	x.costs, _ = r.weights()
	x.gone, x.rows, x.owners = make([]bool, len(r.rows)), slices.Clone(r.rows), make([][]int, len(r.rows))
	for i := range r.rows {
		for _, v := range r.rows[i].vars {
			l, _ := x.original(model.Lit(v))
			x.vars[i] = append(x.vars[i], l.Var())
		}
		slices.Sort(x.vars[i])
		x.vars[i] = slices.Compact(x.vars[i])
		for _, v := range x.vars[i] {
			x.using[v] = append(x.using[v], i)
		}
	}
	x.findGates()
	x.reach()
	for i := range r.rows {
		for _, u := range x.owners[i] {
			x.findIn(x.sums[i][0].Sum.Terms, u)
		}
	}
	x.findPaid()
	if len(r.amounts) == 0 || r.stop() {
		r.amounts = nil
		return
	}
	x.rewrite()
}

// standing says whose a variable is, as seen from a unit.
type standing uint8

const (
	neutral standing = iota // known at every step
	own
	others
)

// standing says whether a state bit or action belongs to u or to other units, of which
// it gives one. An internal variable belongs to others if all that it follows from does.
func (x *finder) standing(v int32, u int) (standing, int) {
	r := x.r
	switch {
	case r.clocked(v):
		return neutral, -1
	case r.role[v] == internal:
		unit := -1
		for _, w := range x.sources(v) {
			switch s, other := x.standing(w, u); s {
			case own:
				return own, u
			case others:
				unit = other
			}
		}
		if unit >= 0 {
			return others, unit
		}
	case r.role[v] == now:
		if other := int(r.unit(v)); other != u {
			return others, other
		}
	case r.role[v] == action && (x.all || !x.touched[u][v]):
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

// findIn finds the amounts of a wide row, of these terms, that decides the next value of u.
func (x *finder) findIn(row []model.Term, u int) {
	type kind struct {
		selectors []model.Lit
		parts     []contribution
	}
	var kinds []*kind
	at := map[string]*kind{}
	for _, t := range row {
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
	g := x.gates[v]
	if g == nil || x.r.role[v] != internal {
		s, unit := x.standing(v, u)
		c.unit = unit
		return c, nil, s == others
	}
	count := 0
	for _, l := range g.inputs {
		if s, unit := x.standing(l.Var(), u); s == others {
			count++
			c.input, c.unit = l, unit
		} else {
			selectors = append(selectors, l)
		}
	}
	slices.Sort(selectors)
	if len(selectors) == 0 { // what others contribute is the gate itself
		c.input = 0
		return c, nil, true
	}
	return c, selectors, count == 1
}

// sources lists the state bits and actions that an internal variable follows from by rows that are about little; nil for none.
func (x *finder) sources(v int32) []int32 {
	if out, ok := x.from[v]; ok {
		return out
	}
	x.from[v] = nil // while it is looked for
	var out []int32
	for _, i := range x.defined.rows[v] {
		if x.sums[i] != nil {
			return nil
		}
		for _, w := range x.r.rows[i].vars {
			switch {
			case w == v:
			case x.r.role[w] != internal:
				out = insert(out, w)
			default:
				more := x.sources(w)
				if more == nil {
					return nil
				}
				for _, y := range more {
					out = insert(out, y)
				}
			}
		}
	}
	x.from[v] = out
	return out
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
			inputs = append(inputs, model.Term{Coef: c.term.Coef, Lit: l.If(c.term.Lit > 0)})
		}
	}
	if len(parts) < minContributors || len(units) < 3 {
		return
	}
	if len(inputs) == 0 {
		x.amount(terms)
		return
	}
	if len(terms) < minMixed && slices.ContainsFunc(terms, func(t model.Term) bool { return (t.Lit > 0) != (terms[0].Lit > 0) }) {
		return
	}
	base, restOfInputs := x.amount(inputs)
	id, restOfGates := x.amount(terms)
	if base < 0 || id < 0 || x.r.amounts[id].base >= 0 {
		return
	}
	a := &x.r.amounts[id]
	a.base, a.rest, a.selectors = base, restOfInputs != restOfGates, selectors
	for _, v := range a.bits {
		x.r.role[v] = internal // they follow from the amount of the inputs
	}
}

// canonical divides terms by what all are multiples of, orders them, and complements
// their literals so that the first is a variable.
func canonical(terms []model.Term) (out []model.Term, flipped bool) {
	out = slices.Clone(terms)
	unit := int64(0)
	slices.SortStableFunc(out, func(a, b model.Term) int { return int(a.Lit.Var() - b.Lit.Var()) })
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
	return out, flipped
}

// amount gives the number of the amount of terms, or of what is left of it, a new one
// if it was not there; -1 where it would gain nothing.
func (x *finder) amount(terms []model.Term) (id int, rest bool) {
	r := x.r
	out, flipped := canonical(terms)
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
		a.bits = append(a.bits, r.newBit())
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
