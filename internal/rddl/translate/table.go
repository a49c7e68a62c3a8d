package translate

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/cubes"
	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// Limits of the tables. Expressions beyond them are compiled piece by piece.
const (
	tableBits  = 12        // inputs, unless set in Options
	tableWork  = 4_000_000 // rows times operations
	tableCubes = 40        // clauses for one output bit
	tableTerms = 6         // of a sum that an expression is a function of
)

// support is the set of fluents that an expression reads.
type support struct {
	keys []fluentKey // sorted
	bits int
	size int  // operations
	over bool // too much for a table
}

// supportOf collects the fluents that n reads. If inline is set, an intermediate fluent is
// replaced by what it reads.
func (c *compiler) supportOf(n *ground.Node, inline bool) *support {
	memo := c.supports[0]
	if inline {
		memo = c.supports[1]
	}
	if s, ok := memo[n]; ok {
		return s
	}
	s := &support{size: 1}
	if n.Op == ground.Ref {
		f := &c.g.Fluents[n.Fluent]
		if f.Kind == ground.Interm && (inline || f.Type == ground.Real) {
			*s = *c.supportOf(c.cpf(n.Fluent), inline)
		} else {
			s.keys = []fluentKey{keyOf(n)}
			s.bits = len(c.bitsOf(s.keys[0]).lits)
		}
	}
	for _, a := range n.Args {
		if a != nil && !s.over {
			s.merge(c, c.supportOf(a, inline))
		}
	}
	s.over = s.over || s.bits > c.tableBits || s.size > tableWork
	memo[n] = s
	return s
}

func (s *support) merge(c *compiler, o *support) {
	s.over = s.over || o.over
	s.size += o.size
	if s.over {
		return
	}
	s.keys = append(s.keys, o.keys...)
	slices.Sort(s.keys)
	s.keys = slices.Compact(s.keys)
	s.bits = 0
	for _, k := range s.keys {
		s.bits += len(c.keyVector(k).lits)
	}
}

// large reports whether a table over s is too much.
func (s *support) large() bool { return s.over || s.size<<s.bits > tableWork }

// table contains an expression's value in every row. In row r, input i is true if bit i of r
// is set. The values of impossible rows do not matter.
type table struct {
	inputs []lit
	care   []bool
	values []value
}

// tableOf fills the table of n; it returns nil if the table would be too large.
func (c *compiler) tableOf(n *ground.Node) *table {
	s := c.supportOf(n, true)
	if s.large() || c.readsChain(n) {
		if short := c.supportOf(n, false); s.large() || !short.over && short.bits < s.bits {
			s = short
		}
	}
	return c.fill(n, s)
}

// leafTable is tableOf with the parts of n as leaves; nil also if n can be compiled without.
func (c *compiler) leafTable(n *ground.Node) *table {
	if c.tableBits < 0 || !c.hard(n) {
		return nil
	}
	if s := c.leafSupport(n); s.leaves() {
		return c.fill(n, s)
	}
	return nil
}

// fill evaluates n in all rows over the bits of its support.
func (c *compiler) fill(n *ground.Node, s *support) *table {
	if s.large() {
		return nil
	}
	t := &table{care: make([]bool, 1<<s.bits), values: make([]value, 1<<s.bits)}
	w := c.newWalk(s)
	for _, v := range w.vectors {
		t.inputs = append(t.inputs, v.lits...)
	}
	allowed, rules := allowedBy(t.inputs), c.rulesOver(s.keys)
	for more := true; more; more = w.next() {
		if w.moved <= w.most && allowed.has(w.row) && w.scene.legal(rules) {
			t.care[w.row], t.values[w.row] = true, w.scene.eval(n)
		}
	}
	return t
}

// rule is a condition of C. A step that violates it is impossible, so T and R may have any
// value in such rows.
type rule struct {
	expr *ground.Node
	keys []fluentKey
}

