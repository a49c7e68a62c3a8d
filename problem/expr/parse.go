package expr

import (
	"math/big"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// node is one operation of a parsed expression. Booleans are the integers 0
// and 1.
type node struct {
	op   string // an operator's text, "neg", "number", "name" or, while parsing, "value"
	args []*node
	num  *big.Rat // of "number"
	text string   // of "value"
	v    *factored.Variable
	next bool
	col  int

	small bool  // see mark
	level bool  // see limit
	at    int64 // of a comparison that is a level, what it compares with; of a name, what a step is worth

	bounded bool // lo and hi are known; see bounds
	lo, hi  *big.Rat
}

// whole returns an integer as a node.
func whole(x int64, col int) *node {
	return &node{op: "number", num: new(big.Rat).SetInt64(x), col: col}
}

// integer returns the integer that n is, if it is one.
func (n *node) integer() (int64, bool) {
	if n.op == "number" && n.num.IsInt() && n.num.Num().IsInt64() {
		return n.num.Num().Int64(), true
	}
	return 0, false
}

// Expr is a parsed, checked Boolean expression over one problem.
type Expr struct {
	Text string
	p    *factored.Problem
	root *node
	step int // of the variables written with @; 0 for none

	constants []string
}

// Step returns the step, from 1, at which the variables of e are taken; 0 if e does not name
// one.
func (e *Expr) Step() int { return e.step }

// When makes e a condition that only has to hold where the Boolean v is true.
func (e *Expr) When(v *factored.Variable) {
	e.root = &node{op: "=>", args: []*node{{op: "name", v: v, col: e.root.col}, e.root}, col: e.root.col}
	e.root.mark()
}

// boolean reports whether n is a condition rather than a number.
func (n *node) boolean() bool {
	switch n.op {
	case "number":
		x, ok := n.integer()
		return ok && (x == 0 || x == 1)
	case "name":
		return n.v.Bool
	case "if":
		return n.args[1].boolean() && n.args[2].boolean()
	case "+", "-", "*", "/", "neg", "min", "max", "abs":
		return false
	}
	return true
}

// Options control what an expression may mention.
type Options struct {
	Next bool // primed state variables
	Step bool // variables at one step, such as x@3
}

// maxNodes and maxDepth keep hostile input from exhausting memory or stack.
const (
	maxNodes = 100_000
	maxDepth = 1_000
)

type parser struct {
	lex   lexer
	tok   token
	opt   Options
	nodes int
	depth int
	step  int // step of the variables so far; -1 for variables of every step, 0 for no variables

	constants []string // see Expr.Constants
}

// Parse reads a Boolean expression over the variables of p. Errors contain the column.
func Parse(p *factored.Problem, text string, o Options) (*Expr, error) {
	ps := &parser{lex: lexer{p: p, text: Spelling(text)}, opt: o}
	root, err := ps.whole()
	if err != nil {
		return nil, err
	}
	if !root.boolean() {
		return nil, ps.lex.errorf(root.col, "the expression is a number; expected a condition such as a comparison")
	}
	root.mark()
	return &Expr{Text: text, p: p, root: root, step: max(0, ps.step), constants: ps.constants}, nil
}

// whole parses the whole text.
func (ps *parser) whole() (*node, error) {
	if err := ps.advance(); err != nil {
		return nil, err
	}
	root, err := ps.binary(0)
	if err != nil {
		return nil, err
	}
	if ps.tok.kind != tokEnd {
		return nil, ps.lex.errorf(ps.tok.col, "expected an operator or the end, found %s", ps.tok.text)
	}
	return root, ps.plain(root)
}

func (ps *parser) advance() (err error) {
	ps.tok, err = ps.lex.next()
	return err
}

func (ps *parser) make(n node) (*node, error) {
	if ps.nodes++; ps.nodes > maxNodes {
		return nil, ps.lex.errorf(n.col, "the expression is too long")
	}
	return &n, nil
}

// level is one precedence level of binary operators.
type level struct {
	ops     []string
	right   bool // associates to the right
	chain   bool // may be repeated
	logical bool // operands are Booleans, otherwise numbers
}

var levels = []level{
	{ops: []string{"<=>"}, chain: true, logical: true},
	{ops: []string{"=>"}, right: true, chain: true, logical: true},
	{ops: []string{"|"}, chain: true, logical: true},
	{ops: []string{"^", "&"}, chain: true, logical: true},
	{}, // ~, a prefix
	{ops: []string{"==", "~=", "!=", "<=", ">=", "<", ">"}},
	{ops: []string{"+", "-"}, chain: true},
	{ops: []string{"*", "/"}, chain: true},
}

// The places of two levels.
const (
	notLevel    = 4
	comparisons = 5
)

func (l *level) is(op string) bool { return slices.Contains(l.ops, op) }

func (ps *parser) binary(l int) (*node, error) {
	if ps.depth++; ps.depth > maxDepth {
		return nil, ps.lex.errorf(ps.tok.col, "the expression is nested too deeply")
	}
	defer func() { ps.depth-- }()
	if l == len(levels) {
		return ps.primary()
	}
	if l == notLevel {
		return ps.not()
	}
	left, err := ps.binary(l + 1)
	if err != nil {
		return nil, err
	}
	for ps.at(levels[l].ops) {
		op := ps.tok
		if err := ps.advance(); err != nil {
			return nil, err
		}
		down := l + 1
		if levels[l].right {
			down = l
		}
		right, err := ps.binary(down)
		if err != nil {
			return nil, err
		}
		if left, err = ps.combine(op, &levels[l], left, right); err != nil {
			return nil, err
		}
		if !levels[l].chain {
			break
		}
	}
	return left, nil
}

func (ps *parser) at(ops []string) bool {
	return slices.Contains(ops, ps.tok.kind)
}

// combine checks the operands of a binary operator.
func (ps *parser) combine(op token, l *level, a, b *node) (*node, error) {
	if levels[comparisons].is(op.kind) {
		x, y, kind, err := ps.compare(op, a, b)
		if err != nil {
			return nil, err
		}
		ps.noteConstant(x, y, kind, a.col)
		return ps.make(node{op: kind, args: []*node{x, y}, col: a.col})
	}
	if err := ps.plain(a, b); err != nil {
		return nil, err
	}
	if l.logical {
		for _, n := range []*node{a, b} {
			if !n.boolean() {
				return nil, ps.lex.errorf(n.col, "%s needs conditions on both sides; this one is a number", op.text)
			}
		}
	}
	if op.kind == "/" && b.constant() {
		b.mark()
		if x := b.exact(nil, nil); x == nil || x.Sign() == 0 {
			return nil, ps.lex.errorf(b.col, "the divisor is 0")
		}
	}
	kind := op.kind
	if kind == "&" {
		kind = "^"
	}
	return ps.make(node{op: kind, args: []*node{a, b}, col: a.col})
}

// constant reports whether n mentions no variable.
func (n *node) constant() bool {
	if n.op == "name" {
		return false
	}
	return !slices.ContainsFunc(n.args, func(a *node) bool { return !a.constant() })
}

func (ps *parser) not() (*node, error) {
	tok := ps.tok
	if tok.kind != "~" {
		return ps.binary(notLevel + 1)
	}
	if err := ps.advance(); err != nil {
		return nil, err
	}
	return ps.negation(tok, func() (*node, error) { return ps.binary(notLevel) })
}

// negation parses what follows ~.
func (ps *parser) negation(tok token, operand func() (*node, error)) (*node, error) {
	a, err := operand()
	if err != nil {
		return nil, err
	}
	if err := ps.plain(a); err != nil {
		return nil, err
	}
	if !a.boolean() {
		return nil, ps.lex.errorf(a.col, "~ needs a condition; this is a number")
	}
	return ps.make(node{op: "~", args: []*node{a}, col: tok.col})
}

func (ps *parser) primary() (*node, error) {
	tok := ps.tok
	if err := ps.advance(); err != nil {
		return nil, err
	}
	switch tok.kind {
	case tokNumber:
		return ps.number(tok)
	case tokFunction:
		return ps.function(tok)
	case tokIf:
		return ps.choice(tok)
	case tokValue:
		return ps.make(node{op: "value", text: tok.text, col: tok.col})
	case tokName:
		if tok.next && (!ps.opt.Next || tok.v.Kind != factored.State) {
			return nil, ps.lex.errorf(tok.col, "%s' is of the next step; expected variables of the present one", tok.text)
		}
		if err := ps.atStep(tok); err != nil {
			return nil, err
		}
		return ps.make(node{op: "name", v: tok.v, next: tok.next, col: tok.col})
	case "-":
		a, err := ps.primary()
		if err != nil {
			return nil, err
		}
		if err := ps.plain(a); err != nil {
			return nil, err
		}
		return ps.make(node{op: "neg", args: []*node{a}, col: tok.col})
	case "~":
		// ~ has a lower precedence than comparisons, but a + ~b has only one reading.
		return ps.negation(tok, ps.primary)
	case "(":
		return ps.group(tok)
	}
	return nil, ps.lex.errorf(tok.col, "expected a variable, a number or (, found %s", tok.text)
}

// operand parses an expression that is no name of a value.
func (ps *parser) operand() (*node, error) {
	if ps.depth++; ps.depth > maxDepth {
		return nil, ps.lex.errorf(ps.tok.col, "the expression is nested too deeply")
	}
	defer func() { ps.depth-- }()
	a, err := ps.binary(0)
	if err != nil {
		return nil, err
	}
	return a, ps.plain(a)
}

// expect reads a token of a kind.
func (ps *parser) expect(kind string, after token) error {
	if ps.tok.kind != kind {
		return ps.lex.errorf(ps.tok.col, "expected %s for the %s in column %d, found %s", kind, after.text, after.col, ps.tok.text)
	}
	return ps.advance()
}

// function parses the arguments of min, max or abs.
func (ps *parser) function(tok token) (*node, error) {
	open := ps.tok
	end := map[string]string{"(": ")", "[": "]"}[open.kind]
	if end == "" {
		return nil, ps.lex.errorf(open.col, "expected [ after %s, found %s", tok.text, open.text)
	}
	if err := ps.advance(); err != nil {
		return nil, err
	}
	n := node{op: tok.text, col: tok.col}
	for {
		a, err := ps.operand()
		if err != nil {
			return nil, err
		}
		n.args = append(n.args, a)
		if ps.tok.kind != "," {
			break
		}
		if err := ps.advance(); err != nil {
			return nil, err
		}
	}
	if one := n.op == "abs"; one != (len(n.args) == 1) {
		return nil, ps.lex.errorf(tok.col, "%s has %d arguments; expected %s", n.op, len(n.args), map[bool]string{true: "one", false: "two or more"}[one])
	}
	if err := ps.expect(end, open); err != nil {
		return nil, err
	}
	return ps.make(n)
}

// choice parses what follows if: a condition in parentheses, then and else.
func (ps *parser) choice(tok token) (*node, error) {
	n := node{op: "if", col: tok.col}
	if ps.tok.kind != "(" {
		return nil, ps.lex.errorf(ps.tok.col, "expected ( after if, found %s", ps.tok.text)
	}
	for i, before := range []string{"(", tokThen, tokElse} {
		open := ps.tok
		if err := ps.expect(before, tok); err != nil {
			return nil, err
		}
		a, err := ps.operand()
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if !a.boolean() {
				return nil, ps.lex.errorf(a.col, "if needs a condition; this is a number")
			}
			if err := ps.expect(")", open); err != nil {
				return nil, err
			}
		}
		n.args = append(n.args, a)
	}
	return ps.make(n)
}

