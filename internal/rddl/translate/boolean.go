package translate

import (
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/problem/factored"
	"slices"
)

// literal compiles a Boolean expression to a wire: dest, or any wire if dest is 0.
func (c *compiler) literal(dest lit, n *ground.Node) lit {
	if dest == 0 {
		if l, ok := c.literals[n]; ok {
			return l
		}
		l := c.newLiteral(0, n)
		c.literals[n] = l
		c.mean(l, n)
		return l
	}
	return c.newLiteral(dest, n)
}

// Bounds on the expressions that an auxiliary variable is shown as.
const (
	maxMeaningNodes = 12
	maxMeaning      = 80
)

// mean records that l is equivalent to n, for messages, if l is an auxiliary variable of the
// reward or of a condition that stands for nothing yet and n is short.
func (c *compiler) mean(l lit, n *ground.Node) {
	if l == yes || l == no || !c.shown {
		return
	}
	v, _ := c.p.Owner(c.wires[l.wire()].bit)
	if v.Kind != factored.Auxiliary || !v.Bool || v.Meaning != "" {
		return
	}
	nodes := 0
	n.Walk(func(*ground.Node) bool {
		nodes++
		return nodes <= maxMeaningNodes
	})
	if nodes > maxMeaningNodes {
		return
	}
	text := n.String()
	if l < 0 {
		text = "~(" + text + ")"
	}
	if len(text) <= maxMeaning {
		v.Meaning = text
	}
}

func (c *compiler) newLiteral(dest lit, n *ground.Node) lit {
	switch n.Op {
	case ground.Const:
		if n.Val != 0 {
			return c.settle(dest, yes)
		}
		return c.settle(dest, no)
	case ground.Ref:
		return c.settle(dest, c.boolRef(n))
	case ground.Not:
		return -c.literal(-dest, n.Args[0])
	case ground.Random:
		return c.literal(dest, c.certain(n, nil))
	case ground.And, ground.Or:
		if simple(n.Args) {
			return c.gate(dest, n)
		}
	}
	if l, ok := c.boolTable(dest, n); ok {
		return l
	}
	switch n.Op {
	case ground.And, ground.Or, ground.Implies, ground.Iff:
		return c.gate(dest, n)
	case ground.If:
		s := c.literal(0, n.Args[0])
		switch s { // a branch that is never taken need not be compilable
		case yes:
			return c.literal(dest, n.Args[1])
		case no:
			return c.literal(dest, n.Args[2])
		}
		return c.mux(dest, s, c.literal(0, n.Args[1]), c.literal(0, n.Args[2]))
	case ground.Case:
		l := c.lastBool(n)
		on := c.number(n.Args[0])
		for i := pairs(n) - 2; i >= 1; i -= 2 {
			d := lit(0)
			if i == 1 {
				d = dest
			}
			l = c.mux(d, c.equalsConst(0, on, c.constOf(n.Args[i])), c.literal(0, n.Args[i+1]), l)
		}
		if pairs(n) <= 1 {
			return c.settle(dest, l)
		}
		return l
	case ground.Eq, ground.Ne, ground.Lt, ground.Le, ground.Gt, ground.Ge:
		return c.comparison(dest, n)
	}
	if n.Type != ground.Bool { // a number where a condition is expected: true if not 0
		return -c.isZero(-dest, c.number(n))
	}
	c.refuseAt(n.Pos, "this condition cannot be compiled")
	return 0
}

// simple reports whether all of nodes are fluents or their negations.
func simple(nodes []*ground.Node) bool {
	for _, n := range nodes {
		for n.Op == ground.Not {
			n = n.Args[0]
		}
		if n.Op != ground.Ref && n.Op != ground.Const {
			return false
		}
	}
	return true
}

