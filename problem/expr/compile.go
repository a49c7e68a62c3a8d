package expr

import (
	"errors"
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// Require adds e to p as a constraint that always holds: at steps 1..H if it mentions an
// action or the next state, at 1..H+1 otherwise. Nested conditions are defined by auxiliary
// variables (Tseitin), comparisons of sums by two linear constraints each, products by the
// conjunctions of their bits. With negate, it adds the negation of e.
func (e *Expr) Require(p *factored.Problem, negate bool, origin string) error {
	action, next := e.Mentions()
	return e.compile(newCompiler(p, origin, action || next), negate)
}

// End adds to p that no step begins in a state in which e holds: it fails at the steps 1..H. It is
// an error if e mentions an action or the next state.
func (e *Expr) End(p *factored.Problem, origin string) error {
	if action, next := e.Mentions(); action || next {
		return errors.New("expected a condition on the state alone")
	}
	return e.compile(newCompiler(p, origin, true), true)
}

func (e *Expr) compile(c *compiler, negate bool) (err error) {
	defer c.catch(&err)
	c.assert(e.root, negate)
	return c.p.Check()
}

type compiler struct {
	p       *factored.Problem
	goal    bool // the constraints are of the last state
	inSteps bool // the expression holds at steps 1..H, not at H+1
	origin  string
	fresh   int

	ands     map[[2]factored.Lit]factored.Lit
	values   map[place]ratio
	literals map[place]number
	spread   map[*node]*node // see spreads
	assumed  []assumption    // of the part that is compiled
	guards   map[guard]int   // numbers lists of assumptions, from 1
	guarded  int             // number of assumed
	col      int             // of it
	said     *statement      // what all constraints say of a comparison that is spread
}

func newCompiler(p *factored.Problem, origin string, inSteps bool) *compiler {
	return &compiler{p: p, origin: origin, inSteps: inSteps, ands: map[[2]factored.Lit]factored.Lit{}, values: map[place]ratio{}, literals: map[place]number{},
		spread: map[*node]*node{}, guards: map[guard]int{}}
}

// catch turns a refusal into an error.
func (c *compiler) catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case refusal:
		*err = r.error
		var at *source.Error
		if errors.As(r.error, &at) && at.Col == 0 {
			*err = source.Errorf("", 1, max(1, c.col), "%s", at.Msg)
		}
	default:
		panic(r)
	}
}

// constrain adds the constraint a op 0. It defines an auxiliary variable if written is nil,
// else it says that.
func (c *compiler) constrain(a number, op factored.Op, written *statement) {
	n := factored.Constraint{Terms: a.terms, Op: op, K: -a.k, Origin: c.origin, Defines: written == nil}
	if !slices.ContainsFunc(n.Terms, func(t factored.Term) bool { return t.Coef > 0 }) { // to be easier to read
		n.Terms = slices.Clone(n.Terms)
		for i := range n.Terms {
			n.Terms[i].Coef *= -1
		}
		n.Op, n.K = [...]factored.Op{factored.LE: factored.GE, factored.GE: factored.LE, factored.EQ: factored.EQ}[op], -n.K
	}
	if written != nil {
		n.Written = written
	}
	if c.goal && written != nil {
		c.p.Goal = append(c.p.Goal, n)
		return
	}
	next := slices.ContainsFunc(n.Terms, func(t factored.Term) bool { return t.Lit.Next })
	// Without an action, a constraint of C would also hold at H+1; constraints of T hold at
	// exactly the steps 1..H.
	if next || c.inSteps && !c.p.HasAction(&n) {
		c.p.Transition = append(c.p.Transition, n)
	} else {
		c.p.Global = append(c.p.Global, n)
	}
}