// collectRules makes the rows that violate the conditions of C free in all later tables. The
// conditions themselves, and everything that defines them, must have been compiled before.
func (c *compiler) collectRules() {
	for k, list := range [][]ground.Condition{c.g.Invariants, c.g.Preconditions} {
		for i := range list {
			s := c.supportOf(list[i].Expr, true)
			acts := slices.ContainsFunc(s.keys, func(k fluentKey) bool { return c.g.Fluents[k>>1].Kind == ground.Action })
			// A precondition on states alone does not apply at step H+1, whereas variables
			// defined by states alone are also defined there.
			if !s.over && (k == 0 || acts) {
				c.rules = append(c.rules, rule{list[i].Expr, s.keys})
			}
		}
	}
	c.assuming = true
}

// rulesOver returns the rules that read nothing but keys.
func (c *compiler) rulesOver(keys []fluentKey) []rule {
	var out []rule
	for _, r := range c.rules {
		within := !slices.ContainsFunc(r.keys, func(k fluentKey) bool { return !slices.Contains(keys, k) })
		if within {
			out = append(out, r)
		}
	}
	return out
}

// legal reports whether the current row violates no rule.
func (s *scene) legal(rules []rule) bool {
	return !slices.ContainsFunc(rules, func(r rule) bool { return !s.eval(r.expr).isTrue() })
}

// rows returns the rows that satisfy f, and those that satisfy it or are impossible.
func (t *table) rows(f func(v value) bool) (low, high []bool) {
	low, high = make([]bool, len(t.care)), make([]bool, len(t.care))
	for r, care := range t.care {
		low[r] = care && f(t.values[r])
		high[r] = low[r] || !care
	}
	return low, high
}

// exclude adds, for each cube, the clause that out holds there; out is not an if the rows are
// to be forbidden.
func (c *compiler) exclude(g group, t *table, found []cubes.Cube, out lit) {
	for _, q := range found {
		var lits []lit
		for i, l := range t.inputs {
			switch {
			case q.Care>>i&1 == 0:
			case q.Value>>i&1 == 1:
				lits = append(lits, -l)
			default:
				lits = append(lits, l)
			}
		}
		c.clause(g, append(lits, out)...)
	}
}

// forms are the cubes of an output bit: where it is true and where it is false.
type forms struct{ on, off []cubes.Cube }

// minimise finds the cubes of the rows with f and of those without. ok is false if there are
// too many. Rows with skip are free.
func (t *table) minimise(f, skip func(v value) bool) (out forms, ok bool) {
	on, _ := t.rows(func(v value) bool { return !skip(v) && f(v) })
	off, _ := t.rows(func(v value) bool { return !skip(v) && !f(v) })
	not := func(a []bool) []bool {
		b := make([]bool, len(a))
		for i := range a {
			b[i] = !a[i]
		}
		return b
	}
	if out.on, ok = cover(on, not(off), tableCubes); !ok {
		return out, false
	}
	out.off, ok = cover(off, not(on), tableCubes-len(out.on))
	return out, ok
}

func nothing(value) bool { return false }

// boolTable compiles a Boolean expression from its table to a literal; ok is false if the
// table is too large.
func (c *compiler) boolTable(dest lit, n *ground.Node) (l lit, ok bool) {
	if c.keepsSum(n) {
		return 0, false
	}
	for _, of := range []func(*ground.Node) *table{c.tableOf, c.leafTable} {
		if t := of(n); t != nil {
			if f, ok := t.minimise(value.isTrue, nothing); ok {
				return c.realise(dest, t, f), true
			}
		}
	}
	return 0, false
}

// keepsSum reports whether n is compiled without a table, from a sum of many terms that it is a function of. Its table would say the same of each set of terms that add up to
// the same, and hide the sum from those that look for it, such as bounds, which are about what all machines need together.
func (c *compiler) keepsSum(n *ground.Node) bool { return !c.hard(n) && c.addsMany(n) }