// gate compiles a connective of conditions; nested ones of the same kind are joined.
func (c *compiler) gate(dest lit, n *ground.Node) lit {
	switch n.Op {
	case ground.Implies:
		return c.or(dest, -c.literal(0, n.Args[0]), c.literal(0, n.Args[1]))
	case ground.Iff:
		return -c.xor(-dest, c.literal(0, n.Args[0]), c.literal(0, n.Args[1]))
	}
	var in []lit
	var walk func(m *ground.Node)
	walk = func(m *ground.Node) {
		if m.Op == n.Op {
			for _, a := range m.Args {
				walk(a)
			}
			return
		}
		in = append(in, c.literal(0, m))
	}
	walk(n)
	if n.Op == ground.And {
		return c.and(dest, in...)
	}
	return c.or(dest, in...)
}

// pairs returns the number of arguments of a Case before its default.
func pairs(n *ground.Node) int { return 1 + (len(n.Args)-1)/2*2 }

// lastBool compiles the value of a Case if no pair applies except perhaps the last: its
// default.
func (c *compiler) lastBool(n *ground.Node) lit {
	if d := c.defaultOf(n); d != nil {
		return c.literal(0, d)
	}
	return no
}

// defaultOf returns the default of a Case; nil only if the pairs cover all values.
func (c *compiler) defaultOf(n *ground.Node) *ground.Node {
	if len(n.Args)%2 == 0 && n.Args[len(n.Args)-1] != nil {
		return n.Args[len(n.Args)-1]
	}
	on := c.number(n.Args[0])
	for x := on.lo.ceil(); x <= on.hi.floor(); x++ {
		found := false
		for i := 1; i < pairs(n); i += 2 {
			found = found || c.constOf(n.Args[i]) == whole(x)
		}
		if !found {
			c.refuseAt(n.Pos, "the switch has no case for the value %d and no default", x)
		}
	}
	return nil
}

// constOf returns the value of a node that the grounder has made constant.
func (c *compiler) constOf(n *ground.Node) rat {
	if n.Op != ground.Const {
		c.refuseAt(n.Pos, "expected a constant")
	}
	return simplest(n.Val)
}

// comparison compiles a relation of two expressions to a wire.
func (c *compiler) comparison(dest lit, n *ground.Node) lit {
	a, b := n.Args[0], n.Args[1]
	if a.Type == ground.Bool && b.Type == ground.Bool && (n.Op == ground.Eq || n.Op == ground.Ne) {
		x, y := c.literal(0, a), c.literal(0, b)
		if n.Op == ground.Ne {
			return c.xor(dest, x, y)
		}
		return -c.xor(-dest, x, y)
	}
	switch n.Op {
	case ground.Eq:
		return c.equal(dest, a, b)
	case ground.Ne:
		return -c.equal(-dest, a, b)
	case ground.Le:
		return c.nonNegative(dest, c.difference(b, a))
	case ground.Lt:
		return c.isPositive(dest, c.difference(b, a))
	case ground.Ge:
		return c.nonNegative(dest, c.difference(a, b))
	default:
		return c.isPositive(dest, c.difference(a, b))
	}
}

// equal compiles a == b.
func (c *compiler) equal(dest lit, a, b *ground.Node) lit {
	if _, _, roots := c.squares(a, b); roots || c.divides(a) || c.divides(b) {
		return c.isZero(dest, c.difference(a, b))
	}
	x, y := c.number(a), c.number(b)
	if r, ok := y.isConst(); ok {
		return c.equalsConst(dest, x, r)
	}
	if r, ok := x.isConst(); ok {
		return c.equalsConst(dest, y, r)
	}
	return c.isZero(dest, x.plus(y, whole(-1)))
}

