package format

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// A model as rows: linear constraints over unnegated variables with integer coefficients. The
// rows of a part of the model are made once, in local variables, for all steps at which they
// are the same.

// entry is one term of a row.
type entry struct {
	coef int64
	v    int32 // local variable, 1..2*stride
}

// row is entries Op rhs.
type row struct {
	group    model.Group // model.NumGroups for fixed literals
	op       factored.Op
	rhs      int64
	from, to int // in block.entries; the halves of an equation share theirs
}

// block holds the rows of one part.
type block struct {
	entries []entry
	rows    []row
	used    []bool // local variables that occur in a row
	empty   bool   // infeasible for any values of the variables
	columns *columns
}

func (b *block) row(i int) (*row, []entry) {
	r := &b.rows[i]
	return r, b.entries[r.from:r.to]
}

// linear is a model as rows.
type linear struct {
	m        *model.Model
	stride   int32
	constant int64  // of the objective, see linearConstant
	terms    int64  // of the objective
	rows     int64  // including extra rows
	extra    *block // rows over variable 1 of the model, which come first; nil for none
	more     *block // further rows, in the model's numbers; they come last
	halve    bool   // see newLinear
	options  Options
	integers map[int32]model.Integer // by variable; nil for none
	costs    map[int][]model.Term    // by step, those beyond the model's variables of step H+2; see Options.Costs
	slot     []int32
	made     map[int]*block // of the first steps that differ, by step: the rows are walked more than once
}

// maxMade bounds what is kept of a model whose steps all differ. Else the first step, those between and the last have blocks.
const maxMade = 3

// newLinear converts m to rows. With halve, an equation with a coefficient other than 1 and
// -1 becomes two inequalities.
func newLinear(m *model.Model, halve bool) *linear {
	l := &linear{m: m, stride: m.Stride(), halve: halve, slot: make([]int32, 2*int(m.Stride())+1), made: map[int]*block{}}
	l.more = l.newBlock()
	return l
}

// include adds the further rows of o.
func (l *linear) include(o *Options) *linear {
	rows := slices.Clone(o.Rows)
	for _, c := range o.Clauses {
		sum := model.Sum{Op: factored.GE, K: 1}
		for _, x := range c {
			sum.Terms = append(sum.Terms, model.Term{Coef: 1, Lit: x})
		}
		rows = append(rows, sum)
	}
	last := l.m.NumVars()
	for i := range rows {
		for _, t := range rows[i].Terms {
			last = max(last, t.Lit.Var())
		}
	}
	local := l.slot
	l.slot = make([]int32, last+1)
	l.more.used = make([]bool, last+1)
	for i := range rows {
		l.add(l.more, model.NumGroups, rows[i].Terms, rows[i].Op, rows[i].K)
	}
	l.slot, l.options = local, *o
	if len(o.Integers) > 0 {
		l.integers = map[int32]model.Integer{}
	}
	for _, x := range o.Integers {
		l.integers[x.Var] = x
	}
	if o.Costs != nil {
		l.costs = map[int][]model.Term{}
		for _, c := range o.Costs.Terms {
			t := l.m.Horizon + 2
			if v := c.Lit.Var(); v <= l.m.NumVars() {
				t = min(int((v-1)/l.stride)+1, l.m.Horizon+1)
			}
			l.costs[t] = append(l.costs[t], c)
		}
	}
	return l
}

// newBlock returns a block without rows.
func (l *linear) newBlock() *block { return &block{used: make([]bool, 2*int(l.stride)+1)} }

// contradiction is written for a model that is trivially infeasible, and vacuous if a format requires a row
// and there is none.
var (
	contradiction = &block{entries: []entry{{1, 1}}, rows: []row{{model.NumGroups, factored.GE, 1, 0, 1}, {model.NumGroups, factored.LE, 0, 0, 1}}}
	vacuous       = &block{entries: []entry{{1, 1}}, rows: []row{{model.NumGroups, factored.GE, 0, 0, 1}}}
)

// objective is the part of the objective over variables of step t, 1..H+1, or that are not the model's, H+2.
func (l *linear) objective(t int) []model.Term {
	if l.costs != nil || t > l.m.Horizon+1 {
		return l.costs[t]
	}
	return l.m.Objective(t)
}

// linearConstant returns the constant of the objective over unnegated variables.
func linearConstant(m *model.Model) int64 {
	c := m.ObjectiveConstant()
	for t := 1; t <= m.Horizon+1; t++ {
		for _, cost := range m.Objective(t) {
			if cost.Lit < 0 { // c*(1-x)
				c += cost.Coef
			}
		}
	}
	return c
}

// linearCost is the coefficient of a cost's variable.
func linearCost(c model.Term) int64 {
	if c.Lit < 0 {
		return -c.Coef
	}
	return c.Coef
}