// atStep refuses a variable at another step than those before it.
func (ps *parser) atStep(tok token) error {
	at := tok.step
	if at == 0 {
		at = -1
	}
	before := ps.step
	ps.step = at
	switch {
	case tok.step > 0 && !ps.opt.Step:
		return ps.lex.errorf(tok.col, "%s@%d: a step can only be named in --require", tok.text, tok.step)
	case before == 0 || before == at:
		return nil
	case before < 0 || at < 0:
		return ps.lex.errorf(tok.col, "the condition has variables of step %d and of every step; expected one step, in a --require of its own", max(before, at))
	}
	return ps.lex.errorf(tok.col, "the condition has variables of the steps %d and %d; expected one step, in a --require of its own", before, at)
}

// group parses an expression up to the parenthesis that closes open.
func (ps *parser) group(open token) (*node, error) {
	if ps.depth++; ps.depth > maxDepth {
		return nil, ps.lex.errorf(open.col, "the expression is nested too deeply")
	}
	a, err := ps.binary(0)
	ps.depth--
	if err != nil {
		return nil, err
	}
	if ps.tok.kind != ")" {
		return nil, ps.lex.errorf(ps.tok.col, "expected ) for the ( in column %d, found %s", open.col, ps.tok.text)
	}
	return a, ps.advance()
}

// maxNumber bounds the digits of numbers, above and below the line.
const maxNumber = 1 << 40

func (ps *parser) number(tok token) (*node, error) {
	switch tok.text {
	case "true":
		return ps.make(*whole(1, tok.col))
	case "false":
		return ps.make(*whole(0, tok.col))
	}
	const longest = 64 // of a text; an exponent has few digits
	_, exponent, _ := strings.Cut(strings.ToLower(tok.text), "e")
	if len(tok.text) <= longest && len(exponent) <= 3 {
		x, ok := new(big.Rat).SetString(tok.text)
		limit := big.NewInt(maxNumber)
		if ok && x.Num().Cmp(limit) <= 0 && x.Denom().Cmp(limit) <= 0 {
			return ps.make(node{op: "number", num: x, col: tok.col})
		}
	}
	return nil, ps.lex.errorf(tok.col, "the number %s is beyond 2^40, or has more than 12 digits after the point", tok.text)
}