// assert makes n hold, or fail if negate is set, at the steps of g.
func (c *compiler) assert(g group, n *ground.Node, negate bool) {
	switch n.Op {
	case ground.Not:
		c.assert(g, n.Args[0], !negate)
		return
	case ground.And, ground.Or:
		if (n.Op == ground.And) != negate {
			for _, a := range n.Args {
				c.assert(g, a, negate)
			}
			return
		}
	case ground.Implies:
		if negate {
			c.assert(g, n.Args[0], false)
			c.assert(g, n.Args[1], true)
			return
		}
	case ground.Eq, ground.Ne, ground.Lt, ground.Le, ground.Gt, ground.Ge:
		if c.isLinear(n.Args[0]) && c.isLinear(n.Args[1]) && c.assertLinear(g, n, negate) {
			return
		}
	}
	if (n.Op == ground.Or || n.Op == ground.Implies) && (simple(n.Args) || c.tableOf(n) == nil) {
		c.assertClause(g, n, negate)
		return
	}
	if n.Op != ground.Ref && n.Op != ground.Const {
		for _, of := range []func(*ground.Node) *table{c.tableOf, c.leafTable} {
			t := of(n)
			if t == nil {
				continue
			}
			low, high := t.rows(func(v value) bool { return v.isTrue() == negate })
			if bad, ok := cover(low, high, tableCubes/2); ok {
				c.exclude(g, t, bad, no)
				return
			}
		}
	}
	if n.Op.IsRelation() && c.assertLinear(g, n, negate) {
		return
	}
	if n.Op == ground.Or || n.Op == ground.And || n.Op == ground.Implies {
		c.assertClause(g, n, negate)
		return
	}
	l := c.literal(0, n)
	if negate {
		l = -l
	}
	c.clause(g, l)
}

// assertClause asserts a disjunction, or a negated conjunction.
func (c *compiler) assertClause(g group, n *ground.Node, negate bool) {
	var in []lit
	var walk func(n *ground.Node, negate bool)
	walk = func(n *ground.Node, negate bool) {
		switch {
		case n.Op == ground.Not:
			walk(n.Args[0], !negate)
		case n.Op == ground.Or && !negate, n.Op == ground.And && negate:
			for _, a := range n.Args {
				walk(a, negate)
			}
		case n.Op == ground.Implies && !negate:
			walk(n.Args[0], true)
			walk(n.Args[1], false)
		case negate:
			in = append(in, -c.literal(0, n))
		default:
			in = append(in, c.literal(0, n))
		}
	}
	walk(n, negate)
	c.clause(g, in...)
}

// assertLinear asserts a relation of two sums as a linear constraint. It returns false for an
// inequation, which is not a linear constraint.
func (c *compiler) assertLinear(g group, n *ground.Node, negate bool) bool {
	op := n.Op
	if negate {
		op = op.Opposite()
	}
	if op == ground.Ne {
		return false
	}
	d := c.difference(n.Args[0], n.Args[1])
	terms, k, _ := d.scaled()
	switch op {
	case ground.Eq:
		c.emit(g, terms, factored.EQ, -k)
	case ground.Le:
		c.emit(g, terms, factored.LE, -k)
	case ground.Lt:
		c.emit(g, terms, factored.LE, -k-1)
	case ground.Ge:
		c.emit(g, terms, factored.GE, -k)
	case ground.Gt:
		c.emit(g, terms, factored.GE, -k+1)
	}
	return true
}

// isLinear reports whether n is a linear sum of existing bits.
func (c *compiler) isLinear(n *ground.Node) bool {
	switch n.Op {
	case ground.Const:
		return true
	case ground.Ref:
		f := &c.g.Fluents[n.Fluent]
		return f.Kind != ground.Interm || c.isLinear(c.cpf(n.Fluent))
	case ground.Not, ground.Neg:
		return c.isLinear(n.Args[0]) && (n.Op == ground.Neg || simple(n.Args))
	case ground.Add, ground.Sub:
		return !slices.ContainsFunc(n.Args, func(a *ground.Node) bool { return !c.isLinear(a) })
	case ground.Mul:
		open := 0
		for _, a := range n.Args {
			if a.Op != ground.Const {
				open++
				if !c.isLinear(a) {
					return false
				}
			}
		}
		return open <= 1
	case ground.Div:
		return n.Args[1].Op == ground.Const && c.isLinear(n.Args[0])
	}
	return false
}