// walk visits the rows of every step in order, before them as those of step 0 the extra rows, and after them as
// those of step H+2 the further rows; first is the number of rows before. A block is valid until the walk ends.
func (l *linear) walk(ctx context.Context, visit func(t int, b *block, first int64) error) error {
	first := int64(0)
	if l.extra != nil {
		if err := visit(0, l.extra, 0); err != nil {
			return err
		}
		first = int64(len(l.extra.rows))
	}
	var b *block
	for t := 1; t <= l.m.Horizon+1; t++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if t == 1 || !l.m.Same(t) {
			if b = l.made[t]; b == nil {
				b = l.block(l.m.Part(t), t > l.m.Horizon)
			}
			if len(l.made) < maxMade {
				l.made[t] = b
			}
		}
		if err := visit(t, b, first); err != nil {
			return err
		}
		first += int64(len(b.rows))
	}
	return visit(l.m.Horizon+2, l.more, first)
}

// width returns the number of variables of step t's block. A model without variables counts
// as having one, for the extra rows.
func (l *linear) width(t int) int32 {
	switch {
	case t == 1 && l.stride == 0:
		return 1
	case t <= l.m.Horizon:
		return l.stride
	}
	return l.m.NumVars() - l.stride*int32(l.m.Horizon)
}

// shift is added to the local variables of step t.
func (l *linear) shift(t int) int32 {
	if t < 1 || t > l.m.Horizon+1 {
		return 0
	}
	return l.stride * int32(t-1)
}

// block makes the rows of a part, the last or another.
func (l *linear) block(p *model.Part, last bool) *block {
	b := l.newBlock()
	left := func(g model.Group) bool {
		return g == model.Network && l.options.WithoutNetwork || g != model.Initial && l.options.WithoutSteps && !last
	}
	b.entries = make([]entry, 0, l.numEntries(p))
	for _, lit := range p.Fixed {
		l.add(b, model.NumGroups, []model.Term{{Coef: 1, Lit: lit}}, factored.EQ, 1)
	}
	for g := range model.NumGroups {
		for i := range p.Sums[g] {
			if s := &p.Sums[g][i]; !left(g) {
				l.add(b, g, s.Terms, s.Op, s.K)
			}
		}
	}
	if left(model.Network) {
		return b
	}
	var terms []model.Term
	for _, layer := range p.Layers {
		for i := range layer {
			n := &layer[i]
			at, size := int64(n.Threshold), int64(len(n.Inputs))
			// Threshold*Out <= sum of the inputs.
			terms = terms[:0]
			for _, in := range n.Inputs {
				terms = append(terms, model.Term{Coef: 1, Lit: in})
			}
			terms = append(terms, model.Term{Coef: -at, Lit: n.Out})
			l.add(b, model.Network, terms, factored.GE, 0)
			// (size-Threshold+1)*(1-Out) <= sum of the negated inputs.
			for j := range n.Inputs {
				terms[j].Lit = -terms[j].Lit
			}
			terms[len(n.Inputs)].Coef = size - at + 1
			l.add(b, model.Network, terms, factored.GE, size-at+1)
		}
	}
	return b
}

// numEntries is how many entries the rows of a part have at most.
func (l *linear) numEntries(p *model.Part) int {
	n := len(p.Fixed)
	for _, group := range p.Sums {
		for i := range group {
			n += len(group[i].Terms)
		}
	}
	for _, layer := range p.Layers {
		for i := range layer {
			n += 2 * (len(layer[i].Inputs) + 1)
		}
	}
	return n
}

// add appends a row, rewritten to unnegated variables that each occur once.
func (l *linear) add(b *block, g model.Group, terms []model.Term, op factored.Op, k int64) {
	from := len(b.entries)
	for _, t := range terms {
		v, coef := t.Lit.Var(), t.Coef
		if t.Lit < 0 { // c*(1-x)
			k -= coef
			coef = -coef
		}
		if s := l.slot[v]; s > 0 {
			b.entries[s-1].coef += coef
			continue
		}
		b.entries = append(b.entries, entry{coef, v})
		l.slot[v] = int32(len(b.entries))
	}
	kept := b.entries[:from]
	for _, e := range b.entries[from:] {
		l.slot[e.v] = 0
		if e.coef != 0 {
			kept = append(kept, e)
			b.used[e.v] = true
		}
	}
	b.entries = kept
	if len(kept) > from {
		if op == factored.EQ && l.halve && slices.ContainsFunc(kept[from:], weighted) {
			b.rows = append(b.rows, row{g, factored.GE, k, from, len(kept)})
			op = factored.LE
		}
		b.rows = append(b.rows, row{g, op, k, from, len(kept)})
		return
	}
	if op != factored.GE && 0 > k || op != factored.LE && 0 < k {
		b.empty = true
	}
}

func weighted(e entry) bool { return e.coef != 1 && e.coef != -1 }