// assert makes n true, or false with negate.
func (c *compiler) assert(n *node, negate bool) {
	c.col = n.col
	switch op := n.op; {
	case op == "~":
		c.assert(n.args[0], !negate)
		return
	case op == "^" && !negate, op == "|" && negate:
		c.assert(n.args[0], negate)
		c.under(n.args[0], !negate, func() { c.assert(n.args[1], negate) })
		return
	case op == "=>" && negate:
		c.assert(n.args[0], false)
		c.under(n.args[0], true, func() { c.assert(n.args[1], true) })
		return
	case op == "|", op == "^", op == "=>":
		c.clause(n, negate)
		return
	}
	if m := c.spreads(n); m != nil {
		if c.said == nil {
			c.said = &statement{n, negate}
			defer func() { c.said = nil }()
		}
		c.assert(m, negate)
		return
	}
	said := c.saying(n, negate)
	if op, ok := relation(n, negate); ok {
		d := c.difference(n)
		switch op {
		case "<":
			c.constrain(d.raised(1), factored.LE, said)
		case ">":
			c.constrain(d.raised(-1), factored.GE, said)
		default:
			c.constrain(d, map[string]factored.Op{"==": factored.EQ, "<=": factored.LE, ">=": factored.GE}[op], said)
		}
		return
	}
	if same, ok := agreement(n); ok { // n.op is ~=, or == with negate
		c.constrain(same.raised(1), factored.LE, said)
		return
	}
	l := c.literal(n)
	if negate {
		l = l.complement()
	}
	c.constrain(l.raised(-1), factored.GE, said)
}

// raised is a with by added to the sum, a smallest step if by is 1.
func (a number) raised(by int64) number {
	a.k, a.lo, a.hi = a.k+by, a.lo+by, a.hi+by
	return a
}

// clause asserts a disjunction of conditions, which need not be literals.
func (c *compiler) clause(n *node, negate bool) {
	sum := constant(0, 1)
	var walk func(n *node, negate bool)
	walk = func(n *node, negate bool) {
		switch {
		case n.op == "~":
			walk(n.args[0], !negate)
			return
		case n.op == "|" && !negate || n.op == "^" && negate:
			walk(n.args[0], negate)
			c.under(n.args[0], negate, func() { walk(n.args[1], negate) })
			return
		case n.op == "=>" && !negate:
			walk(n.args[0], true)
			c.under(n.args[0], true, func() { walk(n.args[1], false) })
			return
		}
		if same, ok := agreement(n); ok && (n.op == "~=") != negate {
			sum = sum.plus(same, -1) // at least 1 if the bits differ
			return
		}
		l := c.literal(n)
		if negate {
			l = l.complement()
		}
		sum = sum.plus(l, 1)
	}
	walk(n, negate)
	c.constrain(sum.raised(-1), factored.GE, c.saying(n, negate))
}

// saying is what a constraint says that makes n true, or false with negate.
func (c *compiler) saying(n *node, negate bool) *statement {
	if c.said != nil {
		return c.said
	}
	return &statement{n, negate}
}

// relation returns the operator of a comparison, or of its negation. Equality of two conditions
// is one too; ~= and a negated == are not, since each is a union of two ranges.
func relation(n *node, negate bool) (op string, ok bool) {
	op = n.op
	if op == "<=>" {
		op = "=="
	}
	if negate {
		op = map[string]string{"==": "~=", "~=": "==", "<=": ">", ">=": "<", "<": ">=", ">": "<="}[op]
	}
	return op, slices.Contains([]string{"==", "<=", ">=", "<", ">"}, op)
}

// literal returns a condition as a number that is 0 or 1: a variable, a constant, the
// complement of one, or a fresh auxiliary variable defined to be equivalent.
func (c *compiler) literal(n *node) number {
	at := c.place(n)
	if l, ok := c.literals[at]; ok {
		return l
	}
	l := c.newLiteral(n)
	c.literals[at] = l
	return l
}

func (c *compiler) newLiteral(n *node) number {
	c.col = n.col
	switch n.op {
	case "number", "name":
		return c.value(n).num
	case "~":
		return c.literal(n.args[0]).complement()
	case "==", "<=>", "~=":
		return c.equality(n)
	}
	if m := c.spreads(n); m != nil {
		return c.literal(m)
	}
	if op, ok := relation(n, false); ok {
		d := c.difference(n)
		switch op {
		case "<=":
			return c.define(d.times(-1, 1), n)
		case "<":
			return c.define(d.times(-1, 1).raised(-1), n)
		case ">":
			return c.define(d.raised(-1), n)
		}
		return c.define(d, n)
	}
	// A conjunction or disjunction of two literals is a bound on their sum.
	a := c.literal(n.args[0])
	var b number
	c.under(n.args[0], n.op != "|", func() { b = c.literal(n.args[1]) })
	if n.op == "=>" {
		a = a.complement()
	}
	need := int64(1)
	if n.op == "^" {
		need = 2
	}
	return c.define(a.plus(b, 1).raised(-need), n)
}

