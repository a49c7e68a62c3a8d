package expr

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// A quantity stands for the bin that contains it. Only a comparison with a bin edge has the
// same truth for all values of a bin, so that it is all that is accepted:
// x < e and x >= e, as bins contain their lower edge.

// special returns the variable of n if its values are named or bins, which are no numbers.
func (n *node) special() *factored.Variable {
	if n.op == "name" && n.v.View != nil && !n.v.Fixed() {
		return n.v
	}
	return nil
}

// plain refuses quantities in bins and named values where numbers are needed.
func (ps *parser) plain(nodes ...*node) error {
	for _, n := range nodes {
		switch v := n.special(); {
		case v == nil && n.op == "value":
			return ps.lex.errorf(n.col, "%s is a value of an enumeration; expected it in a comparison such as x == %s", n.text, n.text)
		case v == nil:
		case v.Enumeration():
			return ps.lex.errorf(n.col, "%s is one of %s; expected a comparison such as %s == @%s", v.Name, v.RangeText(), v.Name, strings.TrimPrefix(v.View.Names[0], "@"))
		default:
			return ps.lex.errorf(n.col, "%s is a quantity in bins; expected a comparison with a number such as %s >= %s", v.Name, v.Name, number64(v.View.Edges[1]))
		}
	}
	return nil
}

func number64(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// decimal writes a fraction, in decimals if it has few.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	for digits := 1; digits <= 12; digits++ {
		if text := r.FloatString(digits); new(big.Rat).Sub(fraction(text), r).Sign() == 0 {
			return text
		}
	}
	return "(" + r.Num().String() + "/" + r.Denom().String() + ")"
}

func fraction(text string) *big.Rat {
	r, _ := new(big.Rat).SetString(text) // of FloatString
	return r
}

// compare translates a comparison with a quantity or an enumeration to one of integers. It
// returns its operands unchanged if neither side is one.
func (ps *parser) compare(op token, a, b *node) (*node, *node, string, error) {
	kind := op.kind
	if kind == "!=" {
		kind = "~="
	}
	v, w := a.special(), b.special()
	switch {
	case v == nil && w == nil:
		return a, b, kind, ps.plain(a, b)
	case v == nil:
		kind = mirrored(kind)
		a, b, v, w = b, a, w, nil
	}
	if v.Enumeration() {
		return ps.compareNames(op, kind, a, b, v, w)
	}
	if w != nil {
		return nil, nil, "", ps.lex.errorf(op.col, "%s and %s are quantities, known by their bins; expected a comparison with a number", v.Name, w.Name)
	}
	return ps.compareQuantity(op, kind, a, b)
}

// mirrored is the comparison with the sides exchanged.
func mirrored(op string) string {
	switch op {
	case "<":
		return ">"
	case "<=":
		return ">="
	case ">":
		return "<"
	case ">=":
		return "<="
	}
	return op
}

func (ps *parser) compareNames(op token, kind string, a, b *node, v, w *factored.Variable) (*node, *node, string, error) {
	fail := func(col int, format string, args ...any) (*node, *node, string, error) {
		return nil, nil, "", ps.lex.errorf(col, format, args...)
	}
	if kind != "==" && kind != "~=" {
		return fail(op.col, "%s has names for values, which have no order; expected == or ~=", v.Name)
	}
	if w != nil {
		if !w.Enumeration() {
			return fail(b.col, "%s and %s have different values", v.Name, w.Name)
		}
		same, shared := sameNames(a, b)
		switch {
		case len(shared) == 0:
			return fail(b.col, "%s and %s have different values", v.Name, w.Name)
		case same:
			return a, b, kind, nil
		}
		any := shared[0]
		for _, n := range shared[1:] {
			any = &node{op: "|", args: []*node{any, n}, col: a.col}
		}
		return any, whole(1, b.col), kind, nil
	}
	if b.op != "value" {
		return fail(b.col, "expected one of %s", v.RangeText())
	}
	x, err := v.Named(b.text)
	if err != nil {
		return fail(b.col, "%v", err)
	}
	return a, whole(x, b.col), kind, nil
}

// sameNames returns, for two variables with named values, the conditions that both have one
// name, for each name that they share; same reports that they have the same name just if they
// have the same number.
func sameNames(a, b *node) (same bool, shared []*node) {
	v, w := a.v, b.v
	same = true
	for i, name := range v.View.Names {
		x := v.Lo + int64(i)
		j := slices.IndexFunc(w.View.Names, func(other string) bool {
			return strings.TrimPrefix(other, "@") == strings.TrimPrefix(name, "@")
		})
		y := w.Lo + int64(j)
		if j < 0 {
			same = same && (x < w.Lo || x > w.Hi)
			continue
		}
		same = same && x == y
		is := func(n *node, x int64) *node {
			return &node{op: "==", args: []*node{n, whole(x, n.col)}, col: n.col}
		}
		shared = append(shared, &node{op: "^", args: []*node{is(a, x), is(b, y)}, col: a.col})
	}
	return same, shared
}

func (ps *parser) compareQuantity(op token, kind string, a, b *node) (*node, *node, string, error) {
	fail := func(format string, args ...any) (*node, *node, string, error) {
		return nil, nil, "", ps.lex.errorf(op.col, format, args...)
	}
	v := a.v
	x, ok := b.real()
	if !ok {
		return fail("%s is a quantity in bins; expected a number to compare it with", v.Name)
	}
	text := fmt.Sprintf("%s %s %s", ps.name(a), kind, number64(x))
	if kind == "==" || kind == "~=" {
		return fail("%s: a bin is no single number; expected <, <=, > or >= with a bin edge: %s", text, v.EdgesText())
	}
	level, below, err := v.Bound(kind, x)
	if err != nil {
		return fail("%s: %v", text, err)
	}
	kind = ">="
	if below {
		kind = "<"
	}
	return a, whole(level, b.col), kind, nil
}