// measure counts rows and terms. Formats that require a row get one; the variables are all of
// the model's.
func (l *linear) measure(ctx context.Context, k Kind) (Stats, error) {
	s := Stats{Format: k.String()}
	empty := l.m.Infeasible()
	l.extra, l.rows = nil, 0
	err := l.walk(ctx, func(_ int, b *block, _ int64) error {
		for i := range b.rows {
			g := s.Groups.at(b.rows[i].group)
			g.Constraints++
			g.Literals += int64(b.rows[i].to - b.rows[i].from)
		}
		l.rows += int64(len(b.rows))
		empty = empty || b.empty
		return nil
	})
	if err != nil {
		return Stats{}, err
	}
	switch {
	case empty:
		l.extra = contradiction
	case l.rows == 0 && k != OPB:
		l.extra = vacuous
	}
	if l.extra != nil {
		n := int64(len(l.extra.rows))
		l.rows += n
		s.Groups.Problem.Constraints += n
		s.Groups.Problem.Literals += n
	}
	l.constant, l.terms = linearConstant(l.m), 0
	if l.options.Costs != nil {
		l.constant = l.options.Costs.Constant
	}
	for t := 1; t <= l.m.Horizon+2; t++ {
		l.terms += int64(len(l.objective(t)))
	}
	s.Groups.Objective.SoftClauses = l.terms
	hidden := hiddenVars(l.m)
	s.Groups.Problem.Variables = max(int64(l.m.NumVars()), 1) - hidden
	s.Groups.Network.Variables = hidden
	s.sum()
	return s, nil
}

// needsOne reports whether variable 1 is written because nothing else is.
func (l *linear) needsOne() bool {
	return l.extra != nil || l.terms == 0 && l.constant == 0
}

// columnsUsed visits the variables that occur in a row or the objective in order, and says
// whether each is a hidden unit.
func (l *linear) columnsUsed(ctx context.Context, visit func(v int32, hidden bool) error) error {
	bits := l.width(1) // a hidden unit comes after these in its block
	if l.m.Network != nil {
		bits -= int32(l.m.Network.Hidden())
	}
	var before *block
	return l.walk(ctx, func(t int, b *block, _ int64) error {
		if t == 0 {
			return nil // see needsOne
		}
		if t > l.m.Horizon+1 {
			for v := l.m.NumVars() + 1; int(v) < len(b.used); v++ {
				if !b.used[v] {
					continue
				}
				if err := visit(v, false); err != nil {
					return err
				}
			}
			return nil
		}
		used := make([]bool, l.width(t)+1)
		for v := int32(1); v <= min(l.width(t), l.stride); v++ {
			used[v] = b.used[v] || before != nil && before.used[v+l.stride] || l.more.uses(v+l.shift(t))
		}
		for _, c := range l.objective(t) {
			used[c.Lit.Var()-l.shift(t)] = true
		}
		if t == 1 && l.needsOne() {
			used[1] = true
		}
		for v, u := range used {
			if u {
				if err := visit(int32(v)+l.shift(t), int32(v) > bits); err != nil {
					return err
				}
			}
		}
		before = b
		return nil
	})
}

// uses reports whether a variable is in a row.
func (b *block) uses(v int32) bool { return int(v) < len(b.used) && b.used[v] }

// measureUsed is measure for formats that write only the variables in use, and represent the
// constant of the objective as one more.
func (l *linear) measureUsed(ctx context.Context, k Kind) (Stats, error) {
	s, err := l.measure(ctx, k)
	if err != nil {
		return Stats{}, err
	}
	g := &s.Groups
	g.Problem.Variables, g.Network.Variables = 0, 0
	err = l.columnsUsed(ctx, func(_ int32, hidden bool) error {
		if hidden {
			g.Network.Variables++
		} else {
			g.Problem.Variables++
		}
		return nil
	})
	if l.constant != 0 {
		g.Objective.Variables = 1
	}
	s.sum()
	return s, err
}

// writeTerms writes entries as ±c x…, with variables shifted by shift and, if negate is
// set, with opposite signs; see writeTerm.
func writeTerms(out *output, entries []entry, shift int32, negate, ones bool, width int) {
	for i, e := range entries {
		coef := e.coef
		if negate {
			coef = -coef
		}
		writeTerm(out, i > 0, coef, e.v+shift, ones, width)
	}
}

// writeTerm writes one term, with a space before it if requested. It starts a new line if the
// present one is longer than a nonzero width. In linear programs a sign is separated from its
// number and a coefficient of 1 is omitted; with ones, for pseudo-Boolean files, neither is
// allowed.
func writeTerm(out *output, space bool, coef int64, v int32, ones bool, width int) {
	if space {
		out.byte(' ')
	}
	if width > 0 {
		out.breakAt(width)
	}
	switch {
	case ones:
		out.signed(coef)
		out.byte(' ')
	default:
		if coef < 0 {
			out.text("- ")
			coef = -coef
		} else {
			out.text("+ ")
		}
		if coef != 1 {
			out.int(coef)
			out.byte(' ')
		}
	}
	out.name(v)
}