// agreement returns, for the comparison of an integer variable with one of its values by ==
// or ~=, a sum of literals of its bits that is 0 if it has the value and negative otherwise.
func agreement(n *node) (l number, ok bool) {
	if n.op != "==" && n.op != "~=" {
		return l, false
	}
	a, b := n.args[0], n.args[1]
	if a.op != "name" {
		a, b = b, a
	}
	if a.op != "name" || a.v.Bool || b.op != "number" {
		return l, false
	}
	value := new(big.Rat).Quo(b.num, a.v.Step())
	if !value.IsInt() || !value.Num().IsInt64() {
		return l, false
	}
	x := value.Num().Int64()
	if x < a.v.Lo || x > a.v.Hi || a.v.Lo == a.v.Hi {
		return l, false
	}
	l = number{den: 1}
	for i := range a.v.Width {
		t := factored.Term{Coef: -1, Lit: factored.Lit{Bit: a.v.First + factored.Bit(i), Next: a.next}}
		if x>>(a.v.Width-1-i)&1 == 1 {
			t.Coef = 1
			l.k--
		}
		l.terms = append(l.terms, t)
		l.lo--
	}
	return l, true
}

// equality returns left == right, or left ~= right, as the conjunction of both ranges.
func (c *compiler) equality(n *node) number {
	var both number
	if same, ok := agreement(n); ok {
		if both = same.raised(1); len(same.terms) > 1 { // one bit is a literal
			both = c.define(same, n.as("=="))
		}
	} else if n.args[0].boolean() && n.args[1].boolean() {
		a, b := c.literal(n.args[0]), c.literal(n.args[1])
		both = c.define(b.plus(a, -1), nil).plus(c.define(a.plus(b, -1), nil), 1).raised(-1)
	} else {
		d := c.difference(n)
		// At least one of the two always holds.
		both = c.define(d.times(-1, 1), n.as("<=")).plus(c.define(d, n.as(">=")), 1).raised(-1)
		both.lo, both.hi = max(both.lo, 0), min(both.hi, 1)
	}
	if n.op == "~=" {
		return both.complement()
	}
	return both
}

// as is n with another operator.
func (n *node) as(op string) *node { return &node{op: op, args: n.args, col: n.col} }

// maxMeaning bounds the text of a condition that stands for its auxiliary variable.
const maxMeaning = 80

// meaning writes a >= 0, which n says; empty if that is too long, or not known.
func (c *compiler) meaning(a number, n *node) string {
	plain := !slices.ContainsFunc(a.terms, func(t factored.Term) bool {
		v, _ := c.p.Owner(t.Lit.Bit)
		return v.Kind == factored.Auxiliary && v.Meaning == ""
	})
	text := ""
	switch {
	case plain:
		text = c.p.Format(&factored.Constraint{Terms: a.terms, Op: factored.GE, K: -a.k})
	case n != nil:
		text = n.String()
	}
	if len(text) > maxMeaning {
		return ""
	}
	return text
}

// define makes a fresh auxiliary variable v <=> (a >= 0), which n says, nil for nothing that is written.
func (c *compiler) define(a number, n *node) number {
	if a.lo >= 0 || a.hi < 0 {
		return constant(truth(a.lo >= 0), 1)
	}
	least, most := a.natural()
	v := ofLiteral(factored.Lit{Bit: c.add(factored.Variable{Kind: factored.Auxiliary, Bool: true, Meaning: c.meaning(a, n)}).First})
	// a >= least*(1-v), and a <= -1 + (most+1)*v.
	a.den = 1
	c.constrain(a.with(v, least).raised(-least), factored.GE, nil)
	c.constrain(a.with(v, -(most+1)).raised(1), factored.LE, nil)
	return v
}

// with is a + f*v for a literal v that a does not have.
func (a number) with(v number, f int64) number {
	a.terms = append(a.terms[:len(a.terms):len(a.terms)], factored.Term{Coef: f, Lit: v.terms[0].Lit})
	return a
}