// addsMany reports whether n contains a sum of many terms.
func (c *compiler) addsMany(n *ground.Node) bool {
	if is, ok := c.sums[n]; ok {
		return is
	}
	is := false
	if n.Op == ground.Ref && c.g.Fluents[n.Fluent].Kind == ground.Interm {
		is = c.addsMany(c.cpf(n.Fluent))
	}
	if n.Op == ground.Add || n.Op == ground.Sub {
		terms := 0
		for _, s := range summands(n) {
			if s.node.Op != ground.Const {
				terms++
			}
		}
		is = terms > tableTerms
	}
	is = is || slices.ContainsFunc(n.Args, func(a *ground.Node) bool { return a != nil && c.addsMany(a) })
	c.sums[n] = is
	return is
}

// realise makes the wire of one output bit.
func (c *compiler) realise(dest lit, t *table, f forms) lit {
	switch {
	case len(f.off) == 0:
		return c.settle(dest, yes)
	case len(f.on) == 0:
		return c.settle(dest, no)
	}
	if l, ok := t.single(f); ok {
		return c.settle(dest, l)
	}
	key := fmt.Sprint("table", t.inputs, f)
	if l, ok := c.gates[key]; ok {
		return c.settle(dest, l)
	}
	v := c.target(dest, key, c.reachOf(t.inputs))
	c.exclude(defining, t, f.on, v)
	c.exclude(defining, t, f.off, -v)
	return v
}

// single detects an output bit that equals one of the inputs or its negation.
func (t *table) single(f forms) (lit, bool) {
	if len(f.on) != 1 || len(f.off) != 1 {
		return 0, false
	}
	for i, l := range t.inputs {
		is, isNot := cubes.Cube{Care: 1 << i, Value: 1 << i}, cubes.Cube{Care: 1 << i}
		switch {
		case f.on[0] == is && f.off[0] == isNot:
			return l, true
		case f.on[0] == isNot && f.off[0] == is:
			return -l, true
		}
	}
	return 0, false
}

// numberTable compiles an integer-valued expression from its table to bits. With dest, the
// value is stored there, and rows whose value does not fit are forbidden. ok is false if the
// table is too large or some value is not an integer.
func (c *compiler) numberTable(dest *vector, n *ground.Node) (out number, ok bool) {
	if c.keepsSum(n) {
		return out, false
	}
	for _, of := range []func(*ground.Node) *table{c.tableOf, c.leafTable} {
		if t := of(n); t != nil && !ok {
			out, ok = c.numberOf(t, dest, n)
		}
	}
	return out, ok
}

func (c *compiler) numberOf(t *table, dest *vector, n *ground.Node) (out number, ok bool) {
	var lo, hi rat
	first := true
	for r, care := range t.care {
		if !care {
			continue
		}
		v := t.values[r]
		if dest == nil && (v.inexact || !v.isWhole()) {
			return out, false
		}
		if v.inexact {
			c.refuseAt(n.Pos, "its value is not a fraction; expected one that can be compared exactly, or a rounding")
		}
		if first {
			lo, hi, first = v.rat, v.rat, false
		}
		lo, hi = lo.min(v.rat), hi.max(v.rat)
	}
	if dest == nil {
		if first {
			return constant(whole(0)), true // never in a legal step
		}
		if lo == hi {
			return constant(lo), true
		}
		dest = &vector{lo: lo.N, hi: hi.N}
	}
	wrong := func(v value) bool { return !v.isWhole() || v.N < dest.lo || v.N > dest.hi }
	low, high := t.rows(wrong)
	bad, ok := cover(low, high, tableCubes)
	if !ok {
		return out, false
	}
	width := max(len(dest.lits), widthOf(dest.lo, dest.hi))
	bits := make([]forms, width)
	for i := range bits {
		bits[i], ok = t.minimise(func(v value) bool { return v.N>>(width-1-i)&1 == 1 }, wrong)
		if !ok {
			return out, false
		}
	}
	c.exclude(inSteps, t, bad, no)
	if dest.lits != nil {
		for i, f := range bits {
			c.realise(dest.lits[i], t, f)
		}
		return out, true
	}
	for _, f := range bits {
		dest.lits = append(dest.lits, c.realise(0, t, f))
	}
	return vectorNumber(dest), true
}