func (ps *parser) name(n *node) string {
	if n.next {
		return n.v.Name + "'"
	}
	return n.v.Name
}

// real returns the number that n is, if it is one.
func (n *node) real() (float64, bool) {
	switch n.op {
	case "number":
		x, _ := n.num.Float64()
		return x, true
	case "neg":
		x, ok := n.args[0].real()
		return -x, ok
	}
	return 0, false
}

// bounds returns the least and the greatest value of n within the ranges of its variables,
// taken apart; nil if a divisor can be 0 there.
func (n *node) bounds() (lo, hi *big.Rat) {
	if !n.bounded {
		n.lo, n.hi = n.newBounds()
		n.bounded = true
	}
	return n.lo, n.hi
}

func (n *node) newBounds() (lo, hi *big.Rat) {
	var los, his []*big.Rat
	for _, a := range n.args {
		l, h := a.bounds()
		if l == nil {
			return nil, nil
		}
		los, his = append(los, l), append(his, h)
	}
	switch n.op {
	case "number":
		return n.num, n.num
	case "name":
		step := n.v.Step()
		return new(big.Rat).Mul(new(big.Rat).SetInt64(n.v.Lo), step), new(big.Rat).Mul(new(big.Rat).SetInt64(n.v.Hi), step)
	case "neg":
		return new(big.Rat).Neg(his[0]), new(big.Rat).Neg(los[0])
	case "+":
		return new(big.Rat).Add(los[0], los[1]), new(big.Rat).Add(his[0], his[1])
	case "-":
		return new(big.Rat).Sub(los[0], his[1]), new(big.Rat).Sub(his[0], los[1])
	case "*", "/":
		if n.op == "/" {
			if los[1].Sign() <= 0 && his[1].Sign() >= 0 {
				return nil, nil
			}
			los[1], his[1] = new(big.Rat).Inv(his[1]), new(big.Rat).Inv(los[1])
		}
		var products []*big.Rat
		for _, x := range []*big.Rat{los[0], his[0]} {
			products = append(products, new(big.Rat).Mul(x, los[1]), new(big.Rat).Mul(x, his[1]))
		}
		return slices.MinFunc(products, (*big.Rat).Cmp), slices.MaxFunc(products, (*big.Rat).Cmp)
	case "abs":
		most := slices.MaxFunc([]*big.Rat{new(big.Rat).Neg(los[0]), his[0]}, (*big.Rat).Cmp)
		least := slices.MaxFunc([]*big.Rat{los[0], new(big.Rat).Neg(his[0]), new(big.Rat)}, (*big.Rat).Cmp)
		return least, most
	case "min":
		return slices.MinFunc(los, (*big.Rat).Cmp), slices.MinFunc(his, (*big.Rat).Cmp)
	case "max":
		return slices.MaxFunc(los, (*big.Rat).Cmp), slices.MaxFunc(his, (*big.Rat).Cmp)
	case "if":
		return slices.MinFunc(los[1:], (*big.Rat).Cmp), slices.MaxFunc(his[1:], (*big.Rat).Cmp)
	}
	return new(big.Rat), big.NewRat(1, 1)
}

// off reports that one of n and m is a variable and the other a number between its values.
func off(n, m *node) bool {
	if n.op != "name" {
		n, m = m, n
	}
	return n.op == "name" && m.op == "number" && !new(big.Rat).Quo(m.num, n.v.Step()).IsInt()
}

// noteConstant records a comparison that the ranges of its variables decide.
func (ps *parser) noteConstant(a, b *node, kind string, col int) {
	if a.constant() && b.constant() {
		return
	}
	l, h := a.bounds()
	m, k := b.bounds()
	if l == nil || m == nil {
		return
	}
	var always, never bool
	switch kind {
	case "==":
		never = h.Cmp(m) < 0 || k.Cmp(l) < 0 || off(a, b)
		always = l.Cmp(h) == 0 && m.Cmp(k) == 0 && l.Cmp(m) == 0
	case "~=":
		always = h.Cmp(m) < 0 || k.Cmp(l) < 0 || off(a, b)
		never = l.Cmp(h) == 0 && m.Cmp(k) == 0 && l.Cmp(m) == 0
	case "<":
		always, never = h.Cmp(m) < 0, l.Cmp(k) >= 0
	case "<=":
		always, never = h.Cmp(m) <= 0, l.Cmp(k) > 0
	case ">":
		always, never = l.Cmp(k) > 0, h.Cmp(m) <= 0
	case ">=":
		always, never = l.Cmp(k) >= 0, h.Cmp(m) < 0
	}
	if !always && !never {
		return
	}
	word := "always"
	if never {
		word = "never"
	}
	text := strings.TrimSpace(ps.lex.text[min(col-1, len(ps.lex.text)):min(ps.tok.col-1, len(ps.lex.text))])
	ranges := ""
	for _, n := range []*node{a, b} {
		if n.op == "name" {
			ranges += fmt.Sprintf("; the range of %s is %s", n.v.Name, n.v.RangeText())
			if n.v.Fixed() {
				ranges += " by " + n.v.Decimal(1)
			}
		}
	}
	ps.constants = append(ps.constants, fmt.Sprintf("%s is %s true%s", text, word, ranges))
}

// Constants lists the comparisons in e that the ranges of their variables decide, such as
// floor == 5 where floor is 0..3. What they say is seldom what was meant.
func (e *Expr) Constants() []string { return e.constants }
